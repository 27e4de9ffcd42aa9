/** A statement as its page shows it, and an upload on its way to become one. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import type { CsvMapping } from '../../../domain/statements/formats/csv-mapping.ts'
import type { ImportReport } from '../../../domain/statements/import-report.ts'
import type { ImportProgress } from '../../../domain/statements/progress.ts'
import type { TotalsState } from '../../../domain/statements/totals.ts'
import type { UndoCounts } from '../../../domain/statements/undo/undo-report.ts'
import type { FormatName, Transfer, TransferState } from '../../../domain/transfers/transfer.ts'
import type { Sentence } from '../../../platform/refusals.ts'

export type StatementFound = Omit<StatementRow, 'entries' | 'totals'> & {
  report: UploadReport | null
  undoneBy: string | null
  undoReason: string | null
  undoReport: UndoCounts | null
}

export type StateSum = { state: TransferState; currency: Currency; rows: number; cents: Cents }

export type StatementTransfer = Pick<
  Transfer,
  'id' | 'line' | 'state' | 'direction' | 'cents' | 'currency' | 'bookedOn' | 'payerName'
>

/**
 * `unmapped`: a table whose columns are not described yet, or wrongly. `stopped`: by a person, during reading or
 * import.
 */
export type UploadState = 'reading' | 'unmapped' | 'previewed' | 'taking' | 'stopped' | 'taken' | 'failed'

/** What reading a file found, as the import reports it. */
export type UploadReport = Omit<ImportReport, 'isTaken' | 'format' | LaterMember> &
  Partial<Pick<ImportReport, LaterMember>> & { format: string }

/** What old reports do not say. */
type LaterMember = 'layout' | 'incoming' | 'totals'

export type Upload = {
  id: string
  /** Ids of those who uploaded the file or described its columns. */
  broughtBy: string[]
  name: string
  mode: Mode
  state: UploadState
  progress: ImportProgress
  /** A person has asked to stop it, and it is still running. */
  isStopping: boolean
  /** What was imported when it was stopped. */
  stopped: { statement: string; rows: number; total: number } | null
  report: UploadReport | null
  problem: Sentence | null
  /** The account number, if the person chose it. */
  account: string | undefined
  /** The mapping of a table, and its name if it is stored. */
  mapping: CsvMapping | undefined
  mappingName: string
  /** Which reading of the file the report is about. */
  reading: number
}

export type StatementRow = {
  id: string
  mode: Mode
  fileName: string
  format: FormatName
  takenAt: Date
  takenBy: string
  finishedAt: Date | null
  undoStartedAt: Date | null
  undoneAt: Date | null
  entries: number | null
  totals: TotalsState | null
}
