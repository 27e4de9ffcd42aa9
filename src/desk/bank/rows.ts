/** An upload on its way, and the rows of the lists of this section. */
import type { Mode } from '../../merchants/merchant.ts'
import type { Cents, Currency } from '../../money.ts'
import type { AmountMatching, RequisiteKind } from '../../requisites/requisite.ts'
import type { BadRow, SkippedReason } from '../../statements/entry.ts'
import type { CsvMapping } from '../../statements/formats/csv-mapping.ts'
import type { Taken } from '../../transfers/taken.ts'

/** `unmapped`: it is CSV, and nobody has said yet what its columns are, or wrongly. */
export type UploadState = 'reading' | 'unmapped' | 'previewed' | 'taking' | 'taken' | 'failed'

/** What the reading of a file found; the same shape as the import tells it. */
export type UploadReport = {
  format: string
  isRepeated: boolean
  rows: number
  entries: number
  skipped: Record<SkippedReason, number>
  badRows: number
  bad: BadRow[]
  warnings: string[]
  /** The first rows as they were understood. */
  preview: PreviewRow[]
  taken: Taken
}

export type PreviewRow = {
  line: number
  day: string
  direction: 'credit' | 'debit'
  amount: string
  currency: Currency
  payer: string
  purpose: string
}

export type Upload = {
  id: string
  personId: string
  name: string
  mode: Mode
  state: UploadState
  progress: { rows: number; of: number | null }
  report: UploadReport | null
  problem: string | null
  /** How it is read, where it is CSV; under a name where that is kept. */
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
  entries: number | null
}

export type AccountRow = {
  id: string
  mode: Mode
  currency: Currency
  label: string
  ownerLegalName: string
  ownerPublicName: string
  ownerTaxId: string
  ownerAgreement: string
  addedBy: string
  enabled: boolean
  number: string | null
  heardAt: Date | null
  dayLimit: Cents | null
  monthLimit: Cents | null
  openLimit: number | null
  silentHours: number | null
  amountMatching: AmountMatching
  open: number
  dayCents: Cents
  monthCents: Cents
  requisites: number
  requisitesOn: number
}

/** `words`: patterns of PostgreSQL. */
export type AccountSearch = { words?: readonly string[]; mode?: Mode | null; currency?: Currency | null }

export type ListedRequisite = Pick<RequisiteRow, 'id' | 'accountId' | 'kind' | 'bankName' | 'enabled'> & {
  digits: string
}

export type RequisiteRow = {
  id: string
  accountId: string
  currency: Currency
  kind: RequisiteKind
  number: string
  holder: string
  bankName: string
  enabled: boolean
  minCents: Cents | null
  maxCents: Cents | null
  dailyCents: Cents | null
  openLimit: number | null
  open: number
  dayCents: Cents
  monthCents: Cents
  confirmed: number
  ended: number
  lastConfirmedAt: Date | null
}

export type SourceRow = {
  id: string
  name: string
  mode: Mode
  kind: 'push' | 'statement' | 'sandbox'
  enabled: boolean
  last_used_at: Date | null
}
