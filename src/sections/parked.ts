/** Booked rows of files that wait until a file closes their day; a person who cannot wait takes them now. */
import { findParked, listParked, type ParkedChoice } from '../domain/transfers/report-store.ts'
import { takeParked } from '../domain/transfers/take-parked.ts'
import type { Parked } from '../domain/transfers/transfer.ts'
import { age, day, link, money, number, text } from './cells.ts'
import { act, section } from './declare.ts'
import { dangerous, read } from './roles.ts'
import type { Acted, Context } from './section.ts'
import { accountFilter } from './shared.ts'

const onRow = act<Parked>()

export const parked = section<Parked>()({
  one: 'parked',
  path: '/parked',
  name: ['Parked rows', 'Строки в ожидании'],
  about: [
    'Booked rows of days that no file has closed. They count when a file closes their day. If you cannot wait, take them now: they are matched like early reports, and that file pairs them.',
    'Проведённые строки за дни, которые не закрыл ни один файл. Они будут учтены, когда файл закроет их день. Если ждать нельзя, примите их сейчас: они сопоставятся как ранние сообщения, а тот файл их соединит.',
  ],
  empty: [
    ['No parked rows', 'Строк в ожидании нет'],
    [
      'Rows wait here when their file does not close their day.',
      'Строки ждут здесь, если их файл не закрывает их день.',
    ],
  ],
  read,
  columns: {
    amount: { rank: 1, is: 'money', cell: (r) => money(r.cents, r.currency) },
    since: { rank: 1, cell: (r) => age(r.parkedAt) },
    day: { head: ['Booked', 'Проведено'], rank: 2, cell: (r) => day(r.bookedOn) },
    account: { rank: 2, cell: (r) => link('/accounts', r.accountId, r.accountLabel) },
    references: { head: ['References', 'Номера депозитов'], rank: 2, cell: (r) => text(r.names.join(' ')) },
    file: { head: ['File', 'Файл'], rank: 3, cell: (r) => link('/statements', r.statementId, r.fileName) },
    line: { head: ['Line', 'Строка'], rank: 3, is: 'number', cell: (r) => number(r.line) },
  },
  filters: { account: accountFilter, day: { is: 'day' } },
  idOf: ({ statementId, place }) => `${statementId}:${place}`,
  title: ({ accountLabel, bookedOn }) => `${accountLabel}, ${bookedOn}`,
  pages: async ({ db }, { chosen: { account: accountId, day }, limit }) => ({
    rows: await listParked(db, { accountId, day, limit }),
    next: null,
  }),
  ids: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d{1,9}$/,
  find: ({ db }, id) => {
    const [statementId, place] = id.split(':') as [string, string]
    return findParked(db, { statementId, place: Number(place) })
  },
  // As importing a file: what is taken may confirm deposits of any amount.
  acts: {
    take: onRow({
      name: ['Take this row', 'Принять строку'],
      done: ['Parked row taken.', 'Строка принята.'],
      policy: dangerous,
      audit: 'parked_take',
      kind: 'primary',
      run: (_tx, { row: { accountId, statementId, place }, context }) =>
        take(context, { accountId, day: null, row: { statementId, place } }),
    }),
    'take-day': onRow({
      name: ['Take all rows of this day', 'Принять все строки за день'],
      effect: [
        'All rows of this account and day, at most 500.',
        'Все строки этого счёта за этот день, не больше 500.',
      ],
      done: ['Parked rows taken.', 'Строки приняты.'],
      policy: dangerous,
      audit: 'parked_take',
      run: (_tx, { row: { accountId, bookedOn }, context }) =>
        take(context, { accountId, day: bookedOn, row: null }),
    }),
  },
})

async function take(context: Context, choice: ParkedChoice): Promise<Acted> {
  const taken = await takeParked(context, choice)
  const { accountId, day, row } = choice
  return { subject: `account:${accountId}`, after: { day, row, ...taken } }
}
