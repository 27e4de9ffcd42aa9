/**
 * Rows of text cells in, entries out: one reader for every table of a bank, whether it came as CSV or as a workbook, and
 * whether its columns come from a mapping or a known layout. An unknown word of direction or status makes a row bad;
 * it never counts as received money.
 */

import { type Message, message } from '../../messages/message.ts'
import type { Cents, Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { linesWithoutControls, withoutControls } from '../../transfers/bank-text/controls.ts'
import { maskedSource, quoted } from '../../transfers/bank-text/masked.ts'
import { isTaxId } from '../../transfers/payer-shapes.ts'
import {
  badRow,
  DamagedStatement,
  type Entry,
  type Part,
  type ReadContext,
  RejectedRow,
  type SkippedReason,
} from '../entry.ts'
import { Tally } from '../tally.ts'
import { notOurs } from './account.ts'
import { amountIn, amountOf, currencyOf } from './amount.ts'
import type { ColumnName, CsvMapping, DateFormat, Directions, TableColumns } from './csv-mapping.ts'
import { dateOf, earliest, requireDate, timestampOf } from './dates.ts'
import { RunningBalance } from './table-balance.ts'
import { Footer, figureIn, plain } from './table-footer.ts'
import { bankId, documentNumber, textsOf } from './texts.ts'

export type TableReading = {
  /** The names of the columns, for sentences. */
  header: readonly string[]
  account: string
  currency?: Currency | undefined
  /** The first that fits. */
  dateFormats: readonly DateFormat[]
  columns: TableColumns
  directions?: Directions | undefined
  /** The status values of booked rows; all others are not booked. */
  booked?: readonly string[] | undefined
  /** The status values of held rows; all others are booked. */
  held?: readonly string[] | undefined
  /** Money that went out is known to have a minus. */
  isSigned?: boolean
  /** A workbook: empty cells at the end of a row may be left out, days are its own, and no row is made of a text. */
  isSparse: boolean
}

export const tableReadingBy = (
  { header, dateFormat, account, currency, columns, directions, booked }: CsvMapping,
  { isSparse }: { isSparse: boolean },
): TableReading => ({
  ...{ header, currency, columns, directions, booked, isSparse },
  account: normalizeAccountNumber(account),
  dateFormats: [dateFormat],
})

type TableRow = {
  line: number
  /** The cells of this row in the words of its file, where a line says too little. */
  at?: (place: number) => string
  fields: readonly string[]
  raw: string
  /** Why the row cannot be trusted. */
  flaw?: Message | undefined
  /** Nothing ends the row: its last cell may be cut off. */
  isOpen?: boolean
  /** How many fields it may have, empty ones included: in a longer one a payer's text may hold a separator. */
  maxFields?: number
}

export class TableReader {
  readonly #reading: TableReading
  readonly #dateFormats: readonly DateFormat[]
  readonly #context: ReadContext
  readonly #footer: Footer
  readonly #balance = new RunningBalance()
  readonly #rows = new Tally()
  /** Of the rows that are not booked. */
  #skippedNet = 0n
  #skippedRows = 0
  #isFirst = true
  #hasSign = false
  #hasRows = false

  constructor(reading: TableReading, context: ReadContext) {
    this.#reading = reading
    this.#dateFormats = reading.isSparse ? [...reading.dateFormats, 'yyyy-mm-dd'] : reading.dateFormats
    this.#context = context
    this.#footer = new Footer(reading.columns)
    if (!context.currencyOf(reading.account)) throw notOurs(1, reading.account)
  }

  /** Whether anything stood below the header. */
  get hasRows(): boolean {
    return this.#hasRows || this.#footer.isOpen
  }

  /** What the row says; nothing where it is no row of the table. */
  take(row: TableRow): Part | undefined {
    if (row.fields.every((field) => field.trim() === '')) return undefined
    const isFirst = this.#isFirst
    this.#isFirst = false
    if (isFirst && isNumbering(row.fields)) return undefined
    const cells = new Cells(row, this.#reading, this.#dateFormats)
    const hasDay = dateOf(cells.at('date'), ...this.#dateFormats) !== undefined
    if (row.flaw === undefined && !hasDay && this.#footer.take(row.fields)) return undefined
    this.#hasRows = true
    try {
      return this.#read(row, cells)
    } catch (error) {
      const rejected = badRow(error, row.line, (field) => {
        const place = this.#reading.header.findIndex((name) => quoted(name) === field)
        if (row.at) return row.at(place === -1 ? this.#reading.columns.date : place)
        return place === -1 ? undefined : `column ${place + 1}`
      })
      this.#rows.unsure++
      this.#balance.skip()
      return rejected
    }
  }

  *end(): Generator<Part, void, undefined> {
    const { columns, account, directions, isSigned } = this.#reading
    const { credit, debit, unsure } = this.#rows
    const skipped = this.#skippedRows
    const balance = this.#balance
    const proof = balance.figures
    const footer = this.#footer.figures(this.#rows, { net: this.#skippedNet, hasBalances: !!proof })
    // What the footer says of balances counts: the rows' own have been compared with each other.
    if (this.#footer.hasFigures || proof)
      yield {
        summary: {
          ...{ account, from: null, to: null, completeTo: null, role: 'booked', ...footer },
          openingCents: footer.openingCents ?? proof?.openingCents ?? null,
          closingCents: footer.closingCents ?? proof?.closingCents ?? null,
        },
      }
    if (columns.balance !== undefined) for (const warning of balance.warnings()) yield { warning }
    if (skipped > 0 && skipped === unsure && this.#rows.rows === 0)
      yield { warning: message('no_row_is_booked', { count: skipped }) }
    // Debits would be booked as credits, row by row, and no total would show it.
    const isBlind = 'amount' in columns && !directions && !isSigned && columns.payeeAccount === undefined
    if (isBlind && debit.count === 0 && credit.count > 1 && !this.#hasSign && !balance.isWhole)
      yield { warning: message('all_rows_read_as_credits', { count: credit.count }) }
  }

  #read(row: TableRow, cells: Cells): Part {
    const { header, columns, isSparse } = this.#reading
    const { flaw, fields, line } = row
    const isTooWide =
      withoutEmptyTail(fields).length > header.length || fields.length > (row.maxFields ?? fields.length)
    const isOfHeader = (isSparse || fields.length >= header.length) && !isTooWide
    if (flaw !== undefined) throw new RejectedRow(flaw)
    if (!isOfHeader)
      throw new RejectedRow(message('row_width_differs', { fields: fields.length, columns: header.length }))
    const account = cells.has('ownAccount')
      ? normalizeAccountNumber(cells.at('ownAccount'))
      : this.#reading.account
    const reason = this.#skipped(cells, account)
    if (reason) {
      this.#skip(cells)
      return { skipped: { line, reason } }
    }
    const entry = entryOf(cells, account, this.#context)
    const { direction, cents, currency } = entry
    const moved = direction === 'credit' ? cents : -cents
    if (cells.has('balance')) this.#balance.take(line, moved, balanceOf(cells, currency))
    this.#hasSign ||= /^[^\d]*\+/.test(cells.at('amount'))
    this.#rows.add(direction, cents)
    return { entry }
  }

  #skipped(cells: Cells, account: string): SkippedReason | undefined {
    const { booked, held } = this.#reading
    if (!this.#context.currencyOf(account)) return 'other_account'
    const status = cells.at('status')
    if (held && isAmong(held, status)) return 'pending'
    return booked && !isAmong(booked, status) ? 'not_booked' : undefined
  }

  /** A total may count what is not booked as well. */
  #skip(cells: Cells): void {
    this.#rows.unsure++
    this.#skippedRows++
    this.#skippedNet += figureIn(cells.at('amount')) ?? 0n
  }
}

/** The names of a header as they are kept and compared. */
export const headerOf = (fields: readonly string[]): string[] => withoutEmptyTail(fields.map(tidy))

export const tidy = (text = ''): string => text.replace(/\s+/g, ' ').trim()

function withoutEmptyTail<Text extends string>(fields: readonly Text[]): Text[] {
  return fields.slice(0, fields.findLastIndex((field) => field.trim() !== '') + 1)
}

/** Two words of a bank's are the same whatever their case and spaces. */
function isAmong(words: readonly string[], text: string): boolean {
  const written = plain(text)
  return words.some((word) => plain(word) === written)
}

/** Some banks number their columns in a row below the names. */
const isNumbering = (fields: readonly string[]): boolean => {
  const numbers = fields.map((field) => field.trim()).filter((field) => field !== '')
  return numbers.length > 2 && numbers.every((field, at) => field === String(at + 1))
}

/** The cells of a row, by the meaning of their columns. A column that the table does not have is empty. */
class Cells {
  readonly row: TableRow
  readonly reading: TableReading
  readonly #dateFormats: readonly DateFormat[]
  readonly #places: { readonly [Name in ColumnName]?: number }

  constructor(row: TableRow, reading: TableReading, dateFormats: readonly DateFormat[]) {
    this.row = row
    this.reading = reading
    this.#dateFormats = dateFormats
    this.#places = reading.columns
  }

  has(name: ColumnName): boolean {
    return this.#places[name] !== undefined
  }

  at(name: ColumnName): string {
    return withoutControls(this.row.fields[this.#places[name] ?? -1] ?? '').trim()
  }

  accountAt(name: ColumnName): string {
    return normalizeAccountNumber(this.at(name))
  }

  dayAt(name: ColumnName) {
    return requireDate(this.nameOf(name), this.at(name), this.#dateFormats)
  }

  /** Some banks write `,01` for one hundredth. */
  amountAt(name: ColumnName, currency: Currency): Cents {
    return amountIn(this.nameOf(name), this.at(name).replace(/^([+-]?)([.,]\d)/, '$10$2'), currency)
  }

  /** `read` bounds it. */
  numberAt(name: ColumnName, read: typeof documentNumber): string {
    return read(this.nameOf(name), this.at(name))
  }

  linesAt(place: number | undefined): string[] {
    const lines = (this.row.fields[place ?? -1] ?? '').split(/\r\n?|\n/)
    return lines.map((line) => withoutControls(line).trim())
  }

  nameOf(name: ColumnName): string {
    return this.nameAt(this.#places[name] ?? -1)
  }

  nameAt(place: number): string {
    return quoted(this.reading.header[place] ?? `column ${place + 1}`)
  }

  /** Only a separator, a quote or the sign of a currency behind the digits shows that all of them are there. */
  mayBeCut(name: ColumnName): boolean {
    const { isOpen, fields, raw } = this.row
    return isOpen === true && this.#places[name] === fields.length - 1 && /[\d.,]$/.test(raw.trimEnd())
  }
}

function entryOf(cells: Cells, account: string, context: ReadContext): Entry {
  const { columns, currency: chosen } = cells.reading
  const written = cells.at('currency')
  const currency =
    written === '' ? (chosen ?? context.currencyOf(account)!) : currencyOf(cells.nameOf('currency'), written)
  const { direction, cents, column } = movementOf(cells, account, currency)
  if (cells.mayBeCut(column))
    throw new RejectedRow(message('last_line_may_be_cut', { field: cells.nameOf(column) }))
  const booked = cells.dayAt('date')
  const paidOn = cells.at('paidOn') === '' ? null : earliest([cells.dayAt('paidOn').day, booked.day])
  const payer = payerOf(cells)
  const parts = (columns.purpose ?? []).flatMap((place) => cells.linesAt(place)).filter((part) => part !== '')
  const named = cells.nameAt(columns.purpose?.[0] ?? columns.payerName ?? columns.date)
  return {
    line: cells.row.line,
    account,
    direction,
    cents,
    currency,
    bookedOn: booked.day,
    bookedAt: timestampOf(booked, currency),
    paidOn,
    documentNumber: cells.numberAt('documentNumber', documentNumber),
    ...textsOf(named, parts, payer),
    bankId: cells.numberAt('bankId', bankId) || null,
    isReversal: false,
    isInternal: direction === 'credit' && context.currencyOf(payer.account) !== undefined,
    raw: maskedSource(linesWithoutControls(cells.row.raw)),
  }
}

function payerOf(cells: Cells): Entry['payer'] {
  const bank = cells.at('payerBank')
  if (!cells.has('payerBlock'))
    return {
      name: cells.at('payerName'),
      account: cells.accountAt('payerAccount'),
      taxId: cells.at('payerTaxId'),
      bank,
    }
  const [account = '', ...rest] = cells.linesAt(cells.reading.columns.payerBlock)
  const [taxId = '', ...names] = isTaxId(rest[0] ?? '') ? rest : ['', ...rest]
  return { name: names.join(' '), account: normalizeAccountNumber(account), taxId, bank }
}

type Movement = Pick<Entry, 'direction' | 'cents'> & { column: ColumnName }

function movementOf(cells: Cells, account: string, currency: Currency): Movement {
  if (!cells.has('amount')) return ofPair(cells, currency)
  const cents = cells.amountAt('amount', currency)
  const field = cells.nameOf('amount')
  if (cents === 0n) throw new RejectedRow(message('field_zero', { field }), field)
  const stated = directionOf(cells, account)
  if (stated === 'credit' && cents < 0n) throw new RejectedRow(message('credit_below_zero', { field }))
  const direction = stated ?? (cents > 0n ? 'credit' : 'debit')
  return { direction, cents: cents < 0n ? -cents : cents, column: 'amount' }
}

function ofPair(cells: Cells, currency: Currency): Movement {
  const centsAt = (name: ColumnName) => (cells.at(name) === '' ? 0n : cells.amountAt(name, currency))
  const [credit, debit] = [centsAt('credit'), centsAt('debit')]
  if (credit < 0n || debit < 0n || (credit === 0n) === (debit === 0n))
    throw new RejectedRow(
      message('one_amount_expected', { credit: cells.nameOf('credit'), debit: cells.nameOf('debit') }),
    )
  const direction = credit > 0n ? 'credit' : 'debit'
  return { direction, cents: credit + debit, column: direction }
}

/** The direction, where the amount's sign does not tell it. */
function directionOf(cells: Cells, account: string): Entry['direction'] | undefined {
  const { directions } = cells.reading
  if (directions && cells.has('direction')) {
    const text = cells.at('direction')
    if (isAmong(directions.in, text)) return 'credit'
    if (isAmong(directions.out, text)) return 'debit'
    const field = cells.nameOf('direction')
    throw new RejectedRow(message('direction_unknown', { field, text: quoted(text) }))
  }
  if (!cells.has('payeeAccount')) return undefined
  const isPayee = cells.accountAt('payeeAccount') === account
  if ((cells.accountAt('payerAccount') === account) === isPayee)
    throw new RejectedRow(message('row_must_name_our_account_once'))
  return isPayee ? 'credit' : 'debit'
}

/** A balance may be greater than any amount of a row. */
const balanceOf = (cells: Cells, currency: Currency): Cents | null =>
  cells.at('balance') === '' ? null : (amountOf(cells.at('balance')) ?? cells.amountAt('balance', currency))

/** The header is not the one that the mapping was made for. */
export function checkHeader(line: number, fields: readonly string[], expected: readonly string[]): void {
  const found = headerOf(fields)
  for (let place = 0; place < Math.max(found.length, expected.length); place++) {
    const [was, is] = [tidy(expected[place]), found[place] ?? '']
    if (was === is) continue
    const column = { place: place + 1, is: quoted(is), was: quoted(was) }
    throw new DamagedStatement(line, message('header_column_changed', column), {
      code: 'statement_header_changed',
    })
  }
}
