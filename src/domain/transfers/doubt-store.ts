/** What may be one payment, and the days with rows on hold, in the database. */
import { type Queryable, sql } from '../../platform/db.ts'
import { readTransfers, transferRows } from './store.ts'
import type { HeldDay, Transfer } from './transfer.ts'

const suspectsRead = 20

/** The payments that a held transfer may be; of one that was called the same payment, the one that remains. */
export const readSuspects = (
  db: Queryable,
  { heldWith, duplicateOf, state }: Transfer,
): Promise<Transfer[]> =>
  readTransfers(
    db,
    sql`
      ${transferRows}
      where t.id = any(${duplicateOf ? [duplicateOf] : state === 'held' ? heldWith.slice(0, suspectsRead) : []}::uuid[])
      order by t.id`,
  )

/** Payments of about the same days and the same amount: the transfer may be another report of one of them. */
export const findAlike = (
  db: Queryable,
  { id, accountId, direction, cents, bookedOn }: Transfer,
  limit: number,
): Promise<Transfer[]> =>
  readTransfers(
    db,
    sql`
      ${transferRows}
      where t.account_id = ${accountId}
        and t.booked_on between ${bookedOn}::date - 14 and ${bookedOn}::date + 14
        and t.cents = ${cents}
        and t.direction = ${direction}
        and t.state not in ('duplicate', 'revoked')
        and t.id <> ${id}
      order by t.booked_on desc, t.id desc
      limit ${limit}`,
  )

/** Held booked rows of a day, and what was told early and never booked of the fourteen days around it, in the order of telling. */
export async function findDoubtsOfDay(
  db: Queryable,
  { accountId, day }: { accountId: string; day: string },
): Promise<{ held: Transfer[]; early: Transfer[] }> {
  const found = await readTransfers(
    db,
    sql`
      ${transferRows}
      where t.account_id = ${accountId}
        and t.direction = 'credit'
        and ((t.state = 'held' and t.booked_on = ${day} and t.told_booked_at is not null)
          or (t.told_booked_at is null and t.state not in ('revoked', 'duplicate', 'refunded')
            and t.booked_on between ${day}::date - 14 and ${day}::date + 14))
      order by t.booked_on, t.taken_at, t.id
      limit 2000`,
  )
  return {
    held: found.filter(({ toldBookedAt }) => toldBookedAt !== null),
    early: found.filter(({ toldBookedAt }) => toldBookedAt === null),
  }
}

export const listHeldDays = (db: Queryable, accountId: string | null, limit: number) =>
  db.query<HeldDay>(sql`
    select h.account_id as "accountId", a.label as "accountLabel", h.booked_on as "bookedOn", count(*)::int as rows
    from (
      select account_id, booked_on
      from transfers
      where state = 'held'
        and told_booked_at is not null
        and (${accountId}::uuid is null or account_id = ${accountId})
      order by taken_at, id
      limit 1000
    ) h
    join receiving_accounts a on a.id = h.account_id
    group by 1, 2, 3
    having count(*) > 1
    order by count(*) desc, h.booked_on, h.account_id
    limit ${limit}`)
