/**
 * The lines of a report, read page by page. All of it is one snapshot of the database: a transfer that is decided
 * while a report is being written appears in it everywhere as it was before.
 *
 * Transfers are read account by account, in the order of the index transfers_by_day, so that a page costs the
 * same at any depth.
 */
import { fragment, type Queryable, sql, type Tx, unprepared } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Cents, Currency } from '../money.ts'
import type { RequisiteKind } from '../requisites/requisite.ts'
import { apartStates, type Period } from './report.ts'

export const reportBounds = {
  page: 1_000,
  /** The time for the query of a page, and for the reader to take it. */
  statementMs: 300_000,
  idleMs: 600_000,
} as const

export type ReportScope = Period & {
  mode: Mode
  merchantId: string | null
  accountId: string | null
  currency: Currency | null
}

/** Makes the transaction a read-only snapshot. */
export async function openSnapshot(tx: Tx): Promise<{ now: Date }> {
  await tx.query(sql`set transaction isolation level repeatable read, read only`)
  const [row] = await tx.query<{ now: Date }>(sql`
    select
      inlet_now() as now,
      set_config('idle_in_transaction_session_timeout', ${String(reportBounds.idleMs)}, true)`)
  return { now: row!.now }
}

/** The merchant's mode; without one, live if any merchant is live. */
export async function findReportMode(db: Queryable, merchantId: string | null): Promise<Mode | undefined> {
  const [row] = await db.query<{ mode: Mode }>(sql`
    select mode
    from merchants
    where ${merchantId}::uuid is null or id = ${merchantId}
    order by mode
    limit 1`)
  return row?.mode ?? (merchantId === null ? 'test' : undefined)
}

/** Today in the zone of this currency's banks. */
export async function readBankDay(db: Queryable, currency: Currency): Promise<string> {
  const [row] = await db.query<{ day: string }>(sql`select bank_day(${currency}, inlet_now()) as day`)
  return row!.day
}

export type ReportAccount = {
  id: string
  label: string
  number: string | null
  merchantId: string | null
  requisites: { id: string; kind: RequisiteKind; number: string }[]
}

/** The accounts with transfers of these days. */
export const listReportAccounts = (db: Queryable, scope: ReportScope) =>
  db.query<ReportAccount>(sql`
    select a.id, a.label, a.number, a.merchant_id as "merchantId",
      coalesce(
        (select json_agg(json_build_object('id', r.id, 'kind', r.kind, 'number', r.number) order by r.created_at, r.id)
         from requisites r
         where r.account_id = a.id),
        '[]') as requisites
    from receiving_accounts a
    where a.mode = ${scope.mode}
      and (${scope.accountId}::uuid is null or a.id = ${scope.accountId})
      and exists (
        select from transfers t
        where t.account_id = a.id and t.booked_on between ${scope.from}::date and ${scope.to}::date)
    order by a.currency, a.created_at, a.id`)

/** The transfers of a report; one that was split is of the merchant of its first deposit. */
const isInScope = (scope: ReportScope) => fragment`
  t.account_id in (select a.id from receiving_accounts a where a.mode = ${scope.mode})
  and (${scope.accountId}::uuid is null or t.account_id = ${scope.accountId})
  and t.booked_on between ${scope.from}::date and ${scope.to}::date
  and (${scope.currency}::text is null or t.currency = ${scope.currency})
  and (${scope.merchantId}::uuid is null or ${scope.merchantId} = coalesce(
    (select d.merchant_id
     from deposits d
     where d.id = coalesce(
       (select s.deposit_id from allocations s where s.transfer_id = t.id order by s.deposit_id limit 1),
       (select x.deposit_ids[1]
        from transfer_decisions x
        where x.transfer_id = t.id and x.deposit_ids <> '{}' and t.state in ('refunded', 'revoked')
        order by x.entry desc
        limit 1))),
    (select a.merchant_id from receiving_accounts a where a.id = t.account_id)))`

export type BookSum = {
  currency: Currency
  transfers: number
  /** Of all transfers, received or not. */
  cents: Cents
  receivedCents: Cents
  depositCents: Cents
  refundCents: Cents
  openCents: Cents
  /** Transfers whose parts do not add up: two errors could cancel out in the sum. */
  unbalanced: number
}

/**
 * The books of a period by currency, and the control of its lines, which are read by other queries. What is with deposits is summed
 * from its parts, not from the transfers.
 */
export function sumBooks(tx: Tx, scope: ReportScope): Promise<BookSum[]> {
  return tx.query<BookSum>(
    unprepared(sql`
      select
        t.currency, count(*)::int as transfers, sum(t.cents) as cents, sum(t.received) as "receivedCents", sum(t.parts) as "depositCents",
        sum(t.refund_cents) as "refundCents", sum(t.open_cents) as "openCents",
        (count(*) filter (where t.received <> t.parts + t.refund_cents + t.open_cents))::int as unbalanced
      from (
        select t.currency, t.cents, t.refund_cents, t.open_cents,
          case when t.state = any(${apartStates}::text[]) then 0 else t.cents end as received,
          (select coalesce(sum(s.cents), 0) from allocations s where s.transfer_id = t.id) as parts
        from transfers t
        where ${isInScope(scope)}
      ) t
      group by t.currency
      order by t.currency`),
  )
}

/** Deposits that were confirmed in these days and that no transfer settles. */
export const isByHand = (scope: ReportScope) => fragment`
  d.state = 'confirmed'
  and d.final_at < (${scope.to}::date + 2)::timestamp at time zone 'UTC'
  and bank_day(d.currency, d.final_at) between ${scope.from}::date and ${scope.to}::date
  and m.mode = ${scope.mode}
  and (${scope.accountId}::uuid is null or d.account_id = ${scope.accountId})
  and (${scope.currency}::text is null or d.currency = ${scope.currency})
  and (${scope.merchantId}::uuid is null or d.merchant_id = ${scope.merchantId})
  and not exists (select from allocations s where s.deposit_id = d.id)`

export type ByHandSum = { currency: Currency; deposits: number; cents: Cents }

/** What people confirmed without a transfer: as they noted it, or the whole amount. */
export function sumByHand(tx: Tx, scope: ReportScope): Promise<ByHandSum[]> {
  return tx.query<ByHandSum>(
    unprepared(sql`
      select d.currency, count(*)::int as deposits,
        sum(case when d.received_cents > 0 then d.received_cents else d.amount_cents end) as cents
      from deposits d
      join merchants m on m.id = d.merchant_id
      where ${isByHand(scope)} and d.final_at > (${scope.from}::date - 1)::timestamp at time zone 'UTC'
      group by d.currency
      order by d.currency`),
  )
}

/** Reads page after page, until one is not full. */
export async function* pagesOf<Row>(
  read: (last: Row | undefined) => Promise<Row[]>,
  size: number = reportBounds.page,
): AsyncGenerator<Row[], void, undefined> {
  let last: Row | undefined
  do {
    const rows = await read(last)
    if (rows.length > 0) yield rows
    last = rows.length === size ? rows.at(-1) : undefined
  } while (last)
}

/** Before every id. */
export const firstId = '00000000-0000-0000-0000-000000000000'
