/** Deposits as they stand in the database, found, listed and locked. */

import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Flow } from '../catalogue/payment-type.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { withReason } from '../messages/message.ts'
import type { Currency } from '../money.ts'
import { currencies } from '../money.ts'
import type { Policy } from './decide.ts'
import type {
  Deposit,
  DepositState,
  FoundDeposit,
  FoundPage,
  HistoryEntry,
  Label,
  ListedDeposit,
  Shown,
} from './deposit.ts'
import type { StoredOrder } from './order.ts'
import type { Reference } from './reference.ts'

export type DepositRow = {
  id: string
  merchant_id: string
  order_id: string
  flow: Flow
  state: DepositState
  amount_cents: bigint
  currency: Currency
  payment_type: string
  customer: string | null
  customer_phone_number: string | null
  callback_url: string | null
  success_url: string | null
  reject_url: string | null
  shown: Shown | null
  reference: Reference | null
  page_token: string
  received_cents: bigint
  labels: Label[]
  claimed_at: Date | null
  extended: boolean
  created_at: Date
  issued_at: Date | null
  expires_at: Date
  late_until: Date
  final_at: Date | null
}

const listedColumns = fragment`
  d.id, d.merchant_id, d.order_id, d.flow, d.state, d.amount_cents, d.currency, d.payment_type, d.customer,
  d.customer_phone_number, d.shown, d.reference, d.page_token, d.received_cents, d.labels, d.claimed_at, d.extended,
  d.created_at, d.issued_at, d.expires_at, d.late_until, d.final_at`

type ListedRow = Omit<DepositRow, 'callback_url' | 'success_url' | 'reject_url'>

const depositColumns = fragment`${listedColumns}, d.callback_url, d.success_url, d.reject_url`

/** How long a paid deposit took, from the moment its requisites were shown. */
export const paymentSeconds = fragment`extract(epoch from final_at - issued_at)::float8`

export type OrderKey = { merchantId: MerchantId; orderId: string }

/**
 * The deposits of these orders. `between` and `order by` say no more than `=`, but only the index of orders serves them: a
 * plan that was made and kept while the table was empty would otherwise read all deposits of the merchant.
 *
 * Lists of keys stand in a `select` of their own, here and below: PostgreSQL then cannot count them while it plans, sees
 * that a plan for these keys is no better than one for any, and keeps that one. Planning took most of the time.
 */
export async function findOrders(db: Queryable, keys: readonly OrderKey[]): Promise<StoredOrder[]> {
  const rows = await db.query<DepositRow & { fingerprint: Buffer; now: Date }>(sql`
    select ${depositColumns}, d.fingerprint, (select inlet_now()) as now
    from unnest(
      (select ${keys.map((key) => key.merchantId)}::uuid[]),
      (select ${keys.map((key) => key.orderId)}::text[])) as k (merchant_id, order_id)
    cross join lateral (
      select ${depositColumns}, d.fingerprint
      from deposits d
      where d.merchant_id = k.merchant_id and d.order_id between k.order_id and k.order_id
      order by d.order_id
      limit 1) d`)
  return rows.map((row) => ({ deposit: depositFrom(row), fingerprint: row.fingerprint, now: row.now }))
}

/** Locks deposits in order of id. */
export async function lockDeposits(tx: Tx, ids: readonly string[]): Promise<LockedDeposit[]> {
  const rows = await tx.query<DepositRow & PolicyRow & { now: Date }>(sql`
    select ${depositColumns}, (select inlet_now()) as now, ${policyColumns}
    from deposits d
    join merchants m on m.id = d.merchant_id
    where d.id = any(${ids}::uuid[])
    order by d.id
    for no key update of d`)
  return rows.map(lockedFrom)
}

/**
 * Locks the oldest deposits past their deadline, but not those that another process has locked or that wait for a
 * person's review.
 */
export async function lockOverdue(tx: Tx, limit: number): Promise<LockedDeposit[]> {
  const rows = await tx.query<DepositRow & PolicyRow & { now: Date }>(sql`
    with overdue as (
      select id
      from deposits
      where state in ('builded', 'created') and expires_at <= inlet_now() and not labels @> '{review}'
      order by expires_at
      limit ${limit}
      for no key update skip locked
    )
    select ${depositColumns}, inlet_now() as now, ${policyColumns}
    from overdue
    join deposits d on d.id = overdue.id
    join merchants m on m.id = d.merchant_id
    order by d.id`)
  return rows.map(lockedFrom)
}

export async function findDeposit(
  db: Queryable,
  { merchantId, id }: { merchantId: MerchantId; id: string },
): Promise<FoundDeposit | undefined> {
  const [row] = await db.query<DepositRow & { now: Date }>(sql`
    select ${depositColumns}, inlet_now() as now
    from deposits d
    where d.merchant_id = ${merchantId} and d.id = ${id}`)
  return row && { deposit: depositFrom(row), now: row.now }
}

/**
 * For the payment page and the bill: a token gives access to its deposit. Whether the customer gave up is asked row by row:
 * a kept plan with `exists` would read the history of all deposits first.
 */
export async function findDepositsByToken(
  db: Queryable,
  tokens: readonly string[],
): Promise<Map<string, FoundPage>> {
  const rows = await db.query<DepositRow & { now: Date } & Omit<FoundPage, keyof FoundDeposit>>(sql`
    select ${depositColumns}, (select inlet_now()) as now, m.name as "merchantName", m.mode = 'test' as "testMode",
      m.language as "merchantLanguage", d.state = 'rejected' and (
        select true
        from deposit_history h
        where h.deposit_id = d.id and h.action = 'reject' and h.actor = 'customer'
        limit 1) is not null as "gaveUp"
    from deposits d
    join merchants m on m.id = d.merchant_id
    where d.page_token = any((select ${tokens}::text[])::text[])`)
  return new Map(
    rows.map((row) => {
      const { now, merchantName, testMode, merchantLanguage, gaveUp } = row
      return [
        row.page_token,
        { deposit: depositFrom(row), now, merchantName, testMode, merchantLanguage, gaveUp },
      ]
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
    where page_token = any((select ${tokens}::text[])::text[])`)

type DepositFilter = {
  merchantId: MerchantId | null
  state: DepositState | null
  from: string | null
  to: string | null
  /** The last deposit of the page before. */
  after: string | null
  limit: number
}

/** Newest first, by keyset: a page costs the same however deep it lies, and however rare its state is. */
export async function listDeposits(
  db: Queryable,
  { merchantId, ...filter }: DepositFilter,
): Promise<{ deposit: ListedDeposit; now: Date }[]> {
  const rows = await (merchantId === null ? listOfAll(db, filter) : listOfMerchant(db, merchantId, filter))
  return rows.map((row) => ({ deposit: listedFrom(row), now: row.now }))
}

type Listed = ListedRow & { now: Date }

/** For whoever has the command line. */
const listOfAll = (db: Queryable, { state, from, to, after, limit }: Omit<DepositFilter, 'merchantId'>) =>
  db.query<Listed>(sql`
    select ${listedColumns}, inlet_now() as now
    from deposits d
    where (${state}::text is null or d.state = ${state})
      and (${from}::timestamptz is null or d.created_at >= ${from})
      and (${to}::timestamptz is null or d.created_at < ${to})
      and (${after}::uuid is null or (d.created_at, d.id) < (
        select created_at, id from deposits where id = ${after}))
    order by d.created_at desc, d.id desc
    limit ${limit}`)

/**
 * Every merchant may ask a hundred times a second, on the connections of all creates: what is read begins and ends in an
 * index. Of one state the newest of each currency and method are merged.
 */
const listOfMerchant = (
  db: Queryable,
  merchantId: MerchantId,
  { state, from, to, after, limit }: Omit<DepositFilter, 'merchantId'>,
) =>
  state === null
    ? db.query<Listed>(sql`
        with place as materialized (
          select created_at as at, id
          from deposits
          where id = ${after} and merchant_id = ${merchantId}
          union all
          select 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'
          where ${after}::uuid is null
        )
        select ${listedColumns}, inlet_now() as now
        from deposits d
        where d.merchant_id = ${merchantId}
          and d.created_at >= coalesce(${from}::timestamptz, '-infinity')
          and d.created_at < coalesce(${to}::timestamptz, 'infinity')
          and (d.created_at, d.id) < ((select at from place), (select id from place))
        order by d.created_at desc, d.id desc
        limit ${limit}`)
    : db.query<Listed>(sql`
        with place as materialized (
          select created_at as at, id
          from deposits
          where id = ${after} and merchant_id = ${merchantId}
          union all
          select 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'
          where ${after}::uuid is null
        )
        select ${listedColumns}, inlet_now() as now
        from deposits d
        where d.id = any(array(
          select k.id
          from unnest(${currencies}::text[]) as c (currency)
          cross join payment_types t
          cross join lateral (
            select d.id, d.created_at
            from deposits d
            where d.merchant_id = ${merchantId}
              and d.state = ${state}
              and d.currency = c.currency
              and d.payment_type = t.code
              and d.created_at >= coalesce(${from}::timestamptz, '-infinity')
              and d.created_at < coalesce(${to}::timestamptz, 'infinity')
              and (d.created_at, d.id) < ((select at from place), (select id from place))
            order by d.created_at desc, d.id desc
            limit ${limit}) k
          order by k.created_at desc, k.id desc
          limit ${limit}))
        order by d.created_at desc, d.id desc`)

/** The newest entries that are shown: a deposit may have been paid in very many parts. */
const timelineMost = 1_000

/** A deposit of any merchant with its history, for the operator. */
export async function readTimeline(
  db: Queryable,
  id: string,
): Promise<(FoundDeposit & { history: HistoryEntry[] }) | undefined> {
  const [row] = await db.query<DepositRow & { now: Date }>(sql`
    select ${depositColumns}, inlet_now() as now
    from deposits d
    where d.id = ${id}`)
  if (!row) return undefined
  const history = await db.query<HistoryEntry & { message: unknown }>(sql`
    select at, action, from_state, to_state, actor, reason, message, evidence
    from (
      select at, action, from_state, to_state, actor, reason, message, evidence, entry
      from deposit_history
      where deposit_id = ${id}
      order by entry desc
      limit ${timelineMost}
    ) h
    order by entry`)
  return { deposit: depositFrom(row), now: row.now, history: history.map(withReason) }
}

/** Deposits with the account each waits on, without locks. */
export async function readDeposits(
  db: Queryable,
  ids: readonly string[],
): Promise<(FoundDeposit & { accountId: string | null })[]> {
  const rows = await db.query<DepositRow & { now: Date; account_id: string | null }>(sql`
    select ${depositColumns}, d.account_id, (select inlet_now()) as now
    from deposits d
    where d.id = any((select ${ids}::uuid[])::uuid[])
    order by d.id`)
  return rows.map((row) => ({ deposit: depositFrom(row), now: row.now, accountId: row.account_id }))
}

type PolicyRow = {
  underpaid_policy: Policy['underpaidPolicy']
  underpaid_tolerance_cents: bigint
  overpaid_policy: Policy['overpaidPolicy']
  late_policy: Policy['latePolicy']
}

const policyColumns = fragment`
  m.underpaid_policy, m.underpaid_tolerance_cents, m.overpaid_policy, m.late_policy`

/** A locked deposit with its merchant's policy and the time. */
export type LockedDeposit = FoundDeposit & { policy: Policy }

const lockedFrom = (row: DepositRow & PolicyRow & { now: Date }): LockedDeposit => ({
  deposit: depositFrom(row),
  now: row.now,
  policy: {
    underpaidPolicy: row.underpaid_policy,
    underpaidToleranceCents: row.underpaid_tolerance_cents,
    overpaidPolicy: row.overpaid_policy,
    latePolicy: row.late_policy,
  },
})

const depositFrom = (row: DepositRow): Deposit => ({
  ...listedFrom(row),
  callbackUrl: row.callback_url,
  successUrl: row.success_url,
  rejectUrl: row.reject_url,
})

const listedFrom = (row: ListedRow): ListedDeposit => ({
  id: row.id,
  merchantId: row.merchant_id,
  orderId: row.order_id,
  flow: row.flow,
  state: row.state,
  amountCents: row.amount_cents,
  currency: row.currency,
  paymentType: row.payment_type,
  customer: row.customer,
  customerPhoneNumber: row.customer_phone_number,
  shown: row.shown,
  reference: row.reference,
  pageToken: row.page_token,
  receivedCents: row.received_cents,
  labels: row.labels,
  claimedAt: row.claimed_at,
  extended: row.extended,
  createdAt: row.created_at,
  issuedAt: row.issued_at,
  expiresAt: row.expires_at,
  lateUntil: row.late_until,
  finalAt: row.final_at,
})
