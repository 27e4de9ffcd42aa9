/** The rules in the database: list entries, and how much of their limits customers have used. */
import { bounds } from '../../platform/bounds.ts'
import { fragment, type Queryable, sql, type Tx, unprepared } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type { Currency } from '../money.ts'
import type { CustomerUse } from './customer-limit.ts'
import type { List, ListEntry, Listing, ListKey, ListKind, MerchantRules } from './listing.ts'

/** Whether any list entry applies to this merchant's customers. */
export const readRules = (db: Queryable, merchantId: MerchantId) =>
  db.one<MerchantRules>(sql`
    select
      exists (
        select from list_entries where removed_at is null and kind <> 'payer' and merchant_id = ${merchantId})
      or exists (
        select from list_entries where removed_at is null and kind <> 'payer' and merchant_id is null)
      as "hasLists"`)

/** The entries in force for these keys, of any merchant. */
export async function findListings(db: Queryable, keys: readonly ListKey[]): Promise<Listing[]> {
  if (keys.length === 0) return []
  return db.query<Listing>(sql`
    select e.list, e.kind, e.merchant_id as "merchantId", e.value, e.reason
    from (
      select distinct kind, value
      from unnest(${keys.map((key) => key.kind)}::text[], ${keys.map((key) => key.value)}::text[])
        as k (kind, value)
    ) k
    join list_entries e on e.kind = k.kind and e.value = k.value and e.removed_at is null
    order by e.added_at, e.id`)
}

export type CustomerKey = { merchantId: MerchantId; customer: string; currency: Currency }

/** The key of a customer's use in one currency. */
export const customerUseKey = ({ merchantId, customer, currency }: CustomerKey): string =>
  JSON.stringify([merchantId, customer, currency])

/**
 * Locks the use of these customers until the transaction ends. Sorted, so that two groups cannot deadlock; taken before
 * any other lock, so that a waiting transaction holds none.
 */
export const lockCustomers = (tx: Tx, keys: readonly CustomerKey[]) =>
  tx.run(sql`
    select pg_advisory_xact_lock(k.number)
    from (
      select distinct hashtextextended('customer:' || merchant_id || ':' || customer, 0) as number
      from unnest(${keys.map((key) => key.merchantId)}::uuid[], ${keys.map((key) => key.customer)}::text[])
        as u (merchant_id, customer)
      order by number
    ) k`)

/**
 * How much of their limits these customers have used, by `customerUseKey`. Deposits of the last 32 days are counted, which is longer
 * than any month: an open one that is older does not count. Not prepared: a plan that was made while the table was small may read all
 * deposits of the merchant.
 *
 * Only a customer's newest deposits are read, because creates wait for this query. If earlier ones could belong to the day
 * or month too, its sum is 2^62: above any limit, and a bigint to which amounts can still be added.
 */
export async function readCustomerUse(
  db: Queryable,
  keys: readonly CustomerKey[],
): Promise<Map<string, CustomerUse>> {
  if (keys.length === 0) return new Map()
  const rows = await db.query<
    CustomerKey & Omit<CustomerUse, 'open'> & { open: number; firstDeadline: Date | null }
  >(
    unprepared(sql`
    with clock as materialized (select inlet_now() as now)
    select
      k.merchant_id as "merchantId", k.customer, k.currency,
      u.open, u.first_deadline as "firstDeadline", u.day_cents as "dayCents", u.month_cents as "monthCents",
      bank_midnight(k.currency, k.day + 1) as "dayEnd",
      bank_midnight(k.currency, (k.month + interval '1 month')::date) as "monthEnd",
      k.now
    from (
      select distinct merchant_id, customer, currency, now,
        bank_day(currency, now) as day,
        bank_month(currency, now) as month
      from unnest(
        ${keys.map((key) => key.merchantId)}::uuid[],
        ${keys.map((key) => key.customer)}::text[],
        ${keys.map((key) => key.currency)}::text[]) as n (merchant_id, customer, currency)
      cross join clock
    ) k
    cross join lateral (
      select
        (count(*) filter (where d.state in ('builded', 'created')))::int as open,
        min(d.expires_at) filter (where d.state in ('builded', 'created')) as first_deadline,
        case when count(*) < ${bounds.customerDeposits}::int or min(d.created_at) < bank_midnight(k.currency, k.day)
          then coalesce(sum(d.amount_cents) filter (
            where d.currency = k.currency and d.created_at >= bank_midnight(k.currency, k.day)), 0)
          else 2::numeric ^ 62
        end::bigint as day_cents,
        case when count(*) < ${bounds.customerDeposits}::int or min(d.created_at) < bank_midnight(k.currency, k.month)
          then coalesce(sum(d.amount_cents) filter (
            where d.currency = k.currency and d.created_at >= bank_midnight(k.currency, k.month)), 0)
          else 2::numeric ^ 62
        end::bigint as month_cents
      from (
        select d.state, d.expires_at, d.amount_cents, d.currency, d.created_at
        from deposits d
        where d.merchant_id = k.merchant_id
          and d.customer = k.customer
          and d.state in ('builded', 'created', 'confirmed', 'reversed')
          and d.created_at >= k.now - interval '32 days'
        order by d.created_at desc
        limit ${bounds.customerDeposits}
      ) d
    ) u`),
  )
  const open = new Map<string, CustomerUse['open']>()
  return new Map(
    rows.map((row) => {
      const customer = JSON.stringify([row.merchantId, row.customer])
      const shared = open.get(customer) ?? { deposits: row.open, firstDeadline: row.firstDeadline }
      open.set(customer, shared)
      const { dayCents, monthCents, dayEnd, monthEnd, now } = row
      return [customerUseKey(row), { open: shared, dayCents, monthCents, dayEnd, monthEnd, now }]
    }),
  )
}

export async function insertEntry(
  tx: Tx,
  entry: Pick<ListEntry, 'id' | 'list' | 'kind' | 'merchantId' | 'value' | 'reason' | 'addedBy'>,
): Promise<void> {
  const { id, list, kind, merchantId, value, reason, addedBy } = entry
  await tx.query(sql`
    insert into list_entries (id, list, kind, merchant_id, value, reason, added_by)
    values (${id}, ${list}, ${kind}, ${merchantId}, ${value}, ${reason}, ${addedBy})`)
}

/** False when there is no such entry in force. */
export const removeEntry = (tx: Tx, { id, by, reason }: { id: string; by: string; reason: string }) =>
  tx.has(sql`
    update list_entries
    set removed_at = inlet_now(), removed_by = ${by}, removed_reason = ${reason}
    where id = ${id} and removed_at is null
    returning id`)

type ListFilter = {
  list: List | null
  kind: ListKind | null
  /** Normal forms, any of which may match. */
  values: readonly string[] | null
  includesRemoved: boolean
  /** The last entry of the page before. */
  before: string | null
  limit: number
}

const entryColumns = fragment`
  id, list, kind, merchant_id as "merchantId", value, reason, added_by as "addedBy", added_at as "addedAt",
  removed_at as "removedAt", removed_by as "removedBy", removed_reason as "removedReason"`

export const findEntry = (db: Queryable, id: string) =>
  db.find<ListEntry>(sql`select ${entryColumns} from list_entries where id = ${id}`)

/** Newest first; removed entries only with `includesRemoved`. */
export async function listEntries(db: Queryable, filter: ListFilter): Promise<ListEntry[]> {
  const { list, kind, values, includesRemoved, before, limit } = filter
  return db.query<ListEntry>(sql`
    select ${entryColumns}
    from list_entries
    where (removed_at is null or ${includesRemoved}::boolean)
      and (${list}::text is null or list = ${list})
      and (${kind}::text is null or kind = ${kind})
      and (${values}::text[] is null or value = any(${values}))
      and (${before}::uuid is null or (added_at, id) < (
        select added_at, id from list_entries where id = ${before}))
    order by added_at desc, id desc
    limit ${limit}`)
}
