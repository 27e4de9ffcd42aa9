/** What became of what a bank told, counted. */

/** `taken` is the sum of what follows `seen`, but for `undone`. */
export type Taken = {
  taken: number
  /** Told before, by the same source: nothing new. */
  seen: number
  matched: number
  ambiguous: number
  unmatched: number
  /** Told before by another source. */
  duplicate: number
  debit: number
  /** Our own money, moved between our accounts. */
  set_aside: number
  /** The bank takes money back, and a person has to say whose. */
  reversal: number
  /** Told and taken back at once. */
  revoked: number
  /** Payments of before that the bank takes back now: not among what was taken. */
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
