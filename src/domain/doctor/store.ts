/**
 * Every promise as a question to the database that must be answered with nothing. What comes back are offenders:
 * an id, and what is wrong with it. Nothing here writes.
 *
 * Ids are version 7, so "the last days" is a range of the primary key, and costs the same however much history lies
 * before it. Callbacks are asked for by day, and days are partitions.
 */

import { type Queryable, sql } from '../../platform/db.ts'
import type { Vault } from '../../platform/vault.ts'
import { type KeyPurpose, sealLabel } from '../merchants/api-key.ts'

export type Offender = { id: string; detail: string }

/** What is looked at: deposits from this id and callbacks from this day on, besides everything that is open. */
export type Scope = { fromId: string; fromDay: string; most: number }

/** `days` null: everything. Callbacks are kept for so many days, and no promise is made about older ones. */
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

export const findRepeatedOrders = (db: Queryable, { fromId, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select d.id, 'the same order as deposit ' || o.id as detail
    from deposits d
    join deposits o on o.merchant_id = d.merchant_id and o.order_id = d.order_id and o.id <> d.id
    where d.id >= ${fromId}::uuid or d.state in ('builded', 'created')
    limit ${most}`)

/** `paths`: action, state before (- for none) and state after, as the transition table allows them. */
export const findBrokenHistories = (
  db: Queryable,
  { fromId, most }: Scope,
  paths: readonly string[],
): Promise<Offender[]> =>
  db.query<Offender>(sql`
    with looked as materialized (
      select id, state
      from deposits
      where id >= ${fromId}::uuid or state in ('builded', 'created')
    ), lines as (
      select
        h.deposit_id, h.entry, h.action, h.from_state, h.to_state, looked.state,
        h.action || ' ' || coalesce(h.from_state, '-') || ' ' || h.to_state as path,
        row_number() over of_deposit as place,
        lag(h.to_state) over of_deposit as before,
        lead(h.entry) over of_deposit is null as is_last
      from looked
      join deposit_history h on h.deposit_id = looked.id
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
    union all
    select looked.id, 'it has no history'
    from looked
    where not exists (select from deposit_history h where h.deposit_id = looked.id)
    limit ${most}`)

export const findWrongEnds = (db: Queryable, { fromId, most }: Scope): Promise<Offender[]> =>
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
      and h.from_state = 'expired'
      and h.to_state <> 'expired'
      and h.at >= d.late_until
    limit ${most}`)

/** Every state a deposit entered after its first is told in one callback. Optional events are the merchant's choice. */
export const findUntoldChanges = (db: Queryable, { fromId, fromDay, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select h.deposit_id as id, h.to_state || ' is told in ' || count(c.id) || ' callbacks' as detail
    from deposit_history h
    left join callbacks c
      on c.deposit_id = h.deposit_id
      and c.type = 'deposit.' || h.to_state
      and c.made_on >= ${fromDay}::date
    where h.deposit_id >= ${fromId}::uuid
      and h.from_state <> h.to_state
      and h.to_state <> 'created'
      and h.at >= ${fromDay}::date::timestamp at time zone 'UTC'
    group by h.deposit_id, h.entry, h.to_state
    having count(c.id) <> 1
    limit ${most}`)

/** `types` and `actions` go in pairs: the line of history that each type of event tells of. */
export const findPhantomCallbacks = (
  db: Queryable,
  { fromDay, most }: Scope,
  types: readonly string[],
  actions: readonly string[],
): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select c.id, c.type || ' of deposit ' || c.deposit_id || ', which never happened' as detail
    from callbacks c
    join unnest(${types}::text[], ${actions}::text[]) as told (type, action) on told.type = c.type
    where c.made_on >= ${fromDay}::date
      and not exists (
        select from deposit_history h where h.deposit_id = c.deposit_id and h.action = told.action)
    limit ${most}`)

/**
 * Numbers are given in order of commit, days by the beginning of a transaction: around midnight they mix. So the
 * first number is taken from the second day on, and looked for in the first day too.
 */
export const findGaps = (db: Queryable, { fromDay, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    with kept as (
      select merchant_id, min(sequence) as first
      from callbacks
      where made_on > ${fromDay}::date
      group by merchant_id
    ), counted as (
      select c.merchant_id, kept.first, max(c.sequence) as last, count(*) as count,
        count(distinct c.sequence) as numbers
      from callbacks c
      join kept on kept.merchant_id = c.merchant_id and c.sequence >= kept.first
      where c.made_on >= ${fromDay}::date
      group by c.merchant_id, kept.first
    )
    select counted.merchant_id as id,
      'merchant: ' || count || ' events from ' || first || ' to ' || last || ', ' || count - numbers
        || ' repeated, counter at ' || coalesce(e.last_sequence::text, 'nothing') as detail
    from counted
    left join event_counters e on e.merchant_id = counted.merchant_id
    where numbers <> count or numbers <> last - first + 1 or e.last_sequence is distinct from last
    limit ${most}`)

export const findLostCallbacks = (db: Queryable, { fromDay, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select c.id, c.type || ' of deposit ' || c.deposit_id || ': not delivered, not waiting, not given up' as detail
    from callbacks c
    where c.made_on >= ${fromDay}::date
      and c.acked_at is null
      and not exists (select from callback_due d where d.callback_id = c.id)
      and not exists (select from callback_dead x where x.callback_id = c.id)
    limit ${most}`)

/** The inner limits keep this a probe of one partition for each waiting row. */
export const findStrayDue = (db: Queryable, { most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select d.callback_id as id,
      case
        when c.id is null then 'waits in lane ' || d.lane_id || ', but its record of ' || d.made_on || ' is gone'
        when x.callback_id is not null then 'waits and is given up at once'
        else 'waits in lane ' || d.lane_id || ' for deposit ' || d.deposit_id || ', its record says otherwise'
      end as detail
    from callback_due d
    left join lateral (
      select k.id, k.lane_id, k.deposit_id, k.sequence
      from callbacks k
      where k.made_on = d.made_on and k.id = d.callback_id
      limit 1
    ) c on true
    left join callback_dead x on x.callback_id = d.callback_id
    where c.id is null
      or x.callback_id is not null
      or (c.lane_id, c.deposit_id, c.sequence) is distinct from (d.lane_id, d.deposit_id, d.sequence)
    limit ${most}`)

/** Too far ahead: nobody else may serve the lane. Long over, with work due: nobody does. */
export const findBadLeases = (
  db: Queryable,
  { most }: Scope,
  { aheadSeconds, overSeconds }: { aheadSeconds: number; overSeconds: number },
): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select l.id::text as id, 'lane of merchant ' || l.merchant_id || ', owned until ' || l.owner_until as detail
    from callback_lanes l
    where l.owner_until > now() + make_interval(secs => ${aheadSeconds})
      or (l.owner is not null
        and l.state = 'active'
        and l.open_until <= inlet_now()
        and l.owner_until < now() - make_interval(secs => ${overSeconds})
        and exists (
          select from callback_due d
          where d.lane_id = l.id
            and d.due_at < inlet_now() - make_interval(secs => ${overSeconds})
            and not exists (
              select from callback_due e
              where e.lane_id = d.lane_id and e.deposit_id = d.deposit_id and e.sequence < d.sequence
                and e.holds and e.attempts < 5)))
    limit ${most}`)

/** The merchant's own lane waits exactly while there is no address. */
export const findWrongLanes = (db: Queryable, { most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select m.id,
      'merchant ' || case when m.callback_url is null then 'without' else 'with' end || ' an address: its lane '
        || coalesce('is ' || l.state, 'does not exist') as detail
    from merchants m
    left join callback_lanes l on l.merchant_id = m.id and l.origin is null
    where l.id is null or (l.state = 'waiting' and m.callback_url is not null)
      or (l.state = 'active' and m.callback_url is null)
    union all
    select l.merchant_id, 'lane ' || l.id || ' of ' || l.origin || ' waits, though its callbacks have addresses'
    from callback_lanes l
    where l.origin is not null and l.state = 'waiting'
    limit ${most}`)

/** Left out: what waits behind an earlier callback of its deposit, by the rule of order. */
export const findUnsent = (db: Queryable, { most }: Scope, lateSeconds: number): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select late.callback_id as id,
      'due since ' || late.due_at || ' in lane ' || l.id || ' of merchant ' || l.merchant_id as detail
    from callback_lanes l
    cross join lateral (
      select d.callback_id, d.due_at
      from callback_due d
      where d.lane_id = l.id
        and d.due_at < inlet_now() - make_interval(secs => ${lateSeconds})
        and not exists (
          select from callback_due e
          where e.lane_id = d.lane_id and e.deposit_id = d.deposit_id and e.sequence < d.sequence
            and e.holds and e.attempts < 5)
      order by d.due_at
      limit ${most}
    ) late
    where l.state = 'active' and l.open_until <= inlet_now()
    order by late.due_at
    limit ${most}`)

/** `kinds`: what carries no reference. Whoever can still receive money there is told apart by the amount alone. */
export const findSlotTrouble = (
  db: Queryable,
  { most }: Scope,
  kinds: readonly string[],
): Promise<Offender[]> =>
  db.query<Offender>(sql`
    with waiting as materialized (
      select d.id, d.account_id, d.currency, d.amount_cents
      from deposits d
      where d.state = 'created' and d.shown->>'kind' = any(${kinds}::text[])
      union all
      select d.id, d.account_id, d.currency, d.amount_cents
      from deposits d
      where d.state = 'expired' and d.holds_reference and d.late_until > inlet_now()
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

export const findSharedReferences = (db: Queryable, { fromId, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select d.id, 'reference ' || d.reference || ' also names deposit ' || o.id as detail
    from deposits d
    join deposits o
      on o.account_id = d.account_id and o.reference = d.reference and o.holds_reference and o.id <> d.id
    where d.holds_reference and (d.id >= ${fromId}::uuid or d.state in ('builded', 'created'))
    limit ${most}`)

/** By a named person with a reason, or by money: then the line before it is the money that arrived. */
export const findBaseless = (db: Queryable, { fromId, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    with confirmed as (
      select d.id, d.state, d.amount_cents, d.received_cents, d.labels, h.actor, h.reason, h.entry,
        h.actor like 'operator:%' as by_hand,
        exists (
          select from deposit_history m
          where m.deposit_id = d.id and m.entry = h.entry - 1 and m.action = 'receive') as by_money
      from deposits d
      left join deposit_history h on h.deposit_id = d.id and h.action = 'confirm'
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

export const findUnshown = (db: Queryable, { fromId, most }: Scope): Promise<Offender[]> =>
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

export const findMixedMerchants = (db: Queryable, { fromId, fromDay, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select d.id,
      case
        when m.mode <> a.mode then 'a ' || m.mode || ' merchant was given an account of ' || a.mode || ' mode'
        else 'it was given the account of another merchant'
      end as detail
    from deposits d
    join merchants m on m.id = d.merchant_id
    join receiving_accounts a on a.id = d.account_id
    where (d.id >= ${fromId}::uuid or d.state in ('builded', 'created'))
      and (m.mode <> a.mode or (a.merchant_id is not null and a.merchant_id <> d.merchant_id))
    union all
    select c.id, 'callback: its merchant, its lane and its deposit are not of one merchant'
    from callbacks c
    left join deposits d on d.id = c.deposit_id
    left join callback_lanes l on l.id = c.lane_id
    where c.made_on >= ${fromDay}::date
      and (d.merchant_id is distinct from c.merchant_id or l.merchant_id is distinct from c.merchant_id)
    limit ${most}`)

/** The constraint says it too; here it is asked anew, in case somebody was without the constraint for a while. */
export const findUnbalanced = (db: Queryable, { fromId, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select t.id,
      'transfer of ' || t.cents || ' cents that is ' || t.state || ': ' || t.deposit_cents || ' with a deposit, '
        || t.refund_cents || ' given back, ' || t.open_cents || ' open' as detail
    from transfers t
    where (t.id >= ${fromId}::uuid or t.state in ('unmatched', 'ambiguous'))
      and (least(t.deposit_cents, t.refund_cents, t.open_cents) < 0
        or (t.state = 'matched') <> (t.deposit_cents > 0)
        or (t.state = 'matched') <> (t.deposit_id is not null)
        or (t.state <> 'revoked' and (t.state in ('debit', 'reversal')) <> (t.direction = 'debit'))
        or t.deposit_cents + t.refund_cents + t.open_cents
          <> case when t.state in ('duplicate', 'revoked', 'debit', 'reversal') then 0 else t.cents end)
    limit ${most}`)

/**
 * What a deposit received is what its transfers brought and what people noted by hand, so that the transfers alone
 * never bring more. A reversed deposit keeps the sum that it was reversed with. What is nobody's claim of its surplus is
 * what was said of its transfers.
 */
export const findUnreceived = (db: Queryable, { fromId, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    with looked as materialized (
      select distinct t.deposit_id as id
      from transfers t
      where t.id >= ${fromId}::uuid and t.deposit_id is not null
      union
      select d.id
      from deposits d
      where d.id >= ${fromId}::uuid and d.received_cents > 0
    )
    select d.id,
      case
        when paid.is_foreign then 'a transfer in another currency settles it'
        when paid.kept <> d.surplus_kept_cents
          then 'nobody claims ' || d.surplus_kept_cents || ' cents of it, its transfers say ' || paid.kept
        else 'its transfers brought ' || paid.cents || ' cents, it received ' || d.received_cents
      end as detail
    from looked
    join deposits d on d.id = looked.id
    cross join lateral (
      select sum(t.deposit_cents) as cents, coalesce(sum(t.kept_cents), 0) as kept,
        bool_or(t.currency <> d.currency) as is_foreign
      from transfers t
      where t.deposit_id = d.id
    ) paid
    where paid.is_foreign
      or paid.kept <> d.surplus_kept_cents
      or (d.state <> 'reversed' and paid.cents > d.received_cents)
    limit ${most}`)

/** Decisions are numbered from one, and the last of them is how the transfer stands. */
export const findUndecided = (db: Queryable, { fromId, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select t.id,
      case
        when last.entry is null then 'transfer: nobody decided about it'
        when last.entry <> last.count then 'transfer: a decision is missing'
        else 'transfer: it is ' || t.state || coalesce(' of deposit ' || t.deposit_id, '')
          || ', its last decision says ' || last.state || coalesce(' of deposit ' || last.deposit_id, '')
      end as detail
    from transfers t
    left join lateral (
      select x.entry, x.state, x.deposit_id, count(*) over () as count
      from transfer_decisions x
      where x.transfer_id = t.id
      order by x.entry desc
      limit 1
    ) last on true
    where (t.id >= ${fromId}::uuid or t.state in ('unmatched', 'ambiguous'))
      and (last.entry is null
        or last.entry <> last.count
        or (last.state, last.deposit_id) is distinct from (t.state, t.deposit_id))
    limit ${most}`)

/** An import that was undone left nothing, but for what another file tells of too. */
export const findLeftOfUndone = (db: Queryable, { fromDay, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select t.id, 'transfer: it is ' || t.state || ', and the import of its file ' || s.id || ' was undone' as detail
    from statements s
    join transfers t on t.statement_id = s.id
    where s.undone_at >= ${fromDay}::date
      and t.state <> 'revoked'
      and not exists (
        select from transfer_repeats r
        join statements o on o.id = r.statement_id
        where r.transfer_id = t.id and r.became is null and o.undo_started_at is null)
    limit ${most}`)

/** A source tells of accounts of its mode only, and money settles deposits of its mode only. */
export const findMixedTransfers = (db: Queryable, { fromId, most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select t.id,
      case
        when s.mode <> a.mode then 'transfer: a source of ' || s.mode || ' mode told of an account of ' || a.mode || ' mode'
        else 'transfer: money of ' || a.mode || ' mode settles a deposit of ' || m.mode || ' mode'
      end as detail
    from transfers t
    join bank_sources s on s.id = t.source_id
    join receiving_accounts a on a.id = t.account_id
    left join deposits d on d.id = t.deposit_id
    left join merchants m on m.id = d.merchant_id
    where (t.id >= ${fromId}::uuid or t.state in ('unmatched', 'ambiguous'))
      and (s.mode <> a.mode or m.mode <> a.mode)
    limit ${most}`)

/** Banks that push, and speak for every account because nobody has said for which. */
export const findUnboundSources = (db: Queryable, { most }: Scope): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select s.id, 'source "' || s.name || '": speaks for every ' || s.mode || ' account' as detail
    from bank_sources s
    where s.kind = 'push' and s.enabled and not s.is_bound
    order by s.created_at
    limit ${most}`)

/** While expiry waits after an absence of the whole installation, nothing is late. */
export const findOverdue = (db: Queryable, { most }: Scope, lateSeconds: number): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select d.id, 'is ' || d.state || ', its deadline was ' || d.expires_at as detail
    from deposits d
    cross join heartbeat h
    where d.state in ('builded', 'created')
      and not d.labels @> '{review}'
      and d.expires_at < inlet_now() - make_interval(secs => ${lateSeconds})
      and h.expiry_from < inlet_now() - make_interval(secs => ${lateSeconds})
    order by d.expires_at
    limit ${most}`)

export const findWrongLoads = (db: Queryable, { most }: Scope): Promise<Offender[]> =>
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
export const findOverfull = (db: Queryable, { most }: Scope): Promise<Offender[]> =>
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

export const findShiftedClock = (db: Queryable): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select 'clock' as id, 'shifted by ' || shift as detail
    from clock
    where shift <> '0'`)

export const findUnsafeSettings = (db: Queryable): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select name as id, 'is ' || setting as detail
    from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
    union all
    select 'server_version', 'PostgreSQL is older than 15'
    where current_setting('server_version_num')::int < 150000`)

export const findMissingPartitions = (
  db: Queryable,
  tables: readonly string[],
  days: number,
): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select parent || '_' || to_char(day, 'YYYYMMDD') as id, 'there is no partition for ' || day::date as detail
    from unnest(${tables}::text[]) as parent
    cross join generate_series(
      (inlet_now() at time zone 'UTC')::date, (inlet_now() at time zone 'UTC')::date + ${days}::int, interval '1 day')
      as day
    where not exists (
      select from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ('inlet.' || parent)::regclass and c.relname = parent || '_' || to_char(day, 'YYYYMMDD'))
    order by day, parent`)

/** Rules of the schema by name, and rights that the program must not have. */
export const findRulesOff = (
  db: Queryable,
  { constraints, triggers, indexes }: Record<'constraints' | 'triggers' | 'indexes', readonly string[]>,
): Promise<Offender[]> =>
  db.query<Offender>(sql`
    select name as id, 'this constraint is missing or not validated' as detail
    from unnest(${constraints}::text[]) as name
    where not exists (
      select from pg_constraint c
      where c.connamespace = 'inlet'::regnamespace and c.conname = name and c.convalidated)
    union all
    select name, 'this trigger is missing or disabled'
    from unnest(${triggers}::text[]) as name
    where not exists (
      select from pg_trigger t
      join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = 'inlet'::regnamespace and t.tgname = name and t.tgenabled in ('O', 'A'))
    union all
    select name, 'this index is missing or not valid'
    from unnest(${indexes}::text[]) as name
    where not exists (
      select from pg_index i
      join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = 'inlet'::regnamespace and c.relname = name and i.indisvalid and i.indisunique)
    union all
    select relation || ' ' || privilege, 'the role inlet_runtime must not have this right'
    from (values
      ('deposit_history', 'update'), ('deposit_history', 'delete'), ('deposits', 'delete'),
      ('callback_attempts', 'update'), ('callback_attempts', 'delete'), ('callbacks', 'delete'),
      ('transfer_decisions', 'update'), ('transfer_decisions', 'delete'), ('transfers', 'update'),
      ('transfers', 'delete'),
      ('audit_entries', 'update'), ('audit_entries', 'delete'), ('audit_seals', 'update'), ('audit_seals', 'delete'),
      ('clock', 'update')) as forbidden (relation, privilege)
    where has_table_privilege('inlet_runtime', 'inlet.' || relation, privilege)`)

/** Live keys whose seal does not open: made under another master key, or damaged. */
export async function findSealedKeys(db: Queryable, vault: Vault, { most }: Scope): Promise<Offender[]> {
  const rows = await db.query<{
    id: string
    merchant_id: string
    purpose: KeyPurpose
    secret_sealed: Buffer
  }>(sql`
    select id, merchant_id, purpose, secret_sealed
    from api_keys
    where not_after is null or not_after > inlet_now()`)
  return rows
    .filter((row) => {
      try {
        vault.open(
          row.secret_sealed,
          sealLabel({ id: row.id, merchantId: row.merchant_id, purpose: row.purpose }),
        )
        return false
      } catch {
        return true
      }
    })
    .slice(0, most)
    .map((row) => ({ id: row.id, detail: `a ${row.purpose} key of merchant ${row.merchant_id}` }))
}
