/**
 * The queries of the invariants. Each must return nothing; what it returns are violations:
 * an id, and what is wrong. Nothing here writes.
 *
 * Ids are UUID version 7, so "the last days" is a range of the primary key, and costs the same however much history comes
 * before it. Callbacks are read by day, which are partitions.
 */
import { type Queryable, sql } from '../../platform/db.ts'
import { isAwaited } from '../deposits/overdue-store.ts'
import { holdsReference } from '../deposits/reference-store.ts'

export type Offender = { id: string; detail: string }

/** What is looked at: deposits from this id and callbacks from this day on, besides everything that is open. */
export type Scope = { fromId: string; fromDay: string; most: number }

/** `days` null: everything. Callbacks older than their retention are not checked. */
export async function readScope(
  db: Queryable,
  { days, keptDays, most }: { days: number | null; keptDays: number; most: number },
): Promise<Scope> {
  // Ids carry the real time of the node that made them, whatever a test does to inlet_now().
  const [row] = await db.query<Pick<Scope, 'fromId' | 'fromDay'>>(sql`
    select
      case
        when ${days}::int is null then '00000000-0000-0000-0000-000000000000'::uuid
        else rpad(lpad(to_hex(floor(extract(epoch from now() - make_interval(days => ${days})) * 1000)::bigint),
          12, '0'), 32, '0')::uuid
      end as "fromId",
      ((inlet_now() at time zone 'UTC')::date - coalesce(${days}::int, ${keptDays}::int - 1))::text as "fromDay"`)
  return { ...row!, most }
}

export const writeNothing = (tx: Queryable): Promise<unknown> => tx.query(sql`set transaction read only`)

export const findRepeatedOrders = (db: Queryable, { fromId, most }: Scope) =>
  db.query<Offender>(sql`
    select d.id, 'the same order as deposit ' || o.id as detail
    from deposits d
    join deposits o on o.merchant_id = d.merchant_id and o.order_id = d.order_id and o.id <> d.id
    where d.id >= ${fromId}::uuid or d.state in ('builded', 'created')
    limit ${most}`)

/** `paths`: action, state before (- for none) and state after, as the transition table allows them. */
export const findBrokenHistories = (db: Queryable, { fromId, most }: Scope, paths: readonly string[]) =>
  db.query<Offender>(sql`
    with looked as materialized (
      select d.id, d.state
      from deposits d
      where d.id >= ${fromId}::uuid or d.state in ('builded', 'created')
    ), entries as materialized (
      select h.deposit_id, h.entry, h.action, h.from_state, h.to_state
      from looked
      -- Asked deposit by deposit: a join may read the first entries of all deposits.
      cross join lateral (
        select deposit_id, entry, action, from_state, to_state
        from deposit_timeline
        where deposit_id = looked.id
        offset 0
      ) h
    ), lines as (
      select
        h.deposit_id, h.entry, h.action, h.from_state, h.to_state, looked.state,
        h.action || ' ' || coalesce(h.from_state, '-') || ' ' || h.to_state as path,
        row_number() over of_deposit as place,
        lag(h.to_state) over of_deposit as before,
        lead(h.entry) over of_deposit is null as is_last
      from looked
      join entries h on h.deposit_id = looked.id
      window of_deposit as (partition by h.deposit_id order by h.entry)
    )
    select deposit_id as id,
      case
        when entry <> place then 'entry ' || place || ' is missing from its history'
        when from_state is distinct from before
          then 'entry ' || entry || ' begins at ' || coalesce(from_state, 'nothing') || ' after ' || coalesce(before, 'nothing')
        when path <> all(${paths}::text[]) then 'entry ' || entry || ' is no step of the lifecycle: ' || path
        else 'its history ends at ' || to_state || ', it is ' || state
      end as detail
    from lines
    where entry <> place
      or from_state is distinct from before
      or path <> all(${paths}::text[])
      or (is_last and to_state <> state)
    limit ${most}`)

export const findWrongEnds = (db: Queryable, { fromId, most }: Scope) =>
  db.query<Offender>(sql`
    select d.id,
      'it is ' || d.state || case when d.final_at is null then ' without a final time' else ' with a final time' end as detail
    from deposits d
    where (d.id >= ${fromId}::uuid or d.state in ('builded', 'created'))
      and (d.state in ('confirmed', 'rejected', 'canceled', 'reversed')) <> (d.final_at is not null)
    union all
    select d.id, h.action || ' after the late grace had ended'
    from deposits d
    join deposit_history h on h.deposit_id = d.id
    where d.id >= ${fromId}::uuid
      and h.deposit_id >= ${fromId}::uuid
      and h.from_state = 'expired'
      and h.to_state <> 'expired'
      and h.at >= d.late_until
    limit ${most}`)

/**
 * `kinds`: those whose payments carry no reference. Their deposits that can still receive money are distinguished by the
 * amount alone.
 */
export const findWrongSlots = (db: Queryable, { most }: Scope, kinds: readonly string[]) =>
  db.query<Offender>(sql`
    with waiting as materialized (
      select d.id, d.account_id, d.currency, d.amount_cents
      from deposits d
      where d.state = 'created' and d.shown->>'kind' = any(${kinds}::text[])
      union all
      select d.id, d.account_id, d.currency, d.amount_cents
      from deposits d
      where d.id >= rpad(lpad(to_hex(floor(extract(epoch from now() - interval '40 days') * 1000)::bigint), 12, '0'), 32, '0')::uuid
        and d.state = 'expired' and d.late_until > inlet_now()
        and d.shown->>'kind' = any(${kinds}::text[])
    )
    select (min(w.id::text)) as id, 'shares its account and amount with ' || max(w.id::text) as detail
    from waiting w
    group by w.account_id, w.currency, w.amount_cents
    having count(*) > 1
    union all
    select w.id::text, 'can receive money, but its amount is not kept for it'
    from waiting w
    where not exists (
      select from deposit_slots s
      where s.deposit_id = w.id
        and (s.account_id, s.currency, s.amount_cents) = (w.account_id, w.currency, w.amount_cents))
    limit ${most}`)

export const findSharedReferences = (db: Queryable, { fromId, most }: Scope) =>
  db.query<Offender>(sql`
    with looked as materialized (
      select d.id, d.account_id, d.reference
      from deposits d
      where (d.id >= ${fromId}::uuid or d.state in ('builded', 'created')) and ${holdsReference}
    )
    select l.id, 'reference ' || l.reference || ' also names deposit ' || o.id as detail
    from looked l
    -- Asked deposit by deposit: a join may read all references.
    cross join lateral (
      select d.id from deposits d where d.reference = l.reference and d.account_id = l.account_id and d.id <> l.id and ${holdsReference}
      limit 1) o
    limit ${most}`)

/** By a named person with a reason, or by money: then the line before it is the money that arrived. */
export const findBaseless = (db: Queryable, { fromId, most }: Scope) =>
  db.query<Offender>(sql`
    with entries as materialized (
      select deposit_id, entry, action, actor, reason
      from deposit_history
      where deposit_id >= ${fromId}::uuid and action in ('receive', 'confirm')
    ), confirmed as (
      select d.id, d.state, d.amount_cents, d.received_cents, d.labels, h.actor, h.reason, h.entry,
        h.actor like 'operator:%' as by_hand,
        exists (
          select from entries m
          where m.deposit_id = d.id and m.entry = h.entry - 1 and m.action = 'receive') as by_money
      from deposits d
      left join entries h on h.deposit_id = d.id and h.action = 'confirm'
      where d.id >= ${fromId}::uuid and d.state in ('confirmed', 'reversed')
    )
    select id,
      case
        when entry is null then 'nobody confirmed it'
        when by_hand then 'confirmed by "' || actor || '" without a name or a reason'
        when not by_money then 'confirmed by "' || actor || '", though no money had arrived'
        else 'confirmed for ' || received_cents || ' of ' || amount_cents || ' cents without a decision'
      end as detail
    from confirmed
    where entry is null
      or (by_hand and (char_length(actor) <= char_length('operator:') or coalesce(trim(reason), '') = ''))
      or (not by_hand and not by_money)
      or (not by_hand and state = 'confirmed' and received_cents < amount_cents
        and not labels && array['underpaid', 'review'])
    limit ${most}`)

export const findUnshown = (db: Queryable, { fromId, most }: Scope) =>
  db.query<Offender>(sql`
    select d.id,
      case
        when d.shown is null then 'it is ' || d.state || ', but what the customer was shown is not kept'
        when r.account_id <> d.account_id then 'its requisite belongs to another receiving account'
        else 'what the customer was shown is incomplete'
      end as detail
    from deposits d
    left join requisites r on r.id = d.requisite_id
    where (d.id >= ${fromId}::uuid or d.state in ('builded', 'created'))
      and ((d.shown is null and (d.flow = 'create' or d.state in ('created', 'confirmed', 'reversed')))
        or (d.shown is not null and (
          r.id is null
          or r.account_id <> d.account_id
          or coalesce(d.shown->>'kind', '') = ''
          or coalesce(d.shown->>'number', '') = ''
          or coalesce(d.shown->>'name', '') = ''
          or coalesce(d.shown->>'bank_name', '') = '')))
    limit ${most}`)

export const findMixedMerchants = (db: Queryable, { fromId, fromDay, most }: Scope) =>
  db.query<Offender>(sql`
    with looked as materialized (
      select id, merchant_id, account_id
      from deposits
      where id >= ${fromId}::uuid or state in ('builded', 'created')
    )
    select d.id,
      case
        when m.mode <> a.mode then 'a ' || m.mode || ' merchant was given an account of ' || a.mode || ' mode'
        else 'it was given the account of another merchant'
      end as detail
    from looked d
    join merchants m on m.id = d.merchant_id
    join receiving_accounts a on a.id = d.account_id
    where m.mode <> a.mode or (a.merchant_id is not null and a.merchant_id <> d.merchant_id)
    union all
    select c.id, 'event: its merchant and its deposit are not of one merchant'
    from events c
    left join lateral (select merchant_id from deposits where id = c.deposit_id limit 1) d on true
    where c.made_on >= ${fromDay}::date and d.merchant_id is distinct from c.merchant_id
    limit ${most}`)

/** While expiry waits after an absence of the whole installation, nothing is late. */
export const findOverdue = (db: Queryable, { most }: Scope, lateSeconds: number) =>
  db.query<Offender>(sql`
    select id, 'is ' || state || ', its deadline was ' || expires_at as detail
    from deposits
    cross join upkeep h
    where state in ('builded', 'created')
      and not labels @> '{review}'
      and expires_at < inlet_now() - make_interval(secs => ${lateSeconds})
      and h.expiry_from < inlet_now() - make_interval(secs => ${lateSeconds})
      and not ${isAwaited}
    order by expires_at
    limit ${most}`)

export const findWrongLoads = (db: Queryable, { most }: Scope) =>
  db.query<Offender>(sql`
    with open as (
      select requisite_id, count(*) as deposits
      from deposits
      where state = 'created'
      group by requisite_id
    )
    select r.id,
      'requisite: counted ' || coalesce(l.open_deposits::text, 'nothing') || ', open are ' || coalesce(open.deposits, 0) as detail
    from requisites r
    left join requisite_loads l on l.requisite_id = r.id
    left join open on open.requisite_id = r.id
    where l.open_deposits is distinct from coalesce(open.deposits, 0)::int
    limit ${most}`)

/** Late money joins the sum of its day unasked, so only what was check that day is held against the limit. */
export const findOverfull = (db: Queryable, { most }: Scope) =>
  db.query<Offender>(sql`
    select r.id, 'requisite: ' || l.open_deposits || ' open deposits, ' || r.open_deposits || ' allowed' as detail
    from requisites r
    join requisite_loads l on l.requisite_id = r.id
    where l.open_deposits > r.open_deposits
    union all
    select r.id, 'requisite: ' || sum(d.amount_cents) || ' cents today, ' || r.daily_cents || ' allowed'
    from requisites r
    join deposits d on d.requisite_id = r.id
    where r.daily_cents is not null
      -- No day is longer than two.
      and d.id >= rpad(lpad(to_hex(floor(extract(epoch from now() - interval '2 days') * 1000)::bigint),
        12, '0'), 32, '0')::uuid
      and bank_day(r.currency, d.issued_at) = bank_day(r.currency, inlet_now())
      and d.state in ('created', 'confirmed', 'reversed')
      and not 'late' = any(d.labels)
    group by r.id, r.daily_cents
    having sum(d.amount_cents) > r.daily_cents
    limit ${most}`)
