/**
 * The description by which every table is read: which column holds what. Columns are numbered from 0: the header's names are
 * compared with those saved in the mapping, so that a column cannot silently change its meaning.
 */

import type { Mode } from '../../merchants/merchant.ts'
import type { Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { withoutControls } from '../../transfers/bank-text/controls.ts'
import { statementBounds } from './bounds.ts'

export const csvEncodings = ['utf-8', 'windows-1251'] as const
export const separators = [';', ',', '\t'] as const

export const dateFormats = [
  'dd.mm.yyyy',
  'dd/mm/yyyy',
  'dd-mm-yyyy',
  'yyyy-mm-dd',
  'yyyy.mm.dd',
  'dd.mm.yy',
] as const
export type DateFormat = (typeof dateFormats)[number]

export type CsvMapping = {
  encoding: (typeof csvEncodings)[number]
  separator: (typeof separators)[number]
  /** Lines above the header: the bank's name, the period. */
  skipRows: number
  header: string[]
  dateFormat: DateFormat
  /** Our account: the file itself seldom names it. */
  account: string
  columns: TableColumns
  /** The words of the column that tells the direction. A word in neither list makes a row bad. */
  directions?: Directions
  /** The status values of booked rows. All other rows are skipped. */
  booked?: string[]
}

type Directions = { in: readonly string[]; out: readonly string[] }

/** A receiving account with the number that statements name. */
export type NumberedAccount = { id: string; number: string; label: string; currency: Currency; mode: Mode }

const amountNames = ['amount', 'credit', 'debit'] as const
const placeNames = [
  'payerName',
  'payerAccount',
  'payerTaxId',
  'payerBank',
  'bankId',
  'documentNumber',
  'currency',
  /** The direction, where the amount has no sign. */
  'direction',
  /** Whether the bank has booked the row. */
  'status',
  /** The balance after the row: each is compared with the one before. */
  'balance',
  /** When the payer paid, where that is another day than the bank's. */
  'paidOn',
] as const

/** Every column but those of the purpose. `date` has a time behind the day, where the bank writes one. */
export type ColumnName = 'date' | (typeof amountNames)[number] | (typeof placeNames)[number]

export type TableColumns = { [Name in (typeof placeNames)[number]]?: number } & {
  date: number
  /** Joined in this order. */
  purpose?: number[]
} & ({ /** Below zero is a debit. */ amount: number } | { credit: number; debit: number })

export const isMappingName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)

/** What is wrong with each field, for a person who wrote it or chose it in a form. */
export function mappingProblems(value: unknown): { field: string; detail: string }[] {
  if (!isObject(value)) return [{ field: '', detail: 'It must be one JSON object.' }]
  const problems: { field: string; detail: string }[] = []
  const must = (field: string, isRight: boolean, detail: string) => {
    if (!isRight) problems.push({ field, detail: detail.replace('$', field) })
  }
  const mustBeKnown = (object: object, known: readonly string[], place = '') => {
    for (const name of Object.keys(object)) must(place + name, known.includes(name), '$ is not known here.')
  }
  const mustBeOneOf = (field: string, choices: readonly unknown[], named = choices.join(', ')) =>
    must(field, choices.includes(value[field]), `$ must be one of ${named}.`)
  const { skipRows, account, header, columns, directions, booked } = value
  const { skippedRows, columns: mostColumns } = statementBounds

  mustBeKnown(value, mappingNames)
  mustBeOneOf('encoding', csvEncodings)
  mustBeOneOf('separator', separators, '";", "," and a tab')
  must('skipRows', isPlace(skipRows, skippedRows + 1), `$ must be a whole number from 0 to ${skippedRows}.`)
  mustBeOneOf('dateFormat', dateFormats)
  must(
    'account',
    typeof account === 'string' && /^[+\dA-Z]{4,34}$/.test(normalizeAccountNumber(account)),
    '$ must be the number of one of your accounts, as statements write it.',
  )
  const names = `$ must list the names of all columns, 1 to ${mostColumns} of them, as the bank writes them.`
  const count = areTexts(header, mostColumns) ? header.length : 0
  must('header', count > 0, names)
  if (count > 0) must('columns', isObject(columns), '$ must say which column means what.')
  if (!isObject(columns) || count === 0) return problems

  const range = `from 0 to ${count - 1}: the header has ${count}.`
  const { purpose = [], ...places } = { date: undefined, ...columns }
  mustBeKnown(places, ['date', ...amountNames, ...placeNames], 'columns.')
  const amounts = amountNames.filter((name) => columns[name] !== undefined).join()
  const hasAmounts = amounts === 'amount' || amounts === 'credit,debit'
  must('columns.amount', hasAmounts, 'columns must have amount, or both credit and debit.')
  for (const [name, place] of Object.entries(places))
    must(`columns.${name}`, isPlace(place, count), `$ must be a column ${range}`)
  const arePlaces = Array.isArray(purpose) && purpose.every((place) => isPlace(place, count))
  must('columns.purpose', arePlaces, `$ must be a list of columns ${range}`)
  must(
    'directions',
    columns.direction === undefined ? directions === undefined : areDirections(directions),
    `$ must list the words for money in, and those for money out: {"in": […], "out": […]}, none in both, and goes with columns.direction.`,
  )
  must(
    'columns.direction',
    columns.direction === undefined || columns.amount !== undefined,
    '$ goes with columns.amount: credit and debit tell the direction themselves.',
  )
  must(
    'booked',
    columns.status === undefined ? booked === undefined : areWords(booked) && booked.length > 0,
    '$ must list what the status says of money that is there, and goes with columns.status.',
  )
  return problems
}

const mappingNames = [
  ...['encoding', 'separator', 'skipRows', 'header', 'dateFormat', 'account', 'columns'],
  ...['directions', 'booked'],
]

function areDirections(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).some((name) => name !== 'in' && name !== 'out')) return false
  const { in: came, out: went } = value
  if (!areWords(came) || !areWords(went) || came.length === 0) return false
  const written = (words: string[]) => words.map((word) => word.trim().toLowerCase())
  return new Set(written(came)).isDisjointFrom(new Set(written(went)))
}

const areWords = (value: unknown): value is string[] =>
  areTexts(value, statementBounds.words) &&
  value.every(({ length }) => length <= statementBounds.wordCharacters)

const areTexts = (value: unknown, most: number): value is string[] =>
  Array.isArray(value) &&
  value.length <= most &&
  value.every((text) => typeof text === 'string' && text.isWellFormed() && withoutControls(text) === text)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isPlace = (value: unknown, count: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < count
