/** A report as a person reads it: a page of its lines, and its sums with their proof. */
import type { Db } from '../../platform/db.ts'
import { isUuid } from '../../platform/request-fields.ts'
import { isDay } from '../transfers/bank-text/days.ts'
import {
  type DepositPlace,
  depositPages,
  type LinePlace,
  type PlacedLine,
  transferPages,
} from './line-store.ts'
import { type BookSum, type ByHandSum, listReportAccounts, sumBooks, sumByHand } from './store.ts'
import { callbacksSince, inSnapshot, type ReportAsk } from './write-report.ts'

type Place = LinePlace | DepositPlace

/** In the order in which `writeReport` writes them. */
export const readLines = (
  db: Db,
  ask: ReportAsk,
  { after, limit }: { after: Place | null; limit: number },
): Promise<{ lines: PlacedLine[]; next: Place | null }> =>
  inSnapshot(db, ask, async (tx, scope, now) => {
    const [lines, since, size]: [PlacedLine[], Date, number] = [[], callbacksSince(now), limit + 1]
    const accounts = after?.of === 'deposits' ? [] : await listReportAccounts(tx, scope)
    const first = after?.of === 'account' ? accounts.findIndex(({ id }) => id === after.accountId) : 0
    const pages = async (from: AsyncGenerator<PlacedLine[]>) => {
      for await (const page of from) {
        lines.push(...page)
        if (lines.length > limit) return
      }
    }
    for (const account of first < 0 ? [] : accounts.slice(first)) {
      const isHere = after?.of === 'account' && after.accountId === account.id
      if (lines.length <= limit)
        await pages(transferPages(tx, account, scope, since, { after: isHere ? after : undefined, size }))
    }
    if (lines.length <= limit) {
      const place = after?.of === 'deposits' ? after : undefined
      await pages(depositPages(tx, scope, since, { after: place, size }))
    }
    const shown = lines.slice(0, limit)
    return { lines: shown, next: lines.length > limit ? shown.at(-1)!.place : null }
  })

export const readBooks = (db: Db, ask: ReportAsk): Promise<{ books: BookSum[]; byHand: ByHandSum[] }> =>
  inSnapshot(db, ask, async (tx, scope) => ({
    books: await sumBooks(tx, scope),
    byHand: await sumByHand(tx, scope),
  }))

/** A place as it stands in an address. */
export const placeText = (place: Place): string =>
  place.of === 'account'
    ? [place.accountId, place.bookedOn, place.transferId, place.shareId].join(',')
    : [place.mark, place.depositId].join(',')

const exactTime = /^\d{4}-\d\d-\d\d (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?\+00$/

/** Null for a text that is no place. */
export function placeFrom(text: string): Place | null {
  const [first = '', second = '', transferId = '', shareId = ''] = text.split(',')
  if (exactTime.test(first) && isDay(first.slice(0, 10)) && isUuid(second))
    return { of: 'deposits', mark: first, depositId: second }
  const isPlace = [first, transferId, shareId].every(isUuid) && isDay(second)
  return isPlace ? { of: 'account', accountId: first, bookedOn: second, transferId, shareId } : null
}
