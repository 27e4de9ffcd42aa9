/**
 * The content of a bank's statement, the same for every format. A reader turns bytes into parts, one after another,
 * and keeps at most one entry in memory; it knows nothing of deposits and decides nothing about money.
 *
 * A row that cannot be read is rejected and the rest is kept. A file whose structure is damaged is refused as a
 * whole: `DamagedStatement` may be thrown after entries were returned, so they count only when the file ends.
 */
import type { Message, MessageOrText } from '../messages/message.ts'
import type { Currency } from '../money.ts'
import type { FormatName } from '../transfers/channel.ts'
import type { Entry as BankEntry } from '../transfers/entry.ts'
import type { CsvMapping } from './formats/csv-mapping.ts'

/** One line of a bank's statement. Card numbers in its texts are masked; the payer's account is whole here. */
export type Entry = Omit<BankEntry, 'line' | 'accountId' | 'channel' | 'version'> & {
  /** Where it starts in the file, from 1. In XML the line of its start tag. */
  line: number
  /** Our account, as the file names it: digits or IBAN, no spaces. */
  account: string
}

/** The paying side, also of a debit, where it is ourselves. The bank is a name, or a BIC where no name is given. */
export type Payer = Pick<Entry, 'payerName' | 'payerAccount' | 'payerTaxId' | 'payerBank'>

/** The totals that the file states for an account; some banks write one per day. Null: not stated. */
export type Summary = {
  account: string
  /** The days that it tells, both included. */
  from: string | null
  to: string | null
  /**
   * The last of these days that was over when the file was made, proven by the file; null where none was, or where it
   * does not say. The bank writes no further entries of it, and of the days before it.
   */
  completeTo: string | null
  /** Whether it tells booked entries, or earlier ones: camt.052 and camt.054 are no statements. */
  role: 'booked' | 'early'
  creditCents: bigint | null
  debitCents: bigint | null
  /** Booked balances; below zero the account is overdrawn. */
  openingCents: bigint | null
  closingCents: bigint | null
}

/** A row that cannot be read, and why. `at`: the element or cell, where the line is not precise enough. */
export type BadRow = { line: number; at?: string; detail: MessageOrText }

/**
 * Why a row is not a payment to us: the bank has not booked it yet, it failed or was declined, or it names
 * none of our accounts.
 */
export type SkippedReason = 'pending' | 'not_booked' | 'other_account'
type SkippedRow = { line: number; reason: SkippedReason }

/** `warning`: a problem of the whole file that a person has to confirm. */
export type Part =
  | { entry: Entry }
  | { bad: BadRow }
  | { skipped: SkippedRow }
  | { summary: Summary }
  | { warning: Message }

export type ReadContext = {
  /** Of a receiving account of this installation, named without spaces; no other has one. */
  currencyOf: (account: string) => Currency | undefined
  /** The columns of the bank's table; not needed for other formats. */
  mapping?: CsvMapping
  /** Called between two pieces of a large file: the caller may serve others first. */
  pause?: () => Promise<void> | undefined
}

export type StatementFormat = {
  name: FormatName
  read(bytes: AsyncIterable<Uint8Array>, context: ReadContext): AsyncGenerator<Part, void, undefined>
}

type FileRefusal =
  | 'statement_damaged'
  | 'statement_account_unknown'
  | 'statement_mapping_missing'
  | 'statement_header_changed'
  | 'statement_format_unsupported'

/**
 * The whole file is refused. The detail is a sentence for the operator. `at` is an element path, a column or a cell,
 * where the line is not precise enough.
 */
export class DamagedStatement extends Error {
  readonly line: number
  readonly detail: Message
  readonly code: FileRefusal
  readonly at: string | undefined

  constructor(line: number, detail: Message, { code, at }: { code?: FileRefusal; at?: string } = {}) {
    super(`${placeOf({ line, ...(at && { at }) })}: ${detail}`)
    this.name = 'DamagedStatement'
    this.line = line
    this.detail = detail
    this.code = code ?? 'statement_damaged'
    this.at = at
  }
}

/** A place in the file, for messages: `Line 12`, `Line 1, Stmt[1]/Ntry[3]`. */
export const placeOf = ({ line, at }: Pick<BadRow, 'line' | 'at'>): string =>
  at === undefined ? `Line ${line}` : `Line ${line}, ${at}`

/** Rejects one row. Thrown where a value is read, and caught by the format, which knows the line. */
export class RejectedRow extends Error {
  /** The key, element or column whose value is at fault, where it is one. */
  readonly field: string | undefined
  readonly detail: Message

  constructor(detail: Message, field?: string) {
    super(detail.text)
    this.detail = detail
    this.field = field
  }
}

/** The row that was rejected; every other error goes on. `at`: its place by the field at fault. */
export function badRow(
  error: unknown,
  line: number,
  placeOf = (field: string | undefined): string | undefined => field,
): { bad: BadRow } {
  if (!(error instanceof RejectedRow)) throw error
  const at = placeOf(error.field)
  return { bad: { line, ...(at !== undefined && { at }), detail: error.detail } }
}
