/**
 * Rows of text cells in, entries and one summary out: one reader for every table of a bank, whether it came as CSV or as a
 * workbook. An unknown word of direction makes a row bad; it never counts as received money.
 */

import { type Message, message } from '../../messages/message.ts'
import type { Cents, Currency } from '../../money.ts'
import { normalizeAccountNumber } from '../../transfers/bank-text/account-number.ts'
import { withoutControls } from '../../transfers/bank-text/controls.ts'
import { quoted } from '../../transfers/bank-text/masked.ts'
import {
  badRow,
  DamagedStatement,
  type Entry,
  type Part,
  type Payer,
  type ReadContext,
  RejectedRow,
} from '../entry.ts'
import { Tally } from '../totals.ts'
import { amountIn, amountOf, currencyOf } from './amount.ts'
import type { ColumnName, CsvMapping, DateFormat } from './csv-mapping.ts'
import { dateOf, earliest, requireDate, timeOf } from './dates.ts'
import { RunningBalance } from './table-balance.ts'
import { Footer, plain } from './table-footer.ts'
import { bankId, documentNumber, notOurs, textsOf } from './texts.ts'

export function requireMapping({ mapping }: ReadContext): CsvMapping {
  if (mapping) return mapping
  throw new DamagedStatement(1, message('table_needs_mapping'), { code: 'statement_mapping_missing' })
}

type TableRow = {
  line: number
  /** The cells of this row in the words of its file, where a line says too little. */
  at?: (place: number) => string
  fields: readonly string[]
  flaw?: Message | undefined
  /** Nothing shows that its last cell is whole. */
  isOpen?: boolean
  /** How many fields it may have, empty ones included: in a longer one a payer's text may hold a separator. */
  maxFields?: number
}

export class TableReader {
  readonly #mapping: CsvMapping
  readonly #account: string
  readonly #places: { readonly [Name in ColumnName]?: number }
  readonly #dateFormats: readonly DateFormat[]
  /** A workbook: empty cells at the end of a row may be left out, days are its own, and no row is made of a text. */
  readonly #isSparse: boolean
  readonly #context: ReadContext
  readonly #footer: Footer
  readonly #balance = new RunningBalance()
  readonly #rows = new Tally()
  #skipped = 0
  #hasSign = false
  hasRows = false
  #row: TableRow = { line: 0, fields: [] }
  /** How many fields the first row has in CSV. All others must have as many, or a separator in a text moved the columns. */
  #width: number | undefined

  constructor(mapping: CsvMapping, context: ReadContext, { isSparse }: { isSparse: boolean }) {
    this.#mapping = mapping
    this.#account = normalizeAccountNumber(mapping.account)
    this.#places = mapping.columns
    this.#dateFormats = isSparse ? [mapping.dateFormat, 'yyyy-mm-dd'] : [mapping.dateFormat]
    this.#isSparse = isSparse
    this.#context = context
    this.#footer = new Footer(mapping.columns)
    if (!context.currencyOf(this.#account)) throw notOurs(1, this.#account)
  }

  /** What the row says; nothing where it is no row of the table. */
  take(row: TableRow): Part | undefined {
    if (row.fields.every((field) => field.trim() === '')) return undefined
    if (!this.hasRows && isNumbering(row.fields)) return undefined
    this.hasRows = true
    this.#row = row
    const hasDay = dateOf(this.#at('date'), ...this.#dateFormats) !== undefined
    if (row.flaw === undefined && !hasDay && this.#footer.take(row.fields)) return undefined
    try {
      return this.#read()
    } catch (error) {
      const rejected = badRow(error, row.line, (field) => {
        const place = this.#mapping.header.findIndex((name) => quoted(name) === field)
        if (row.at) return row.at(place === -1 ? this.#mapping.columns.date : place)
        return place === -1 ? undefined : `column ${place + 1}`
      })
      this.#balance.skip()
      return rejected
    }
  }

  *end(): Generator<Part, void, undefined> {
    const { columns, directions } = this.#mapping
    const account = this.#account
    const { credit, debit, rows } = this.#rows
    const stated = this.#footer.figures(this.#rows)
    const hasFooter = Object.values(stated).some((cents) => cents !== null)
    const { openingCents = null, closingCents = null } = this.#balance.figures ?? {}
    if (hasFooter || openingCents !== null)
      yield {
        summary: {
          ...{ account, from: null, to: null, completeTo: null, role: 'booked', ...stated },
          // Only the bank knows the balance of each row.
          ...(this.#balance.isWhole &&
            stated.creditCents === null && { creditCents: credit.cents, debitCents: debit.cents }),
          openingCents: stated.openingCents ?? openingCents,
          closingCents: stated.closingCents ?? closingCents,
        },
      }
    if (columns.balance !== undefined) for (const warning of this.#balance.warnings()) yield { warning }
    // Where a bank writes a payer's line breaks, his text can hold rows and a footer that agrees with them.
    else if (hasFooter && !this.#isSparse) yield { warning: message('footer_proves_nothing') }
    if (this.#skipped > 0 && rows === 0)
      yield { warning: message('no_row_is_booked', { count: this.#skipped }) }
    // Debits would be booked as credits, row by row, and no total would show it.
    const knowsDirection = directions || !('amount' in columns) || columns.balance !== undefined
    if (!knowsDirection && debit.count === 0 && credit.count > 1 && !this.#hasSign)
      yield { warning: message('all_rows_read_as_credits', { count: credit.count }) }
  }

  #read(): Part {
    const { flaw, line } = this.#row
    if (flaw !== undefined) throw new RejectedRow(flaw)
    this.#checkWidth()
    const { booked } = this.#mapping
    if (booked && !isAmong(booked, this.#at('status'))) {
      this.#skipped++
      return { skipped: { line, reason: 'not_booked' } }
    }
    const entry = this.#entry()
    const { direction, cents, currency } = entry
    if (this.#has('balance'))
      this.#balance.take(line, direction === 'credit' ? cents : -cents, this.#balanceAfter(currency))
    this.#hasSign ||= /^[^\d]*\+/.test(this.#at('amount'))
    this.#rows.add(direction, cents)
    return { entry }
  }

  #checkWidth(): void {
    const { header } = this.#mapping
    const { fields, maxFields = fields.length } = this.#row
    const columns = this.#width ?? header.length
    const isUneven = fields.length < columns || fields.length > (this.#width ?? maxFields)
    if (withoutEmptyTail(fields).length > header.length || (!this.#isSparse && isUneven))
      throw new RejectedRow(message('row_width_differs', { fields: fields.length, columns }))
    this.#width = fields.length
  }

  #entry(): Entry {
    const { columns } = this.#mapping
    const account = this.#account
    const written = this.#at('currency')
    const currency =
      written === '' ? this.#context.currencyOf(account)! : currencyOf(this.#nameOf('currency'), written)
    const payer = this.#payer()
    const { direction, cents } = this.#movement(payer.payerAccount, currency)
    const booked = this.#dayAt('date')
    const parts = (columns.purpose ?? [])
      .flatMap((place) => this.#linesAt(place))
      .filter((part) => part !== '')
    const named = this.#nameAt(columns.purpose?.[0] ?? columns.payerName ?? columns.date)
    return {
      line: this.#row.line,
      account,
      direction,
      cents,
      currency,
      bookedOn: booked.day,
      bookedAt: timeOf(booked, currency),
      paidOn: this.#at('paidOn') === '' ? null : earliest([this.#dayAt('paidOn').day, booked.day]),
      documentNumber: documentNumber(this.#nameOf('documentNumber'), this.#at('documentNumber')),
      ...textsOf(named, parts, payer),
      bankId: bankId(this.#nameOf('bankId'), this.#at('bankId')) || null,
      isReversal: false,
      isInternal: direction === 'credit' && this.#context.currencyOf(payer.payerAccount) !== undefined,
    }
  }

  #payer(): Payer {
    return {
      payerName: this.#at('payerName'),
      payerAccount: normalizeAccountNumber(this.#at('payerAccount')),
      payerTaxId: this.#at('payerTaxId'),
      payerBank: this.#at('payerBank'),
    }
  }

  #movement(payerAccount: string, currency: Currency): Pick<Entry, 'direction' | 'cents'> {
    if (!this.#has('amount')) {
      const [credit, debit] = [this.#amountAt('credit', currency), this.#amountAt('debit', currency)]
      if (credit < 0n || debit < 0n || (credit === 0n) === (debit === 0n))
        throw new RejectedRow(
          message('one_amount_expected', { credit: this.#nameOf('credit'), debit: this.#nameOf('debit') }),
        )
      return { direction: credit > 0n ? 'credit' : 'debit', cents: credit + debit }
    }
    const field = this.#nameOf('amount')
    const cents = this.#amountAt('amount', currency)
    if (cents === 0n) throw new RejectedRow(message('field_zero', { field }), field)
    const stated = this.#direction(payerAccount)
    if (stated === 'credit' && cents < 0n) throw new RejectedRow(message('credit_below_zero', { field }))
    return { direction: stated ?? (cents > 0n ? 'credit' : 'debit'), cents: cents < 0n ? -cents : cents }
  }

  /** The direction, where the amount's sign does not tell it: by a word of the bank's, or because we are who pays. */
  #direction(payerAccount: string): Entry['direction'] | undefined {
    const { directions } = this.#mapping
    if (!directions) return payerAccount === this.#account ? 'debit' : undefined
    const text = this.#at('direction')
    if (isAmong(directions.in, text)) return 'credit'
    if (isAmong(directions.out, text)) return 'debit'
    throw new RejectedRow(
      message('direction_unknown', { field: this.#nameOf('direction'), text: quoted(text) }),
    )
  }

  /** A balance may be greater than any amount of a row. */
  #balanceAfter(currency: Currency): Cents | null {
    const written = this.#at('balance')
    return written === '' ? null : (amountOf(written) ?? this.#amountAt('balance', currency))
  }

  #has(name: ColumnName): boolean {
    return this.#places[name] !== undefined
  }

  #at(name: ColumnName): string {
    return withoutControls(this.#row.fields[this.#places[name] ?? -1] ?? '').trim()
  }

  #linesAt(place: number | undefined): string[] {
    const lines = (this.#row.fields[place ?? -1] ?? '').split(/\r\n?|\n/)
    return lines.map((line) => withoutControls(line).trim())
  }

  #dayAt(name: ColumnName) {
    return requireDate(this.#nameOf(name), this.#at(name), this.#dateFormats)
  }

  /** Some banks write `,01` for one hundredth, and nothing for none on the other side. */
  #amountAt(name: ColumnName, currency: Currency): Cents {
    const { isOpen, fields } = this.#row
    const written = this.#at(name)
    if (written === '' && name !== 'amount') return 0n
    const cents = amountIn(this.#nameOf(name), written.replace(/^([+-]?)([.,]\d)/, '$10$2'), currency)
    if (isOpen && cents !== 0n && this.#places[name] === fields.length - 1)
      throw new RejectedRow(message('last_line_may_be_cut', { field: this.#nameOf(name) }))
    return cents
  }

  #nameOf(name: ColumnName): string {
    return this.#nameAt(this.#places[name] ?? -1)
  }

  #nameAt(place: number): string {
    return quoted(this.#mapping.header[place] ?? `column ${place + 1}`)
  }
}

export const headerOf = (fields: readonly string[]): string[] => withoutEmptyTail(fields.map(tidy))

export const tidy = (text = ''): string => text.replace(/\s+/g, ' ').trim()

function withoutEmptyTail(fields: readonly string[]): string[] {
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
