/** A merchant's callbacks as its people look at them: listed, searched, and one of them. And its endpoints. */
import { bounds } from '../../platform/bounds.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type { CallbackState, EventType } from './callback.ts'
import { aboveEveryNumber, callbackJoins, callbackState } from './store.ts'

export type MerchantCallback = {
  id: string
  madeOn: string
  sequence: bigint
  depositId: string
  orderId: string
  type: EventType
  url: string | null
  state: CallbackState
  attempts: number
  /** Only the first and the last ones are counted. */
  hasMoreAttempts: boolean
  /** How the last attempt ended, and how many of the last ones ended in the same way. */
  lastStatus: number | null
  lastError: string | null
  lastAnswer: string | null
  lastTimes: number | null
  madeAt: Date
  ackedAt: Date | null
  dueAt: Date | null
  endpointState: string | null
  endpointReason: string | null
}

const columns = fragment`
  c.id, c.made_on as "madeOn", c.sequence, c.deposit_id as "depositId", coalesce(o.order_id, c.deposit_id::text) as "orderId", c.type,
  coalesce(c.url, m.callback_url) as url, ${callbackState} as state, sent.attempts,
  sent.has_more_attempts as "hasMoreAttempts", last.status as "lastStatus", last.error as "lastError",
  last.answer as "lastAnswer", last.times as "lastTimes", c.made_at as "madeAt", sent.acked_at as "ackedAt",
  due.due_at as "dueAt", p.state as "endpointState", p.reason as "endpointReason"`

const joins = fragment`
  ${callbackJoins}
  left join deposits o on o.id = c.deposit_id
  left join lateral (
    with newest as materialized (
      select a.at, a.status, a.error, a.answer
      from delivery_attempts a
      where a.made_on = c.made_on and a.event_id = c.id and a.outcome <> 'probe'
      order by a.at desc
      limit ${bounds.attemptsRead}
    )
    select l.status, l.error, "left"(l.answer, 200) as answer,
      (select count(*)::int
       from newest n
       where n.status is not distinct from l.status and n.error is not distinct from l.error) as times
    from newest l
    order by l.at desc
    limit 1
  ) last on true`

type CallbacksAsked = {
  merchantId: MerchantId
  state: 'pending' | 'failed' | null
  type: EventType | null
  /** A whole order, or the id of a deposit or a callback; empty for all. */
  search: string
  before: bigint | null
  limit: number
}

/** `next`: the number before which the next page begins; null when there is none. */
type CallbacksFound = { rows: MerchantCallback[]; next: bigint | null }

/**
 * Newest first; pending ones in the order in which they will be sent, and only the first page of them. For a type only so
 * many are looked at: a page that would need more ends where they end.
 */
export async function listMerchantCallbacks(db: Queryable, asked: CallbacksAsked): Promise<CallbacksFound> {
  const { state, type, search, limit } = asked
  if (search !== '') return { rows: await searched(db, asked), next: null }
  const most = type ? bounds.callbacksLookedAt : limit + 1
  if (state === 'pending') return { rows: await pending(db, asked, most), next: null }
  const rows = await (state === 'failed' ? failed(db, asked, most) : newest(db, asked, most))
  const shown = rows.slice(0, limit)
  if (rows.length > limit) return { rows: shown, next: shown.at(-1)!.sequence }
  const end = type && (await (state === 'failed' ? endOfFailed(db, asked) : endOfNewest(db, asked)))
  return { rows: shown, next: end ? end.sequence : null }
}

const newestOf = ({ merchantId, before }: CallbacksAsked, most: number | bigint) => fragment`
  (select made_on, id, merchant_id, sequence, deposit_id, type, url, made_at
   from events
   where merchant_id = ${merchantId} and sequence < ${before ?? aboveEveryNumber}
   order by sequence desc
   limit ${most}) c`

const newest = (db: Queryable, asked: CallbacksAsked, most: number | bigint) =>
  db.query<MerchantCallback>(sql`
    select ${columns}
    from ${newestOf(asked, most)}
    ${joins}
    where (${asked.type}::text is null or c.type = ${asked.type})
    order by c.sequence desc
    limit ${asked.limit + 1}`)

const failedOf = ({ merchantId, before }: CallbacksAsked, most: number | bigint) => fragment`
  (select made_on, event_id as id, sequence
   from deliveries
   where state = 'dead' and merchant_id = ${merchantId} and sequence < ${before ?? aboveEveryNumber}
   order by sequence desc
   limit ${most}) n`

const failed = (db: Queryable, asked: CallbacksAsked, most: number | bigint) =>
  db.query<MerchantCallback>(sql`
    select ${columns}
    from ${failedOf(asked, most)}
    join events c on c.made_on = n.made_on and c.id = n.id and (${asked.type}::text is null or c.type = ${asked.type})
    ${joins}
    order by c.sequence desc
    limit ${asked.limit + 1}`)

/** The oldest that is looked at, where there are more. */
const looked = bounds.callbacksLookedAt
type End = { sequence: bigint }
const endOfNewest = (db: Queryable, asked: CallbacksAsked) =>
  db.find<End>(
    sql`select min(sequence) as sequence from ${newestOf(asked, looked)} having count(*) = ${looked}`,
  )
const endOfFailed = (db: Queryable, asked: CallbacksAsked) =>
  db.find<End>(
    sql`select min(sequence) as sequence from ${failedOf(asked, looked)} having count(*) = ${looked}`,
  )

const pending = (db: Queryable, { merchantId, type, limit }: CallbacksAsked, most: number | bigint) =>
  db.query<MerchantCallback>(sql`
    select ${columns}
    from (
      select w.made_on, w.event_id
      from endpoints q
      cross join lateral (
        select d.event_id, d.made_on, d.due_at
        from deliveries d
        where d.endpoint_id = q.id and d.due_at < 'infinity'
        order by d.due_at
        limit ${most}) w
      where q.merchant_id = ${merchantId}
      order by w.due_at
      limit ${most}) n
    join events c on c.made_on = n.made_on and c.id = n.event_id and (${type}::text is null or c.type = ${type})
    ${joins}
    order by due.due_at, c.sequence
    limit ${limit}`)

/** Each meaning of the search text has its index. */
function searched(db: Queryable, { merchantId, state, type, search, limit }: CallbacksAsked) {
  const id = isUuid(search.toLowerCase()) ? search.toLowerCase() : null
  return db.query<MerchantCallback>(sql`
    select ${columns}
    from (
      select e.made_on, e.id
      from deposits d
      join events e on e.deposit_id = d.id
      where d.merchant_id = ${merchantId} and d.order_id = ${search}
      union
      select made_on, id from events where deposit_id = ${id}::uuid and merchant_id = ${merchantId}
      union
      select made_on, id from events where id = ${id}::uuid and merchant_id = ${merchantId}) n
    join events c on c.made_on = n.made_on and c.id = n.id
    ${joins}
    where (${type}::text is null or c.type = ${type})
      and (${state}::text is null or ${callbackState} = ${state})
    order by c.sequence desc
    limit ${limit}`)
}

export const listCallbacksOfDeposit = (db: Queryable, merchantId: MerchantId, depositId: string) =>
  db.query<MerchantCallback>(sql`
    select ${columns}
    from events c
    ${joins}
    where c.deposit_id = ${depositId} and c.merchant_id = ${merchantId}
    order by c.sequence
    limit 100`)

export const findMerchantCallback = (db: Queryable, merchantId: MerchantId, sequence: bigint) =>
  db.find<MerchantCallback & { body: string }>(sql`
    select ${columns}, c.body
    from events c
    ${joins}
    where c.merchant_id = ${merchantId} and c.sequence = ${sequence}`)

/** How many were given up, and how many are still to be sent: at most so many are counted. */
export const countCallbacks = (db: Queryable, merchantId: MerchantId, most: number) =>
  db.one<{ failed: number; pending: number }>(sql`
    select
      (select count(*)::int from (
        select from deliveries where state = 'dead' and merchant_id = ${merchantId} limit ${most + 1}) d) as failed,
      (select count(*)::int from (
        select
        from endpoints q
        join deliveries d on d.endpoint_id = q.id and d.due_at < 'infinity'
        where q.merchant_id = ${merchantId}
        limit ${most + 1}) d) as pending`)

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
