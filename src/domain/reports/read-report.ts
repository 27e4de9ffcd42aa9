/** The one reader of reports: for a page of lines as a person reads it, with the sums and their proof, and for the whole report. */
import { bounds } from '../../platform/bounds.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { Mode } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import type { Currency } from '../money.ts'
import { isDay } from '../transfers/bank-text/days.ts'
import {
  type DepositPlace,
  depositPages,
  type LinePlace,
  type PlacedLine,
  transferPages,
} from './line-store.ts'
import type { Period } from './report.ts'
import {
  type BookSum,
  type ByHandSum,
  findReportMode,
  listReportAccounts,
  openSnapshot,
  type ReportScope,
  reportBounds,
  sumBooks,
  sumByHand,
} from './store.ts'

export type ReportAsk = {
  period: Period
  merchantId: string | null
  accountId?: string | null
  currency: Currency | null
  /** Null: the merchant's mode; without a merchant, live if any merchant is live. */
  mode: Mode | null
}

type Place = LinePlace | DepositPlace

/** The lines from a place on, a page at a time: the transfers account by account, then the deposits that no transfer settles. */
export async function* linePages(
  tx: Tx,
  scope: ReportScope,
  now: Date,
  { after = null, size = reportBounds.page }: { after?: Place | null; size?: number } = {},
): AsyncGenerator<PlacedLine[], void, undefined> {
  const since = callbacksSince(now)
  const accounts = after?.of === 'deposits' ? [] : await listReportAccounts(tx, scope)
  const first = after?.of === 'account' ? accounts.findIndex(({ id }) => id === after.accountId) : 0
  for (const account of first < 0 ? [] : accounts.slice(first)) {
    const isHere = after?.of === 'account' && after.accountId === account.id
    yield* transferPages(tx, account, scope, since, { after: isHere ? after : undefined, size })
  }
  yield* depositPages(tx, scope, since, { after: after?.of === 'deposits' ? after : undefined, size })
}

/** In the order in which `writeReport` writes them. */
export const readLines = (
  db: Db,
  ask: ReportAsk,
  { after, limit }: { after: Place | null; limit: number },
): Promise<{ lines: PlacedLine[]; next: Place | null }> =>
  inSnapshot(db, ask, async (tx, scope, now) => {
    const lines: PlacedLine[] = []
    for await (const page of linePages(tx, scope, now, { after, size: limit + 1 })) {
      lines.push(...page)
      if (lines.length > limit) break
    }
    const shown = lines.slice(0, limit)
    return { lines: shown, next: lines.length > limit ? shown.at(-1)!.place : null }
  })

export const readBooks = (db: Db, ask: ReportAsk): Promise<{ books: BookSum[]; byHand: ByHandSum[] }> =>
  inSnapshot(db, ask, async (tx, scope) => ({
    books: await sumBooks(tx, scope),
    byHand: await sumByHand(tx, scope),
  }))

export const inSnapshot = <Result>(
  db: Db,
  { period, merchantId, accountId = null, currency, mode }: ReportAsk,
  work: (tx: Tx, scope: ReportScope, now: Date) => Promise<Result>,
): Promise<Result> =>
  db.transaction(async (tx) => {
    const { now } = await openSnapshot(tx)
    const own = await findReportMode(tx, merchantId)
    if (!own) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
    return work(tx, { ...period, merchantId, accountId, currency, mode: mode ?? own }, now)
  }, reportBounds)

/** The day on which a partition is dropped is not certain, so what is this old is not looked for. */
const callbacksSince = (now: Date): Date =>
  new Date(now.getTime() - (bounds.callbackKeepDays - 1) * 86_400_000)

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
