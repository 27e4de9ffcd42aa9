/** The words of what has to be paid back. */
import { deskWords } from '../words.ts'

const en = {
  ...deskWords.en,
  text: 'Money that is somebody else’s: set aside, left by a deposit that ended, or more than a deposit asked for. Take one, pay it back at your bank, then note it here. Inlet moves no money.',
  noneOwed: 'Nobody is owed anything',
  noneText:
    'Payments that were set aside, money of deposits that ended, and what was paid too much appear here.',
  reasons: {
    set_aside: 'set aside',
    deposit_ended: 'its deposit ended',
    overpaid: 'paid too much',
  },
  account: 'Account',
  total: 'Owed',
  count: (refunds: number) => `refunds: ${refunds}`,
  later: 'Later ones',
  first: 'From the oldest',
  paid: 'Paid back',
  notOwed: 'Nobody is owed',
  amountPaidBack: 'Amount paid back',
  evidence: 'Document, or why',
  amountHint: 'Such as 1500.50, above zero and at most what is owed.',
  byHand: 'Noted by hand, without a payment: take it back with “inlet deposit receive”.',
}

type RefundWords = typeof en

const ru: RefundWords = {
  ...deskWords.ru,
  text: 'Чужие деньги: отложенные, оставшиеся от закончившегося депозита или уплаченные сверх него. Возьмите строку, верните деньги в своём банке, потом отметьте здесь. Inlet денег не переводит.',
  noneOwed: 'Возвращать нечего',
  noneText: 'Здесь появляются отложенные платежи, деньги закончившихся депозитов и переплаты.',
  reasons: {
    set_aside: 'отложено',
    deposit_ended: 'депозит закончился',
    overpaid: 'переплата',
  },
  account: 'Счёт',
  total: 'К возврату',
  count: (refunds) => `возвратов: ${refunds}`,
  later: 'Более поздние',
  first: 'С самых старых',
  paid: 'Возвращено',
  notOwed: 'Возвращать некому',
  amountPaidBack: 'Сколько возвращено',
  evidence: 'Документ или причина',
  amountHint: 'Например 1500.50, больше нуля и не больше долга.',
  byHand: 'Отмечено вручную, без платежа: снимите командой «inlet deposit receive».',
}

export const refundWords = { en, ru } as const
