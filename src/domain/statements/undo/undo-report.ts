/** Counts of what the undo of an import would do, and did. */
import type { Cents, Currency } from '../../money.ts'

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
