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
import {
  DamagedStatement,
  type Entry,
  type Part,
  type ReadContext,
  RejectedRow,
  type SkippedReason,
} from '../entry.ts'
import { notOurs } from './account.ts'
import { amountIn, amountOf, currencyOf } from './amount.ts'
import type { Directions } from './csv-mapping.ts'
import type { DateFormat } from './date-format.ts'
import { dateOf, earliest, timestampOf, type WrittenDate } from './dates.ts'
import { bankId, documentNumber } from './identity.ts'
import { RowNumbers } from './row-numbers.ts'
import { RunningBalance } from './table-balance.ts'
import type { TableColumns } from './table-columns.ts'
import { Footer, plain, type Turnover } from './table-footer.ts'
import { textsOf } from './texts.ts'

export type TableReading = {
  /** The names of the columns, for sentences. */
  header: readonly string[]
  account: string
  currency?: Currency
  /** The first that fits. */
  dateFormats: readonly DateFormat[]
  columns: TableColumns
  directions?: Directions
  /** The status values of booked rows; all others are not booked. */
  booked?: readonly string[]
  /** The status values of held rows; all others are booked. */
  held?: readonly string[]
  /** Money that went out is known to have a minus. */
  isSigned?: boolean
  /** Empty cells at the end of a row may be left out. */
  isSparse: boolean
  /** A person chose the columns: the column that they took for document numbers may only count the rows. */
  isMapped?: boolean
}

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
  readonly #context: ReadContext
  readonly #footer: Footer
  readonly #balance = new RunningBalance()
  readonly #numbers = new RowNumbers()
  readonly #rows: Turnover = { credit: { count: 0, cents: 0n }, debit: { count: 0, cents: 0n } }
  #others = { net: 0n, count: 0, skipped: 0 }
  #isFirst = true
  #hasSign = false
  #hasRows = false
  /** A row of separators alone: of a payment's row, it may be what the bank wrote behind a payer's line break. */
  #hasEmptyRow = false

  constructor(reading: TableReading, context: ReadContext) {
    this.#reading = reading
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
    if (row.fields.every((field) => field.trim() === '')) {
      this.#hasEmptyRow ||= row.fields.length > 1
      return undefined
    }
    const isFirst = this.#isFirst
    this.#isFirst = false
    if (isFirst && isNumbering(row.fields)) return undefined
    const { columns, dateFormats } = this.#reading
    const day = row.fields[columns.date] ?? ''
    if (row.flaw === undefined && !dayIn(day, dateFormats) && this.#footer.take(row.fields)) return undefined
    this.#hasRows = true
    try {
      return this.#read(row)
    } catch (error) {
      if (!(error instanceof RejectedRow)) throw error
      this.#others.count++
      this.#balance.skip()
      const place = this.#reading.header.findIndex((name) => quoted(name) === error.field)
      const at = row.at
        ? row.at(place === -1 ? columns.date : place)
        : place === -1
          ? undefined
          : `column ${place + 1}`
      return { bad: { line: row.line, ...(at && { at }), detail: error.detail } }
    }
  }

  *end(): Generator<Part, void, undefined> {
    const { header, columns, account, directions, isSigned, isSparse, isMapped } = this.#reading
    const { net, count, skipped } = this.#others
    const { credit, debit } = this.#rows
    const running = columns.balance === undefined ? undefined : this.#balance.figures
    // CSV lets a payer's line breaks make rows and footers, so only a balance that he does not know proves its rows. A payer
    // to an empty account knows it.
    const isProved =
      isSparse || (running !== undefined && !this.#balance.hasKnownBalance && !this.#mayLackRow)
    const balance = isProved ? running : undefined
    const footer = this.#footer.figures(this.#rows, { net, count, hasBalances: balance !== undefined })
    // What the footer says of balances counts: the rows' own have been compared with each other.
    if (this.#footer.hasFigures || balance)
      yield {
        summary: {
          ...{ account, from: null, to: null, ...footer },
          // Only the bank knows the balance of each row.
          ...(balance && this.#balance.isWhole && footer.creditCents === null
            ? { creditCents: credit.cents, debitCents: debit.cents }
            : {}),
          openingCents: footer.openingCents ?? balance?.openingCents ?? null,
          closingCents: footer.closingCents ?? balance?.closingCents ?? null,
          ...(!isProved && { isForgeable: true }),
        },
      }
    if (columns.balance !== undefined) for (const warning of this.#balance.warnings()) yield { warning }
    if (skipped > 0 && skipped === count && credit.count + debit.count === 0)
      yield { warning: message('no_row_is_booked', { count: skipped }) }
    // Debits would be booked as credits, row by row, and no total would show it.
    const isBlind = 'amount' in columns && !directions && !isSigned && columns.payeeAccount === undefined
    if (isBlind && debit.count === 0 && credit.count > 1 && !this.#hasSign && !this.#balance.isWhole)
      yield { warning: message('all_rows_read_as_credits', { count: credit.count }) }
    if (this.#numbers.areCounted && columns.documentNumber !== undefined) {
      const column = { column: header[columns.documentNumber] ?? '' }
      // Upwards, the numbers were left out row by row; downwards, only the last row shows what they are.
      if (isMapped && this.#numbers.areDescending)
        throw new DamagedStatement(1, message('mapped_numbers_count_rows', column))
      yield {
        warning: message(isMapped ? 'row_numbers_left_out' : 'document_numbers_count_rows', column),
      }
    }
  }

  /**
   * Where a text stands before other columns, a payer can write a row up to its end, and what the bank writes behind his text
   * becomes a row that is not booked, an empty one, or a footer: then no row needs to follow from the balance that the bank wrote, and
   * the payer's account and number may be the payer's word.
   */
  get #mayLackRow(): boolean {
    const hasOthers = this.#others.count > 0 || this.#footer.isOpen || this.#hasEmptyRow
    return hasOthers && hasTextBeforeOthers(this.#reading.columns)
  }

  #read(row: TableRow): Part {
    const { header, columns, isSparse } = this.#reading
    const cells = new Cells(row, header)
    const count = withoutEmptyTail(row.fields).length
    const isTooWide = count > header.length || row.fields.length > (row.maxFields ?? row.fields.length)
    const isOfHeader = (isSparse || row.fields.length >= header.length) && !isTooWide
    const isWhole = row.flaw === undefined && isOfHeader
    const isRowNumber = this.#numbers.take(isWhole ? cells.at(columns.documentNumber) : undefined)
    if (row.flaw !== undefined) throw new RejectedRow(row.flaw)
    if (!isOfHeader)
      throw new RejectedRow(
        message('row_width_differs', { fields: row.fields.length, columns: header.length }),
      )
    const account =
      columns.ownAccount === undefined
        ? this.#reading.account
        : normalizeAccountNumber(cells.at(columns.ownAccount))
    const reason = this.#skipped(cells, account)
    if (reason) {
      this.#skip(cells)
      return { skipped: { line: row.line, reason } }
    }
    const entry = entryOf(row, cells, account, this.#reading, this.#context)
    const { direction, cents, currency } = entry
    const moved = direction === 'credit' ? cents : -cents
    if (columns.balance !== undefined)
      this.#balance.take(row.line, moved, balanceOf(cells, columns.balance, currency))
    if ('amount' in columns) this.#hasSign ||= /^[^\d]*\+/.test(cells.at(columns.amount))
    this.#rows[direction].count++
    this.#rows[direction].cents += cents
    return { entry: isRowNumber && this.#reading.isMapped ? { ...entry, documentNumber: '' } : entry }
  }

  #skipped(cells: Cells, account: string): SkippedReason | undefined {
    const { columns, booked, held } = this.#reading
    if (!this.#context.currencyOf(account)) return 'other_account'
    if (columns.status === undefined) return undefined
    const status = cells.at(columns.status)
    if (held && isAmong(held, status)) return 'pending'
    return booked && !isAmong(booked, status) ? 'not_booked' : undefined
  }

  /** A total may count what is not booked as well. */
  #skip(cells: Cells): void {
    this.#others.count++
    this.#others.skipped++
    const { columns } = this.#reading
    if (!('amount' in columns)) return
    try {
      this.#others.net += amountAt(cells, columns.amount, this.#context.currencyOf(this.#reading.account)!)
    } catch (error) {
      if (!(error instanceof RejectedRow)) throw error
    }
  }
}

/** The names of a header as they are kept and compared. */
export const headerOf = (fields: readonly string[]): string[] => withoutEmptyTail(fields.map(tidy))

export const tidy = (text = ''): string => text.replace(/\s+/g, ' ').trim()

function withoutEmptyTail<Text extends string>(fields: readonly Text[]): Text[] {
  return fields.slice(0, fields.findLastIndex((field) => field.trim() !== '') + 1)
}

/**
 * Whether any column that is read stands behind a text. Any column whose meaning is not known may hold a payer's text, and so may names:
 * only the last of all columns may be one.
 */
function hasTextBeforeOthers({ purpose, ...columns }: TableColumns): boolean {
  const { payerName, payerBlock, payerBank, ...others } = columns
  const noTexts = new Set(Object.values(others))
  const last = Math.max(...Object.values(columns))
  return Array.from({ length: last }, (_, place) => place).some((place) => !noTexts.has(place))
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

class Cells {
  readonly #row: TableRow
  readonly #header: readonly string[]

  constructor(row: TableRow, header: readonly string[]) {
    this.#row = row
    this.#header = header
  }

  at(place: number | undefined): string {
    return place === undefined ? '' : withoutControls(this.#row.fields[place] ?? '').trim()
  }

  linesAt(place: number): string[] {
    return (this.#row.fields[place] ?? '').split(/\r\n?|\n/).map((line) => withoutControls(line).trim())
  }

  nameOf(place: number): string {
    return quoted(this.#header[place] ?? `column ${place + 1}`)
  }
}

function entryOf(
  row: TableRow,
  cells: Cells,
  account: string,
  reading: TableReading,
  context: ReadContext,
): Entry {
  const { columns } = reading
  const at = (place: number | undefined): string => cells.at(place)
  const numberAt = (place: number | undefined, read: typeof documentNumber): string =>
    place === undefined ? '' : read(cells.nameOf(place), at(place))

  const written = at(columns.currency)
  const currency =
    written === ''
      ? (reading.currency ?? context.currencyOf(account)!)
      : currencyOf(cells.nameOf(columns.currency!), written)
  const { direction, cents, place } = movementOf(reading, cells, account, currency)
  // Only a separator, a quote or the sign of a currency behind the digits shows that all of them are there.
  if (row.isOpen && place === row.fields.length - 1 && /[\d.,]$/.test(row.raw.trimEnd()))
    throw new RejectedRow(message('last_line_may_be_cut', { field: cells.nameOf(place) }))
  const booked = dateAt(cells, columns.date, reading.dateFormats)
  const paidOn =
    columns.paidOn === undefined || at(columns.paidOn) === ''
      ? null
      : earliest([dateAt(cells, columns.paidOn, reading.dateFormats).day, booked.day])
  const payer = payerOf(cells, columns)
  const parts = (columns.purpose ?? [])
    .flatMap((column) => cells.linesAt(column))
    .filter((part) => part !== '')
  return {
    line: row.line,
    account,
    direction,
    cents,
    currency,
    bookedOn: booked.day,
    bookedAt: timestampOf(booked, currency),
    paidOn,
    documentNumber: numberAt(columns.documentNumber, documentNumber),
    ...textsOf(cells.nameOf(columns.purpose?.[0] ?? columns.payerName ?? columns.date), parts, payer),
    bankId: numberAt(columns.bankId, bankId) || null,
    bankEntry: null,
    isReversal: false,
    isInternal: direction === 'credit' && context.currencyOf(payer.account) !== undefined,
    raw: maskedSource(linesWithoutControls(row.raw)),
  }
}

function payerOf(cells: Cells, columns: TableColumns): Entry['payer'] {
  const bank = cells.at(columns.payerBank)
  if (columns.payerBlock === undefined)
    return {
      name: cells.at(columns.payerName),
      account: normalizeAccountNumber(cells.at(columns.payerAccount)),
      taxId: cells.at(columns.payerTaxId),
      bank,
    }
  const [account = '', ...rest] = cells.linesAt(columns.payerBlock)
  const hasTaxId = /^\d{10}(?:\d\d)?$/.test(rest[0] ?? '')
  const [taxId = '', ...names] = hasTaxId ? rest : ['', ...rest]
  return { name: names.join(' '), account: normalizeAccountNumber(account), taxId, bank }
}

/** `place` is the column that the amount stands in. */
function movementOf(
  { columns, directions }: TableReading,
  cells: Cells,
  account: string,
  currency: Currency,
): Pick<Entry, 'direction' | 'cents'> & { place: number } {
  if ('amount' in columns) {
    const place = columns.amount
    const cents = amountAt(cells, place, currency)
    if (cents === 0n)
      throw new RejectedRow(message('field_zero', { field: cells.nameOf(place) }), cells.nameOf(place))
    const stated =
      columns.direction !== undefined
        ? directionIn(cells, columns.direction, directions!)
        : columns.payeeAccount !== undefined
          ? directionBySides(cells, columns, account)
          : undefined
    if (stated === 'credit' && cents < 0n)
      throw new RejectedRow(message('credit_below_zero', { field: cells.nameOf(place) }))
    const direction = stated ?? (cents > 0n ? 'credit' : 'debit')
    return { direction, cents: cents < 0n ? -cents : cents, place }
  }
  const [credit, debit] = [columns.credit, columns.debit].map((place) =>
    cells.at(place) === '' ? 0n : amountAt(cells, place, currency),
  ) as [Cents, Cents]
  if (credit < 0n || debit < 0n || (credit === 0n) === (debit === 0n))
    throw new RejectedRow(
      message('one_amount_expected', {
        credit: cells.nameOf(columns.credit),
        debit: cells.nameOf(columns.debit),
      }),
    )
  return credit > 0n
    ? { direction: 'credit', cents: credit, place: columns.credit }
    : { direction: 'debit', cents: debit, place: columns.debit }
}

function directionIn(cells: Cells, place: number, directions: Directions): Entry['direction'] {
  const word = cells.at(place)
  if (isAmong(directions.in, word)) return 'credit'
  if (isAmong(directions.out, word)) return 'debit'
  throw new RejectedRow(message('direction_unknown', { field: cells.nameOf(place), text: quoted(word) }))
}

function directionBySides(cells: Cells, columns: TableColumns, account: string): Entry['direction'] {
  const [isPayer, isPayee] = [columns.payerAccount, columns.payeeAccount].map(
    (place) => normalizeAccountNumber(cells.at(place)) === account,
  )
  if (isPayer === isPayee) throw new RejectedRow(message('row_must_name_our_account_once'))
  return isPayee ? 'credit' : 'debit'
}

/** Some banks write `,01` for one hundredth. */
const amountAt = (cells: Cells, place: number, currency: Currency): Cents =>
  amountIn(cells.nameOf(place), cells.at(place).replace(/^([+-]?)([.,]\d)/, '$10$2'), currency)

/** A balance may be greater than any amount of a row. */
const balanceOf = (cells: Cells, place: number, currency: Currency): Cents | null =>
  cells.at(place) === '' ? null : (amountOf(cells.at(place)) ?? amountAt(cells, place, currency))

const dayIn = (text: string, formats: readonly DateFormat[]): WrittenDate | undefined => {
  const written = withoutControls(text).trim()
  for (const format of formats) {
    const found = dateOf(written, format)
    if (found) return found
  }
  return undefined
}

function dateAt(cells: Cells, place: number, formats: readonly DateFormat[]): WrittenDate {
  const text = cells.at(place)
  const written = dayIn(text, formats)
  if (written) return written
  throw new RejectedRow(
    message('day_expected', { field: cells.nameOf(place), text: quoted(text), format: formats.join(', ') }),
  )
}

/** The header is not the one that the mapping was made for. */
export function checkHeader(line: number, fields: readonly string[], expected: readonly string[]): void {
  const found = headerOf(fields)
  for (let place = 0; place < Math.max(found.length, expected.length); place++) {
    const [was, is] = [tidy(expected[place]), found[place] ?? '']
    if (was === is) continue
    const column = { place: place + 1, is: quoted(is) }
    const change =
      place >= expected.length
        ? message('header_has_new_column', column)
        : message('header_column_changed', { ...column, was: quoted(was) })
    throw new DamagedStatement(line, change, { code: 'statement_header_changed' })
  }
}
