/** Events and their callbacks in the database: numbered, stored once, and put into their lane's queue. */
import { createHash } from 'node:crypto'
import { bounds } from '../../platform/bounds.ts'
import { newId } from '../../platform/clock.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import {
  type AttemptRow,
  bodyAround,
  type CallbackState,
  type EventDraft,
  type EventType,
  isOptional,
  isWanted,
  originOf,
} from './callback.ts'

/** Later callbacks of the deposit wait for `e`: until it is delivered, or has failed five times. */
export const stillHolds = fragment`e.holds and e.attempts < 5`

/**
 * Whether what is due, `d`, waits behind an earlier callback of its deposit. That one is looked for by its deposit, not among
 * all of the lane.
 */
export const isHeldBack = fragment`
  exists (
    select from callback_due e
    where e.deposit_id = d.deposit_id
      and e.lane_id + 0 = d.lane_id
      and e.sequence < d.sequence
      and ${stillHolds}
    offset 0)`

/** The lanes by their `laneKey`. */
type Lanes = Map<string, bigint>

/**
 * Writes the events of a transaction and their callbacks. The counters are locked last, in order of merchant, so that
 * sequence numbers are gap-free and in order of commit. The database writes them into the bodies, so that no round trip is needed.
 */
export async function enqueueEvents(tx: Tx, drafts: readonly EventDraft[], known: EventLanes): Promise<void> {
  const wanted = await withoutUnwanted(tx, drafts)
  if (wanted.length === 0) return
  const lanes = await addMissingLanes(tx, wanted, await known.found())
  const left = new Map<MerchantId, number>()
  for (const { merchantId } of wanted) left.set(merchantId, (left.get(merchantId) ?? 0) + 1)
  const merchants = [...left.keys()]
  const counts = [...left.values()]
  const rows = wanted.map((draft) => {
    const { merchantId, callbackUrl } = draft
    const after = left.get(merchantId)! - 1
    left.set(merchantId, after)
    const id = newId()
    const lane = lanes.get(laneKey(merchantId, originOf(callbackUrl)))!
    return { ...draft, id, after, lane, body: bodyAround(draft, id) }
  })
  await tx.query(sql`
    with counted as (
      insert into event_counters as c (merchant_id, last_sequence)
      select merchant_id, count
      from unnest(${merchants}::uuid[], ${counts}::bigint[]) as n (merchant_id, count)
      order by merchant_id
      on conflict (merchant_id) do update
      set last_sequence = c.last_sequence + excluded.last_sequence
      returning merchant_id, last_sequence
    ), made as (
      insert into callbacks (made_on, id, merchant_id, sequence, deposit_id, type, lane_id, url, body, made_at)
      select
        ((select inlet_now()) at time zone 'UTC')::date, n.id, n.merchant_id, c.last_sequence - n.after, n.deposit_id,
        n.type, n.lane_id, n.url, n.head || (c.last_sequence - n.after) || n.tail, (select inlet_now())
      from (
        select
          unnest(${rows.map((row) => row.id)}::uuid[]) as id,
          unnest(${rows.map((row) => row.merchantId)}::uuid[]) as merchant_id,
          unnest(${rows.map((row) => row.after)}::bigint[]) as after,
          unnest(${rows.map((row) => row.depositId)}::uuid[]) as deposit_id,
          unnest(${rows.map((row) => row.type)}::text[]) as type,
          unnest(${rows.map((row) => row.lane)}::bigint[]) as lane_id,
          unnest(${rows.map((row) => row.callbackUrl)}::text[]) as url,
          -- JSON has no line breaks, so the bodies are joined by them instead of being escaped as an array.
          unnest(string_to_array(${rows.map((row) => row.body.head).join('\n')}, chr(10))) as head,
          unnest(string_to_array(${rows.map((row) => row.body.tail).join('\n')}, chr(10))) as tail
      ) n
      join counted c on c.merchant_id = n.merchant_id
      returning made_on, id, sequence, deposit_id, lane_id, made_at
    )
    insert into callback_due (lane_id, deposit_id, sequence, callback_id, made_on, due_at)
    select lane_id, deposit_id, sequence, id, made_on, made_at
    from made`)
}

async function withoutUnwanted(tx: Tx, drafts: readonly EventDraft[]): Promise<EventDraft[]> {
  if (!drafts.some((draft) => isOptional(draft.type))) return [...drafts]
  const merchants = [...new Set(drafts.map((draft) => draft.merchantId))]
  const rows = await tx.query<{ id: string; optional_events: EventType[] }>(sql`
    select id, optional_events
    from merchants
    where id = any((select ${merchants}::uuid[])::uuid[]) and optional_events <> '{}'`)
  const requested = new Map(rows.map((row) => [row.id, row.optional_events]))
  return drafts.filter((draft) => isWanted(draft.type, requested.get(draft.merchantId) ?? []))
}

const laneKey = (merchantId: MerchantId, origin: string | null) => `${merchantId} ${origin ?? ''}`
const keyOf = ({ merchantId, origin }: Endpoint) => laneKey(merchantId, origin)

type Addressed = Pick<EventDraft, 'merchantId' | 'callbackUrl'>
type Endpoint = { merchantId: MerchantId; origin: string | null }

/** The lanes of a transaction's events, looked for before the events are written. Locks nothing and waits for nothing. */
export class EventLanes {
  readonly #tx: Tx
  readonly #asked = new Set<string>()
  readonly #answers: Promise<Lanes>[] = []

  constructor(tx: Tx) {
    this.#tx = tx
  }

  find(drafts: readonly Addressed[]): void {
    const endpoints = endpointsOf(drafts).filter((endpoint) => !this.#asked.has(keyOf(endpoint)))
    if (endpoints.length === 0) return
    for (const endpoint of endpoints) this.#asked.add(keyOf(endpoint))
    const answer = findLanes(this.#tx, endpoints)
    // An error is thrown to the caller that needs the lanes; until then nobody awaits this promise.
    answer.catch(() => {})
    this.#answers.push(answer)
  }

  async found(): Promise<Lanes> {
    return new Map((await Promise.all(this.#answers)).flatMap((lanes) => [...lanes]))
  }
}

const endpointsOf = (drafts: readonly Addressed[]): Endpoint[] => [
  ...new Map(
    drafts.map(({ merchantId, callbackUrl }) => {
      const origin = originOf(callbackUrl)
      return [laneKey(merchantId, origin), { merchantId, origin }]
    }),
  ).values(),
]

/**
 * Creates the lanes of these events that are missing. Existing rows are not changed. The number of lanes per merchant is
 * limited, because every claim of the delivery reads all of them: further addresses share a few lanes.
 */
async function addMissingLanes(tx: Tx, drafts: readonly Addressed[], lanes: Lanes): Promise<Lanes> {
  const missing = new Map(
    endpointsOf(drafts)
      .map((endpoint) => [keyOf(endpoint), endpoint] as const)
      .filter(([key, { origin }]) => origin !== null && !lanes.has(key)),
  )
  if (missing.size === 0) return lanes
  const room = await lanesLeft(tx, [...missing.values()])
  const made = new Map(
    [...missing].map(([key, { merchantId, origin }]) => {
      const left = room.get(merchantId)!
      room.set(merchantId, left - 1)
      // A longer origin cannot be resolved and does not fit its index: one would fail the whole group.
      const hasOwnLane = left > 0 && origin!.length <= bounds.hostCharacters + 'https://:65535'.length
      return [key, { merchantId, origin: hasOwnLane ? origin : sharedOrigin(origin!) }]
    }),
  )
  const { merchants, origins } = endpointColumns([...made.values()])
  await tx.query(sql`
    insert into callback_lanes (merchant_id, origin)
    select distinct merchant_id, origin
    from unnest(${merchants}::uuid[], ${origins}::text[]) as o (merchant_id, origin)
    order by merchant_id, origin
    on conflict do nothing`)
  const found = await findLanes(tx, [...made.values()])
  for (const [key, { merchantId, origin }] of made) lanes.set(key, found.get(laneKey(merchantId, origin))!)
  return lanes
}

/** One of a few shared lanes, always the same for an address. */
const sharedOrigin = (origin: string): string =>
  `https://* (${createHash('sha256').update(origin).digest().readUInt32BE() % bounds.sharedLanes})`

const endpointColumns = (endpoints: readonly Endpoint[]) => ({
  merchants: endpoints.map((endpoint) => endpoint.merchantId),
  origins: endpoints.map((endpoint) => endpoint.origin),
})

async function findLanes(tx: Tx, endpoints: readonly Endpoint[]): Promise<Lanes> {
  const { merchants, origins } = endpointColumns(endpoints)
  const rows = await tx.query<{ id: bigint; merchant_id: string; origin: string | null }>(sql`
    select distinct l.id, l.merchant_id, l.origin
    from unnest((select ${merchants}::uuid[]), ${origins}::text[]) as o (merchant_id, origin)
    join callback_lanes l on l.merchant_id = o.merchant_id and l.origin is not distinct from o.origin`)
  return new Map(rows.map((row) => [laneKey(row.merchant_id, row.origin), row.id]))
}

/** How many more lanes each of these merchants may have. */
async function lanesLeft(tx: Tx, endpoints: readonly Endpoint[]): Promise<Map<MerchantId, number>> {
  const rows = await tx.query<{ merchant_id: string; lanes: number }>(sql`
    select merchant_id, count(*)::int as lanes
    from callback_lanes
    where merchant_id = any(${endpointColumns(endpoints).merchants}::uuid[])
    group by merchant_id`)
  return new Map(rows.map(({ merchant_id, lanes }) => [merchant_id, bounds.lanesOfMerchant - lanes]))
}

type StoredEvent = { sequence: bigint; body: string }
type EventsAsked = { merchantId: MerchantId; after: bigint; limit: number; bytes: number }

/** The merchant's events after a number, in order: as many as fit these bytes, one at least. */
export const readEvents = (db: Queryable, { merchantId, after, limit, bytes }: EventsAsked) =>
  db.query<StoredEvent>(sql`
    select sequence, body
    from (
      select sequence, body, sum(octet_length(body)) over (order by sequence) as bytes,
        row_number() over (order by sequence) as place
      from (
        select sequence, body
        from callbacks
        where merchant_id = ${merchantId} and sequence > ${after}
        order by sequence
        limit ${limit}) e
    ) e
    where bytes <= ${bytes}::int or place = 1
    order by sequence`)

/** The oldest number still kept, and the newest given. */
export const readEventSpan = (db: Queryable, merchantId: MerchantId) =>
  db.one<{ oldest: bigint | null; last: bigint }>(sql`
    select
      (select min(sequence) from callbacks where merchant_id = ${merchantId}) as oldest,
      coalesce((select last_sequence from event_counters where merchant_id = ${merchantId}), 0) as last`)

/** The newest number below this one. */
export const readEventBefore = (db: Queryable, merchantId: MerchantId, sequence: bigint) =>
  db.one<{ newest: bigint | null }>(sql`
    select max(sequence) as newest from callbacks where merchant_id = ${merchantId} and sequence < ${sequence}`)

/** Whether a callback made on this day is still to be sent. */
export const isDayDue = (db: Queryable, day: string): Promise<boolean> =>
  db.has(sql`select from callback_due where made_on = ${day} limit 1`)

export async function forgetDead(db: Queryable, keepDays: number): Promise<void> {
  const forgetGroup = () =>
    db.query(sql`
      delete from callback_dead
      where callback_id = any(array(
        select callback_id
        from callback_dead
        where made_on < (inlet_now() at time zone 'UTC')::date - ${keepDays}::int
        order by made_on
        limit ${bounds.sweepGroup}
        for update skip locked))
      returning true`)
  while ((await forgetGroup()).length === bounds.sweepGroup);
}

export type CallbackRow = {
  id: string
  merchant_id: string
  sequence: bigint
  deposit_id: string
  type: EventType
  state: CallbackState
  url: string | null
  attempts: number
  has_more_attempts: boolean
  last_status: number | null
  made_at: Date
  acked_at: Date | null
  due_at: Date | null
  lane_state: string
  lane_reason: string | null
}

/**
 * The attempts (`sent`) of a callback `c`, summed up. A probe tests the lane and does not count. A callback that was replayed
 * for weeks may have thousands, so only the first and the last ones are read. They nearly always contain the first success
 * and the last failure.
 */
export const callbackSent = fragment`
  cross join lateral (
    with newest as materialized (
      select a.at, a.ms, a.outcome, a.status
      from callback_attempts a
      where a.made_on = c.made_on and a.callback_id = c.id
      order by a.at desc
      limit ${bounds.attemptsRead}
    ), oldest as (
      -- None, unless there are more than the newest.
      select a.at, a.ms, a.outcome, a.status
      from callback_attempts a
      where a.made_on = c.made_on and a.callback_id = c.id
        and a.at < (select min(at) from newest having count(*) = ${bounds.attemptsRead})
      order by a.at
      limit ${bounds.attemptsRead}
    )
    select (count(*) filter (where a.outcome <> 'probe'))::int as attempts,
      count(*) = ${2 * bounds.attemptsRead} as has_more_attempts,
      (array_agg(a.status order by a.at desc) filter (where a.outcome <> 'probe'))[1] as last_status,
      min(a.at + a.ms * interval '1 millisecond') filter (where a.outcome = 'ok') as acked_at
    from (
      select at, ms, outcome, status from newest
      union all
      select at, ms, outcome, status from oldest
    ) a
  ) sent`

/** The state of a callback, from its row in the queue (`due`) and its attempts (`sent`). */
export const callbackState = fragment`
  case
    when due.callback_id is not null then 'pending'
    when sent.acked_at is not null then 'delivered'
    else 'failed'
  end`

const callbackColumns = fragment`
  c.id, c.merchant_id, c.sequence, c.deposit_id, c.type,
  ${callbackState} as state,
  coalesce(c.url, m.callback_url) as url, sent.attempts, sent.has_more_attempts, sent.last_status, c.made_at, sent.acked_at, due.due_at,
  l.state as lane_state, l.reason as lane_reason`

export const callbackJoins = fragment`
  join merchants m on m.id = c.merchant_id
  join callback_lanes l on l.id = c.lane_id
  left join callback_due due on due.callback_id = c.id
  ${callbackSent}`

type CallbacksAsked = {
  merchantId: MerchantId
  state: CallbackState | null
  /** Only numbers from this one up to, but not including, that one: a search for a rare state has to read them all. */
  from: bigint
  before: bigint
  since: string | null
  limit: number
}

export const aboveEveryNumber = 2n ** 62n

/** A merchant's callbacks, newest first. */
export const listCallbacks = (
  db: Queryable,
  { merchantId, state, from, before, since, limit }: CallbacksAsked,
) =>
  db.query<CallbackRow>(sql`
    select ${callbackColumns}
    from callbacks c
    ${callbackJoins}
    where c.merchant_id = ${merchantId}
      and c.sequence >= ${from}
      and c.sequence < ${before}
      and (${since}::timestamptz is null or c.made_at >= ${since})
      and (${state}::text is null
        or (${state} = 'pending' and due.callback_id is not null)
        or (${state} = 'delivered' and due.callback_id is null and sent.acked_at is not null)
        or (${state} = 'failed' and due.callback_id is null and sent.acked_at is null))
    order by c.sequence desc
    limit ${limit}`)

export const findCallback = (db: Queryable, id: string) =>
  db.find<CallbackRow & { made_on: string; body: string }>(sql`
    select ${callbackColumns}, c.made_on, c.body
    from callbacks c
    ${callbackJoins}
    where c.id = ${id}`)

/** The last attempts of a callback, oldest first. */
export const listAttempts = (db: Queryable, { id, madeOn }: { id: string; madeOn: string }) =>
  db.query<AttemptRow>(sql`
    select at, ms, outcome, status, error, answer, address
    from (
      select at, ms, outcome, status, error, answer, address
      from callback_attempts
      where made_on = ${madeOn} and callback_id = ${id}
      order by at desc
      limit ${bounds.attemptsRead}) newest
    order by at`)

export async function findLane(
  db: Queryable,
  merchantId: MerchantId,
  origin: string | null,
): Promise<bigint | undefined> {
  const [row] = await db.query<{ id: bigint }>(sql`
    select id
    from callback_lanes
    where merchant_id = ${merchantId} and origin is not distinct from ${origin}::text`)
  return row?.id
}
