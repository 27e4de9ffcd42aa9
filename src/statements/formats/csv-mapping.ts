/**
 * How one bank writes its CSV, saved with the requisite. Columns are places from 0: the header's names are compared
 * with those of the day the mapping was made, so that a place cannot come to mean something else.
 */
import { type Currency, currencies } from '../../money.ts'
import { accountIn } from './account.ts'
import { statementBounds } from './bounds.ts'
import { withoutControls } from './controls.ts'
import { type DateFormat, dateFormats } from './dates.ts'

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
}

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
} & ({ /** Below zero is a debit. */ amount: number } | { credit: number; debit: number })

/** Banks are told apart by short names. */
export const isMappingName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)

/** One thing that keeps a value from being a mapping: where, and a sentence for the person who wrote it. */
export type MappingProblem = { field: string; detail: string }

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
      typeof value.account === 'string' && /^[+\dA-Z]{4,34}$/.test(accountIn(value.account)),
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
  ]
}

const mappingNames = [
  ...['encoding', 'separator', 'skipRows', 'header', 'dateFormat', 'account', 'currency', 'columns'],
]
const amountNames = ['amount', 'credit', 'debit']
const placeNames = ['payerName', 'payerAccount', 'payerTaxId', 'bankId', 'documentNumber', 'currency']

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
