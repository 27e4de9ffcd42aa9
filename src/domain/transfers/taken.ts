/** Counts of what became of a bank's entries. */

/** `taken` is the sum of the counts after `seen`, without `undone`. */
export const nothingTaken = {
  taken: 0,
  /** Taken before from the same source: nothing new. */
  seen: 0,
  matched: 0,
  ambiguous: 0,
  unmatched: 0,
  /** Taken before from another source. */
  duplicate: 0,
  debit: 0,
  /** Our own money, moved between our accounts. */
  set_aside: 0,
  /** A debit that reverses a credit which a person has to name. */
  reversal: 0,
  /** New and revoked in the same delivery. */
  revoked: 0,
  /** Earlier payments that the bank revokes now; not counted in `taken`. */
  undone: 0,
}
export type Taken = typeof nothingTaken

export const sumTaken = (left: Taken, right: Taken): Taken =>
  Object.fromEntries(
    Object.keys(nothingTaken).map((name) => [name, left[name as keyof Taken] + right[name as keyof Taken]]),
  ) as Taken
