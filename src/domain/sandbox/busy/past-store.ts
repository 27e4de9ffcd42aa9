/**
 * The queries of `inlet demo busy`: its own clock, and the data of the demo. Only the owner of the schema may move the clock.
 * It is moved inside a transaction and reset before the commit, so nobody else sees it.
 */
import { type Db, type Queryable, queryable, sql, type Tx } from '../../../platform/db.ts'
import type { Currency } from '../../money.ts'
import type { RequisiteKind } from '../../requisites/requisite.ts'

type PastDb = Db & {
  /** Everything that is done meanwhile becomes one transaction: its commit is most of the cost of a single act. */
  inOne<Result>(work: () => Promise<Result>): Promise<Result>
}

/** The same database, with another time in its transactions. For one caller after another. */
export function databaseAt(owner: Db, now: () => Date): PastDb {
  let open: Tx | undefined
  let clock: Date | undefined
  const inOne: PastDb['inOne'] = (work) =>
    owner.transaction(async (tx) => {
      open = tx
      clock = undefined
      try {
        // A crash loses the demo's newest data at most.
        await tx.run(sql`set local synchronous_commit = off`)
        const result = await work()
        await tx.run(sql`update installation set shift = '0'`)
        return result
      } finally {
        open = undefined
      }
    })
  const transaction: Db['transaction'] = async (work) => {
    if (!open) return inOne(() => transaction(work))
    if (clock !== now()) {
      clock = now()
      await open.run(sql`update installation set shift = ${clock}::timestamptz - now()`)
    }
    return work(open)
  }
  return {
    ...owner,
    ...queryable((statement) => transaction((tx) => tx.query(statement))),
    together: (ask) => transaction(ask),
    transaction,
    inOne,
  }
}

/** What prevents a busy day here: merchants or accounts that are not the demo's, an earlier busy day, or a running server. */
export const readObstacles = (db: Queryable) =>
  db.one<{ foreign: boolean; isBusy: boolean; isRunning: boolean; now: Date }>(sql`
    select
      exists (select from merchants where not is_demo)
        or exists (select from receiving_accounts where not is_demo) as foreign,
      (select count(*) from merchants) > 1 as "isBusy",
      exists (
        select from pg_stat_activity
        where datname = current_database() and application_name like current_schema || '/%/server') as "isRunning",
      inlet_now() as now`)

/** Each requisite of the demo settles on an account of its own. */
export type DemoAccount = {
  accountId: string
  currency: Currency
  kind: RequisiteKind
  bankCode: string | null
  number: string
}

export const listDemoAccounts = (db: Queryable) =>
  db.query<DemoAccount>(sql`
    select a.id as "accountId", a.currency, r.kind, r.bank_code as "bankCode", r.number
    from requisites r
    join receiving_accounts a on a.id = r.account_id
    where a.is_demo
    order by a.currency, r.kind, r.number`)

/** Today's load of the requisite that was used most, of each currency. */
export const listMostLoaded = (db: Queryable) =>
  db.query<{ id: string; currency: Currency; dayCents: bigint; openDeposits: number }>(sql`
    select distinct on (r.currency) r.id, r.currency, l.day_cents as "dayCents", l.open_deposits as "openDeposits"
    from requisites r
    join requisite_loads l on l.requisite_id = r.id
    where l.day = bank_day(r.currency, inlet_now()) and l.day_cents > 0
    order by r.currency, l.day_cents desc`)

/** Transfers that wait for a person since before the given time, oldest first; of a held one, the payment that it is. */
export const listOpenTransfers = (db: Queryable, before: Date, limit: number) =>
  db.query<{ id: string; isOwed: boolean; sameAs: string | null }>(sql`
    select id, state = 'unmatched' as "isOwed", held_with[1] as "sameAs"
    from transfers t
    where taken_at < ${before}
      and (state in ('unmatched', 'ambiguous')
        or (state = 'held' and exists (select from transfers o where o.id = t.held_with[1] and o.cents = t.cents)))
    order by taken_at, id
    limit ${limit}`)
