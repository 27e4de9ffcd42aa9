/** The queries of the desk's list of deposits and of one deposit's page. */

import { callbackSent } from '../../../domain/callbacks/store.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents } from '../../../domain/money.ts'
import { fragment, lastUuid, type Queryable, sql } from '../../../platform/db.ts'
import type { ByDay, CallbackRow, DepositRow, DepositTransferRow } from './rows.ts'

type DepositSearch =
  | { by: 'newest' }
  | { by: 'order'; order: string }
  | { by: 'reference'; reference: string }
  | { by: 'amount'; cents: Cents }
  | ByDay

const rowColumns = fragment`
  d.id, d.created_at as "createdAt", d.order_id as "orderId", d.state, d.labels, d.amount_cents as cents,
  d.received_cents as "receivedCents", d.currency, d.payment_type as "paymentType", m.name as "merchantName", m.mode`

/** What `rowColumns` needs of a deposit that is read for each merchant. */
const depositColumns = fragment`
  id, created_at, order_id, state, labels, amount_cents, received_cents, currency, payment_type`

type DayRange = Pick<ByDay, 'day' | 'until' | 'zone'>

export const dayStart = ({ day, zone }: DayRange) => fragment`(${day}::date::timestamp at time zone ${zone})`

/** The end of the day, or the time of day before which deposits are listed. */
export const dayEnd = ({ day, until, zone }: DayRange) => fragment`
  ((${day}::date + coalesce((${until}::time)::interval, interval '1 day')) at time zone ${zone})`

/** Where the page after this deposit begins in a list by creation; without one, at its top. */
const createdBefore = (before: string | null) => fragment`(created_at, id) < (
  coalesce((select created_at from deposits where id = ${before}::uuid), 'infinity'),
  coalesce(${before}::uuid, ${lastUuid}))`

/**
 * Newest first, of all merchants: the newest of each merchant are read from its index and merged. Ids are ordered by
 * time, so the last id of a page leads to the next page.
 */
export async function searchDeposits(
  db: Queryable,
  search: DepositSearch,
  { before, limit }: { before: string | null; limit: number },
): Promise<DepositRow[]> {
  switch (search.by) {
    case 'newest':
      return db.query<DepositRow>(sql`
        select ${rowColumns}
        from (
          select id
          from deposits
          where id < coalesce(${before}::uuid, ${lastUuid})
          order by id desc
          limit ${limit}
        ) found
        join deposits d on d.id = found.id
        join merchants m on m.id = d.merchant_id
        order by d.id desc`)
    case 'created':
      return db.query<DepositRow>(sql`
        select ${rowColumns}
        from merchants m
        cross join lateral (
          select ${depositColumns}
          from deposits
          where merchant_id = m.id
            and created_at >= ${dayStart(search)}
            and created_at < ${dayEnd(search)}
            and ${createdBefore(before)}
          order by created_at desc, id desc
          limit ${limit}
        ) d
        where ${search.mode}::text is null or m.mode = ${search.mode}
        order by d.created_at desc, d.id desc
        limit ${limit}`)
    case 'confirmed':
      return db.query<DepositRow>(sql`
        select ${rowColumns}
        from deposits d
        join merchants m on m.id = d.merchant_id
        where d.state = 'confirmed'
          and d.final_at >= ${dayStart(search)}
          and d.final_at < ${dayEnd(search)}
          and (d.final_at, d.id) < (
            coalesce((select final_at from deposits where id = ${before}::uuid), 'infinity'),
            coalesce(${before}::uuid, ${lastUuid}))
          and (${search.mode}::text is null or m.mode = ${search.mode})
        order by d.final_at desc, d.id desc
        limit ${limit}`)
    case 'reference':
      return db.query<DepositRow>(sql`
        select ${rowColumns}
        from deposits d
        join merchants m on m.id = d.merchant_id
        where d.reference = ${search.reference}
        order by d.id desc
        limit ${limit}`)
    case 'order':
      return db.query<DepositRow>(sql`
        select ${rowColumns}
        from merchants m
        cross join lateral (
          select ${depositColumns}
          from deposits
          where merchant_id = m.id and order_id = ${search.order}
          limit 1
        ) d
        order by d.created_at desc
        limit ${limit}`)
    case 'amount':
      return db.query<DepositRow>(sql`
        select ${rowColumns}
        from merchants m
        cross join lateral (
          select ${depositColumns}
          from deposits
          where merchant_id = m.id
            and amount_cents = ${search.cents}
            and ${createdBefore(before)}
          order by created_at desc, id desc
          limit ${limit}
        ) d
        order by d.created_at desc, d.id desc
        limit ${limit}`)
  }
}

export const readMerchantAndAccount = (db: Queryable, id: string) =>
  db.find<{ merchantName: string; mode: Mode; accountLabel: string | null }>(sql`
    select m.name as "merchantName", m.mode, a.label as "accountLabel"
    from deposits d
    join merchants m on m.id = d.merchant_id
    left join receiving_accounts a on a.id = d.account_id
    where d.id = ${id}`)

export const listTransfersOf = (db: Queryable, depositId: string) =>
  db.query<DepositTransferRow>(sql`
    select t.id, t.state, t.cents, s.cents as "shareCents", t.currency, t.booked_on as "bookedOn",
      t.payer_name as "payerName", t.purpose
    from allocations s
    join transfers t on t.id = s.transfer_id
    where s.deposit_id = ${depositId}
    order by t.taken_at, t.id
    limit 100`)

export const listCallbacksOf = (db: Queryable, depositId: string) =>
  db.query<CallbackRow>(sql`
    select
      c.type, c.made_at as "madeAt", sent.attempts, sent.has_more_attempts as "hasMoreAttempts",
      sent.last_status as "lastStatus", sent.acked_at as "ackedAt",
      coalesce(c.url, m.callback_url) is null as "lacksAddress"
    from events c
    join merchants m on m.id = c.merchant_id
    ${callbackSent}
    where c.deposit_id = ${depositId}
    order by c.sequence
    limit 100`)
