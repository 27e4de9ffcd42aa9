/** The queries of the desk's list of transfers. */

import type { Currency } from '../../../domain/money.ts'
import { type TransferState, transferStates } from '../../../domain/transfers/transfer.ts'
import { fragment, type Queryable, sql } from '../../../platform/db.ts'
import type { TransferRow } from '../deposits/rows.ts'

const rowColumns = fragment`
  t.id, t.taken_at as "takenAt", t.booked_on as "bookedOn", t.state, t.cents, t.currency, t.direction,
  t.payer_name as "payerName", t.purpose, t.deposit_id as "depositId", a.label as "accountLabel", a.mode`

/** Newest first by state: the few newest of each state that is asked for, put in one order. */
export async function searchTransfers(
  db: Queryable,
  filter: { state: TransferState | null; accountId: string | null; before: string | null; limit: number },
): Promise<TransferRow[]> {
  const { state, accountId, before, limit } = filter
  const states = state ? [state] : transferStates
  if (accountId !== null)
    return db.query<TransferRow>(sql`
      select ${rowColumns}
      from unnest(${states}::text[]) as s (state)
      cross join lateral (
        select id, taken_at, booked_on, state, cents, currency, direction, payer_name, purpose, deposit_id, account_id
        from transfers
        where account_id = ${accountId}
          and state = s.state
          and (taken_at, id) < (
            coalesce((select taken_at from transfers where id = ${before}::uuid), 'infinity'),
            coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        order by taken_at desc, id desc
        limit ${limit}
      ) t
      join receiving_accounts a on a.id = t.account_id
      order by t.taken_at desc, t.id desc
      limit ${limit}`)
  return db.query<TransferRow>(sql`
    select ${rowColumns}
    from unnest(${states}::text[]) as s (state)
    cross join lateral (
      select id, taken_at, booked_on, state, cents, currency, direction, payer_name, purpose, deposit_id, account_id
      from transfers
      where state = s.state
        and (taken_at, id) < (
          coalesce((select taken_at from transfers where id = ${before}::uuid), 'infinity'),
          coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      order by taken_at desc, id desc
      limit ${limit}
    ) t
    join receiving_accounts a on a.id = t.account_id
    order by t.taken_at desc, t.id desc
    limit ${limit}`)
}

export async function readAccountLabel(
  db: Queryable,
  id: string,
): Promise<{ label: string; currency: Currency } | undefined> {
  const [row] = await db.query<{ label: string; currency: Currency }>(
    sql`select label, currency from receiving_accounts where id = ${id}`,
  )
  return row
}
