/** An upload on its way to become a statement. */

import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { CsvMapping } from '../../../domain/statements/formats/csv-mapping.ts'
import type { ImportReport } from '../../../domain/statements/import-report.ts'
import type { ImportProgress } from '../../../domain/statements/progress.ts'
import type { Sentence } from '../../../platform/refusals.ts'

/**
 * `unmapped`: a table whose columns are not described yet, or wrongly. `stopped`: by a person, during reading or
 * import.
 */
export type UploadState = 'reading' | 'unmapped' | 'previewed' | 'taking' | 'stopped' | 'taken' | 'failed'

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
  report: ImportReport | null
  problem: Sentence | null
  /** A person says that the file has everything of its days. */
  isComplete?: boolean
  /** Of a file of several accounts only this number. */
  only?: string | undefined
  /** It was refused for how it was asked, not for what it is: it can be read again, for one account or without the tick. */
  canReadAgain?: boolean
  /** The mapping of a table, and its name if it is stored. */
  mapping: CsvMapping | undefined
  mappingName: string
  /** Which reading of the file the report is about. */
  reading: number
}
