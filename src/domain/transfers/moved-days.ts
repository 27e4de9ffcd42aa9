/**
 * A bank may book a payment on another day than an earlier file reported it, without a number. Then a later file has it on
 * the new day only, although it also covers the old one. If that file also has the old row, or does not cover the old day,
 * these are two payments.
 */
import { reportedDays } from './bank-text/days.ts'
import type { TransferFacts } from './transfer.ts'

type Dated = Pick<TransferFacts, 'accountId' | 'bookedOn' | 'paidOn'>

/** The first and the last day of the rows of each account. */
export class CoveredDays {
  readonly #spans = new Map<string, { first: string; last: string }>()

  constructor(entries: readonly Dated[] = []) {
    for (const entry of entries) this.add(entry)
  }

  add({ accountId, bookedOn }: Dated): void {
    const span = this.#spans.get(accountId)
    if (!span) this.#spans.set(accountId, { first: bookedOn, last: bookedOn })
    else if (bookedOn < span.first) span.first = bookedOn
    else if (bookedOn > span.last) span.last = bookedOn
  }

  /** For an entry, the other days near its own that the file covers, or on which the payment was sent. */
  readonly movedDays = (entry: Dated): string[] => {
    const { first, last } = this.#spans.get(entry.accountId)!
    const isCovered = (day: string) => first <= day && day <= last
    const isSent = (day: string) => entry.paidOn !== null && entry.paidOn <= day && day < entry.bookedOn
    return reportedDays(entry).filter((day) => day !== entry.bookedOn && (isCovered(day) || isSent(day)))
  }
}
