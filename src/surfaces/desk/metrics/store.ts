/**
 * The queries of the day's numbers. Each reads the newest rows up to a maximum, so its cost does not grow with the
 * table.
 */
import { paymentSeconds } from '../../../domain/deposits/read-store.ts'
import { bounds } from '../../../platform/bounds.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import type { DayNumbers, FlowStep } from './rows.ts'

/** Enough rows to see how the day goes, few enough to count on every request. */
export const sampleMost = 5_000

const stepSeconds = 15
const steps = 60

/** The last quarter of an hour in steps; the last step is still running. */
export async function readFlow(db: Queryable): Promise<FlowStep[]> {
  const counts = await db.query<{
    what: keyof Omit<FlowStep, 'at'> | 'now'
    at: Date | null
    count: number
  }>(sql`
    with span as materialized (
      select inlet_now() as now, inlet_now() - ${stepSeconds * steps}::int * interval '1 second' as since
    ), happened as (
      (select 'made' as what, created_at as at
      from (select created_at from deposits order by id desc limit ${sampleMost}) newest)
      union all
      (select 'confirmed', final_at
      from deposits
      where state = 'confirmed' and final_at > (select since from span)
      order by final_at desc
      limit ${sampleMost})
      union all
      (select 'acknowledged', case when outcome = 'ok' then at + ms * interval '1 millisecond' end
      from delivery_attempts
      where made_on >= ((select since from span) at time zone 'UTC')::date
      order by made_on desc, event_id desc
      limit ${sampleMost})
    )
    select what, date_bin(${stepSeconds}::int * interval '1 second', at, 'epoch') as at, count(*)::int as count
    from happened
    where at > (select since from span) or at is null
    group by 1, 2
    union all
    select 'now', date_bin(${stepSeconds}::int * interval '1 second', now, 'epoch'), 0
    from span`)
  const last = counts.find(({ what }) => what === 'now')!.at!.getTime()
  const times = Array.from({ length: steps }, (_, step) => last - (steps - 1 - step) * stepSeconds * 1_000)
  const series = (what: keyof Omit<FlowStep, 'at'>) => {
    const own = counts.filter((count) => count.what === what)
    const steps = new Map(own.flatMap(({ at, count }) => (at ? [[at.getTime(), count] as const] : [])))
    // A full sample begins in the middle of its first step, so that step and the ones before it are unknown.
    const isFull = own.reduce((sum, { count }) => sum + count, 0) >= sampleMost
    const known = isFull ? Math.min(...steps.keys()) + 1 : 0
    return times.map((at) => (at < known ? null : (steps.get(at) ?? 0)))
  }
  const [made, confirmed, acknowledged] = [series('made'), series('confirmed'), series('acknowledged')]
  return times.map((at, step) => ({
    at: new Date(at),
    made: made[step]!,
    confirmed: confirmed[step]!,
    acknowledged: acknowledged[step]!,
  }))
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
  const [times] = await db.query<Pick<DayNumbers, 'median' | 'p95'>>(sql`
    with recent as materialized (
      select final_at, issued_at
      from deposits
      where state = 'confirmed'
        and final_at >= (date_trunc('day', inlet_now() at time zone ${timeZone}) at time zone ${timeZone})
      order by final_at desc, id desc
      limit ${sampleMost}
    )
    select
      percentile_cont(0.5) within group (order by ${paymentSeconds}) as median,
      percentile_cont(0.95) within group (order by ${paymentSeconds}) as p95
    from recent`)
  const [callbacks] = await db.query<{ made: number; acked: number }>(sql`
    with recent as materialized (
      select made_on, id
      from events
      where made_on = (inlet_now() at time zone 'UTC')::date
      order by id desc
      limit ${sampleMost}
    )
    select count(*)::int as made, (count(*) filter (where exists (
      select
      from (
        select outcome
        from delivery_attempts a
        where a.made_on = c.made_on and a.event_id = c.id
        order by a.at desc
        limit ${bounds.attemptsRead}) a
      where a.outcome = 'ok')))::int as acked
    from recent c`)
  const requisites = await db.query<{ id: string; label: string }>(sql`
    select id, bank_name || ' •••• ' || right(number, 4) as label
    from requisites
    where id = any(${groups.flatMap((group) => group.requisiteId ?? [])}::uuid[])`)
  return {
    groups,
    median: times?.median ?? null,
    p95: times?.p95 ?? null,
    callbacks: callbacks!,
    requisites: new Map(requisites.map((requisite) => [requisite.id, requisite.label])),
  }
}
