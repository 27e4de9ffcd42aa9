/**
 * The figures of a merchant's overview. Each question reads the newest rows of one index up to a maximum, so its cost does not
 * grow with the table.
 */
import type { MerchantId } from '../../../domain/merchants/merchant.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import { type EndingKey, maxOpenItems, maxWaiting, type OpenCounts, type ReviewedRow } from './rows.ts'

export const readOpen = (db: Queryable, merchantId: MerchantId) =>
  db.one<OpenCounts>(sql`
    select
      inlet_now() as now,
      (select count(*)::int from (
        select from deposits where merchant_id = ${merchantId} and state = 'created' limit ${maxOpenItems + 1}) d) as created,
      (select count(*)::int from (
        select from deposits where merchant_id = ${merchantId} and state = 'builded' limit ${maxOpenItems + 1}) d) as builded,
      (select count(*)::int from (
        select
        from endpoints l
        cross join lateral (select from deliveries where endpoint_id = l.id and due_at < 'infinity' limit ${maxWaiting + 1}) d
        where l.merchant_id = ${merchantId}
        limit ${maxWaiting + 1}) w) as waiting,
      (select count(*)::int from (
        select from deliveries where state = 'dead' and merchant_id = ${merchantId} limit ${maxOpenItems + 1}) x) as failed,
      exists (select from deposits where merchant_id = ${merchantId}) as "hasDeposits",
      exists (
        select
        from api_keys
        where merchant_id = ${merchantId} and purpose = 'request'
          and (literal_used_at is not null or v2_used_at is not null)) as "hasUsedKey"`)

/**
 * Deposits with money about which the operator decides, oldest first. Only few of all merchants wait, so those of this
 * merchant are picked from all.
 */
export const listReviewed = (db: Queryable, merchantId: MerchantId, limit: number) =>
  db.query<ReviewedRow>(sql`
    select id, order_id as "orderId", amount_cents as cents, currency, created_at as since
    from (
      select id, merchant_id, order_id, amount_cents, currency, created_at
      from deposits
      where labels @> '{review}'
      order by final_at, id
      limit ${maxOpenItems}
    ) waiting
    where merchant_id = ${merchantId}
    limit ${limit}`)

/** Keys that stop working within two weeks. */
export const listEndingKeys = (db: Queryable, merchantId: MerchantId) =>
  db.query<EndingKey>(sql`
    select id, purpose, not_after as "notAfter"
    from api_keys
    where merchant_id = ${merchantId}
      and not_after between inlet_now() and inlet_now() + interval '14 days'
    order by not_after
    limit 5`)
