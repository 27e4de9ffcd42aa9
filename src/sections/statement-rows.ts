/** The rows of one imported file: what each one told, and what it is now. */
import {
  listStatementRows,
  type RowOutcome,
  rowOutcomes,
  type StatementRow,
} from '../domain/statements/row-store.ts'
import { transferStates } from '../domain/transfers/transfer.ts'
import { isUuid } from '../platform/request-fields.ts'
import { day, foreign, link, money, number, state } from './cells.ts'
import { read } from './roles.ts'
import { type Cell, type Choice, type Column, section, type Two } from './section.ts'
import { choicesFrom, transferState, transferStateWords } from './states.ts'

export const rowsPath = '/statements/rows'

const outcomes: Record<RowOutcome, Two> = {
  new: ['New', 'Новая'],
  paired: ['Was told early', 'Сообщалась заранее'],
  known: ['Was known', 'Была известна'],
  held: ['On hold', 'Удержана'],
}
const outcomeChoices: readonly Choice[] = rowOutcomes.map((value) => ({ value, words: outcomes[value] }))

const columns: Readonly<Record<string, Column<StatementRow>>> = {
  amount: {
    head: ['Amount', 'Сумма'],
    rank: 1,
    is: 'money',
    cell: ({ direction, cents, currency }) => money(direction === 'debit' ? -cents : cents, currency),
  },
  state: { head: ['State', 'Состояние'], rank: 1, cell: (r) => transferState(r.state) },
  outcome: { head: ['Row', 'Строка'], rank: 2, cell: (r) => state(r.outcome, outcomes[r.outcome]) },
  booked_on: { head: ['Booked', 'Проведено'], rank: 2, cell: (r) => day(r.bookedOn) },
  payer: { head: ['Payer', 'Плательщик'], rank: 2, cell: (r) => foreign(r.payerName.slice(0, 60)) },
  line: { head: ['Line', 'Номер строки'], rank: 3, is: 'number', cell: (r) => number(r.line) },
  transfer: {
    head: ['Transfer', 'Поступление'],
    rank: 2,
    cell: (r) => link('/transfers', r.id, `…${r.id.slice(-8)}`),
  },
}

/** The same columns as a table on the page of the file. */
export const rowHeads = Object.values(columns).map(({ head, is }) =>
  is ? { head, is: 'number' as const } : head,
)
export const rowCells = (row: StatementRow): Cell[] => Object.values(columns).map(({ cell }) => cell(row))

export const statementRows = section<StatementRow>({
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
  filters: [
    { name: 'statement', head: ['Statement (ID)', 'Выписка (ID)'], is: 'id' },
    { name: 'outcome', head: ['Row', 'Строка'], is: 'choice', of: outcomeChoices },
    { name: 'state', head: ['State', 'Состояние'], is: 'choice', of: choicesFrom(transferStateWords) },
  ],
  idOf: () => null,
  async list({ db }, { chosen, after, limit }) {
    const { statement: id = '', outcome, state } = chosen
    if (!isUuid(id)) return { rows: [], next: null }
    const found = await listStatementRows(db, {
      id,
      outcome: rowOutcomes.find((known) => known === outcome) ?? null,
      state: transferStates.find((known) => known === state) ?? null,
      after: after && /^\d{1,9}$/.test(after) ? Number(after) : null,
      limit: limit + 1,
    })
    const rows = found.slice(0, limit)
    return { rows, next: found.length > limit ? String(rows.at(-1)!.place) : null }
  },
  acts: {},
})
