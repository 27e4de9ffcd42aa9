/** Counts of what the undo of an import would do, and did. */
import type { Cents, Currency } from '../../money.ts'

/** Transfers that would be revoked, and the sum of the credits among them. */
export type UndoSum = { currency: Currency; transfers: number; cents: Cents }

export const nothingUndone = {
  /** Revoked transfers of the file; the sum of the seven counts that follow. */
  transfers: 0,
  matched: 0,
  unmatched: 0,
  ambiguous: 0,
  set_aside: 0,
  duplicate: 0,
  debit: 0,
  reversal: 0,
  /** Deposits that were reversed. */
  reversed: 0,
  /** Payments that another source reports too: they wait for a person now. */
  instead: 0,
  /** Payments that the file had revoked: they wait for a person again. */
  restored: 0,
}
export type UndoCounts = typeof nothingUndone

/** Transfers of the file; transfers kept only because of it; payments that it had revoked. */
const undoSteps = ['added', 'upheld', 'taken_back'] as const
type UndoStep = (typeof undoSteps)[number]

/** Where the next group starts. */
export type UndoPlace = { step: UndoStep; after: string }

export const firstPlace: UndoPlace = { step: 'added', after: '00000000-0000-0000-0000-000000000000' }

/** The start of the next step; undefined after the last. */
export const placeAfter = (step: UndoStep): UndoPlace | undefined => {
  const next = undoSteps[undoSteps.indexOf(step) + 1]
  return next && { ...firstPlace, step: next }
}
