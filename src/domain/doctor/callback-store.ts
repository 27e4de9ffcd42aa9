/** What the doctor asks about events, their deliveries and endpoints. */

import { type Queryable, sql } from '../../platform/db.ts'
import { isHeldBack } from '../callbacks/store.ts'
import type { Offender, Scope } from './store.ts'

/** Every state that a deposit entered after its first has one callback. Optional events are the merchant's choice. */
export const findUntoldChanges = (db: Queryable, { fromId, fromDay, most }: Scope) =>
  db.query<Offender>(sql`
    select h.deposit_id as id, h.to_state || ' has ' || count(c.id) || ' callbacks' as detail
    from deposit_history h
    left join events c
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

/** `types` and `actions` are pairs: each event type with its history action. */
export const findPhantomCallbacks = (
  db: Queryable,
  { fromDay, most }: Scope,
  types: readonly string[],
  actions: readonly string[],
) =>
  db.query<Offender>(sql`
    select c.id, c.type || ' of deposit ' || c.deposit_id || ', which never happened' as detail
    from events c
    join unnest(${types}::text[], ${actions}::text[]) as expected (type, action) on expected.type = c.type
    where c.made_on >= ${fromDay}::date
      and not exists (
        select from deposit_history h where h.deposit_id = c.deposit_id and h.action = expected.action)
    limit ${most}`)

/**
 * Numbers are given in order of commit, days by the beginning of a transaction: around midnight they mix. So the first number
 * is taken from the second day on, and looked for in the first day too. Numbers that a restore skipped are not reported as missing.
 */
export const findGaps = (db: Queryable, { fromDay, most }: Scope) =>
  db.query<Offender>(sql`
    with kept as (
      select merchant_id, min(sequence) as first
      from events
      where made_on > ${fromDay}::date
      group by merchant_id
    ), counted as (
      select c.merchant_id, kept.first, max(c.sequence) as last, count(*) as count,
        count(distinct c.sequence) as numbers
      from events c
      join kept on kept.merchant_id = c.merchant_id and c.sequence >= kept.first
      where c.made_on >= ${fromDay}::date
      group by c.merchant_id, kept.first
    ), skipped as (
      select counted.merchant_id,
        coalesce(sum(upper(gap) - lower(gap)) filter (where upper(gap) <= counted.last), 0) as between_events,
        coalesce(sum(upper(gap) - lower(gap)) filter (where upper(gap) > counted.last), 0) as behind
      from counted
      left join event_counters e on e.merchant_id = counted.merchant_id
      left join unnest(e.skipped) as gap on lower(gap) > counted.first
      group by counted.merchant_id
    )
    select counted.merchant_id as id,
      'merchant: ' || count || ' events from ' || first || ' to ' || last || ', ' || count - numbers
        || ' repeated, counter at ' || coalesce(e.last_sequence::text, 'nothing') as detail
    from counted
    join skipped on skipped.merchant_id = counted.merchant_id
    left join event_counters e on e.merchant_id = counted.merchant_id
    where numbers <> count
      or numbers <> last - first + 1 - skipped.between_events
      or e.last_sequence - skipped.behind is distinct from last
    limit ${most}`)

export const findLostCallbacks = (db: Queryable, { fromDay, most }: Scope) =>
  db.query<Offender>(sql`
    select c.id, c.type || ' of deposit ' || c.deposit_id || ': not delivered, not waiting, not given up' as detail
    from events c
    where c.made_on >= ${fromDay}::date
      and not exists (
        select from delivery_attempts a
        where a.made_on = c.made_on and a.event_id = c.id and a.outcome = 'ok')
      and not exists (select from deliveries d where d.event_id = c.id)
    limit ${most}`)

/** The inner limit keeps this a probe of one partition for each open row. */
export const findStrayDue = (db: Queryable, { most }: Scope) =>
  db.query<Offender>(sql`
    select d.event_id as id,
      case
        when c.id is null then 'waits for endpoint ' || d.endpoint_id || ', but its event of ' || d.made_on || ' is gone'
        else 'waits for endpoint ' || d.endpoint_id || ' and deposit ' || d.deposit_id || ', its event says otherwise'
      end as detail
    from deliveries d
    left join lateral (
      select k.id, k.merchant_id, k.deposit_id, k.sequence
      from events k
      where k.made_on = d.made_on and k.id = d.event_id
      limit 1
    ) c on true
    left join endpoints p on p.id = d.endpoint_id
    where d.state = 'open'
      and (c.id is null
        or (c.merchant_id, c.merchant_id, c.deposit_id, c.sequence)
          is distinct from (d.merchant_id, p.merchant_id, d.deposit_id, d.sequence))
    limit ${most}`)

/** A lease too far in the future blocks other nodes; one long expired with work due means that no node serves the lane. */
export const findBadLeases = (
  db: Queryable,
  { most }: Scope,
  { aheadSeconds, overSeconds }: { aheadSeconds: number; overSeconds: number },
) =>
  db.query<Offender>(sql`
    select l.id::text as id, 'endpoint of merchant ' || l.merchant_id || ', owned until ' || l.owner_until as detail
    from endpoints l
    where l.owner_until > now() + make_interval(secs => ${aheadSeconds})
      or (l.owner is not null
        and l.state = 'active'
        and l.open_until <= inlet_now()
        and l.owner_until < now() - make_interval(secs => ${overSeconds})
        and exists (
          select from deliveries d
          where d.endpoint_id = l.id
            and d.due_at < inlet_now() - make_interval(secs => ${overSeconds})
            and not ${isHeldBack}))
    limit ${most}`)

/** The merchant's own lane waits exactly while there is no address. */
export const findWrongLanes = (db: Queryable, { most }: Scope) =>
  db.query<Offender>(sql`
    select m.id,
      'merchant ' || case when m.callback_url is null then 'without' else 'with' end || ' an address: its endpoint '
        || coalesce('is ' || l.state, 'does not exist') as detail
    from merchants m
    left join endpoints l on l.merchant_id = m.id and l.origin is null
    where l.id is null or (l.state = 'waiting' and m.callback_url is not null)
      or (l.state = 'active' and m.callback_url is null)
    union all
    select l.merchant_id, 'endpoint ' || l.id || ' of ' || l.origin || ' waits, though its callbacks have addresses'
    from endpoints l
    where l.origin is not null and l.state = 'waiting'
    limit ${most}`)

/** Left out: what waits behind an earlier callback of its deposit, by the rule of order. */
export const findUnsent = (db: Queryable, { most }: Scope, lateSeconds: number) =>
  db.query<Offender>(sql`
    select late.event_id as id,
      'due since ' || late.due_at || ' at endpoint ' || l.id || ' of merchant ' || l.merchant_id as detail
    from endpoints l
    cross join lateral (
      select d.event_id, d.due_at
      from deliveries d
      where d.endpoint_id = l.id
        and d.due_at < inlet_now() - make_interval(secs => ${lateSeconds})
        and not ${isHeldBack}
      order by d.due_at
      limit ${most}
    ) late
    where l.state = 'active' and l.open_until <= inlet_now()
    order by late.due_at
    limit ${most}`)
