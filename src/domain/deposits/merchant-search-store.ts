/** A merchant's deposits as its people look for them. */
import { bounds } from '../../platform/bounds.ts'
import { type Fragment, fragment, lastUuid, type Queryable, sql } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type { Deposit } from './deposit.ts'
import { type DepositFilter, searchTermsOf } from './merchant-search.ts'
import { newestOfMerchant } from './read-store.ts'

export type FoundRow = Pick<
  Deposit,
  | (
      | 'id'
      | 'orderId'
      | 'createdAt'
      | 'currency'
      | 'paymentType'
      | 'customer'
      | 'state'
      | 'labels'
      | 'finalAt'
    )
  | ('amountCents' | 'receivedCents' | 'reference')
>

const rowColumns = fragment`
  d.id, d.order_id as "orderId", d.created_at as "createdAt", d.amount_cents as "amountCents",
  d.received_cents as "receivedCents", d.currency, d.payment_type as "paymentType", d.customer, d.state, d.labels,
  d.final_at as "finalAt", d.reference`

type DepositsAsked = {
  merchantId: MerchantId
  filter: DepositFilter
  /** The zone in which the days of the filter begin. */
  zone: string
  limit: number
}

type Place = Pick<FoundRow, 'id' | 'createdAt'>

/** `from`: the last deposit of the page before. The plans are better for its time than for a query that looks it up. */
type PageAsked = DepositsAsked & { from: Place | undefined }

/** `next`: the deposit behind which the next page begins; null when there is none. */
type DepositsFound = { lines: FoundRow[]; next: string | null }

/**
 * Newest first. An index leads to the newest deposits, or to those of a state, a customer or an amount; the rest of the filter is
 * looked up in each, of the newest ones only. A page that would need more ends where they end, perhaps without a line.
 */
export async function listDepositRows(
  db: Queryable,
  { after, ...rest }: DepositsAsked & { after: string | null },
): Promise<DepositsFound> {
  const { merchantId, limit, filter } = rest
  const from = after === null ? undefined : await readPlace(db, after, merchantId)
  const asked = { ...rest, from }
  const { search, state, currency, paymentType } = filter
  const isNarrowed = currency !== null || paymentType !== null || (search !== '' && state !== null)
  const most = isNarrowed ? bounds.depositsLookedAt : limit + 1
  const looked = search === '' ? ofState(asked, most) : ofSearch(asked, most)
  const page = fittingOf(asked, looked)
  const last = fragment`
    select d.id, d.created_at as "createdAt"
    from ${looked} d
    order by d.created_at desc, d.id desc
    offset ${most - 1}
    limit 1`
  // The text of a statement is fixed where it is written.
  const [found, end] = await Promise.all([
    db.query<FoundRow>(search === '' ? sql`${page}` : sql`${page}`),
    isNarrowed ? db.find<Place>(search === '' ? sql`${last}` : sql`${last}`) : undefined,
  ])
  const isBeforeEnd = ({ createdAt, id }: Place) =>
    !end || createdAt > end.createdAt || (createdAt.getTime() === end.createdAt.getTime() && id >= end.id)
  const before = found.filter(isBeforeEnd)
  const lines = before.slice(0, limit)
  return { lines, next: (before.length > limit ? lines.at(-1)!.id : end?.id) ?? null }
}

/** Times are whole milliseconds, so that comparisons are exact. */
const readPlace = (db: Queryable, id: string, merchantId: MerchantId) =>
  db.find<Place>(sql`
    select id, created_at as "createdAt"
    from deposits
    where id = ${id} and merchant_id = ${merchantId}`)

const fittingOf = ({ filter: { state, currency, paymentType }, limit }: DepositsAsked, looked: Fragment) => {
  const newest = fragment`order by d.created_at desc, d.id desc`
  return fragment`
    select ${rowColumns}
    from deposits d
    where d.id = any(array(
      select d.id
      from ${looked} d
      where (${state}::text is null or d.state = ${state})
        and (${currency}::text is null or d.currency = ${currency})
        and (${paymentType}::text is null or d.payment_type = ${paymentType})
      ${newest}
      limit ${limit + 1}))
    ${newest}`
}

/** An open end is a value beyond every other, instead of "or is null", so that a cached plan still uses the index. */
const isOnPage = ({ filter, zone, from }: PageAsked) => fragment`
  d.created_at >= (select coalesce(${filter.from}::date::timestamp at time zone ${zone}, '-infinity'))
  and d.created_at < (select coalesce((${filter.to}::date + 1)::timestamp at time zone ${zone}, 'infinity'))
  and (d.created_at, d.id) < (
    coalesce(${from?.createdAt ?? null}::timestamptz, 'infinity'), coalesce(${from?.id ?? null}::uuid, ${lastUuid}))`

/** Of one state the newest are read from the index of its state. */
const ofState = (asked: PageAsked, limit: number) => {
  const { merchantId, filter } = asked
  return newestOfMerchant({ merchantId, state: filter.state, isOnPage: isOnPage(asked), limit })
}

/** Each meaning of the search text has its index, but for the last digits: these are looked up in the newest deposits. */
function ofSearch(asked: PageAsked, most: number): Fragment {
  const { merchantId, filter } = asked
  const { id, text, reference, cents, digits } = searchTermsOf(filter.search)
  const columns = fragment`d.id, d.created_at, d.state, d.currency, d.payment_type`
  const where = (condition: Fragment) => fragment`(
    select ${columns}
    from deposits d
    where d.merchant_id = ${merchantId}
      and ${condition}
      and ${isOnPage(asked)}
    order by d.created_at desc, d.id desc
    limit ${most})`
  const newest = { ...asked, filter: { ...filter, state: null } }
  // What counts against the limits of a customer stands apart in its index.
  const counts = fragment`(d.state in ('builded', 'created', 'confirmed', 'reversed'))`
  return fragment`(
    ${where(fragment`d.id = ${id}::uuid`)}
    union
    ${where(fragment`d.order_id = ${text}`)}
    union
    ${where(fragment`d.reference = ${reference}`)}
    union
    ${where(fragment`d.customer = ${text} and ${counts} is true`)}
    union
    ${where(fragment`d.customer = ${text} and ${counts} is false`)}
    union
    ${where(fragment`d.amount_cents = ${cents}`)}
    union
    (select ${columns}
     from ${ofState(newest, bounds.depositsLookedAt)} d
     where ${digits}::text is not null
       and "right"(d.shown ->> 'number', ${digits?.length ?? 0}) = ${digits}))`
}
