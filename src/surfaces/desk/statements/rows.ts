/** A statement as its page shows it, and an upload on its way to become one. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import type { CsvMapping } from '../../../domain/statements/formats/csv-mapping.ts'
import type { ImportReport } from '../../../domain/statements/import-report.ts'
import type { ImportProgress } from '../../../domain/statements/progress.ts'
import type { TotalsState } from '../../../domain/statements/totals.ts'
import type { UndoCounts } from '../../../domain/statements/undo/undo-report.ts'
import type { Transfer, TransferState } from '../../../domain/transfers/transfer.ts'
import type { Sentence } from '../../../platform/refusals.ts'

export type StatementFound = Omit<StatementRow, 'entries' | 'totals'> & {
  report: UploadReport | null
  undoneBy: string | null
  undoReason: string | null
  undoReport: UndoCounts | null
}

export type StatementNow = { state: TransferState; currency: Currency; rows: number; cents: Cents }

export type StatementTransfer = Pick<
  Transfer,
  'id' | 'line' | 'state' | 'direction' | 'cents' | 'currency' | 'bookedOn' | 'payerName'
>

/**
 * `unmapped`: it is a table, and nobody has said yet what its columns are, or wrongly. `stopped`: by a person, while it was read
 * or while it was taken.
 */
export type UploadState = 'reading' | 'unmapped' | 'previewed' | 'taking' | 'stopped' | 'taken' | 'failed'

/** What the reading of a file found, as the import tells it. */
export type UploadReport = Omit<ImportReport, 'isTaken' | 'format' | LaterMember> &
  Partial<Pick<ImportReport, LaterMember>> & { format: string }

/** What reports of long ago do not say. */
type LaterMember = 'layout' | 'incoming' | 'totals'

export type Upload = {
  id: string
  /** Whoever brought it, and whoever said how it is read. */
  broughtBy: string[]
  name: string
  mode: Mode
  state: UploadState
  progress: ImportProgress
  /** Somebody has asked for its end, and it has not come yet. */
  isStopping: boolean
  /** What had been taken when it was stopped. */
  stopped: { statement: string; rows: number; of: number } | null
  report: UploadReport | null
  problem: Sentence | null
  /** The number of our account, where the person said it. */
  account: string | undefined
  /** How it is read, where it is a table; under a name where that is kept. */
  mapping: CsvMapping | undefined
  mappingName: string
  /** Which reading of the file the report tells of. */
  reading: number
}

export type StatementRow = {
  id: string
  mode: Mode
  fileName: string
  format: string
  takenAt: Date
  takenBy: string
  finishedAt: Date | null
  undoStartedAt: Date | null
  undoneAt: Date | null
  entries: number | null
  totals: TotalsState | null
}
