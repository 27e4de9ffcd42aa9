/** Counts of what became of a bank's entries. */

/** `taken` is the sum of the counts after `seen`, without `undone`. */
export type Taken = {
  taken: number
  /** Taken before from the same source: nothing new. */
  seen: number
  matched: number
  ambiguous: number
  unmatched: number
  /** Taken before from another source. */
  duplicate: number
  debit: number
  /** Our own money, moved between our accounts. */
  set_aside: number
  /** A debit that reverses a credit which a person has to name. */
  reversal: number
  /** New and revoked in the same delivery. */
  revoked: number
  /** Earlier payments that the bank revokes now; not counted in `taken`. */
  undone: number
}

export const nothingTaken: Taken = {
  taken: 0,
  seen: 0,
  matched: 0,
  ambiguous: 0,
  unmatched: 0,
  duplicate: 0,
  debit: 0,
  set_aside: 0,
  reversal: 0,
  revoked: 0,
  undone: 0,
}

export const sumTaken = (left: Taken, right: Taken): Taken =>
  Object.fromEntries(
    Object.keys(nothingTaken).map((name) => [name, left[name as keyof Taken] + right[name as keyof Taken]]),
  ) as Taken
