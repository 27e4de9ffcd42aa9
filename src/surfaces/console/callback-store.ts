/** The queries of the merchant's console about callbacks, events and endpoints. */

import type { AttemptRow, CallbackState } from '../../domain/callbacks/callback.ts'
import { aboveEveryNumber, callbackJoins, callbackState } from '../../domain/callbacks/store.ts'
import type { MerchantId } from '../../domain/merchants/merchant.ts'
import { bounds } from '../../platform/bounds.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { CallbackRow, EventRow, LaneRow, LastAttempts } from './rows.ts'

const callbackColumns = fragment`
  c.id, c.made_on as "madeOn", c.sequence, c.deposit_id as "depositId", c.type, coalesce(c.url, m.callback_url) as url,
  ${callbackState} as state,
  sent.attempts, sent.has_more_attempts as "hasMoreAttempts", sent.last_status as "lastStatus", c.made_at as "madeAt", sent.acked_at as "ackedAt",
  due.due_at as "dueAt", p.state as "endpointState", p.reason as "endpointReason"`

type CallbacksAsked = {
  merchantId: MerchantId
  state: CallbackState | null
  before: bigint | null
  limit: number
}

/** Newest first. Pending callbacks come in the order in which they will be sent. */
export function listCallbackRows(
  db: Queryable,
  { merchantId, state, before, limit }: CallbacksAsked,
): Promise<CallbackRow[]> {
  const end = before ?? aboveEveryNumber
  if (state === 'pending') {
    return db.query<CallbackRow>(sql`
      select ${callbackColumns}
      from (
        select w.event_id, w.made_on, w.due_at
        from endpoints q
        cross join lateral (
          select d.event_id, d.made_on, d.due_at
          from deliveries d
          where d.endpoint_id = q.id and d.due_at < 'infinity'
          order by d.due_at
          limit ${limit}) w
        where q.merchant_id = ${merchantId}
        order by w.due_at
        limit ${limit}) n
      join events c on c.made_on = n.made_on and c.id = n.event_id
      ${callbackJoins}
      order by due.due_at, c.sequence`)
  }
  if (state === 'failed') {
    return db.query<CallbackRow>(sql`
      select ${callbackColumns}
      from (
        select x.event_id, x.made_on, x.sequence
        from deliveries x
        where x.state = 'dead' and x.merchant_id = ${merchantId} and x.sequence < ${end}
        order by x.sequence desc
        limit ${limit}) n
      join events c on c.made_on = n.made_on and c.id = n.event_id
      ${callbackJoins}
      order by c.sequence desc`)
  }
  return db.query<CallbackRow>(sql`
    select ${callbackColumns}
    from events c
    ${callbackJoins}
    where c.merchant_id = ${merchantId} and c.sequence < ${end}
    order by c.sequence desc
    limit ${limit}`)
}

export const listCallbacksOf = (db: Queryable, merchantId: MerchantId, depositId: string) =>
  db.query<CallbackRow>(sql`
    select ${callbackColumns}
    from events c
    ${callbackJoins}
    where c.deposit_id = ${depositId} and c.merchant_id = ${merchantId}
    order by c.sequence
    limit 100`)

export const findCallbackRow = (db: Queryable, merchantId: MerchantId, sequence: bigint) =>
  db.find<CallbackRow & { body: string }>(sql`
    select ${callbackColumns}, c.body
    from events c
    ${callbackJoins}
    where c.merchant_id = ${merchantId} and c.sequence = ${sequence}`)

/** The last attempts of each callback, oldest first. The caller has already checked that these callbacks belong to the merchant. */
export async function readAttempts(
  db: Queryable,
  callbacks: readonly Pick<CallbackRow, 'id' | 'madeOn'>[],
): Promise<Map<string, LastAttempts>> {
  const rows = await db.query<AttemptRow & { callbackId: string }>(sql`
    select k.id as "callbackId", a.at, a.ms, a.outcome, a.status, a.error, a.answer, a.address
    from unnest(
      ${callbacks.map((callback) => callback.madeOn)}::date[],
      ${callbacks.map((callback) => callback.id)}::uuid[]) as k (made_on, id)
    cross join lateral (
      select at, ms, outcome, status, error, answer, address
      from delivery_attempts
      where made_on = k.made_on and event_id = k.id
      order by at desc
      limit ${bounds.attemptsRead + 1}) a
    order by a.at`)
  const found = Map.groupBy(rows, (row) => row.callbackId)
  return new Map(
    callbacks.map(({ id }) => {
      const attempts = found.get(id) ?? []
      return [
        id,
        { attempts: attempts.slice(-bounds.attemptsRead), hasOlder: attempts.length > bounds.attemptsRead },
      ]
    }),
  )
}

export const listLanes = (db: Queryable, merchantId: MerchantId) =>
  db.query<LaneRow>(sql`
    select id, origin, state, reason, failing_since as "failingSince"
    from endpoints
    where merchant_id = ${merchantId}
    order by origin nulls first
    limit 100`)

export const lockLane = (tx: Tx, merchantId: MerchantId, id: bigint) =>
  tx.find<LaneRow>(sql`
    select id, origin, state, reason, failing_since as "failingSince"
    from endpoints
    where merchant_id = ${merchantId} and id = ${id}
    for no key update`)

export const listEvents = (
  db: Queryable,
  { merchantId, before, limit }: { merchantId: MerchantId; before: bigint | null; limit: number },
) =>
  db.query<EventRow>(sql`
    select sequence, type, deposit_id as "depositId", made_at as "madeAt", body
    from events
    where merchant_id = ${merchantId} and sequence < ${before ?? aboveEveryNumber}
    order by sequence desc
    limit ${limit}`)
