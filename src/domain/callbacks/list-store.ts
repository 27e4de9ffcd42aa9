/** Callbacks as lists, pages and the API show them, with what became of them. */
import { bounds } from '../../platform/bounds.ts'
import { type Fragment, fragment, type Queryable, sql } from '../../platform/db.ts'
import { isUuid } from '../../platform/request-fields.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type { AttemptRow, CallbackState, EventType } from './callback.ts'

export type CallbackRow = {
  id: string
  madeOn: string
  sequence: bigint
  depositId: string
  orderId: string
  type: EventType
  /** Null while the merchant has no address. */
  url: string | null
  state: CallbackState
  attempts: number
  /** Only the first and the last ones are counted. */
  hasMoreAttempts: boolean
  /** How the last attempt ended, and how many ended in the same way; null before the first. */
  lastStatus: number | null
  lastError: string | null
  lastAnswer: string | null
  lastTimes: number | null
  madeAt: Date
  ackedAt: Date | null
  dueAt: Date | null
  /** Of the endpoint that it waits for. */
  endpointState: string | null
  endpointReason: string | null
}

/**
 * The attempts (`sent`) of a callback `c`, summed up. A probe tests the endpoint and does not count. A callback that was replayed
 * for weeks may have thousands, so only the first and the last ones are read. They nearly always contain the first success
 * and the last failure.
 */
export const callbackSent = fragment`
  cross join lateral (
    with newest as materialized (
      select a.at, a.ms, a.outcome, a.status, a.error, a.answer
      from delivery_attempts a
      where a.made_on = c.made_on and a.event_id = c.id
      order by a.at desc
      limit ${bounds.attemptsRead}
    ), oldest as (
      -- None, unless there are more than the newest.
      select a.at, a.ms, a.outcome, a.status, a.error, a.answer
      from delivery_attempts a
      where a.made_on = c.made_on and a.event_id = c.id
        and a.at < (select min(at) from newest having count(*) = ${bounds.attemptsRead})
      order by a.at
      limit ${bounds.attemptsRead}
    )
    select (count(*) filter (where not is_probe))::int as attempts,
      count(*) = ${2 * bounds.attemptsRead} as has_more_attempts,
      (array_agg(status order by at desc) filter (where not is_probe))[1] as last_status,
      (array_agg(error order by at desc) filter (where not is_probe))[1] as last_error,
      "left"((array_agg(answer order by at desc) filter (where not is_probe))[1], 200) as last_answer,
      nullif(count(*) filter (where not is_probe and is_like_last), 0)::int as last_times,
      min(at + ms * interval '1 millisecond') filter (where outcome = 'ok') as acked_at
    from (
      select at, ms, outcome, status, error, answer, outcome = 'probe' as is_probe,
        (status, error) is not distinct from (first_value(status) over by_last, first_value(error) over by_last) as is_like_last
      from (
        select at, ms, outcome, status, error, answer from newest
        union all
        select at, ms, outcome, status, error, answer from oldest
      ) a
      window by_last as (order by outcome = 'probe', at desc)
    ) a
  ) sent`

/** The state of a callback, from its row in the queue (`due`) and its attempts (`sent`). */
export const callbackState = fragment`
  case
    when due.event_id is not null then 'pending'
    when sent.acked_at is not null then 'delivered'
    else 'failed'
  end`

const columns = fragment`
  c.id, c.made_on as "madeOn", c.sequence, c.deposit_id as "depositId", coalesce(o.order_id, c.deposit_id::text) as "orderId", c.type,
  coalesce(c.url, m.callback_url) as url, ${callbackState} as state, sent.attempts,
  sent.has_more_attempts as "hasMoreAttempts", sent.last_status as "lastStatus", sent.last_error as "lastError",
  sent.last_answer as "lastAnswer", sent.last_times as "lastTimes", c.made_at as "madeAt", sent.acked_at as "ackedAt",
  due.due_at as "dueAt", p.state as "endpointState", p.reason as "endpointReason"`

const joins = fragment`
  join merchants m on m.id = c.merchant_id
  left join deposits o on o.id = c.deposit_id
  left join deliveries due on due.event_id = c.id and due.state = 'open'
  left join endpoints p on p.id = due.endpoint_id
  ${callbackSent}`

type CallbacksAsked = {
  merchantId: MerchantId
  state: CallbackState | null
  type: EventType | null
  before: bigint | null
  limit: number
}

/** `next`: the number before which the next page begins; null when there is none. */
type CallbacksFound = { rows: CallbackRow[]; next: bigint | null }

const aboveEveryNumber = 2n ** 62n

/** Newest first. Where all have to be looked at to find some, a page that would need more than so many ends where they end. */
export async function listCallbacks(db: Queryable, asked: CallbacksAsked): Promise<CallbacksFound> {
  const { merchantId, state, type, limit } = asked
  const before = asked.before ?? aboveEveryNumber
  const isSearch = type !== null || state === 'pending' || state === 'delivered'
  const most = isSearch ? bounds.callbacksLookedAt : limit + 1
  const found = await (state === 'failed'
    ? db.query<CallbackRow>(sql`
        select ${columns}
        from ${givenUp(merchantId, before, most)}
        join events c on c.made_on = n.made_on and c.id = n.id and (${type}::text is null or c.type = ${type})
        ${joins}
        order by c.sequence desc
        limit ${limit + 1}`)
    : db.query<CallbackRow>(sql`
        select ${columns}
        from ${newest(merchantId, before, most)}
        ${joins}
        where (${type}::text is null or c.type = ${type})
          and (${state}::text is null
            or (${state} = 'pending' and due.event_id is not null)
            or (${state} = 'delivered' and due.event_id is null and sent.acked_at is not null))
        order by c.sequence desc
        limit ${limit + 1}`))
  const rows = found.slice(0, limit)
  if (found.length > limit) return { rows, next: rows.at(-1)!.sequence }
  if (!isSearch) return { rows, next: null }
  const end = await (state === 'failed'
    ? db.find<End>(
        sql`select min(sequence) as last from ${givenUp(merchantId, before, most)} having count(*) = ${most}`,
      )
    : db.find<End>(
        sql`select min(sequence) as last from ${newest(merchantId, before, most)} having count(*) = ${most}`,
      ))
  return { rows, next: end?.last ?? null }
}

/** The oldest that was looked at, where there are more. */
type End = { last: bigint }

const newest = (merchantId: MerchantId, before: bigint, most: number): Fragment => fragment`
  (select made_on, id, merchant_id, sequence, deposit_id, type, url, made_at
   from events
   where merchant_id = ${merchantId} and sequence < ${before}
   order by sequence desc
   limit ${most}) c`

const givenUp = (merchantId: MerchantId, before: bigint, most: number): Fragment => fragment`
  (select made_on, event_id as id, sequence
   from deliveries
   where state = 'dead' and merchant_id = ${merchantId} and sequence < ${before}
   order by sequence desc
   limit ${most}) n`

/** In the order in which they will be sent; only the first page of them. */
export const listPending = (
  db: Queryable,
  { merchantId, type, limit }: Omit<CallbacksAsked, 'state' | 'before'>,
) => {
  const most = type === null ? limit : bounds.callbacksLookedAt
  return db.query<CallbackRow>(sql`
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
}

/** By a whole order, or the id of a deposit or a callback: each meaning has its index. */
export const searchCallbacks = (
  db: Queryable,
  { merchantId, state, type, search, limit }: Omit<CallbacksAsked, 'before'> & { search: string },
) => {
  const id = isUuid(search.toLowerCase()) ? search.toLowerCase() : null
  return db.query<CallbackRow>(sql`
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

/** `merchantId`: null for the operator. */
export const listCallbacksOfDeposit = (db: Queryable, depositId: string, merchantId: MerchantId | null) =>
  db.query<CallbackRow>(sql`
    select ${columns}
    from events c
    ${joins}
    where c.deposit_id = ${depositId} and (${merchantId}::uuid is null or c.merchant_id = ${merchantId})
    order by c.sequence
    limit 100`)

export const findCallback = (db: Queryable, merchantId: MerchantId, sequence: bigint) =>
  db.find<CallbackRow & { body: string }>(sql`
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

/** The last attempts of a callback, oldest first. */
export const listAttempts = (db: Queryable, { id, madeOn }: Pick<CallbackRow, 'id' | 'madeOn'>) =>
  db.query<AttemptRow>(sql`
    select at, ms, outcome, status, error, answer, address
    from (
      select at, ms, outcome, status, error, answer, address
      from delivery_attempts
      where made_on = ${madeOn} and event_id = ${id}
      order by at desc
      limit ${bounds.attemptsRead}) newest
    order by at`)
