/** A merchant's deposits as its people look for them. */
import { bounds } from '../../platform/bounds.ts'
import { type Fragment, fragment, lastUuid, type Queryable, sql } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type { Deposit, DepositState } from './deposit.ts'
import { type Cursor, type DepositFilter, searchTermsOf } from './merchant-search.ts'
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
  after: Cursor | null
  limit: number
}

/** `next`: where the next page begins; null when there is none. */
type DepositsFound = { lines: FoundRow[]; next: Cursor | null }

/** Newest first. Each of the three ways to look (by time, by kind, by text) has its index. */
export async function listDepositRows(db: Queryable, asked: DepositsAsked): Promise<DepositsFound> {
  const { filter, limit } = asked
  const page = { ...asked, limit: limit + 1 }
  if (filter.search || filter.state || filter.currency || filter.paymentType) return lookedUpPage(db, page)
  return pageOf(await listByTime(db, page), limit)
}

function pageOf(found: FoundRow[], limit: number): DepositsFound {
  const lines = found.slice(0, limit)
  const last = lines.at(-1)
  return { lines, next: found.length > limit && last ? { at: last.createdAt, id: last.id } : null }
}

/** An open end is a value beyond every other, instead of "or is null", so that a cached plan still uses the index. */
const isPastCursor = (after: Cursor | null) => fragment`
  (d.created_at, d.id) < (
    coalesce(${after?.at ?? null}::timestamptz, 'infinity'), coalesce(${after?.id ?? null}::uuid, ${lastUuid}))`

const isOnPage = ({ filter, zone, after }: DepositsAsked) => fragment`
  d.created_at >= coalesce(${filter.from}::date::timestamp at time zone ${zone}, '-infinity')
  and d.created_at < coalesce((${filter.to}::date + 1)::timestamp at time zone ${zone}, 'infinity')
  and ${isPastCursor(after)}`

const listByTime = (db: Queryable, asked: DepositsAsked) =>
  db.query<FoundRow>(sql`
    select ${rowColumns}
    from deposits d
    where d.merchant_id = ${asked.merchantId}
      and ${isOnPage(asked)}
    order by d.created_at desc, d.id desc
    limit ${asked.limit}`)

/** Of one state the newest are read from the index of its state; the rest of the filter is looked up in each deposit. */
const ofState = (asked: DepositsAsked, state: DepositState | null, limit: number) =>
  newestOfMerchant({ merchantId: asked.merchantId, state, isOnPage: isOnPage(asked), limit })

const isOfKind = ({ filter: { state, currency, paymentType } }: DepositsAsked) => fragment`
  (${state}::text is null or d.state = ${state})
  and (${currency}::text is null or d.currency = ${currency})
  and (${paymentType}::text is null or d.payment_type = ${paymentType})`

/** Of deposits that are looked at those that fit. */
const fitting = (asked: DepositsAsked, looked: Fragment) => fragment`
  (select d.id
   from ${looked} d
   where ${isOfKind(asked)}
   order by d.created_at desc, d.id desc
   limit ${asked.limit})`

const listByKind = (db: Queryable, asked: DepositsAsked) =>
  db.query<FoundRow>(sql`
    select ${rowColumns}
    from deposits d
    where d.id = any(array(${fitting(asked, ofState(asked, asked.filter.state, bounds.depositsLookedAt))}))
    order by d.created_at desc, d.id desc`)

/**
 * An index leads to a state, a customer or an amount, and the rest of the filter is looked up in each deposit: of those
 * that fit so far only the newest are looked at. A page that would need more ends where they end, perhaps without a line.
 */
async function lookedUpPage(db: Queryable, asked: DepositsAsked): Promise<DepositsFound> {
  const { state, currency, paymentType, search } = asked.filter
  const isLookedUp = search ? state || currency || paymentType : currency || paymentType
  const [found, end] = await Promise.all([
    search ? searchDeposits(db, asked) : listByKind(db, asked),
    isLookedUp ? endOfLook(db, asked) : undefined,
  ])
  const isBeforeEnd = ({ createdAt, id }: FoundRow) =>
    !end || createdAt > end.at || (createdAt.getTime() === end.at.getTime() && id >= end.id)
  const page = pageOf(found.filter(isBeforeEnd), asked.limit - 1)
  return { ...page, next: page.next ?? end ?? null }
}

const isInTime = ({ filter, zone, after }: DepositsAsked) => fragment`
  d.created_at >= (
    select coalesce(${filter.from}::date::timestamp at time zone ${zone}, '-infinity'))
  and d.created_at < (
    select coalesce((${filter.to}::date + 1)::timestamp at time zone ${zone}, 'infinity'))
  and ${isPastCursor(after)}
  order by d.created_at desc, d.id desc`

const lookedColumns = fragment`d.id, d.created_at, d.state, d.currency, d.payment_type`

/** What counts against the limits of a customer stands apart in its index. */
const counted = fragment`(d.state in ('builded', 'created', 'confirmed', 'reversed')) is true`
const ended = fragment`(d.state in ('builded', 'created', 'confirmed', 'reversed')) is false`
const ofCustomer = (asked: DepositsAsked, kind: Fragment) => fragment`
  (select ${lookedColumns}
   from deposits d
   where d.merchant_id = ${asked.merchantId}
     and d.customer = ${asked.filter.search}
     and ${kind}
     and ${isInTime(asked)}
   limit ${bounds.depositsLookedAt})`
const ofAmount = (asked: DepositsAsked) => fragment`
  (select ${lookedColumns}
   from deposits d
   where d.merchant_id = ${asked.merchantId}
     and d.amount_cents = ${searchTermsOf(asked.filter.search).cents}
     and ${isInTime(asked)}
   limit ${bounds.depositsLookedAt})`

/** Digits have no index: they are looked up in the newest deposits. */
const ofDigits = (asked: DepositsAsked) => {
  const { digits } = searchTermsOf(asked.filter.search)
  return fragment`
    (select ${lookedColumns}
     from ${ofState(asked, null, bounds.depositsLookedAt)} d
     where ${digits}::text is not null
       and "right"(d.shown ->> 'number', ${digits?.length ?? 0}) = ${digits})`
}

/** The oldest deposit that is looked at, where there are more. */
async function endOfLook(db: Queryable, asked: DepositsAsked): Promise<Cursor | undefined> {
  const before = bounds.depositsLookedAt - 1
  const last = (looked: Fragment) => fragment`
    (select d.created_at as at, d.id from ${looked} d order by d.created_at desc, d.id desc offset ${before} limit 1)`
  return asked.filter.search
    ? db.find<Cursor>(sql`
        select at, id
        from (
          ${last(ofCustomer(asked, counted))}
          union all
          ${last(ofCustomer(asked, ended))}
          union all
          ${last(ofAmount(asked))}
        ) ends
        order by at desc, id desc
        limit 1`)
    : db.find<Cursor>(sql`
        select at, id
        from ${last(ofState(asked, asked.filter.state, bounds.depositsLookedAt))} looked`)
}

/** Each meaning of the search text has its index, but for the digits. */
const searchDeposits = (db: Queryable, asked: DepositsAsked) => {
  const { merchantId, filter, limit } = asked
  const { id, text, reference } = searchTermsOf(filter.search)
  return db.query<FoundRow>(sql`
    with found as (
      (select d.id from deposits d where d.merchant_id = ${merchantId} and d.id = ${id}::uuid)
      union
      (select d.id from deposits d where d.merchant_id = ${merchantId} and d.order_id = ${text})
      union
      (select d.id from deposits d where d.reference = ${reference} and d.merchant_id = ${merchantId})
      union
      ${fitting(asked, ofCustomer(asked, counted))}
      union
      ${fitting(asked, ofCustomer(asked, ended))}
      union
      ${fitting(asked, ofAmount(asked))}
      union
      ${fitting(asked, ofDigits(asked))}
    )
    select ${rowColumns}
    from found f
    join deposits d on d.id = f.id
    where ${isOfKind(asked)}
      and ${isInTime(asked)}
    limit ${limit}`)
}
