/**
 * Deposits past their deadline, found and locked, without those that another process has locked, that wait for a person's
 * review, or whose money may be waiting. Found by indexes that have no others, so that the look costs the same however many deposits there are.
 */
import { fragment, sql, type Tx } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'

/** The words of the index `deposits_open`. */
const canExpire = fragment`state in ('builded', 'created') and not labels @> '{review}'`

/**
 * Money that waits for a person, or for a file that closes its day, may be this deposit's: it names it, or has its amount.
 */
export const isAwaited = fragment`(
  exists (
    select from transfers t
    where t.account_id = deposits.account_id
      and t.state = 'held'
      and (t.cents = deposits.amount_cents or deposits.reference = any(t.names)))
  or exists (
    select from report_rows p
    where p.account_id = deposits.account_id
      and p.parked_at is not null
      and p.closed_by is null
      and p.transfer_id is null
      and (p.cents = deposits.amount_cents or deposits.reference = any(p.names))))`

type OverdueDeposit = { id: string; merchantId: MerchantId }

/**
 * A few of each merchant, from this one on. The recursive query steps from merchant to merchant by
 * index, and no further than the limit needs.
 */
export const lockInTurn = (
  tx: Tx,
  { from, ofMerchant, limit }: { from: MerchantId | null; ofMerchant: number; limit: number },
) =>
  tx.query<OverdueDeposit>(sql`
    with recursive turn (merchant_id) as (
      select coalesce(${from}::uuid, '00000000-0000-0000-0000-000000000000')
      union all
      select (
        select merchant_id
        from deposits
        where ${canExpire} and merchant_id > turn.merchant_id
        order by merchant_id
        limit 1)
      from turn
      where turn.merchant_id is not null
    ), overdue as (
      select o.id, o.merchant_id
      from turn
      cross join lateral (
        select id, merchant_id
        from deposits
        where ${canExpire}
          and merchant_id = turn.merchant_id
          and expires_at <= inlet_now()
          and not ${isAwaited}
        order by expires_at
        limit ${ofMerchant}
        for no key update skip locked) o
      limit ${limit}
    )
    select id, merchant_id as "merchantId"
    from overdue
    order by merchant_id`)

/** The oldest deadline of those that should have expired; null when there is none. */
export const oldestOverdue = fragment`(
  select min(o.expires_at)
  from merchants m
  cross join lateral (
    select expires_at
    from deposits
    where ${canExpire}
      and merchant_id = m.id
      and expires_at <= (select inlet_now())
      and not ${isAwaited}
    order by expires_at
    limit 1) o)`

/** This one, if it is among them. */
export const lockIfOverdue = (tx: Tx, id: string) =>
  tx.query<OverdueDeposit>(sql`
    select id, merchant_id as "merchantId"
    from deposits
    where id = ${id} and ${canExpire} and expires_at <= inlet_now() and not ${isAwaited}
    for no key update skip locked`)
