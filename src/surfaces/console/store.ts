import { depositStates, type HistoryEntry } from '../../domain/deposits/deposit.ts'
import { paymentSeconds } from '../../domain/deposits/read-store.ts'
import { type KeyPurpose, usesV2Alone } from '../../domain/merchants/api-key.ts'
import type { MerchantId } from '../../domain/merchants/merchant.ts'
import { withReason } from '../../domain/messages/message.ts'
import { currencies } from '../../domain/money.ts'
import { accountLoad } from '../../domain/requisites/load-store.ts'
import { lastRule } from '../../domain/transfers/decision-store.ts'
import { fragment, type Queryable, sql } from '../../platform/db.ts'
import { type Cursor, type Filter, soughtOf } from './deposits/search.ts'
import type { DayLine, DepositLine, KeyLine, OfferLine, TransferLine } from './rows.ts'

const lineColumns = fragment`
  d.id, d.order_id as "orderId", d.created_at as "createdAt", d.amount_cents as "amountCents",
  d.received_cents as "receivedCents", d.currency, d.payment_type as "paymentType", d.customer, d.state, d.labels,
  d.final_at as "finalAt", d.reference, "right"(d.shown ->> 'number', 4) as digits`

export type DepositsAsked = {
  merchantId: MerchantId
  filter: Filter
  /** The zone in which the days of the filter begin. */
  zone: string
  after: Cursor | null
  limit: number
}

const endOfAll = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Newest first. Each of the three ways to look (by time, by kind, by text) has its index. */
export function listDepositLines(db: Queryable, asked: DepositsAsked): Promise<DepositLine[]> {
  const { filter, after } = asked
  const page = { ...asked, at: after?.at ?? 'infinity', id: after?.id ?? endOfAll }
  if (filter.search) return searchDeposits(db, page)
  return filter.state || filter.currency || filter.paymentType ? listByKind(db, page) : listByTime(db, page)
}

type PageAsked = DepositsAsked & { at: Date | string; id: string }

/** `-infinity` and `infinity` replace "or is null", so that a cached plan still uses both ends of the index. */
const isOnPage = ({ filter, zone, at, id }: PageAsked) => fragment`
  d.created_at >= coalesce(${filter.from}::date::timestamp at time zone ${zone}, '-infinity')
  and d.created_at < coalesce((${filter.to}::date + 1)::timestamp at time zone ${zone}, 'infinity')
  and (d.created_at, d.id) < (${at}::timestamptz, ${id}::uuid)`

const listByTime = (db: Queryable, asked: PageAsked) =>
  db.query<DepositLine>(sql`
    select ${lineColumns}
    from deposits d
    where d.merchant_id = ${asked.merchantId}
      and ${isOnPage(asked)}
    order by d.created_at desc, d.id desc
    limit ${asked.limit}`)

/**
 * States, currencies and payment types are few: the newest deposits of each combination are read from the index and
 * merged, so that rare combinations are found as fast as common ones.
 */
const listByKind = (db: Queryable, asked: PageAsked) => {
  const { merchantId, filter, limit } = asked
  return db.query<DepositLine>(sql`
    select ${lineColumns}
    from (
      select k.id
      from unnest(${filter.state ? [filter.state] : depositStates}::text[]) as s (state)
      cross join unnest(${filter.currency ? [filter.currency] : currencies}::text[]) as c (currency)
      cross join (
        select code from payment_types where ${filter.paymentType}::text is null or code = ${filter.paymentType}
      ) t
      cross join lateral (
        select d.id, d.created_at
        from deposits d
        where d.merchant_id = ${merchantId}
          and d.state = s.state
          and d.currency = c.currency
          and d.payment_type = t.code
          and ${isOnPage(asked)}
        order by d.created_at desc, d.id desc
        limit ${limit}) k
      order by k.created_at desc, k.id desc
      limit ${limit}) p
    join deposits d on d.id = p.id
    order by d.created_at desc, d.id desc`)
}

/** Each meaning of the search text has its own index. */
const searchDeposits = (db: Queryable, { merchantId, filter, zone, at, id, limit }: PageAsked) => {
  const sought = soughtOf(filter.search)
  const { digits } = sought
  const newestAsked = fragment`
    d.created_at >= (select since from wanted)
    and d.created_at < (select until from wanted)
    and (d.created_at, d.id) < (${at}::timestamptz, ${id}::uuid)
    and (${filter.state}::text is null or d.state = ${filter.state})
    and (${filter.currency}::text is null or d.currency = ${filter.currency})
    and (${filter.paymentType}::text is null or d.payment_type = ${filter.paymentType})
    order by d.created_at desc, d.id desc
    limit ${limit}`
  return db.query<DepositLine>(sql`
    with wanted as materialized (
      select
        coalesce(${filter.from}::date::timestamp at time zone ${zone}, '-infinity') as since,
        coalesce((${filter.to}::date + 1)::timestamp at time zone ${zone}, 'infinity') as until
    ), found as (
      (select d.id from deposits d where d.merchant_id = ${merchantId} and d.id = ${sought.id}::uuid)
      union
      (select d.id from deposits d where d.merchant_id = ${merchantId} and d.order_id = ${sought.text})
      union
      (select d.id
       from deposits d
       where d.reference = ${sought.reference} and d.holds_reference and d.merchant_id = ${merchantId})
      union
      (select d.id
       from deposits d
       where d.reference = ${sought.reference} and not d.holds_reference and d.merchant_id = ${merchantId})
      union
      (select d.id
       from deposits d
       where d.merchant_id = ${merchantId}
         and d.customer = ${sought.text}
         and d.state in ('builded', 'created', 'confirmed', 'reversed')
         and ${newestAsked})
      union
      (select d.id
       from deposits d
       where d.merchant_id = ${merchantId}
         and d.customer = ${sought.text}
         and d.state in ('rejected', 'expired', 'canceled')
         and ${newestAsked})
      union
      (select d.id
       from deposits d
       where d.merchant_id = ${merchantId}
         and d.amount_cents = ${sought.cents}
         and ${newestAsked})
      union
      (select d.id
       from deposits d
       where d.merchant_id = ${merchantId}
         and d.shown is not null
         and "right"(d.shown ->> 'number', 4) = ${digits?.slice(-4) ?? null}
         and "right"(d.shown ->> 'number', ${digits?.length ?? 0}) = ${digits}
         and ${newestAsked})
    )
    select ${lineColumns}
    from found f
    join deposits d on d.id = f.id
    where ${newestAsked}`)
}

/**
 * Leaves out notes of rules and reasons of matches, which could reveal the operator's block and watch lists, and which of
 * the operator's people decided: their addresses would be good for letters in their name.
 */
export async function readHistory(db: Queryable, merchantId: MerchantId, depositId: string) {
  const rows = await db.query<HistoryEntry & { message: unknown }>(sql`
    select h.at, h.action, h.from_state, h.to_state,
      case when h.actor like 'operator:%' then 'operator' else h.actor end as actor,
      case when h.action <> 'receive' then h.reason end as reason, h.message,
      h.evidence - '{proposal, proposed_by}'::text[] as evidence
    from deposit_timeline h
    join deposits d on d.id = h.deposit_id
    where h.deposit_id = ${depositId} and d.merchant_id = ${merchantId} and h.action <> 'note'
    order by h.entry
    limit 500`)
  return rows.map(withReason)
}

/** The transfers that settle a deposit. The payer's account number is shown to the operator only. */
export const readSettling = (db: Queryable, merchantId: MerchantId, depositId: string) =>
  db.query<TransferLine>(sql`
    select t.id, t.taken_at as "takenAt", t.booked_on as "bookedOn", t.cents, t.deposit_cents as "depositCents",
      t.currency, t.payer_name as "payerName", t.purpose,
      ${lastRule} as rule
    from transfers t
    join deposits d on d.id = t.deposit_id
    where t.deposit_id = ${depositId} and d.merchant_id = ${merchantId}
    order by t.taken_at, t.id
    limit 100`)

export const readTypeNames = (db: Queryable) =>
  db.query<{ code: string; name: string }>(sql`select code, name from payment_types order by position, code`)

/** All keys ever made, newest first, without their secrets. */
export async function listKeys(
  db: Queryable,
  merchantId: MerchantId,
  purpose: KeyPurpose,
): Promise<KeyLine[]> {
  const rows = await db.query<Omit<KeyLine, 'isV2Alone'> & { now: Date }>(sql`
    select id, created_at as "createdAt", literal_used_at as "literalUsedAt", v2_used_at as "v2UsedAt",
      not_after as "notAfter", v2_only as "v2Only", not_after is null or not_after > inlet_now() as "isLive",
      inlet_now() as now
    from api_keys
    where merchant_id = ${merchantId} and purpose = ${purpose}
    order by created_at desc, id desc
    limit 50`)
  return rows.map(({ now, ...key }) => ({ ...key, isV2Alone: usesV2Alone(key, now) }))
}

/** Callback secrets, current and former, newest first, still sealed. */
export const readSealedSecrets = (db: Queryable, merchantId: MerchantId) =>
  db.query<{ id: string; sealed: Buffer; createdAt: Date; notAfter: Date | null }>(sql`
    select id, secret_sealed as sealed, created_at as "createdAt", not_after as "notAfter"
    from api_keys
    where merchant_id = ${merchantId} and purpose = 'callback'
    order by created_at desc, id desc
    limit 50`)

/** All payment types with the limits of this merchant, and how many requisites serve each and why others do not. */
export const readOffers = (db: Queryable, merchantId: MerchantId) =>
  db.query<OfferLine>(sql`
    select t.code, t.name, t.requisite_group = 'select' as "isSelect", l.currency,
      coalesce(o.min_cents, l.min_cents) as "minCents", coalesce(o.max_cents, l.max_cents) as "maxCents",
      t.enabled as "isTypeOn", l.enabled as "isLimitOn", coalesce(o.enabled, true) as "isOnForMerchant",
      o.merchant_id is not null as "isOwn", s.known, s.on, s.free
    from payment_limits l
    join payment_types t on t.code = l.payment_type
    join merchants m on m.id = ${merchantId}
    left join merchant_payment_limits o
      on o.merchant_id = m.id and o.payment_type = l.payment_type and o.currency = l.currency
    cross join lateral (
      select
        count(*)::int as known,
        count(*) filter (where r.enabled and a.enabled)::int as on,
        count(*) filter (where r.enabled and a.enabled
          and (r.open_deposits is null or q.open_deposits < r.open_deposits)
          and (r.daily_cents is null
            or q.day < bank_day(r.currency, (select inlet_now())) or q.day_cents < r.daily_cents)
          and (a.open_deposits is null or u.open_deposits < a.open_deposits)
          and (a.day_cents is null or u.day_cents < a.day_cents)
          and (a.month_cents is null or u.month_cents < a.month_cents))::int as free
      from requisites r
      join receiving_accounts a on a.id = r.account_id
      join requisite_loads q on q.requisite_id = r.id
      ${accountLoad}
      where r.mode = m.mode
        and r.currency = l.currency
        and (a.merchant_id is null or a.merchant_id = m.id)
        and (t.requisite_group = 'select' or t.requisite_group = split_part(r.kind, '_', 1))
        and (t.bank_code is null or t.bank_code = r.bank_code)
    ) s
    order by array_position(${currencies}::text[], l.currency), t.position, t.code`)

/** One day in the viewer's time zone, per currency and per payment method. */
export const readDay = (db: Queryable, merchantId: MerchantId, day: string, zone: string) =>
  db.query<DayLine>(sql`
    select currency, payment_type as "paymentType", count(*)::int as made,
      count(*) filter (where state = 'confirmed')::int as paid,
      coalesce(sum(amount_cents) filter (where state = 'confirmed'), 0)::bigint as cents,
      percentile_cont(0.5) within group (order by seconds) filter (where state = 'confirmed') as middle,
      percentile_cont(0.95) within group (order by seconds) filter (where state = 'confirmed') as slow
    from (
      select currency, payment_type, state, amount_cents, ${paymentSeconds} as seconds
      from deposits
      where merchant_id = ${merchantId}
        and created_at >= ${day}::date::timestamp at time zone ${zone}
        and created_at < (${day}::date + 1)::timestamp at time zone ${zone}
    ) d
    group by grouping sets ((currency, payment_type), (currency))`)
