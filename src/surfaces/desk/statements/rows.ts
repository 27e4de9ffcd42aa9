/** One statement as its page shows it. */
import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import type { UndoCounts } from '../../../domain/statements/undo/undo-report.ts'
import type { TransferState } from '../../../domain/transfers/transfer.ts'
import type { UploadReport } from '../requisites/rows.ts'

export type StatementFound = {
  id: string
  mode: Mode
  fileName: string
  format: string
  takenAt: Date
  takenBy: string
  finishedAt: Date | null
  report: UploadReport | null
  undoStartedAt: Date | null
  undoneBy: string | null
  undoReason: string | null
  undoReport: UndoCounts | null
  undoneAt: Date | null
}

export type StatementNow = { state: TransferState; currency: Currency; rows: number; cents: Cents }

export type StatementTransfer = {
  id: string
  line: number | null
  state: TransferState
  direction: 'credit' | 'debit'
  cents: Cents
  currency: Currency
  bookedOn: string
  payerName: string
}
