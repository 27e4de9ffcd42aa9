/** The rows of one imported file: what each one told, and what it is now. */
import { listStatementRows, type RowOutcome, type StatementRow } from '../domain/statements/row-store.ts'
import { day, foreign, link, money, number, state } from './cells.ts'
import { type Columns, choices, section } from './declare.ts'
import { table } from './parts.ts'
import { read } from './roles.ts'
import type { Chosen, Part, Two } from './section.ts'
import { choicesFrom, transferState, transferStateWords } from './states.ts'

const rowsPath = '/statements/rows'

const outcomes: Record<RowOutcome, Two> = {
  new: ['New', 'Новая'],
  paired: ['Was told early', 'Сообщалась заранее'],
  known: ['Was known', 'Была известна'],
  held: ['On hold', 'Удержана'],
}

const columns: Columns<StatementRow> = {
  amount: {
    rank: 1,
    is: 'money',
    cell: ({ direction, cents, currency }) => money(direction === 'debit' ? -cents : cents, currency),
  },
  state: { rank: 1, cell: (r) => transferState(r.state) },
  outcome: { head: ['Row', 'Строка'], rank: 2, cell: (r) => state(r.outcome, outcomes[r.outcome]) },
  booked_on: { rank: 2, cell: (r) => day(r.bookedOn) },
  payer: { rank: 2, cell: (r) => foreign(r.payerName.slice(0, 60)) },
  line: { head: ['Line', 'Номер строки'], rank: 3, is: 'number', cell: (r) => number(r.line) },
  transfer: { rank: 2, cell: (r) => link('/transfers', r.id, `…${r.id.slice(-8)}`) },
}

export const statementRows = section<StatementRow>()({
  one: 'row',
  path: rowsPath,
  name: ['Rows of a statement', 'Строки выписки'],
  empty: [
    ['No transfers', 'Операций нет'],
    ['Open the rows of a file from its page.', 'Откройте строки файла с его страницы.'],
  ],
  read,
  isExported: true,
  columns,
  filters: {
    statement: { head: ['Statement (ID)', 'Выписка (ID)'], is: 'id' },
    outcome: { head: ['Row', 'Строка'], is: 'choice', of: choices<RowOutcome>(outcomes) },
    state: { is: 'choice', of: choicesFrom(transferStateWords) },
  },
  ids: /^\d{1,9}$/,
  placeOf: ({ place }) => `${place}`,
  list: async ({ db }, { chosen: { statement: id, outcome, state }, after, limit }) =>
    id === null
      ? []
      : listStatementRows(db, { id, outcome, state, after: after === null ? null : Number(after), limit }),
})

/** The same columns as a table on the page of the file. */
export const rowTable = (rows: readonly StatementRow[], more: Chosen | null): Part =>
  table(
    ['Transfers', 'Операции'],
    rows,
    Object.values(statementRows.columns).map(({ head, cell, is }) => [head, cell, is && 'number']),
    more !== null && { to: rowsPath, chosen: more },
  )
