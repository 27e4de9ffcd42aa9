/**
 * CSV by a saved mapping. The header must be what it was when a person made the mapping: a renamed or moved column
 * stops the import, because a wrong column would be believed in silence.
 */
import type { Currency } from '../../money.ts'
import {
  DamagedStatement,
  type Entry,
  type Part,
  type ReadContext,
  RejectedRow,
  type StatementFormat,
} from '../entry.ts'
import { accountIn, notOurs } from './account.ts'
import { amountIn, currencyOf } from './amount.ts'
import { linesWithoutControls, withoutControls } from './controls.ts'
import type { CsvMapping } from './csv-mapping.ts'
import { type Row, RowReader } from './csv-row.ts'
import { momentOf, writtenDate } from './dates.ts'
import { decode } from './decode.ts'
import { bankId, documentNumber } from './identity.ts'
import { LineCutter } from './lines.ts'
import { maskCardAsAccount, maskCards, maskedSource, maskParts, quoted } from './masked.ts'

export const csv: StatementFormat = {
  name: 'csv',
  async *read(bytes, context) {
    const { mapping } = context
    if (!mapping)
      throw new DamagedStatement(1, 'A CSV file needs a mapping: say which column means what.', {
        code: 'statement_mapping_missing',
      })
    const reader = new CsvReader(mapping, context)
    const lineNow = () => reader.line
    for await (const text of decode(bytes, () => mapping.encoding, lineNow)) yield* reader.push(text)
    yield* reader.end()
  },
}

export class CsvReader {
  readonly #mapping: CsvMapping
  readonly #context: ReadContext
  readonly #account: string
  readonly #cutter = new LineCutter('kept')
  readonly #rows: RowReader
  #line = 0
  #hasHeader = false
  #hasRows = false

  constructor(mapping: CsvMapping, context: ReadContext) {
    this.#mapping = mapping
    this.#context = context
    this.#rows = new RowReader(mapping.separator)
    this.#account = accountIn(mapping.account)
    if (!context.currencyOf(this.#account)) throw notOurs(1, mapping.account)
  }

  get line(): number {
    return this.#cutter.line
  }

  *push(text: string): Generator<Part, void, undefined> {
    for (const line of this.#cutter.push(linesWithoutControls(text))) yield* this.#take(line)
  }

  *end(): Generator<Part, void, undefined> {
    const isOpen = this.#cutter.isOpen
    for (const line of this.#cutter.end()) yield* this.#take(line, isOpen)
    const open = this.#rows.end()
    if (this.#line === 0) throw new DamagedStatement(1, 'The file is empty.')
    if (!this.#hasHeader)
      throw new DamagedStatement(
        this.#line,
        `The file ends before its header, expected in line ${this.#headerLine}.`,
      )
    if (open?.raw.includes('\n'))
      throw new DamagedStatement(open.line, 'A quote opens in this row and is never closed.')
    if (open) {
      yield { bad: { line: open.line, detail: 'The row that starts here is cut off inside a quoted field.' } }
      return
    }
    if (!this.#hasRows) throw new DamagedStatement(this.#line, 'The file holds a header and no rows.')
  }

  get #headerLine(): number {
    return this.#mapping.skipRows + 1
  }

  /** `isOpen`: nothing ends the line. */
  *#take(line: string, isOpen = false): Generator<Part, void, undefined> {
    const start = this.#line + 1
    // Breaks of another kind, inside of quotes, count as lines too.
    this.#line = this.#cutter.line - 1
    if (start < this.#headerLine) return
    const row = this.#rows.take(line, start)
    if (!row || row.fields.every((field) => field.trim() === '')) return
    if (!this.#hasHeader) {
      checkHeader(row, this.#mapping.header)
      this.#hasHeader = true
      return
    }
    this.#hasRows = true
    try {
      yield { entry: entryOf(row, this.#account, this.#mapping, this.#context, isOpen) }
    } catch (error) {
      if (!(error instanceof RejectedRow)) throw error
      // A stray quote makes one row of several: whoever looks must see that they are missing.
      const rows = this.#line > row.line ? ` Lines ${row.line} to ${this.#line} were read as one row.` : ''
      const place = this.#mapping.header.findIndex((name) => quoted(name) === error.field)
      const at = place === -1 ? {} : { at: `column ${place + 1}` }
      yield { bad: { line: row.line, ...at, detail: error.message + rows } }
    }
  }
}

/** The names of a header as they are kept and compared. */
export const headerOf = (fields: readonly string[]): string[] => withoutEmptyTail(fields.map(tidy))

const tidy = (text = ''): string => text.replace(/\s+/g, ' ').trim()

function checkHeader(row: Row, expected: string[]): void {
  const found = headerOf(row.fields)
  for (let place = 0; place < Math.max(found.length, expected.length); place++) {
    const [was, is] = [tidy(expected[place]), found[place] ?? '']
    if (was === is) continue
    const change =
      place >= expected.length ? `is new: ${quoted(is)}` : `was ${quoted(was)} and is now ${quoted(is)}`
    throw new DamagedStatement(
      row.line,
      `The header has changed: column ${place + 1} ${change}. Check the mapping and save it again.`,
      { code: 'statement_header_changed' },
    )
  }
}

function entryOf(
  row: Row,
  account: string,
  mapping: CsvMapping,
  context: ReadContext,
  isOpen: boolean,
): Entry {
  const { columns, header } = mapping
  if (row.flaw !== undefined) throw new RejectedRow(row.flaw)
  const count = withoutEmptyTail(row.fields).length
  if (row.fields.length < header.length || count > header.length)
    throw new RejectedRow(`The row has ${row.fields.length} fields, the header ${header.length}.`)

  const at = (place: number | undefined): string =>
    place === undefined ? '' : withoutControls(row.fields[place] ?? '').trim()
  const linesAt = (place: number): string[] =>
    (row.fields[place] ?? '').split(/\r\n?|\n/).map((line) => withoutControls(line).trim())
  const nameOf = (place: number): string => quoted(header[place] ?? `column ${place + 1}`)
  const numberAt = (place: number | undefined, read: typeof documentNumber): string =>
    place === undefined ? '' : read(nameOf(place), at(place))

  const written = at(columns.currency)
  const currency =
    written === ''
      ? (mapping.currency ?? context.currencyOf(account)!)
      : currencyOf(nameOf(columns.currency!), written)
  const { direction, cents, place } = movementOf(columns, at, nameOf, currency)
  // Only a separator, a quote or the sign of a currency behind the digits shows that all of them are there.
  if (isOpen && place === row.fields.length - 1 && /[\d.,]$/.test(row.raw.trimEnd()))
    throw new RejectedRow(
      `The file ends in ${nameOf(place)}, without a line end: the amount may be cut off. If it is whole, end the line.`,
    )
  const booked = writtenDate(nameOf(columns.date), at(columns.date), mapping.dateFormat)
  const payerAccount = accountIn(at(columns.payerAccount))
  const purposeParts = maskParts((columns.purpose ?? []).flatMap(linesAt).filter((part) => part !== ''))
  return {
    line: row.line,
    account,
    direction,
    cents,
    currency,
    bookedOn: booked.day,
    bookedAt: momentOf(booked, currency),
    paidOn: null,
    documentNumber: numberAt(columns.documentNumber, documentNumber),
    payer: {
      name: maskCards(at(columns.payerName)),
      account: maskCardAsAccount(payerAccount),
      taxId: at(columns.payerTaxId),
      bank: '',
    },
    purpose: maskCards(purposeParts.join(' ')),
    purposeParts,
    bankId: numberAt(columns.bankId, bankId) || null,
    bankEntry: null,
    isReversal: false,
    isInternal: direction === 'credit' && context.currencyOf(payerAccount) !== undefined,
    raw: maskedSource(row.raw),
  }
}

/** `place` is the column that the amount stands in. */
function movementOf(
  columns: CsvMapping['columns'],
  at: (place: number) => string,
  nameOf: (place: number) => string,
  currency: Currency,
): Pick<Entry, 'direction' | 'cents'> & { place: number } {
  const amount = (place: number): bigint => amountIn(nameOf(place), at(place), currency)
  if ('amount' in columns) {
    const place = columns.amount
    const cents = amount(place)
    if (cents === 0n) throw new RejectedRow(`${nameOf(place)} is zero.`, nameOf(place))
    return cents > 0n ? { direction: 'credit', cents, place } : { direction: 'debit', cents: -cents, place }
  }
  const [credit, debit] = [columns.credit, columns.debit].map((place) =>
    at(place) === '' ? 0n : amount(place),
  ) as [bigint, bigint]
  if (credit < 0n || debit < 0n || (credit === 0n) === (debit === 0n))
    throw new RejectedRow(
      `One of ${nameOf(columns.credit)} and ${nameOf(columns.debit)} is expected to be above zero, and only one.`,
    )
  return credit > 0n
    ? { direction: 'credit', cents: credit, place: columns.credit }
    : { direction: 'debit', cents: debit, place: columns.debit }
}

function withoutEmptyTail(fields: string[]): string[] {
  return fields.slice(0, fields.findLastIndex((field) => field.trim() !== '') + 1)
}
