/** What the undo of an import would do, and what it did, counted as it goes. */
import type { Cents, Currency } from '../../money.ts'

/** Rows that would be taken back, and the money of the credits among them. */
export type UndoSum = { currency: Currency; transfers: number; cents: Cents }

export type UndoCounts = {
  /** Rows of the file that were taken back; the sum of the seven that follow. */
  transfers: number
  matched: number
  unmatched: number
  ambiguous: number
  set_aside: number
  duplicate: number
  debit: number
  reversal: number
  /** Deposits that were paid by it, and no longer are. */
  reversed: number
  /** Payments that another source tells of too: they wait for a person now. */
  instead: number
  /** Payments that the file had taken back: they wait for a person again. */
  restored: number
}

export const nothingUndone: UndoCounts = {
  transfers: 0,
  matched: 0,
  unmatched: 0,
  ambiguous: 0,
  set_aside: 0,
  duplicate: 0,
  debit: 0,
  reversal: 0,
  reversed: 0,
  instead: 0,
  restored: 0,
}

/** What the file added; what stands because of it alone; what it had taken back. */
const undoSteps = ['added', 'upheld', 'taken_back'] as const
type UndoStep = (typeof undoSteps)[number]

/** Where the next group begins. */
export type UndoPlace = { step: UndoStep; after: string }

export const firstPlace: UndoPlace = { step: 'added', after: '00000000-0000-0000-0000-000000000000' }

/** The beginning of the next step; none after the last. */
export const placeAfter = (step: UndoStep): UndoPlace | undefined => {
  const next = undoSteps[undoSteps.indexOf(step) + 1]
  return next && { ...firstPlace, step: next }
}
