/**
 * The figures of the operator's overview. Each question reads the newest rows of one index up to a maximum, or a table that
 * stays small (sources, accounts, requisites), so its cost does not grow with the deposits.
 */
import { dayEnd, dayStart } from '../../../domain/deposits/search-store.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import { dayCents } from '../../../domain/requisites/load-store.ts'
import { isParked } from '../../../domain/transfers/report-store.ts'
import { moneyIn } from '../../../domain/transfers/store.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import { countedMost, type QueueKind, queueKinds, stateKinds } from '../queue/queue.ts'
import { isClaimed, unbookedTransfers } from '../queue/store.ts'
import {
  type FailingShop,
  type HourLine,
  type Installed,
  type LoadedLine,
  type MoneyLine,
  maxTodayDeposits,
  type QueueAges,
  type SilentLine,
} from './rows.ts'

/** A day in a zone, by the hour. `until`: the current time of day, such as `14:35`. */
export const readHours = (
  db: Queryable,
  { mode, day, until, zone }: { mode: Mode; day: string; until: string; zone: string },
) => {
  const whole = { day, until: null, zone }
  const part = { day, until, zone }
  return db.query<HourLine>(sql`
    with happened as (
      (select 'created' as what, d.at
       from merchants m
       cross join lateral (
         select created_at as at
         from deposits
         where merchant_id = m.id
           and created_at >= ${dayStart(whole)}
           and created_at < ${dayEnd(whole)}
         limit ${maxTodayDeposits + 1}) d
       where m.mode = ${mode}
       limit ${maxTodayDeposits + 1})
      union all
      (select 'confirmed', d.at
       from (
         select final_at as at, merchant_id
         from deposits
         where state = 'confirmed'
           and final_at >= ${dayStart(whole)}
           and final_at < ${dayEnd(whole)}
         order by final_at desc
         limit ${maxTodayDeposits + 1}) d
       join merchants m on m.id = d.merchant_id
       where m.mode = ${mode})
    )
    select what, extract(hour from at at time zone ${zone})::int as hour, count(*)::int as count,
      (count(*) filter (where at < ${dayEnd(part)}))::int as early
    from happened
    group by 1, 2`)
}

export const readInstalled = (db: Queryable) =>
  db.one<Installed>(sql`
    select
      inlet_now() as now,
      exists (select from merchants where mode = 'live') as "hasLive",
      exists (select from merchants where mode = 'test') as "hasTest",
      exists (select from requisites) as "hasRequisites",
      exists (select from bank_sources where kind = 'push')
        or exists (select from statements) as "hasSources",
      (select count(*) from (select from people where operator_role is not null limit 2) p) > 1 as "hasColleagues",
      exists (select from deposits) as "hasDeposits"`)

/** For each kind, how many items wait longer than each of these hours, counted to the maximum + 1, and the oldest. */
export async function readAges(db: Queryable, hours: readonly number[]): Promise<QueueAges> {
  const rows = await db.query<{ kind: QueueKind; ages: number[]; oldest: Date | null }>(sql`
    with waiting as materialized (
      (select k.kind, t.since
       from unnest(${[...stateKinds]}::text[]) as k (kind)
       cross join lateral (
         select taken_at as since
         from transfers
         where state = k.kind
         order by taken_at, id
         limit ${countedMost + 1}) t)
      union all
      (select 'unbooked', t.taken_at
       from ${unbookedTransfers}
       order by t.taken_at, t.id
       limit ${countedMost + 1})
      union all
      (select 'parked', min(p.parked_at)
       from (
         select statement_id, parked_at
         from report_rows
         where ${isParked}
         order by parked_at, statement_id, place
         limit ${countedMost + 1}) p
       group by p.statement_id)
      union all
      (select 'claimed', claimed_at
       from deposits
       where ${isClaimed}
       order by late_until
       limit ${countedMost + 1})
      union all
      (select 'review', created_at
       from deposits
       where labels @> '{review}'
       order by final_at, id
       limit ${countedMost + 1})
      union all
      (select 'proposal', proposed_at
       from proposals
       where state = 'open'
       order by proposed_at, id
       limit ${countedMost + 1})
    )
    select k.kind,
      array(
        select (
          select count(*)::int
          from waiting w
          where w.kind = k.kind and w.since <= (select inlet_now()) - h.hours * interval '1 hour')
        from unnest(${hours}::int[]) with ordinality as h (hours, place)
        order by h.place) as ages,
      (select min(w.since) from waiting w where w.kind = k.kind) as oldest
    from unnest(${queueKinds}::text[]) as k (kind)`)
  return Object.fromEntries(rows.map(({ kind, ...ages }) => [kind, ages])) as QueueAges
}

/** Money that came in on this day, and how much of it found its deposit. */
export const readMoney = (db: Queryable, { mode, day, zone }: { mode: Mode; day: string; zone: string }) =>
  db.query<MoneyLine>(sql`
    select t.currency, count(*)::int as seen, sum(t.cents) as "seenCents",
      (count(*) filter (where t.state = 'matched'))::int as matched,
      coalesce(sum(t.cents) filter (where t.state = 'matched'), 0) as "matchedCents"
    from unnest(${moneyIn}::text[]) as s (state)
    cross join lateral (
      select state, currency, cents, account_id
      from transfers
      where state = s.state
        and taken_at >= ${dayStart({ day, until: null, zone })}
        and taken_at < ${dayEnd({ day, until: null, zone })}
      order by taken_at desc, id desc
      limit ${maxTodayDeposits + 1}) t
    join receiving_accounts a on a.id = t.account_id
    where a.mode = ${mode}
    group by t.currency`)

/** Sources without a push for a day, the longest silent first. */
export const listSilentSources = (db: Queryable, mode: Mode, limit: number) =>
  db.query<SilentLine>(sql`
    select id, name, last_used_at as since
    from bank_sources
    where kind = 'push' and enabled and mode = ${mode}
      and coalesce(last_used_at, created_at) < inlet_now() - interval '1 day'
    order by coalesce(last_used_at, created_at), id
    limit ${limit}`)

/** Accounts without bank data for longer than their setting allows. */
export const listSilentAccounts = (db: Queryable, mode: Mode, limit: number) =>
  db.query<SilentLine>(sql`
    select id, label as name, heard_at as since
    from receiving_accounts
    where enabled and mode = ${mode}
      and coalesce(heard_at, created_at) <= inlet_now() - make_interval(hours => silent_hours)
    order by coalesce(heard_at, created_at), id
    limit ${limit}`)

/** The requisites that are nearest to one of their limits. */
export const listLoaded = (db: Queryable, mode: Mode, limit: number) =>
  db.query<LoadedLine>(sql`
    select q.id, q."bankName", q.digits, q.currency, q."dayCents", q."dailyCents", q.open, q."openLimit",
      greatest(
        coalesce(q."dayCents"::float8 / nullif(q."dailyCents", 0), 0),
        coalesce(q.open::float8 / nullif(q."openLimit", 0), 0)) as used
    from (
      select r.id, r.bank_name as "bankName", right(r.number, 4) as digits, r.currency, ${dayCents} as "dayCents",
        r.daily_cents as "dailyCents", l.open_deposits as open, r.open_deposits as "openLimit"
      from requisites r
      join receiving_accounts a on a.id = r.account_id
      join requisite_loads l on l.requisite_id = r.id
      where r.enabled and a.enabled and r.mode = ${mode}
        and (r.daily_cents is not null or r.open_deposits is not null)
      limit 5000
    ) q
    order by used desc, q.id
    limit ${limit}`)

/** Endpoints that are paused or have failed for a while; a merchant with many of them is named once. */
export const listFailing = (db: Queryable, mode: Mode, limit: number) =>
  db.query<FailingShop>(sql`
    select m.id as "merchantId", m.name, l.origin, l.state = 'paused' as "isPaused", l.failing_since as since
    from (
      select merchant_id, origin, state, failing_since,
        row_number() over (partition by merchant_id order by failing_since nulls last, id) as place
      from endpoints
      where state = 'paused' or failing_since is not null
    ) l
    join merchants m on m.id = l.merchant_id
    where l.place = 1 and m.mode = ${mode}
      and (l.state = 'paused' or l.failing_since < inlet_now() - interval '10 minutes')
    order by l.failing_since nulls last, m.id
    limit ${limit}`)
