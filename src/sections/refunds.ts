/** Refunds that are owed, oldest first. Inlet moves no money: a person pays one back at the bank and records it. */
import { readable, typedCents } from '../domain/money.ts'
import { declareNotOwed, payBack } from '../domain/refunds/pay-back.ts'
import { placeFrom, placeText, type Refund } from '../domain/refunds/refund.ts'
import { findRefund, listRefunds, sumRefunds } from '../domain/refunds/store.ts'
import { age, day, foreign, link, modeOf, money, said, state } from './cells.ts'
import { act, section } from './declare.ts'
import { dangerous, read } from './roles.ts'
import type { Two } from './section.ts'
import { decided, modeFilter } from './shared.ts'

const why: Record<Refund['why'], Two> = {
  set_aside: ['Set aside', 'Отложено'],
  deposit_ended: ['Deposit closed', 'Депозит закрыт'],
  overpaid: ['Overpaid', 'Переплата'],
}

const onRefund = act<Refund>()

export const refunds = section<Refund>()({
  one: 'refund',
  path: '/refunds',
  name: ['Refunds', 'Возвраты'],
  about: [
    'Money to return to payers: transfers set aside, money of closed deposits and overpayments. Take a refund, pay it back at your bank, then record it here. Inlet does not move money.',
    'Деньги, которые нужно вернуть плательщикам: отложенные поступления, деньги закрытых депозитов и переплаты. Возьмите возврат в работу, проведите его в банке и отметьте здесь. Inlet деньги не переводит.',
  ],
  empty: [
    ['No refunds due', 'Возвратов нет'],
    [
      'Transfers set aside, money of closed deposits and overpayments appear here.',
      'Здесь появляются отложенные поступления, деньги закрытых депозитов и переплаты.',
    ],
  ],
  read,
  isLive: true,
  isExported: true,
  columns: {
    amount: { rank: 1, is: 'money', cell: (r) => money(r.cents, r.currency) },
    since: { rank: 1, cell: (r) => age(r.since) },
    payer: { rank: 2, cell: (r) => r.payer && foreign(r.payer.name, r.payer.account) },
    why: { rank: 2, cell: (r) => [state(r.why, why[r.why]), said(r.note)] },
    deposit: { rank: 2, cell: (r) => link('/deposits', r.depositId, r.orderId) },
    merchant: { rank: 3, cell: (r) => foreign(r.merchantName) },
    mode: { rank: 3, cell: (r) => modeOf(r.mode) },
    account: { head: ['Came to', 'Поступило на'], rank: 3, cell: (r) => foreign(r.accountLabel) },
    transfer: {
      head: ['Transfer', 'Операция'],
      rank: 'file',
      cell: (r) => link('/transfers', r.transferId, null),
    },
    booked_on: { rank: 'file', cell: (r) => day(r.bookedOn) },
    purpose: { head: ['Purpose', 'Назначение'], rank: 'file', cell: (r) => foreign(r.purpose) },
    payer_tax_id: { head: ['Tax ID', 'ИНН'], rank: 'file', cell: (r) => foreign(r.payer?.taxId ?? null) },
    payer_bank: { head: ['Bank', 'Банк'], rank: 'file', cell: (r) => foreign(r.payer?.bank ?? null) },
  },
  filters: { mode: modeFilter },
  idOf: ({ transferId }) => transferId,
  pages: async ({ db }, { chosen: { mode }, after, limit }) => {
    const { refunds: rows, next } = await listRefunds(db, { mode, after: placeFrom(after ?? ''), limit })
    return { rows, next: next && placeText(next) }
  },
  totals: async ({ db }, { mode }) => {
    const sums = await sumRefunds(db, mode)
    return sums.map(({ refunds, mode, cents, currency }) => [
      mode === 'test'
        ? [`Test: ${refunds}`, `Тест: ${refunds}`]
        : [`To refund: ${refunds}`, `К возврату: ${refunds}`],
      { is: 'money', cents, currency },
    ])
  },
  find: ({ db }, id) => findRefund(db, id),
  title: ({ cents, currency }) => [
    `Refund of ${readable(cents, currency)}`,
    `Возврат ${readable(cents, currency)}`,
  ],
  claim: { item: ({ transferId }) => `transfer:${transferId}`, minutes: 60 },
  acts: {
    paid: onRefund({
      name: ['Mark as paid back', 'Отметить возврат'],
      effect: [
        'Records a refund that you made at the bank.',
        'Записывает возврат, который вы провели в банке.',
      ],
      done: ['Refund recorded.', 'Возврат отмечен.'],
      policy: dangerous,
      audit: 'refund_paid',
      kind: 'primary',
      holds: true,
      fields: {
        amount: {
          head: ['Refunded amount', 'Сумма возврата'],
          is: 'cents',
          value: ({ cents }) => typedCents(cents),
        },
      },
      run: (_tx, { row, given, by: { actor, reason }, context }) =>
        decided(payBack(context, { actor, reason, transferId: row.transferId!, cents: given.amount })),
    }),
    none: onRefund({
      name: ['No refund due', 'Возврат не нужен'],
      effect: ['Closes the refund; no money moves.', 'Закрывает возврат; деньги не движутся.'],
      policy: dangerous,
      audit: 'refund_none',
      holds: true,
      run: (_tx, { row, by: { actor, reason }, context }) =>
        decided(declareNotOwed(context, { actor, reason, transferId: row.transferId! })),
    }),
  },
})
