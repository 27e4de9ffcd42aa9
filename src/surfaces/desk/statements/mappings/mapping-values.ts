/**
 * The values of the mapping form, as text, so that invalid input is shown again as it was typed, and the mapping that
 * they make. It is validated in one place: statements/formats/csv-mapping.ts.
 */

import {
  guessColumns,
  guessDateFormat,
  guessReading,
  type Head,
  type Reading,
  type Sample,
  sampleOf,
} from '../../../../domain/statements/formats/csv-guess.ts'
import {
  type CsvMapping,
  csvEncodings,
  mappingProblems,
  type NumberedAccount,
} from '../../../../domain/statements/formats/csv-mapping.ts'
import { normalizeAccountNumber } from '../../../../domain/transfers/bank-text/account-number.ts'

export type MappingValues = Readonly<Record<string, string>>

/** Separators have names because a form cannot send a tab as a value. */
const separatorNames = { semicolon: ';', comma: ',', tab: '\t' } as const
type SeparatorName = keyof typeof separatorNames

export const columnNames = [
  'date',
  'amount',
  'credit',
  'debit',
  'direction',
  'status',
  'balance',
  'payerName',
  'payerAccount',
  'payerTaxId',
  'documentNumber',
  'bankId',
  'currency',
] as const
/** Fields that list words of the bank; `bookedEmpty` is a checkbox: rows without a status count as booked. */
const wordNames = ['directionsIn', 'directionsOut', 'booked', 'bookedEmpty']
const generalNames = ['encoding', 'separator', 'skipRows', 'dateFormat', 'account']
const amountNames = ['amount', 'credit', 'debit']
const purposesMost = 20
const sampleRows = 10

/** The fields for the parts of the purpose: at least three. */
export const purposeNames = (values: MappingValues): string[] =>
  allPurposes.filter((name, at) => at < 3 || (values[name] ?? '') !== '')
const allPurposes = Array.from({ length: purposesMost }, (_, at) => `purpose${at + 1}`)

export const valuesIn = (field: (name: string) => string): MappingValues =>
  Object.fromEntries(
    [...generalNames, ...wordNames, ...columnNames, ...allPurposes].map((name) => [name, field(name)]),
  )

export function valuesFrom(mapping: CsvMapping, accounts: readonly NumberedAccount[]): MappingValues {
  const { encoding, separator, skipRows, dateFormat } = mapping
  const number = normalizeAccountNumber(mapping.account)
  return {
    ...readingValues({ encoding, separator, skipRows }),
    dateFormat,
    account: accounts.find((account) => account.number === number)?.id ?? '',
    ...wordValues(mapping),
    ...columnValues(placesOf(mapping.columns)),
  }
}

const wordValues = ({ directions, booked = [] }: Partial<CsvMapping>): MappingValues => ({
  directionsIn: textOf(directions?.in ?? []),
  directionsOut: textOf(directions?.out ?? []),
  booked: textOf(booked.filter((word) => word.trim() !== '')),
  bookedEmpty: booked.some((word) => word.trim() === '') ? 'on' : '',
})

/** Words are separated by commas. Where one of them contains a comma, each ends with a vertical bar instead. */
const textOf = (words: readonly string[]): string =>
  words.some((word) => word.includes(',')) ? words.map((word) => `${word} |`).join(' ') : words.join(', ')

const wordsIn = (text = ''): string[] =>
  text
    .split(text.includes('|') ? '|' : ',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** How the form says that the file is read; undefined if that is incomplete or invalid. */
export function readingIn(values: MappingValues): Reading | undefined {
  const encoding = csvEncodings.find((csvEncoding) => csvEncoding === values.encoding)
  const separator = separatorNames[values.separator as SeparatorName]
  const skipRows = wholeNumber(values.skipRows)
  return encoding && separator && skipRows <= 1_000 ? { encoding, separator, skipRows } : undefined
}

/** Columns are positions, so the chosen columns are void once the file is read in another way. */
export const readingText = ({ encoding, separator, skipRows }: MappingValues): string =>
  `${encoding} ${separator} ${skipRows}`

/** What the form says, valid or not. */
export function mappingIn(
  values: MappingValues,
  header: readonly string[],
  accounts: readonly NumberedAccount[],
): object {
  const place = (name: string): [string, number][] => {
    const text = values[name] ?? ''
    return text === '' ? [] : [[name, wholeNumber(text)]]
  }
  const purpose = allPurposes.flatMap((name) => place(name).map(([, at]) => at))
  const chosen = (name: string): boolean => (values[name] ?? '') !== ''
  return {
    encoding: values.encoding,
    separator: separatorNames[values.separator as SeparatorName],
    skipRows: wholeNumber(values.skipRows),
    header,
    dateFormat: values.dateFormat,
    account: accounts.find(({ id }) => id === values.account)?.number ?? '',
    ...(chosen('direction') && {
      directions: { in: wordsIn(values.directionsIn), out: wordsIn(values.directionsOut) },
    }),
    ...(chosen('status') && {
      booked: [...wordsIn(values.booked), ...(values.bookedEmpty === 'on' ? [''] : [])],
    }),
    columns: { ...Object.fromEntries(columnNames.flatMap(place)), ...(purpose.length > 0 && { purpose }) },
  }
}

/** The invalid fields of the form; if there are none, it is a mapping. */
export const wrongFields = (mapping: object): string[] =>
  mappingProblems(mapping).map(({ field }) => field.replace(/^columns\./, ''))

export type Editor = { values: MappingValues; sample: Sample }

/** The form for a file, filled in from the mapping that was tried, as far as its columns still exist; else guessed. */
export function editorFor(
  head: Head,
  mapping: CsvMapping | undefined,
  accounts: readonly NumberedAccount[],
): Editor {
  const tried = mapping && sampleOf(head, mapping, sampleRows)
  if (tried && tried.header.join('\n') === mapping.header.join('\n'))
    return { values: valuesFrom(mapping, accounts), sample: tried }
  const reading = guessReading(head)
  const sample = sampleOf(head, reading, sampleRows)
  const guessed = columnsOf(sample)
  const known = mapping ? movedPlaces(mapping, sample.header) : {}
  const knowsAmount = amountNames.some((name) => name in known)
  const others = Object.entries(guessed).filter(([name]) => !(knowsAmount && amountNames.includes(name)))
  const places = { ...Object.fromEntries(others), ...known }
  const days = sample.rows.map(({ fields }) => fields[places.date ?? -1] ?? '').filter((day) => day !== '')
  const blank = { account: accounts.length === 1 ? accounts[0]!.id : '' }
  const general = mapping
    ? valuesFrom(mapping, accounts)
    : { ...blank, ...wordValues({}), dateFormat: guessDateFormat(days) }
  return { values: { ...general, ...readingValues(reading), ...columnValues(places) }, sample }
}

/** The same form for the columns of another way of reading. */
export function splitAgain(head: Head, reading: Reading, values: MappingValues): Editor {
  const sample = sampleOf(head, reading, sampleRows)
  const places = columnsOf(sample)
  return {
    values: { ...values, ...columnValues(places) },
    sample,
  }
}

const wholeNumber = (text = ''): number => (/^\d{1,4}$/.test(text) ? Number(text) : Number.NaN)

function readingValues({ encoding, separator, skipRows }: Reading): MappingValues {
  const names = Object.keys(separatorNames) as SeparatorName[]
  return {
    encoding,
    separator: names.find((name) => separatorNames[name] === separator)!,
    skipRows: String(skipRows),
  }
}

const columnsOf = ({ header }: Sample): Record<string, number> => {
  const { purpose, ...places } = guessColumns(header)
  return { ...places, ...(purpose !== undefined && { purpose1: purpose }) }
}

/** The positions of columns by the names of the form. */
function placesOf({ purpose = [], ...columns }: CsvMapping['columns']): Record<string, number> {
  return Object.fromEntries([
    ...Object.entries(columns),
    ...purpose.map((at, nth) => [`purpose${nth + 1}`, at]),
  ])
}

/** Finds the columns of a mapping by their names in the new header. */
function movedPlaces(
  { columns, header: was }: CsvMapping,
  header: readonly string[],
): Record<string, number> {
  const moved = Object.entries(placesOf(columns)).map(([name, at]) => [name, header.indexOf(was[at] ?? '')])
  return Object.fromEntries(moved.filter(([, at]) => at !== -1))
}

/** Every field has a value; a missing column is an empty one. */
const columnValues = (places: Readonly<Record<string, number>>): MappingValues =>
  Object.fromEntries([...columnNames, ...allPurposes].map((name) => [name, places[name]?.toString() ?? '']))
