/** Counts of what the undo of an import would do, and did. */
import type { Cents, Currency } from '../../money.ts'

/** Transfers that would be revoked, and the sum of the credits among them. */
export type UndoSum = { currency: Currency; transfers: number; cents: Cents }

export const nothingUndone = {
  /** Rows of the file that tell nothing any more. */
  rows: 0,
  /** Transfers that nothing tells now, and that are revoked: the sum of the seven counts that follow. */
  transfers: 0,
  matched: 0,
  unmatched: 0,
  ambiguous: 0,
  held: 0,
  set_aside: 0,
  debit: 0,
  reversal: 0,
  /** Transfers that another source has told early, and that are not booked any more. */
  early: 0,
  reversed: 0,
}
export type UndoCounts = typeof nothingUndone
