/** Which payment types and amounts a merchant can ask for, and why some are not available now. */
import { type OfferRow, readOffers } from '../domain/catalogue/merchant-limit-store.ts'
import { readable } from '../domain/money.ts'
import { money, state, text, words } from './cells.ts'
import { section } from './declare.ts'
import { viewer } from './roles.ts'
import { both, type Cell, type Two } from './section.ts'
import { methodWords } from './shared.ts'

/** The first reason why it is not available; null if it is. */
function obstacleOf(offer: OfferRow): Two | null {
  if (!offer.isTypeEnabled)
    return ['the operator has turned off this payment type', 'оператор выключил этот способ оплаты']
  if (!offer.isCurrencyEnabled) return ['not available in this currency', 'недоступен в этой валюте']
  if (!offer.isEnabledForMerchant) return ['not available to you', 'вам недоступен']
  if (offer.requisites === 0)
    return ['the operator has no account for it yet', 'у оператора пока нет для него счёта']
  if (offer.enabledRequisites === 0)
    return ['all accounts for it are turned off', 'все счета для него выключены']
  return offer.freeMostCents === null
    ? [
        'no account has room for the least amount: too many open deposits, or a daily or monthly limit is reached',
        'ни на одном счёте нет места даже для наименьшей суммы: слишком много открытых депозитов или исчерпан лимит дня или месяца',
      ]
    : null
}

function available(offer: OfferRow): Cell {
  const why = obstacleOf(offer)
  if (why) return [state('no', ['No', 'Нет'], 'warn'), words(why)]
  const { freeMostCents: most, maxCents, currency } = offer
  const upTo = most !== null && most < maxCents && readable(most, currency)
  return [
    state('yes', ['Yes', 'Да'], 'ok'),
    upTo ? words([`up to ${upTo} in one deposit`, `до ${upTo} в одном депозите`]) : null,
  ]
}

export const limits = section<OfferRow>()({
  one: 'limit',
  path: '/limits',
  name: ['Limits', 'Лимиты'],
  about: [
    'Payment types available to you, their limits and whether a request would find an account now. Set by the operator; your server can read them: GET /api/v1/requests/limit.',
    'Доступные вам способы оплаты, их лимиты и найдётся ли сейчас счёт для запроса. Их задаёт оператор; ваш сервер может прочитать их сам: GET /api/v1/requests/limit.',
  ],
  empty: [
    ['No payment types available', 'Способов оплаты нет'],
    ['The operator has not set any limits yet.', 'Оператор ещё не задал лимиты.'],
  ],
  read: viewer,
  columns: {
    method: { rank: 1, cell: ({ code, name }) => words(methodWords(new Map([[code, name]]), code)) },
    available: { head: ['Available now', 'Доступен сейчас'], rank: 1, cell: available },
    least: { head: ['Minimum', 'Минимум'], rank: 2, is: 'money', cell: (r) => money(r.minCents, r.currency) },
    most: { head: ['Maximum', 'Максимум'], rank: 2, is: 'money', cell: (r) => money(r.maxCents, r.currency) },
    payment_type: { head: both('payment_type'), rank: 2, cell: (r) => text(r.code) },
    operation: {
      head: ['Operation', 'Операция'],
      rank: 3,
      cell: (r) => text(r.isSelectionFlow ? 'build' : 'create'),
    },
    own: {
      head: ['Set for', 'Задан'],
      rank: 3,
      cell: (r) =>
        r.hasOwnLimits
          ? state('own', ['You', 'Для вас'], 'info')
          : state('all', ['All merchants', 'Для всех мерчантов']),
    },
  },
  all: ({ db, merchantId }) => readOffers(db, merchantId!),
})
