/** The payments that a transfer may be, in the database. */
import { type Queryable, sql } from '../../platform/db.ts'
import { readTransfers, transferRows } from './store.ts'
import type { Transfer } from './transfer.ts'

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
