/**
 * The CSV mapping of one bank. Columns are numbered from 0: the header's names are compared
 * with those saved in the mapping, so that a column cannot silently change its meaning.
 */

import { type Currency, currencies } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { withoutControls } from '../../transfers/bank-text/controls.ts'
import { statementBounds } from './bounds.ts'
import { type DateFormat, dateFormats } from './date-format.ts'

export const csvEncodings = ['utf-8', 'windows-1251'] as const
export const separators = [';', ',', '\t'] as const

export type CsvMapping = {
  encoding: (typeof csvEncodings)[number]
  separator: (typeof separators)[number]
  /** Lines above the header: the bank's name, the period. */
  skipRows: number
  /** The header's names, all of them, in order. */
  header: string[]
  dateFormat: DateFormat
  /** Our account: the file itself seldom names it. */
  account: string
  /** The currency where no column names one. */
  currency?: Currency
  columns: CsvColumns
  /** The words of the column that tells the direction. A word in neither list makes a row bad. */
  directions?: Directions
  /** The status values of booked rows. All other rows are skipped. */
  booked?: string[]
}

export type Directions = { in: readonly string[]; out: readonly string[] }

export type CsvColumns = {
  /** With a time behind the day, where the bank writes one. */
  date: number
  payerName?: number
  payerAccount?: number
  payerTaxId?: number
  /** Joined in this order. */
  purpose?: number[]
  bankId?: number
  documentNumber?: number
  currency?: number
  /** The direction, where the amount has no sign. */
  direction?: number
  /** Whether the bank has booked the row. */
  status?: number
  /** The balance after the row: each is compared with the one before. */
  balance?: number
} & ({ /** Below zero is a debit. */ amount: number } | { credit: number; debit: number })

/** The short name of a mapping. */
export const isMappingName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)

/** One problem of a mapping: where, and a sentence for the person who wrote it. */
type MappingProblem = { field: string; detail: string }

/** All of them. */
export function mappingProblems(value: unknown): MappingProblem[] {
  if (!isObject(value)) return [{ field: '', detail: 'It must be one JSON object.' }]
  const { header, columns } = value
  const wrong = (field: string, isRight: boolean, detail: string) => (isRight ? [] : [{ field, detail }])
  return [
    ...unknownNames(value, mappingNames),
    ...wrongIn(value, csvEncodings, 'encoding'),
    ...wrong(
      'separator',
      isOneOf(separators, value.separator),
      'separator must be one of ";", "," and a tab.',
    ),
    ...wrong(
      'skipRows',
      isPlace(value.skipRows, statementBounds.skippedRows + 1),
      `skipRows must be a whole number from 0 to ${statementBounds.skippedRows}.`,
    ),
    ...wrongIn(value, dateFormats, 'dateFormat'),
    ...wrong(
      'account',
      typeof value.account === 'string' && /^[+\dA-Z]{4,34}$/.test(normalizeAccountNumber(value.account)),
      'account must be the number of one of your accounts, as statements write it.',
    ),
    ...(value.currency === undefined ? [] : wrongIn(value, currencies, 'currency')),
    ...(isHeader(header)
      ? columnProblems(columns, header.length)
      : wrong(
          'header',
          false,
          `header must list the names of all columns, 1 to ${statementBounds.columns} of them, as the bank writes them.`,
        )),
    ...wordProblems(value),
  ]
}

/** The words of direction and status, which go with their columns. */
function wordProblems({ columns, directions, booked }: Record<string, unknown>): MappingProblem[] {
  if (!isObject(columns)) return []
  const { in: came, out: went } = isObject(directions) ? directions : {}
  const areDirections =
    isObject(directions) &&
    unknownNames(directions, ['in', 'out']).length === 0 &&
    areWords(came) &&
    areWords(went) &&
    came.length > 0 &&
    !came.some((word) => went.some((other) => sameWord(word, other)))
  const wrong = (field: string, isWrong: boolean, detail: string) => (isWrong ? [{ field, detail }] : [])
  return [
    ...wrong(
      'directions',
      columns.direction !== undefined ? !areDirections : directions !== undefined,
      `directions must list the words for money in, and those for money out: {"in": […], "out": […]}, none in both, and goes with columns.direction.`,
    ),
    ...wrong(
      'columns.direction',
      columns.direction !== undefined && columns.amount === undefined,
      'columns.direction goes with columns.amount: credit and debit tell the direction themselves.',
    ),
    ...wrong(
      'booked',
      columns.status !== undefined ? !areWords(booked) || booked.length === 0 : booked !== undefined,
      'booked must list what the status says of money that is there, and goes with columns.status.',
    ),
  ]
}

const sameWord = (left: string, right: string): boolean =>
  left.trim().toLowerCase() === right.trim().toLowerCase()

const areWords = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length <= statementBounds.words &&
  value.every(
    (word) =>
      typeof word === 'string' &&
      word.length <= statementBounds.wordCharacters &&
      word.isWellFormed() &&
      withoutControls(word) === word,
  )

const mappingNames = [
  ...['encoding', 'separator', 'skipRows', 'header', 'dateFormat', 'account', 'currency', 'columns'],
  ...['directions', 'booked'],
]
const amountNames = ['amount', 'credit', 'debit']
const placeNames = [
  ...['payerName', 'payerAccount', 'payerTaxId', 'bankId', 'documentNumber', 'currency'],
  ...['direction', 'status', 'balance'],
]

function columnProblems(columns: unknown, count: number): MappingProblem[] {
  if (!isObject(columns)) return [{ field: 'columns', detail: 'columns must say which column means what.' }]
  const range = `from 0 to ${count - 1}: the header has ${count}.`
  const amounts = amountNames.filter((name) => columns[name] !== undefined).join()
  const { purpose } = columns
  const arePurposes = Array.isArray(purpose) && purpose.every((place) => isPlace(place, count))
  return [
    ...unknownNames(columns, ['date', 'purpose', ...amountNames, ...placeNames], 'columns.'),
    ...(amounts === 'amount' || amounts === 'credit,debit'
      ? []
      : [{ field: 'columns.amount', detail: 'columns must have amount, or both credit and debit.' }]),
    ...['date', ...amountNames, ...placeNames]
      .filter((name) => (name === 'date' || columns[name] !== undefined) && !isPlace(columns[name], count))
      .map((name) => `columns.${name}`)
      .map((field) => ({ field, detail: `${field} must be a column ${range}` })),
    ...(purpose === undefined || arePurposes
      ? []
      : [{ field: 'columns.purpose', detail: `columns.purpose must be a list of columns ${range}` }]),
  ]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isOneOf = (choices: readonly unknown[], value: unknown): boolean => choices.includes(value)

const isPlace = (value: unknown, count: number): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < count

const isHeader = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= statementBounds.columns &&
  value.every((name) => typeof name === 'string' && name.isWellFormed() && withoutControls(name) === name)

const wrongIn = (
  value: Record<string, unknown>,
  choices: readonly string[],
  field: string,
): MappingProblem[] =>
  isOneOf(choices, value[field]) ? [] : [{ field, detail: `${field} must be one of ${choices.join(', ')}.` }]

const unknownNames = (value: object, known: readonly string[], place = ''): MappingProblem[] =>
  Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => place + name)
    .map((field) => ({ field, detail: `${field} is not known here.` }))
