import { findAccount } from '../domain/requisites/account-store.ts'
import { isDay } from '../domain/transfers/bank-text/days.ts'
import { listHeldDays } from '../domain/transfers/doubt-store.ts'
import { digestOf, pairDay, readPairs } from '../domain/transfers/pair-day.ts'
import type { DayPairs, HeldDay, Transfer } from '../domain/transfers/transfer.ts'
import { isUuid } from '../platform/request-fields.ts'
import { day, foreign, link, money, number, text, words } from './cells.ts'
import { act, section } from './declare.ts'
import { table } from './parts.ts'
import { read, work } from './roles.ts'
import type { Cell, Two } from './section.ts'

/** `found`: of one day, not in the list. */
type Row = HeldDay & { found: DayPairs | null }

export const heldDays = section<Row>()({
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
    account: { rank: 1, cell: (r) => text(r.accountLabel) },
    day: { rank: 1, cell: (r) => day(r.bookedOn) },
    rows: { head: ['On hold', 'Удержано'], rank: 2, is: 'number', cell: (r) => number(r.rows) },
  },
  idOf: ({ accountId, bookedOn }) => `${accountId}:${bookedOn}`,
  title: ({ accountLabel, bookedOn }) => `${accountLabel}, ${bookedOn}`,
  pages: async ({ db }, { limit }) => ({
    rows: (await listHeldDays(db, null, limit)).map((row) => ({ ...row, found: null })),
    next: null,
  }),
  ids: /^.{36}:.{10}$/,
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

/** Who paid and when, with a link; what for below it. */
const rowOf = (one: Transfer): Cell => [
  link('/transfers', one.id, one.payerName.slice(0, 60) || `…${one.id.slice(-8)}`),
  day(one.bookedOn),
  foreign(one.purpose.slice(0, 80)),
]

const held: Two = ['On hold, booked', 'Удержано, проведено']
const early: Two = ['Told early', 'Сообщено заранее']

function partsOf({ pairs, heldLeft, earlyLeft }: DayPairs) {
  const amount = ['Amount', 'Сумма'] as const
  const left = [
    ...heldLeft.map((one) => ({ one, what: held })),
    ...earlyLeft.map((one) => ({ one, what: early })),
  ]
  return [
    table(['Pairs', 'Пары'], pairs, [
      [amount, (pair) => money(pair.held.cents, pair.held.currency), 'number'],
      [held, (pair) => rowOf(pair.held)],
      [early, (pair) => rowOf(pair.early)],
    ]),
    left.length > 0 &&
      table(['Without a partner', 'Без пары'], left, [
        [amount, ({ one }) => money(one.cents, one.currency), 'number'],
        [['What', 'Что'], ({ what }) => words(what)],
        [['Payer', 'Плательщик'], ({ one }) => rowOf(one)],
      ]),
  ]
}
