/**
 * A bank may book on another day what an earlier file had without a number. Then a later file has the payment on its new day, and not
 * on the old one, although it covers that day. Where the file has the old row too, or covers other days only, these are two payments.
 */
import { bounds } from '../../platform/bounds.ts'
import { reportedDays } from './bank-text/days.ts'
import type { TransferFacts } from './transfer.ts'

type Dated = Pick<TransferFacts, 'accountId' | 'bookedOn' | 'paidOn'>

/** Of an entry of this group, the other days about its own which the group covers, or on which the payment had been sent. */
export function movedDaysIn(group: readonly Dated[]): (entry: Dated) => string[] {
  const byAccount = Map.groupBy(group, (entry) => entry.accountId)
  const spans = new Map([...byAccount].map(([accountId, entries]) => [accountId, spanOf(entries)]))
  // Of the first and last day of a full group, the rest may be in the next one.
  const isWhole = group.length < bounds.importGroup
  return (entry) => {
    const { first, last } = spans.get(entry.accountId)!
    const isCovered = (day: string) => (isWhole ? first <= day && day <= last : first < day && day < last)
    const isSent = (day: string) => entry.paidOn !== null && entry.paidOn <= day && day < entry.bookedOn
    return reportedDays(entry).filter((day) => day !== entry.bookedOn && (isCovered(day) || isSent(day)))
  }
}

function spanOf(entries: readonly Dated[]): { first: string; last: string } {
  const [{ bookedOn }] = entries as [Dated, ...Dated[]]
  const span = { first: bookedOn, last: bookedOn }
  for (const { bookedOn: day } of entries) {
    if (day < span.first) span.first = day
    if (day > span.last) span.last = day
  }
  return span
}
