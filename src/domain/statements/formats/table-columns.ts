/** Which column of a bank's table holds what, counted from 0. */
import type { CsvColumns } from './csv-mapping.ts'

export type TableColumns = CsvColumns & {
  /** Our account, where each row names it. */
  ownAccount?: number
  /** The receiver's account: with the payer's it tells the direction, where nothing else does. */
  payeeAccount?: number
  /** Account, tax id and name of the paying side in the lines of one cell. */
  payerBlock?: number
  payerBank?: number
  /** When the payer paid, where that is another day than the bank's. */
  paidOn?: number
}
