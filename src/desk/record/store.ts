/** The numbers of the day. Each goes over the newest rows up to a bound, however many there are. */
import { type Queryable, sql } from '../../platform/db.ts'
import type { DayNumbers, FlowStep } from './rows.ts'

/** Enough to tell how the day goes, few enough to count at every look. */
export const sampleMost = 5_000

const stepSeconds = 15
const steps = 60

/** The last quarter of an hour, step by step; the last step is not over yet. */
export async function readFlow(db: Queryable): Promise<FlowStep[]> {
  return db.query<FlowStep>(sql`
    with edge as materialized (
      select date_bin(${stepSeconds}::int * interval '1 second', inlet_now(), 'epoch') as last,
        ${stepSeconds}::int * interval '1 second' as step
    ), made as materialized (
      select created_at as at from deposits order by id desc limit ${sampleMost}
    ), confirmed as materialized (
      select final_at as at
      from deposits
      where state = 'confirmed'
      order by final_at desc, id desc
      limit ${sampleMost}
    ), told as materialized (
      select acked_at as at
      from callbacks
      where made_on >= (inlet_now() at time zone 'UTC')::date - 1
      order by made_on desc, id desc
      limit ${sampleMost}
    ), happened as (
      select 'made' as what, at from made
      union all
      select 'confirmed', at from confirmed
      union all
      select 'told', at from told where at is not null
    ), counted as (
      select what, date_bin(step, at, 'epoch') as at, count(*)::int as count
      from happened, edge
      group by 1, 2
    ), reach as (
      select what, case when count(*) >= ${sampleMost} then min(at) end as since
      from happened
      group by what
    )
    select s.at,
      max(case when w.what = 'made' then w.count end) as made,
      max(case when w.what = 'confirmed' then w.count end) as confirmed,
      max(case when w.what = 'told' then w.count end) as told
    from edge
    cross join lateral generate_series(last - (${steps}::int - 1) * step, last, step) as s (at)
    cross join lateral (
      select k.what, case when r.since > s.at then null else coalesce(c.count, 0) end as count
      from (values ('made'), ('confirmed'), ('told')) as k (what)
      left join reach r on r.what = k.what
      left join counted c on c.what = k.what and c.at = s.at
    ) w
    group by s.at
    order by s.at`)
}

export async function readDay(db: Queryable, timeZone: string): Promise<DayNumbers> {
  const groups = await db.query<DayNumbers['groups'][number]>(sql`
    with today as materialized (
      select (date_trunc('day', inlet_now() at time zone ${timeZone}) at time zone ${timeZone}) as start
    ), recent as materialized (
      select payment_type, requisite_id, state, received_cents, created_at
      from deposits
      order by id desc
      limit ${sampleMost}
    )
    select payment_type as "paymentType", requisite_id as "requisiteId", state, count(*)::int as deposits,
      (count(*) filter (where received_cents > 0))::int as "withMoney"
    from recent
    where created_at >= (select start from today)
    group by payment_type, requisite_id, state`)
  const [times] = await db.query<Pick<DayNumbers, 'half' | 'most'>>(sql`
    with recent as materialized (
      select final_at, issued_at
      from deposits
      where state = 'confirmed'
        and final_at >= (date_trunc('day', inlet_now() at time zone ${timeZone}) at time zone ${timeZone})
      order by final_at desc, id desc
      limit ${sampleMost}
    )
    select
      percentile_cont(0.5) within group (order by extract(epoch from final_at - issued_at)::float8) as half,
      percentile_cont(0.95) within group (order by extract(epoch from final_at - issued_at)::float8) as most
    from recent
    where issued_at is not null`)
  const [callbacks] = await db.query<{ made: number; acked: number }>(sql`
    with recent as materialized (
      select acked_at
      from callbacks
      where made_on = (inlet_now() at time zone 'UTC')::date
      order by id desc
      limit ${sampleMost}
    )
    select count(*)::int as made, count(acked_at)::int as acked
    from recent`)
  const requisites = await db.query<{ id: string; label: string }>(sql`
    select id, bank_name || ' …' || right(number, 4) as label
    from requisites
    where id = any(${groups.flatMap((one) => one.requisiteId ?? [])}::uuid[])`)
  return {
    groups,
    half: times?.half ?? null,
    most: times?.most ?? null,
    callbacks: callbacks!,
    requisites: new Map(requisites.map((one) => [one.id, one.label])),
  }
}
