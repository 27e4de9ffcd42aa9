/** How much requisites and their accounts carry already, in the database. */
import { type Fragment, fragment, sql, type Tx } from '../../platform/db.ts'
import type { Cents } from '../money.ts'
import type { AccountLoad } from './choice.ts'

/** What the requisite `r` has taken today, by its load `l`: at the first deposit of a day, yesterday's sum is still there. */
export const dayCents = fragment`
  case when l.day = bank_day(r.currency, (select inlet_now())) then l.day_cents else 0 end`

/** The load of the account `a` over all its requisites, as `u`. Not computed where it has no limits. */
const accountLoad = fragment`
  cross join lateral (
    select
      coalesce(sum(ul.open_deposits), 0)::int as open_deposits,
      coalesce(sum(ul.day_cents) filter (
        where ul.day = bank_day(ur.currency, (select inlet_now()))), 0)::bigint as day_cents,
      coalesce(sum(ul.month_cents) filter (
        where ul.month = bank_month(ur.currency, (select inlet_now()))), 0)::bigint as month_cents
    from requisites ur
    join requisite_loads ul on ul.requisite_id = ur.id
    where ur.account_id = a.id
      and (a.open_deposits is not null or a.day_cents is not null or a.month_cents is not null)
  ) u`

/** Requisites `r` with their loads `l`, on their accounts `a` with the loads `u`. */
export const loadedRequisites = fragment`
  requisites r
  join receiving_accounts a on a.id = r.account_id
  join requisite_loads l on l.requisite_id = r.id
  ${accountLoad}`

/** Whether such a requisite is on and has room for one more deposit of this amount: the loads of `obstacleTo`, for many at once. */
export const hasRoomFor = (cents: Cents | Fragment) => fragment`
  r.enabled
  and a.enabled
  and (r.open_deposits is null or l.open_deposits < r.open_deposits)
  and (r.daily_cents is null or ${dayCents} + ${cents}::bigint <= r.daily_cents)
  and (a.open_deposits is null or u.open_deposits < a.open_deposits)
  and (a.day_cents is null or u.day_cents + ${cents}::bigint <= a.day_cents)
  and (a.month_cents is null or u.month_cents + ${cents}::bigint <= a.month_cents)`

/** For some amount, however small. */
export const hasRoom = hasRoomFor(1n)

export type AccountLoadRow = {
  account_open_limit: number | null
  account_day_limit: bigint | null
  account_month_limit: bigint | null
  account_open: number
  account_day_cents: bigint
  account_month_cents: bigint
}

export const accountColumns = fragment`
  a.open_deposits as account_open_limit, a.day_cents as account_day_limit, a.month_cents as account_month_limit,
  u.open_deposits as account_open, u.day_cents as account_day_cents, u.month_cents as account_month_cents`

export const accountLoadFrom = (row: AccountLoadRow): AccountLoad => ({
  openLimit: row.account_open_limit,
  dayLimit: row.account_day_limit,
  monthLimit: row.account_month_limit,
  openDeposits: row.account_open,
  dayCents: row.account_day_cents,
  monthCents: row.account_month_cents,
})

/** Adds one deposit to the load of its requisite. It fails with `isLostRace` where there is no room, and the transaction with it. */
export const addLoad = (
  tx: Tx,
  load: { requisiteId: string; amountCents: Cents; isAccountLimited: boolean },
) =>
  tx.run(sql`
    select add_loads(
      array[${load.requisiteId}]::uuid[], array[1], array[${load.amountCents}]::bigint[],
      array[${load.amountCents}]::bigint[], array[${load.amountCents}]::bigint[], ${load.isAccountLimited})`)

export type LoadMove = {
  depositId: string
  deposits: number
  cents: Cents
  /** The amount counts for today, not for the day of the deposit. */
  today: boolean
}

/** Changes the loads of the deposits' requisites, locked in id order; totals of past days and months stay. */
export async function moveLoads(tx: Tx, moves: readonly LoadMove[]): Promise<void> {
  if (moves.length === 0) return
  await tx.query(sql`
    with moved as (
      select
        d.requisite_id, u.deposits, u.cents,
        bank_day(d.currency, case when u.today then (select inlet_now()) else d.issued_at end) as day,
        bank_month(d.currency, case when u.today then (select inlet_now()) else d.issued_at end) as month
      from unnest(
        (select ${moves.map((move) => move.depositId)}::uuid[]),
        ${moves.map((move) => move.deposits)}::int[],
        ${moves.map((move) => move.cents)}::bigint[],
        ${moves.map((move) => move.today)}::boolean[]) as u (deposit_id, deposits, cents, today)
      join deposits d on d.id = u.deposit_id
      where d.requisite_id is not null
    ), locked as materialized (
      select l.requisite_id
      from requisite_loads l
      where l.requisite_id in (select requisite_id from moved)
      order by l.requisite_id
      for update
    )
    update requisite_loads l
    set
      open_deposits = l.open_deposits + sums.deposits,
      day = greatest(l.day, sums.day),
      day_cents = greatest(0, case when sums.day > l.day then 0 else l.day_cents end + coalesce(
        (select sum(m.cents)
         from moved m
         where m.requisite_id = l.requisite_id and m.day = greatest(l.day, sums.day)), 0)),
      month = greatest(l.month, sums.month),
      month_cents = greatest(0, case when sums.month > l.month then 0 else l.month_cents end + coalesce(
        (select sum(m.cents)
         from moved m
         where m.requisite_id = l.requisite_id and m.month = greatest(l.month, sums.month)), 0))
    from (
      select requisite_id, sum(deposits) as deposits, max(day) filter (where cents > 0) as day,
        max(month) filter (where cents > 0) as month
      from moved
      group by requisite_id
    ) sums
    join locked on locked.requisite_id = sums.requisite_id
    where l.requisite_id = sums.requisite_id`)
}
