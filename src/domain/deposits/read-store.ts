/** Deposits as they stand in the database, found, listed and locked. */

import { type Fragment, fragment, lastUuid, type Queryable, sql, type Tx } from '../../platform/db.ts'
import { type BrandRow, brandColumns, brandFrom } from '../merchants/brand-store.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type { Policy } from './decide.ts'
import type {
  Deposit,
  DepositState,
  FoundDeposit,
  FoundPage,
  HistoryEntry,
  ListedDeposit,
} from './deposit.ts'
import { readDepositHistory } from './history-store.ts'
import type { StoredOrder } from './order.ts'
import { depositIdOf } from './page-token.ts'

const listedColumns = fragment`
  d.id, d.merchant_id as "merchantId", d.order_id as "orderId", d.flow, d.state, d.amount_cents as "amountCents",
  d.currency, d.payment_type as "paymentType", d.customer, d.customer_phone_number as "customerPhoneNumber", d.shown,
  d.reference, d.page_token as "pageToken", d.received_cents as "receivedCents", d.labels, d.claimed_at as "claimedAt",
  d.extended, d.created_at as "createdAt", d.issued_at as "issuedAt", d.expires_at as "expiresAt",
  d.late_until as "lateUntil", d.final_at as "finalAt"`

export const depositColumns = fragment`
  ${listedColumns}, d.callback_url as "callbackUrl", d.success_url as "successUrl", d.reject_url as "rejectUrl"`

/** A row of deposits, read at a moment. */
type Read<Columns> = Columns & { now: Date }

export type OrderKey = { merchantId: MerchantId; orderId: string }

/**
 * The deposits of these orders. `between` and `order by` say no more than `=`, but only the index of orders serves them: a
 * plan that was made and kept while the table was empty would otherwise read all deposits of the merchant.
 *
 * Lists of keys stand in a `select` of their own, here and below: PostgreSQL then cannot count them while it plans, sees
 * that a plan for these keys is no better than one for any, and keeps that one. Planning took most of the time.
 */
export async function findOrders(db: Queryable, keys: readonly OrderKey[]): Promise<StoredOrder[]> {
  const rows = await db.query<Read<Deposit & { fingerprint: string }>>(sql`
    select ${depositColumns}, encode(d.fingerprint, 'hex') as fingerprint, (select inlet_now()) as now
    from unnest(
      (select ${keys.map((key) => key.merchantId)}::uuid[]),
      (select ${keys.map((key) => key.orderId)}::text[])) as k (merchant_id, order_id)
    cross join lateral (
      select id, merchant_id, order_id, flow, state, amount_cents, currency, payment_type, customer,
        customer_phone_number, shown, reference, page_token, received_cents, labels, claimed_at, extended, created_at,
        issued_at, expires_at, late_until, final_at, callback_url, success_url, reject_url,
        fingerprint
      from deposits d
      where d.merchant_id = k.merchant_id and d.order_id between k.order_id and k.order_id
      order by d.order_id
      limit 1) d`)
  return rows.map(({ fingerprint, ...row }) => ({ ...foundFrom(row), fingerprint }))
}

/** Deposits with the policy of their merchant and the account that each waits on, in order of id. */
export async function readDeposits(db: Queryable, ids: readonly string[]): Promise<LockedDeposit[]> {
  const rows = await db.query<WithPolicy>(sql`${withPolicy(ids)}`)
  return rows.map(lockedFrom)
}

/** Locks deposits in order of id. */
export async function lockDeposits(tx: Tx, ids: readonly string[]): Promise<LockedDeposit[]> {
  if (ids.length === 0) return []
  const rows = await tx.query<WithPolicy>(sql`${withPolicy(ids)} for no key update of d`)
  return rows.map(lockedFrom)
}

export async function findDeposit(
  db: Queryable,
  { merchantId, id }: { merchantId: MerchantId; id: string },
): Promise<FoundDeposit | undefined> {
  const row = await db.find<Read<Deposit>>(sql`
    select ${depositColumns}, (select inlet_now()) as now
    from deposits d
    where d.merchant_id = ${merchantId} and d.id = ${id}`)
  return row && foundFrom(row)
}

/**
 * For the payment page and the bill: a token gives access to its deposit. Whether the customer gave up is asked row by row:
 * a kept plan with `exists` would read the history of all deposits first. A rejection
 * ends a deposit, so it is one of the newest entries.
 */
export async function findDepositsByToken(
  db: Queryable,
  tokens: readonly string[],
): Promise<Map<string, FoundPage>> {
  const rows = await db.query<Read<Deposit & Omit<FoundPage, keyof FoundDeposit | 'brand'> & BrandRow>>(sql`
    select ${depositColumns}, (select inlet_now()) as now, m.name as "merchantName", m.mode = 'test' as "testMode",
      m.language as "merchantLanguage", d.state = 'rejected' and coalesce((
        select h.actor = 'customer'
        from (
          select action, actor, entry
          from deposit_history
          where deposit_id = d.id
          order by entry desc
          limit 10) h
        where h.action = 'reject'
        order by h.entry desc
        limit 1), false) as "gaveUp", ${brandColumns}
    from deposits d
    join merchants m on m.id = d.merchant_id
    where d.id = any((select ${tokens.map(depositIdOf)}::uuid[])::uuid[])
      and d.page_token = any((select ${tokens}::text[])::text[])`)
  return new Map(
    rows.map((row) => {
      const { merchantName, testMode, merchantLanguage, gaveUp, ...rest } = row
      const { accent, logoDigest, logoWidth, logoHeight, logoTone, ...deposit } = rest
      const brand = brandFrom({ accent, logoDigest, logoWidth, logoHeight, logoTone })
      const shop = { merchantName, testMode, merchantLanguage, brand }
      return [row.pageToken, { ...foundFrom(deposit), ...shop, gaveUp }]
    }),
  )
}

/** What can change on an open payment page. */
export type PageMark = Pick<
  Deposit,
  'pageToken' | 'state' | 'labels' | 'receivedCents' | 'claimedAt' | 'expiresAt'
>

export const readPageMarks = (db: Queryable, tokens: readonly string[]) =>
  db.query<PageMark>(sql`
    select page_token as "pageToken", state, labels, received_cents as "receivedCents", claimed_at as "claimedAt",
      expires_at as "expiresAt"
    from deposits
    where id = any((select ${tokens.map(depositIdOf)}::uuid[])::uuid[])
      and page_token = any((select ${tokens}::text[])::text[])`)

type DepositFilter = {
  merchantId: MerchantId
  state: DepositState | null
  from: string | null
  to: string | null
  /** The last deposit of the page before. */
  after: string | null
  limit: number
}

/**
 * Newest first, by keyset: a page costs the same however deep it lies, and however rare its state is. Every merchant may ask a
 * hundred times a second, on connections that all share: what is read begins and ends in an index.
 */
export async function listDeposits(
  db: Queryable,
  { merchantId, state, from, to, after, limit }: DepositFilter,
): Promise<{ deposit: ListedDeposit; now: Date }[]> {
  const isOnPage = fragment`
    d.created_at >= coalesce(${from}::timestamptz, '-infinity')
    and d.created_at < coalesce(${to}::timestamptz, 'infinity')
    and (d.created_at, d.id) < ((select at from place), (select id from place))`
  const rows = await db.query<Read<ListedDeposit>>(sql`
    with place as materialized (
      select created_at as at, id
      from deposits
      where id = ${after} and merchant_id = ${merchantId}
      union all
      select 'infinity', ${lastUuid}
      where ${after}::uuid is null
    )
    select ${listedColumns}, (select inlet_now()) as now
    from deposits d
    where d.id = any(array(select n.id from ${newestOfMerchant({ merchantId, state, isOnPage, limit })} n))
    order by d.created_at desc, d.id desc`)
  return rows.map(foundFrom)
}

type Newest = { merchantId: MerchantId; state: DepositState | null; isOnPage: Fragment; limit: number }

/** The newest deposits of a merchant, of one state where one is asked for: each branch has its index, and the others are not run. */
export function newestOfMerchant({ merchantId, state, isOnPage, limit }: Newest): Fragment {
  const columns = fragment`d.id, d.created_at, d.state, d.currency, d.payment_type, d.shown`
  const newest = fragment`
    and d.merchant_id = ${merchantId}
    and ${isOnPage}
    order by d.created_at desc, d.id desc
    limit ${limit}`
  return fragment`(
    select id, created_at, state, currency, payment_type, shown
    from (
      (select ${columns} from deposits d where ${state}::text is null ${newest})
      union all
      (select ${columns} from deposits d where d.state in ('builded', 'created') and d.state = ${state} ${newest})
      union all
      (select ${columns} from deposits d where d.state not in ('builded', 'created') and d.state = ${state} ${newest})
    ) branches
    order by created_at desc, id desc
    limit ${limit})`
}

/** A deposit of any merchant with its history, for the operator. */
export async function readTimeline(
  db: Queryable,
  id: string,
): Promise<(FoundDeposit & { history: HistoryEntry[] }) | undefined> {
  const row = await db.find<Read<Deposit>>(sql`
    select ${depositColumns}, (select inlet_now()) as now
    from deposits d
    where d.id = ${id}`)
  return row && { ...foundFrom(row), history: await readDepositHistory(db, { id, merchantId: null }) }
}

type WithPolicy = Read<Deposit & Policy & { accountId: string | null }>

const withPolicy = (ids: readonly string[]) => fragment`
  select ${depositColumns}, (select inlet_now()) as now, d.account_id as "accountId",
    m.underpaid_policy as "underpaidPolicy", m.underpaid_tolerance_cents as "underpaidToleranceCents",
    m.overpaid_policy as "overpaidPolicy", m.late_policy as "latePolicy"
  from deposits d
  join merchants m on m.id = d.merchant_id
  where d.id = any((select ${ids}::uuid[])::uuid[])
  order by d.id`

/** A deposit with its merchant's policy, the account that it waits on and the time. */
export type LockedDeposit = FoundDeposit & { policy: Policy; accountId: string | null }

function lockedFrom(row: WithPolicy): LockedDeposit {
  const { underpaidPolicy, underpaidToleranceCents, overpaidPolicy, latePolicy, accountId, ...deposit } = row
  const policy = { underpaidPolicy, underpaidToleranceCents, overpaidPolicy, latePolicy }
  return { ...foundFrom(deposit), policy, accountId }
}

const foundFrom = <Columns>({ now, ...deposit }: Read<Columns>) => ({ deposit, now })
