/** The words of what has to be paid back. */
import { pluralOf } from '../../web/messages/plural.ts'
import { deskWords } from '../words.ts'

const refundsEn = pluralOf('en', { one: 'refund', other: 'refunds' })
const refundsRu = pluralOf('ru', { one: 'возврат', few: 'возврата', other: 'возвратов' })

const en = {
  ...deskWords.en,
  text: 'Money to return to payers: transfers set aside, money of closed deposits and overpayments. Assign a refund to yourself, pay it back at your bank, then record it here. Inlet does not move money.',
  noneOwed: 'No refunds due',
  noneText: 'Transfers set aside, money of closed deposits and overpayments appear here.',
  reasons: {
    set_aside: 'Set aside',
    deposit_ended: 'Deposit closed',
    overpaid: 'Overpaid',
  },
  total: (refunds: number) => `To refund · ${refunds} ${refundsEn(refunds)}`,
  cameTo: 'came to',
  later: 'Later',
  first: 'Oldest first',
  paid: 'Mark as paid back',
  notOwed: 'No refund due',
  amountPaidBack: 'Refunded amount',
  evidence: 'Document or reason',
  amountHint: 'For example, 1500.50, up to the amount due.',
  byHand: 'Recorded manually without a transfer. Correct it with “inlet deposit receive”.',
}

type RefundWords = typeof en

const ru: RefundWords = {
  ...deskWords.ru,
  text: 'Деньги, которые нужно вернуть плательщикам: отложенные поступления, деньги закрытых депозитов и переплаты. Возьмите возврат в работу, проведите его в банке и отметьте здесь. Inlet деньги не переводит.',
  noneOwed: 'Возвратов нет',
  noneText: 'Здесь появляются отложенные поступления, деньги закрытых депозитов и переплаты.',
  reasons: {
    set_aside: 'Отложено',
    deposit_ended: 'Депозит закрыт',
    overpaid: 'Переплата',
  },
  total: (refunds) => `К возврату · ${refunds} ${refundsRu(refunds)}`,
  cameTo: 'поступило на',
  later: 'Более поздние',
  first: 'Сначала старые',
  paid: 'Отметить возврат',
  notOwed: 'Возврат не нужен',
  amountPaidBack: 'Сумма возврата',
  evidence: 'Документ или причина',
  amountHint: 'Например, 1500,50, не больше суммы к возврату.',
  byHand: 'Отмечено вручную, без поступления. Исправить можно командой «inlet deposit receive».',
}

export const refundWords = { en, ru } as const
