import { findAccount } from '../domain/requisites/account-store.ts'
import { isDay } from '../domain/transfers/bank-text/days.ts'
import { listHeldDays } from '../domain/transfers/doubt-store.ts'
import { digestOf, pairDay, readPairs } from '../domain/transfers/pair-day.ts'
import type { DayPairs, HeldDay, Transfer } from '../domain/transfers/transfer.ts'
import { isUuid } from '../platform/request-fields.ts'
import { day, foreign, link, money, number, text } from './cells.ts'
import { read, work } from './roles.ts'
import { act, type Cell, type Part, section, type Two } from './section.ts'

/** `found`: of one day, not in the list. */
type Row = HeldDay & { found: DayPairs | null }

export const heldDays = section<Row>({
  one: 'day',
  path: '/held-days',
  name: ['Days on hold', 'Дни с удержанными строками'],
  about: [
    'Rows that a file has booked and that may be payments that were told early. A whole day can be paired at once.',
    'Строки, которые файл провёл и которые могут быть платежами, о которых сообщили заранее. День можно соединить целиком.',
  ],
  empty: [
    ['Nothing is on hold', 'Удержанных строк нет'],
    [
      'Days with several rows on hold appear here.',
      'Здесь появляются дни с несколькими удержанными строками.',
    ],
  ],
  read,
  columns: {
    account: { head: ['Account', 'Счёт'], rank: 1, cell: (r) => text(r.accountLabel) },
    day: { head: ['Day', 'День'], rank: 1, cell: (r) => day(r.bookedOn) },
    rows: { head: ['On hold', 'Удержано'], rank: 2, is: 'number', cell: (r) => number(r.rows) },
  },
  filters: [],
  idOf: ({ accountId, bookedOn }) => `${accountId}:${bookedOn}`,
  title: ({ accountLabel, bookedOn }) => `${accountLabel}, ${bookedOn}`,
  list: async ({ db }, { limit }) => ({
    rows: (await listHeldDays(db, null, limit)).map((row) => ({ ...row, found: null })),
    next: null,
  }),
  async find({ db }, id) {
    const [accountId = '', bookedOn = ''] = id.split(':')
    const account = isUuid(accountId) && isDay(bookedOn) ? await findAccount(db, accountId) : undefined
    if (!account) return undefined
    const found = await readPairs(db, { accountId, day: bookedOn })
    const rows = found.pairs.length + found.heldLeft.length
    return { accountId, accountLabel: account.label, bookedOn, rows, found }
  },
  parts: async (_context, { found }) => partsOf(found!),
  acts: {
    pair: act<Row>()({
      name: ['Pair the whole day', 'Соединить весь день'],
      effect: [
        'Each line of the pairs is one payment: the early one remains, with its deposit, and is booked.',
        'Каждая строка пар — один платёж: остаётся раннее поступление со своим депозитом и становится проведённым.',
      ],
      done: ['The rows of the day are paired.', 'Строки дня соединены.'],
      policy: work,
      audit: 'day_pair',
      kind: 'primary',
      from: ({ found }) => (found!.pairs.length > 0 ? true : ['Nothing to pair.', 'Соединять нечего.']),
      fields: { seen: { head: ['Pairs', 'Пары'], is: 'seen', value: ({ found }) => digestOf(found!) } },
      async run(_tx, { row: { accountId, bookedOn, found }, by: { actor, reason }, context }) {
        await pairDay(context, { accountId, day: bookedOn, seen: digestOf(found!), actor, reason })
        const pairs = found!.pairs.map(({ held, early }) => [held.id, early.id])
        return { subject: `account:${accountId}`, after: { day: bookedOn, pairs } }
      },
    }),
  },
})

const amount = { head: ['Amount', 'Сумма'] as Two, is: 'number' as const }
const held: Two = ['On hold, booked', 'Удержано, проведено']
const early: Two = ['Told early', 'Сообщено заранее']

/** Who paid and when, with a link; what for below it. */
const rowOf = (one: Transfer): Cell => [
  link('/transfers', one.id, one.payerName.slice(0, 60) || `…${one.id.slice(-8)}`),
  day(one.bookedOn),
  foreign(one.purpose.slice(0, 80)),
]

function partsOf({ pairs, heldLeft, earlyLeft }: DayPairs): readonly Part[] {
  const left = [
    ...heldLeft.map((one) => ({ one, what: held })),
    ...earlyLeft.map((one) => ({ one, what: early })),
  ]
  return [
    {
      is: 'table',
      head: ['Pairs', 'Пары'],
      columns: [amount, held, early],
      rows: pairs.map((pair) => [
        money(pair.held.cents, pair.held.currency),
        rowOf(pair.held),
        rowOf(pair.early),
      ]),
    },
    ...(left.length === 0
      ? []
      : [
          {
            is: 'table' as const,
            head: ['Without a partner', 'Без пары'] as Two,
            columns: [amount, ['What', 'Что'] as Two, ['Payer', 'Плательщик'] as Two],
            rows: left.map(({ one, what }): Cell[] => [
              money(one.cents, one.currency),
              { is: 'words', words: what },
              rowOf(one),
            ]),
          },
        ]),
  ]
}
