/** Days of accounts with rows on hold, in the database. */
import { type Queryable, sql } from '../../platform/db.ts'
import type { HeldDay } from './transfer.ts'

/** The days with the most booked rows on hold. */
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
