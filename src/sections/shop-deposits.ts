/** A merchant's own deposits: searched, listed, one of them with all that happened to it, and canceled. */
import { readTypeNames } from '../domain/catalogue/store.ts'
import { cancelDeposit } from '../domain/deposits/change-deposit.ts'
import {
  type FoundDeposit,
  type HistoryEntry,
  isFinal,
  obstacle,
  transitions,
} from '../domain/deposits/deposit.ts'
import { readHistoryForMerchant } from '../domain/deposits/history-store.ts'
import { type FoundRow, listDepositRows } from '../domain/deposits/merchant-search-store.ts'
import { payPath } from '../domain/deposits/page-paths.ts'
import { findDeposit } from '../domain/deposits/read-store.ts'
import type { SentRequest } from '../domain/deposits/sent-request.ts'
import { findMerchant } from '../domain/merchants/store.ts'
import { readable } from '../domain/money.ts'
import { listTransfersOf } from '../domain/transfers/allocation-store.ts'
import { isUuid } from '../platform/request-fields.ts'
import { callbacks } from './callbacks.ts'
import { code, day, foreign, money, text, time, words } from './cells.ts'
import { act, section } from './declare.ts'
import { callbackParts, depositColumns, historyTable } from './deposit-pieces.ts'
import { codePart, note, table } from './parts.ts'
import { developer, viewer } from './roles.ts'
import { both, type Cell, type Context, type Two } from './section.ts'
import { currencyFilter, methodWords, search } from './shared.ts'
import { choicesFrom, depositStateWords } from './states.ts'

/** `whole`: what the page of one deposit shows besides. */
type Row = { deposit: FoundRow; method: Two; whole?: FoundDeposit }

const columns = depositColumns

export const shopDeposits = section<Row>()({
  one: 'deposit',
  path: '/deposits',
  name: ['Deposits', 'Депозиты'],
  empty: [
    ['No deposits yet', 'Депозитов пока нет'],
    [
      'Create a signing key and send the first request; in test mode the test bank pays it.',
      'Создайте ключ подписи и отправьте первый запрос; в тестовом режиме его оплатит тестовый банк.',
    ],
  ],
  read: viewer,
  isLive: true,
  isExported: true,
  columns: {
    order_id: { ...columns.order, rank: 1 },
    amount: columns.amount,
    state: { ...columns.state, rank: 2 },
    ...{ created_at: columns.created, payment_type: columns.method },
    id: { rank: 'file', cell: ({ deposit }) => text(deposit.id) },
    received: columns.received,
    customer: { rank: 'file', cell: ({ deposit }) => foreign(deposit.customer) },
    reference: columns.reference,
    final_at: {
      ...{ head: ['Final', 'Окончательно'], rank: 'file' },
      cell: ({ deposit }) => time(deposit.finalAt),
    },
  },
  filters: {
    q: search(
      'Order, customer, amount, KT…, last digits or ID',
      'Заказ, покупатель, сумма, KT…, последние цифры или ID',
    ),
    state: { is: 'choice', of: choicesFrom(depositStateWords) },
    currency: currencyFilter,
    method: { is: 'choice', of: methodChoices },
    from: { head: ['From', 'С'], is: 'day' },
    to: { head: ['To', 'По'], is: 'day' },
  },
  idOf: ({ deposit }) => deposit.id,
  title: ({ deposit: { orderId } }) => [`Order ${orderId}`, `Заказ ${orderId}`],
  pages: async ({ db, merchantId, timeZone }, { chosen: { q, method, ...chosen }, after, limit }) => {
    const [{ lines, next }, names] = await Promise.all([
      listDepositRows(db, {
        ...{ merchantId: merchantId!, zone: timeZone, limit, after: after && isUuid(after) ? after : null },
        filter: { ...chosen, search: q ?? '', paymentType: method },
      }),
      readTypeNames(db),
    ])
    const rows = lines.map((deposit) => ({ deposit, method: methodWords(names, deposit.paymentType) }))
    return { rows, next }
  },
  find: async ({ db, merchantId }, id) => {
    const whole = await findDeposit(db, { merchantId: merchantId!, id })
    if (!whole) return undefined
    const { deposit } = whole
    return { deposit, whole, method: methodWords(await readTypeNames(db), deposit.paymentType) }
  },
  facts: {
    missing: {
      head: ['Missing', 'Не хватает'],
      cell: ({ deposit: { amountCents, receivedCents, currency } }) =>
        receivedCents > 0n && receivedCents < amountCents
          ? money(amountCents - receivedCents, currency)
          : null,
    },
    phone: ({ whole }) => text(whole!.deposit.customerPhoneNumber),
    expires_at: { head: ['Pay by', 'Оплатить до'], cell: ({ whole }) => time(whole!.deposit.expiresAt) },
    late_until: {
      head: ['Late payments until', 'Опоздавшие платежи до'],
      cell: ({ whole }) => time(whole!.deposit.lateUntil),
    },
    shown: {
      head: ['Shown to the customer', 'Показано покупателю'],
      cell: ({ whole }) => {
        const { shown } = whole!.deposit
        return shown && text(shown.number, `${shown.name} · ${shown.bank_name}`)
      },
    },
    callback_url: {
      head: ['Callback URL of the request', 'Адрес колбэков из запроса'],
      cell: ({ whole }) => foreign(whole!.deposit.callbackUrl),
    },
    success_url: { head: both('success_url'), cell: ({ whole }) => foreign(whole!.deposit.successUrl) },
    reject_url: { head: both('reject_url'), cell: ({ whole }) => foreign(whole!.deposit.rejectUrl) },
  },
  parts: partsOf,
  acts: {
    cancel: act<Row>()({
      name: ['Cancel deposit', 'Отменить депозит'],
      effect: [
        'The payment page will say that the shop canceled the payment. The order ID cannot be reused. This cannot be undone.',
        'На платёжной странице появится, что магазин отменил оплату. Номер заказа нельзя использовать снова. Отменить это действие нельзя.',
      ],
      done: ['Deposit canceled.', 'Депозит отменён.'],
      policy: developer,
      audit: 'deposit_cancel',
      kind: 'danger',
      from: ({ deposit: { state }, whole }) => {
        if (!whole || !obstacle(whole.deposit, 'cancel', whole.now)) return true
        const [[en, ru]] = depositStateWords[state]
        return (transitions.cancel.from as readonly string[]).includes(state)
          ? [
              'Money has already arrived, so this deposit can no longer be canceled.',
              'Деньги уже поступили, поэтому депозит нельзя отменить.',
            ]
          : [
              `A deposit in the state “${en}” cannot be canceled.`,
              `Депозит в состоянии «${ru}» отменить нельзя.`,
            ]
      },
      run: async (_tx, { row: { deposit }, by: { actor }, context }) => {
        await cancelDeposit(context, { depositId: deposit.id, merchantId: context.merchantId, actor })
        return { before: { state: deposit.state }, after: { state: 'canceled' } }
      },
    }),
  },
})

async function methodChoices({ db }: Context) {
  const names = await readTypeNames(db)
  return [...names.keys()].map((value) => ({ value, words: methodWords(names, value) }))
}

async function partsOf({ db, merchantId, publicUrl }: Context, { whole }: Row) {
  const { deposit } = whole!
  const [callbackSent, transfers, history, merchant] = await Promise.all([
    callbackParts(db, deposit, callbacks),
    listTransfersOf(db, deposit.id),
    readHistoryForMerchant(db, merchantId!, deposit.id),
    findMerchant(db, merchantId!),
  ])
  const bank = { to: '/bank', chosen: { deposit: deposit.id }, text: ['Test bank', 'Тестовый банк'] } as const
  return [
    ...callbackSent.late,
    note('info', nextOf(whole!), merchant?.mode === 'test' ? bank : undefined),
    ...callbackSent.all,
    transfers.length > 0 &&
      table(['Transfers', 'Поступления'], transfers, [
        [['Amount', 'Сумма'], (one) => money(one.shareCents, one.currency), 'number'],
        [['Booked', 'Проведено'], (one) => day(one.bookedOn)],
        [['Payer', 'Плательщик'], (one) => foreign(one.payerName)],
        [['Purpose', 'Назначение'], (one) => foreign(one.purpose)],
        [['Matched by', 'Сопоставлено по'], ({ rule }) => (rule && rules[rule] ? words(rules[rule]) : null)],
      ]),
    historyTable(history, evidence),
    codePart(['Payment page', 'Платёжная страница'], `${publicUrl}${payPath('/:token', deposit.pageToken)}`),
  ]
}

/** What happens next with this deposit, in one sentence. */
function nextOf({ deposit, now }: FoundDeposit): Two {
  const { state, labels, claimedAt, amountCents, receivedCents, currency } = deposit
  if (labels.includes('review'))
    return [
      'Money arrived and the operator is reviewing it. You get a callback with the decision.',
      'Деньги поступили, их проверяет оператор. О решении придёт колбэк.',
    ]
  if (state === 'expired') return isFinal(deposit, now) ? ended : late
  if (state === 'created' && receivedCents > 0n) {
    const missing = readable(amountCents - receivedCents, currency)
    return [
      `Underpaid: ${missing} is missing. The deposit is confirmed when the rest arrives.`,
      `Недоплата: не хватает ${missing}. Депозит подтвердится, когда придёт остаток.`,
    ]
  }
  return state === 'created' && claimedAt ? claimed : nexts[state]
}

const ended: Two = [
  'Nothing more. The deposit is final: late payments are no longer accepted.',
  'Больше ничего. Состояние окончательное: опоздавшие платежи больше не принимаются.',
]
const late: Two = [
  'Not paid in time. Late payments are still accepted for a while; after that the deposit is final.',
  'Вовремя не оплачен. Опоздавший платёж ещё некоторое время принимается, затем состояние станет окончательным.',
]
const claimed: Two = [
  'The customer reported the payment. We are waiting for the bank.',
  'Покупатель сообщил об оплате. Ждём поступления от банка.',
]
const nexts: Record<Exclude<FoundDeposit['deposit']['state'], 'expired'>, Two> = {
  builded: [
    'The customer chooses a payment method. Without a choice, the deposit expires.',
    'Покупатель выбирает способ оплаты. Без выбора депозит истечёт.',
  ],
  created: [
    'The customer transfers the exact amount. Once the bank reports it, the deposit is confirmed and you get a callback. Without payment it expires.',
    'Покупатель переводит точную сумму. Когда банк сообщит о поступлении, депозит подтвердится и вы получите колбэк. Без оплаты он истечёт.',
  ],
  confirmed: [
    'Fulfil the order. Only a reversal by the bank can change this.',
    'Выдайте заказ. Изменить состояние может только возврат со стороны банка.',
  ],
  rejected: [
    'Nothing more. A new payment needs a new order ID.',
    'Больше ничего. Для новой оплаты нужен новый номер заказа.',
  ],
  canceled: [
    'Nothing more: you canceled it. A new payment needs a new order ID.',
    'Больше ничего: вы отменили депозит. Для новой оплаты нужен новый номер заказа.',
  ],
  reversed: [
    'The bank took the money back. Treat the order as unpaid.',
    'Банк забрал деньги обратно. Считайте заказ неоплаченным.',
  ],
}

const rules: Readonly<Record<string, Two>> = {
  reference: ['Reference in the purpose', 'Номер в назначении'],
  amount: ['Amount: only this deposit was awaiting it', 'Сумма: её ожидал только этот депозит'],
  by_hand: ['Operator’s decision', 'Решение оператора'],
  split: [
    'Operator’s decision: one transfer for several deposits',
    'Решение оператора: один перевод за несколько депозитов',
  ],
  refund: ['Partly refunded', 'Частично возвращено'],
}

/** The request that created the deposit; of another step what decided it. */
function evidence({ from_state, evidence: kept }: HistoryEntry): Cell {
  if (!kept || Object.keys(kept).length === 0) return null
  if (from_state !== null) return code(JSON.stringify(kept))
  const { request, key, scheme } = kept as SentRequest
  return text(request, `${key} · ${scheme}`)
}
