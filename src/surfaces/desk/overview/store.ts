/** What needs somebody, on the operator's overview. Each question reads a table that stays small: sources, accounts, requisites. */
import type { Mode } from '../../../domain/merchants/merchant.ts'
import { dayCents } from '../../../domain/requisites/load-store.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import type { FailingShop, Installed, LoadedLine, SilentLine } from './rows.ts'

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

/** The requisites that have used most of one of their limits, if it is more than four fifths. */
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
    where q."dayCents"::float8 > 0.8 * q."dailyCents" or q.open > 0.8 * q."openLimit"
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
