/** The books of a day or a month: a line for each transfer and each confirmation without one, and sums with their proof. */

import { modes } from '../domain/merchants/merchant.ts'
import { listMerchants } from '../domain/merchants/store.ts'
import { currencies } from '../domain/money.ts'
import type { PlacedLine } from '../domain/reports/line-store.ts'
import { placeFrom, placeText, type ReportAsk, readBooks, readLines } from '../domain/reports/read-report.ts'
import { differenceOf, receivedOf } from '../domain/reports/report.ts'
import { readBankDay } from '../domain/reports/store.ts'
import { isDay } from '../domain/transfers/bank-text/days.ts'
import { isUuid } from '../platform/request-fields.ts'
import { day, foreign, link, money, number, person, state, text, time } from './cells.ts'
import { read } from './roles.ts'
import {
  both,
  type Cell,
  type Choice,
  type Chosen,
  type Column,
  type Context,
  section,
  type Two,
} from './section.ts'
import { accountChoices, currencyChoices, modeChoices } from './shared.ts'
import { transferState } from './states.ts'

type Line = PlacedLine

const extra = (name: string, ru: string, cell: (line: Line) => Cell): Column<Line> => ({
  head: [name, ru],
  rank: 3,
  isExtra: true,
  cell,
})
const extraMoney = (name: string, ru: string, cents: (line: Line) => bigint | null): Column<Line> => ({
  ...extra(name, ru, (r) => money(cents(r), r.currency)),
  is: 'money',
})

export const reports = section<Line>({
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
    amount: {
      head: ['Amount', 'Сумма'],
      rank: 1,
      is: 'money',
      cell: (r) => money(r.cents || r.byHandCents, r.currency),
    },
    state: {
      head: ['State', 'Состояние'],
      rank: 1,
      cell: ({ state: value }) =>
        value === 'confirmed'
          ? state('no_transfer', ['No transfer', 'Без поступления'], 'warn')
          : transferState(value),
    },
    booked_on: { head: ['Booked', 'Проведено'], rank: 2, cell: (r) => day(r.bookedOn) },
    payer: { head: ['Payer', 'Плательщик'], rank: 2, cell: (r) => foreign(r.payer) },
    deposit: {
      head: ['Deposit', 'Депозит'],
      rank: 2,
      cell: (r) => link('/deposits', r.depositId, r.orderId),
    },
    asked: {
      head: ['Requested', 'Запрошено'],
      rank: 3,
      is: 'money',
      cell: (r) => money(r.askedCents, r.currency),
    },
    merchant: { head: ['Merchant', 'Мерчант'], rank: 3, cell: (r) => foreign(r.merchantName) },
    requisite: { head: ['Requisite', 'Реквизит'], rank: 3, cell: (r) => foreign(r.requisite) },
    decided_by: { head: ['By', 'Кто'], rank: 3, cell: (r) => [text(r.rule), person(r.decidedBy)] },
    callback: {
      head: ['Callback', 'Колбэк'],
      rank: 3,
      cell: ({ callback }) => callback && text(callback.event ?? callback.state, callback.state),
    },
    delivered_at: extra('Delivered', 'Доставлен', (r) => time(r.callback?.deliveredAt ?? null)),
    order_id: extra('Order', 'Заказ', (r) => foreign(r.orderId)),
    transfer: extra('Transfer', 'Поступление', (r) => link('/transfers', r.transferId, null)),
    bank_reference: extra('Bank reference', 'Референс банка', (r) => foreign(r.bankReference)),
    document_number: extra('Document number', 'Номер документа', (r) => foreign(r.documentNumber)),
    received: extraMoney('Received', 'Получено', receivedOf),
    with_deposit: extraMoney('With deposits', 'В депозитах', (r) => r.depositCents),
    refunded: extraMoney('Refunded', 'Возвращено', (r) => r.refundCents),
    open: extraMoney('Open', 'Не распределено', (r) => r.openCents),
    surplus: extraMoney('Surplus', 'Переплата', (r) => r.surplusCents),
    by_hand: extraMoney('By hand', 'Вручную', (r) => r.byHandCents),
    difference: extraMoney('Difference', 'Расхождение', differenceOf),
  },
  filters: [
    { name: 'day', head: ['Day', 'День'], is: 'day' },
    { name: 'month', head: ['Month', 'Месяц'], is: 'choice', of: async ({ now }) => monthsUpTo(now) },
    { name: 'merchant', head: ['Merchant', 'Мерчант'], is: 'choice', of: merchantChoices },
    { name: 'account', head: ['Account', 'Счёт'], is: 'choice', of: ({ db }) => accountChoices(db) },
    { name: 'currency', head: ['Currency', 'Валюта'], is: 'choice', of: currencyChoices },
    { name: 'mode', head: ['Mode', 'Режим'], is: 'choice', of: modeChoices },
  ],
  idOf: () => null,
  merchantOf: ({ merchantId }) => merchantId,
  async list(context, { chosen, after, limit }) {
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
  acts: {},
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
async function askOf({ db }: Context, chosen: Chosen): Promise<ReportAsk> {
  const { day = '', month = '', merchant = '', account = '' } = chosen
  const today = day || isDay(`${month}-01`) ? day : await readBankDay(db, 'RUB')
  return {
    period: today ? { from: today, to: today } : { from: `${month}-01`, to: lastOf(month) },
    merchantId: isUuid(merchant) ? merchant : null,
    accountId: isUuid(account) ? account : null,
    currency: currencies.find((known) => known === chosen.currency) ?? null,
    mode: modes.find((known) => known === chosen.mode) ?? null,
  }
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

const choicesMost = 500

async function merchantChoices({ db }: Context): Promise<Choice[]> {
  const merchants = await listMerchants(db, { after: null, limit: choicesMost })
  return merchants.map(({ id, name }) => ({ value: id, words: both(name) }))
}
