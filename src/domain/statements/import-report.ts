/** A statement, and the report of its import: before the file is imported, and afterwards. */
import type { Mode } from '../merchants/merchant.ts'
import type { MessageOrText } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import type { FormatName } from '../transfers/channel.ts'
import type { Taken } from '../transfers/taken.ts'
import type { TransferState } from '../transfers/transfer.ts'
import type { BadRow, SkippedReason, StatementFormat } from './entry.ts'
import type { TotalsState } from './totals.ts'

export type ImportReport = {
  statement: string
  format: StatementFormat['name']
  /** False after a dry run, or if a problem was not confirmed: nothing was imported. */
  isTaken: boolean
  /** The same bytes were imported before with the same mapping; this is the report of that import. */
  isRepeated: boolean
  /** Rows of the file: entries, skipped and bad ones. */
  rows: number
  entries: number
  skipped: Record<SkippedReason, number>
  badRows: number
  bad: BadRow[]
  /** Problems that a person has to confirm: totals that differ or are missing. */
  warnings: MessageOrText[]
  /** The amounts that the file reports as received or reversed, by currency. */
  incoming: { cents: string; currency: Currency }[]
  totals: TotalsState
  /** The first rows with their outcome, for the person who has to confirm. Never stored. */
  preview: ExplainedRow[]
  taken: Taken
}

/** How a row is understood, what it would become, and why: shown before anything is imported. */
export type ExplainedRow = {
  line: number
  day: string
  direction: 'credit' | 'debit'
  amount: string
  currency: Currency
  payer: string
  purpose: string
  /** `seen` and `paired`: the payment is stored already. `parked`: the file does not close its day. */
  becomes: TransferState | 'seen' | 'paired' | 'parked'
  rule: string
  reason: MessageOrText
  deposits: string[]
  /** Transfers that it tells again, or may be. */
  sameAs: string[]
}

/** The import was stopped: nothing was imported while the file was read, later only the finished groups. */
export class ImportStopped extends Error {
  readonly done: { statement: string; rows: number; total: number; taken: Taken } | null
  constructor(done: ImportStopped['done'] = null) {
    super('stopped')
    this.done = done
  }
}

export type StoredStatement = {
  id: string
  mode: Mode
  fileName: string
  accountIds: string[]
  format: FormatName
  takenAt: Date
  takenBy: string
  finishedAt: Date | null
  report: ImportReport | null
  undoStartedAt: Date | null
  undoneBy: string | null
  undoReason: string | null
  undoReport: UndoCounts | null
  undoneAt: Date | null
}

export type ListedStatement = Omit<StoredStatement, 'report'> & {
  entries: number | null
  totals: TotalsState | null
}

/** Transfers that would be revoked, and the sum of the credits among them. */
export type UndoSum = { currency: Currency; transfers: number; cents: Cents }

export const nothingUndone = {
  /** Rows of the file that tell nothing any more. */
  rows: 0,
  /** Transfers that nothing tells now, and that are revoked. */
  transfers: 0,
  /** Transfers that another source has told early, and that are not booked any more. */
  early: 0,
  /** Deposits. */
  reversed: 0,
}
export type UndoCounts = typeof nothingUndone
