/** Counts of what became of a bank's entries. */

/** Rows = new (`taken`) + `paired` + `seen` + `parked`. `taken` is the sum of the counts after `parked`, without `undone`. */
export const nothingTaken = {
  taken: 0,
  /** Another report of a payment that was told early, or by the booked voice before. */
  paired: 0,
  /** Told before by the same source: nothing new. */
  seen: 0,
  /** Of a day that its file does not close. */
  parked: 0,
  matched: 0,
  ambiguous: 0,
  unmatched: 0,
  /** It may be a payment that is known already: a person decides. */
  held: 0,
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
