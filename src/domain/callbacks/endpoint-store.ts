/** The endpoints of a merchant, as people look at them, pause and resume them. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'

export type Endpoint = {
  id: bigint
  /** Null is the merchant's default address. */
  origin: string | null
  state: string
  reason: string | null
  failingSince: Date | null
}

const endpointColumns = fragment`id, origin, state, reason, failing_since as "failingSince"`

export const listEndpoints = (db: Queryable, merchantId: MerchantId) =>
  db.query<Endpoint>(sql`
    select ${endpointColumns}
    from endpoints
    where merchant_id = ${merchantId}
    order by origin nulls first
    limit 100`)

export const findEndpointOf = (db: Queryable, merchantId: MerchantId, id: bigint) =>
  db.find<Endpoint>(sql`
    select ${endpointColumns}
    from endpoints
    where merchant_id = ${merchantId} and id = ${id}`)

/** Nothing is sent to it and nobody else changes it until the act is done. */
export const lockEndpoint = (tx: Tx, id: bigint) =>
  tx.one<Endpoint>(sql`select ${endpointColumns} from endpoints where id = ${id} for no key update`)

/** Stops the lane. Its owner notices at its next read, and releases it when the requests in flight are done. */
export const pauseLane = (db: Queryable, id: bigint, reason: string) =>
  db.run(sql`
    update endpoints
    set state = 'paused', reason = ${reason}
    where id = ${id}`)

/** Resets the health, so that old failures do not pause it again at once. A lane without an address waits for one. */
export const resumeLane = (db: Queryable, id: bigint) =>
  db.run(sql`
    update endpoints l
    set
      state = case when l.origin is null and m.callback_url is null then 'waiting' else 'active' end,
      reason = null,
      trips = 0,
      open_until = '-infinity',
      failing_since = null,
      alarmed_at = null
    from merchants m
    where l.id = ${id} and m.id = l.merchant_id`)
