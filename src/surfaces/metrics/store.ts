/**
 * The queries of the metrics. Each costs the same however many deposits there are: none counts
 * deposits, and each goes by an index or over a table as small as the number of requisites or endpoints.
 */
import { isHeldBack } from '../../domain/callbacks/store.ts'
import { oldestOverdue } from '../../domain/deposits/overdue-store.ts'
import type { Mode } from '../../domain/merchants/merchant.ts'
import type { Currency } from '../../domain/money.ts'
import { type Queryable, sql } from '../../platform/db.ts'

/** active: sends. open: its breaker rests it after failures. waiting: has no address. paused: stopped. */
export const laneViews = ['active', 'open', 'waiting', 'paused'] as const
type LaneView = (typeof laneViews)[number]

type OpenDeposits = { mode: Mode; currency: Currency; deposits: number }

export const readOpenDeposits = (db: Queryable) =>
  db.query<OpenDeposits>(sql`
    select r.mode, r.currency, sum(l.open_deposits)::float8 as deposits
    from requisite_loads l
    join requisites r on r.id = l.requisite_id
    group by r.mode, r.currency
    order by r.mode, r.currency`)

export type LaneReading = { view: LaneView; lanes: number; queued: number; oldest_due_seconds: number }

/**
 * Lanes by what they do, with their queues. Hops from lane to lane by index; a long queue is counted up to `most`,
 * so that the backlog of one dead shop does not make the question expensive. What waits behind an earlier callback
 * of its deposit is not late: the first thousand that are due are searched for one that is.
 */
export const readLanes = (db: Queryable, most: number) =>
  db.query<LaneReading>(sql`
    with recursive busy (endpoint_id) as (
      select min(endpoint_id) from deliveries
      union all
      select (select min(d.endpoint_id) from deliveries d where d.endpoint_id > busy.endpoint_id)
      from busy
      where busy.endpoint_id is not null
    ), queues as materialized (
      select
        busy.endpoint_id,
        (select count(*)
         from (select from deliveries d where d.endpoint_id = busy.endpoint_id and d.due_at < 'infinity' limit ${most}) counted) as queued,
        (select d.due_at
         from (
           select k.endpoint_id, k.deposit_id, k.sequence, k.due_at
           from deliveries k
           where k.endpoint_id = busy.endpoint_id and k.due_at <= inlet_now()
           order by k.due_at
           limit 1000
         ) d
         where not ${isHeldBack}
         order by d.due_at
         limit 1) as oldest
      from busy
      where busy.endpoint_id is not null
    ), lanes as (
      select
        l.id,
        case when l.state = 'active' and (l.trips > 0 or l.open_until > inlet_now()) then 'open' else l.state end
          as view
      from endpoints l
    )
    select
      lanes.view,
      count(*)::float8 as lanes,
      coalesce(sum(queues.queued), 0)::float8 as queued,
      greatest(0, coalesce(extract(epoch from inlet_now() - min(queues.oldest)), 0))::float8 as oldest_due_seconds
    from lanes
    left join queues on queues.endpoint_id = lanes.id
    group by lanes.view`)

type Pulse = {
  failing_lanes: number
  failing_seconds: number
  dead: number
  /** Rows of the queue that are gone and cannot be cleared away yet. */
  queue_dead_rows: number
  overdue_seconds: number
  /** The longest silence of a live account beyond what the operator finds right; 0 when there is none. */
  silent_seconds: number
  /** null before the first beat of an installation. */
  heartbeat_seconds: number | null
}

export const readPulse = (db: Queryable, mostDead: number) =>
  db.one<Pulse>(sql`
    select
      failing.lanes::float8 as failing_lanes,
      greatest(0, coalesce(extract(epoch from inlet_now() - failing.since), 0))::float8 as failing_seconds,
      (select count(*) from (select from deliveries where state = 'dead' limit ${mostDead}) counted)::float8 as dead,
      coalesce((select n_dead_tup from pg_stat_user_tables where relname = 'deliveries'), 0)::float8
        as queue_dead_rows,
      coalesce(extract(epoch from inlet_now() - ${oldestOverdue}), 0)::float8
        as overdue_seconds,
      coalesce((
        select max(extract(epoch from inlet_now() - coalesce(a.heard_at, a.created_at)))
        from receiving_accounts a
        where a.enabled
          and a.mode = 'live'
          and coalesce(a.heard_at, a.created_at) <= inlet_now() - make_interval(hours => a.silent_hours)), 0)::float8
        as silent_seconds,
      (select extract(epoch from now() - h.last_beat)::float8
       from upkeep h
       where h.last_beat > '-infinity') as heartbeat_seconds
    from (
      select count(*) as lanes, min(failing_since) as since
      from endpoints
      where state = 'active' and failing_since is not null
    ) failing`)
