/** The books of a day or a month: a line for each transfer and each confirmation without one, and sums with their proof. */

import type { PlacedLine } from '../domain/reports/line-store.ts'
import { placeFrom, placeText, type ReportAsk, readBooks, readLines } from '../domain/reports/read-report.ts'
import { differenceOf, receivedOf } from '../domain/reports/report.ts'
import { readBankDay } from '../domain/reports/store.ts'
import { isDay } from '../domain/transfers/bank-text/days.ts'
import { day, foreign, link, money, number, person, state, text, time } from './cells.ts'
import { section } from './declare.ts'
import { read } from './roles.ts'
import type { Cell, Choice, Context, Two } from './section.ts'
import { accountFilter, currencyFilter, merchantFilter, modeFilter } from './shared.ts'
import { transferState } from './states.ts'

type Line = PlacedLine
type Chosen = Record<'day' | 'month' | 'merchant' | 'account', string | null> &
  Pick<ReportAsk, 'currency' | 'mode'>

export const reports = section<Line>()({
  one: 'report',
  path: '/reports',
  name: ['Reports', 'Отчёты'],
  about: [
    'A line for each transfer, or for each deposit that has a part of it, and for each deposit confirmed without one. Received money is with deposits, refunded or open. Days are those of the banks.',
    'Строка на каждое поступление или на каждый депозит с его частью, и на каждый депозит, подтверждённый без поступления. Полученные деньги — в депозитах, возвращены или не распределены. Дни — по часам банков.',
  ],
  empty: [
    ['No money was seen, and nothing was confirmed', 'Денег не было, ничего не подтверждали'],
    ['Choose another day or month.', 'Выберите другой день или месяц.'],
  ],
  read,
  isExported: true,
  columns: {
    amount: { rank: 1, is: 'money', cell: (r) => money(r.cents || r.byHandCents, r.currency) },
    state: {
      rank: 1,
      cell: ({ state: value }) =>
        value === 'confirmed'
          ? state('no_transfer', ['No transfer', 'Без поступления'], 'warn')
          : transferState(value),
    },
    booked_on: { rank: 2, cell: (r) => day(r.bookedOn) },
    payer: { rank: 2, cell: (r) => foreign(r.payer) },
    deposit: { rank: 2, cell: (r) => link('/deposits', r.depositId, r.orderId) },
    asked: {
      head: ['Requested', 'Запрошено'],
      rank: 3,
      is: 'money',
      cell: (r) => money(r.askedCents, r.currency),
    },
    merchant: { rank: 3, cell: (r) => foreign(r.merchantName) },
    requisite: { head: ['Requisite', 'Реквизит'], rank: 3, cell: (r) => foreign(r.requisite) },
    decided_by: { head: ['By', 'Кто'], rank: 3, cell: (r) => [text(r.rule), person(r.decidedBy)] },
    callback: {
      head: ['Callback', 'Колбэк'],
      rank: 3,
      cell: ({ callback }) => callback && text(callback.event ?? callback.state, callback.state),
    },
    delivered_at: {
      head: ['Delivered', 'Доставлен'],
      rank: 'file',
      cell: (r) => time(r.callback?.deliveredAt ?? null),
    },
    order_id: { head: ['Order', 'Заказ'], rank: 'file', cell: (r) => foreign(r.orderId) },
    transfer: { rank: 'file', cell: (r) => link('/transfers', r.transferId, null) },
    bank_reference: {
      head: ['Bank reference', 'Референс банка'],
      rank: 'file',
      cell: (r) => foreign(r.bankReference),
    },
    document_number: {
      head: ['Document number', 'Номер документа'],
      rank: 'file',
      cell: (r) => foreign(r.documentNumber),
    },
    received: { rank: 'file', is: 'money', cell: (r) => money(receivedOf(r), r.currency) },
    with_deposit: {
      head: ['With deposits', 'В депозитах'],
      rank: 'file',
      is: 'money',
      cell: (r) => money(r.depositCents, r.currency),
    },
    refunded: {
      head: ['Refunded', 'Возвращено'],
      rank: 'file',
      is: 'money',
      cell: (r) => money(r.refundCents, r.currency),
    },
    open: {
      head: ['Open', 'Не распределено'],
      rank: 'file',
      is: 'money',
      cell: (r) => money(r.openCents, r.currency),
    },
    surplus: {
      head: ['Surplus', 'Переплата'],
      rank: 'file',
      is: 'money',
      cell: (r) => money(r.surplusCents, r.currency),
    },
    by_hand: {
      head: ['By hand', 'Вручную'],
      rank: 'file',
      is: 'money',
      cell: (r) => money(r.byHandCents, r.currency),
    },
    difference: {
      head: ['Difference', 'Расхождение'],
      rank: 'file',
      is: 'money',
      cell: (r) => money(differenceOf(r), r.currency),
    },
  },
  filters: {
    day: { is: 'day' },
    month: { head: ['Month', 'Месяц'], is: 'choice', of: async ({ now }: Context) => monthsUpTo(now) },
    ...{ merchant: merchantFilter, account: accountFilter, currency: currencyFilter, mode: modeFilter },
  },
  merchantOf: ({ merchantId }) => merchantId,
  async pages(context, { chosen, after, limit }) {
    const place = after === null ? null : placeFrom(after)
    const { lines, next } = await readLines(context.db, await askOf(context, chosen), { after: place, limit })
    return { rows: lines, next: next && placeText(next) }
  },
  async totals(context, chosen) {
    const ask = await askOf(context, chosen)
    const { books, byHand } = await readBooks(context.db, ask)
    const { from, to } = ask.period
    return [
      [['Days', 'Дни'], from === to ? day(from) : [day(from), day(to)]],
      ...books.flatMap((sum): (readonly [Two, Cell])[] => [
        [['Transfers', 'Операции'], number(sum.transfers)],
        [['Received', 'Получено'], money(sum.receivedCents, sum.currency)],
        [['With deposits', 'В депозитах'], money(sum.depositCents, sum.currency)],
        [['Refunded', 'Возвращено'], money(sum.refundCents, sum.currency)],
        [['Open', 'Не распределено'], money(sum.openCents, sum.currency)],
        [['Proof', 'Проверка'], proofOf(sum)],
      ]),
      ...byHand.map(({ deposits, cents, currency }): readonly [Two, Cell] => [
        [`Without a transfer: ${deposits}`, `Без поступления: ${deposits}`],
        money(cents, currency),
      ]),
    ]
  },
})

/** Received money is all in its parts: in the sum, and in each transfer. */
function proofOf(sum: Awaited<ReturnType<typeof readBooks>>['books'][number]): Cell {
  const difference = sum.receivedCents - sum.depositCents - sum.refundCents - sum.openCents
  return difference === 0n && sum.unbalanced === 0
    ? state('holds', ['Adds up', 'Сходится'], 'ok')
    : [
        state('broken', ['Does not add up', 'Не сходится'], 'bad'),
        money(difference, sum.currency),
        number(sum.unbalanced),
      ]
}

/** The chosen day, else the chosen month, else today; of our zones Moscow is the last to begin a day. */
async function askOf(
  { db }: Context,
  { day, month, merchant: merchantId, account: accountId, currency, mode }: Chosen,
): Promise<ReportAsk> {
  const isMonth = day === null && isDay(`${month}-01`)
  const today = day ?? (isMonth ? '' : await readBankDay(db, 'RUB'))
  const period = isMonth ? { from: `${month}-01`, to: lastOf(month!) } : { from: today, to: today }
  return { period, merchantId, accountId, currency, mode }
}

function lastOf(month: string): string {
  const [year, number] = month.split('-').map(Number)
  return `${month}-${new Date(Date.UTC(year!, number!, 0)).getUTCDate()}`
}

const monthsOffered = 36

function monthsUpTo(now: Date): Choice[] {
  const name = (at: Date, locale: string) =>
    new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(at)
  return Array.from({ length: monthsOffered }, (_, back) => {
    const at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1))
    return { value: at.toISOString().slice(0, 7), words: [name(at, 'en'), name(at, 'ru')] }
  })
}
