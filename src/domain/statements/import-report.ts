/** A statement, and the report of its import: before the file is imported, and afterwards. */
import type { Mode } from '../merchants/merchant.ts'
import type { MessageOrText } from '../messages/message.ts'
import type { Currency } from '../money.ts'
import type { FormatName } from '../transfers/channel.ts'
import type { Taken } from '../transfers/taken.ts'
import type { BadRow, SkippedReason, StatementFormat } from './entry.ts'
import type { ExplainedRow } from './explained-row.ts'
import type { TotalsState } from './totals.ts'
import type { UndoCounts } from './undo/undo-report.ts'

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
