/** Events in the database: numbered, stored once, put into the queue of their endpoint; and their feed. */
import { createHash } from 'node:crypto'
import { bounds } from '../../platform/bounds.ts'
import { newId } from '../../platform/clock.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { bodyAround, type EventDraft, type EventType, isOptional, isWanted, originOf } from './callback.ts'
import { lifeMs } from './delivery/retry-schedule.ts'

/** Later events of the deposit wait for `e`: until it is delivered, or has failed five times. */
export const stillHolds = fragment`e.holds and e.attempts < 5`

/**
 * Whether the open delivery `d` waits behind an earlier event of its deposit. That one is looked for by its deposit, not among
 * all of the endpoint.
 */
export const isHeldBack = fragment`
  exists (
    select from deliveries e
    where e.deposit_id = d.deposit_id
      and e.endpoint_id + 0 = d.endpoint_id
      and e.sequence < d.sequence
      and e.state = 'open'
      and ${stillHolds}
    offset 0)`

/**
 * Writes the events of a transaction and their deliveries. The counters are locked last, in order of merchant, so that
 * sequence numbers are gap-free and in order of commit. The database writes them into the bodies, so that no round trip is needed.
 */
export async function enqueueEvents(tx: Tx, drafts: readonly EventDraft[]): Promise<void> {
  const wanted = await withoutUnwanted(tx, drafts)
  if (wanted.length === 0) return
  const endpoints = await endpointsOfRequests(tx, wanted)
  const left = new Map<MerchantId, number>()
  for (const { merchantId } of wanted) left.set(merchantId, (left.get(merchantId) ?? 0) + 1)
  const merchants = [...left.keys()]
  const counts = [...left.values()]
  const rows = wanted.map((draft) => {
    const after = left.get(draft.merchantId)! - 1
    left.set(draft.merchantId, after)
    const id = newId()
    return {
      ...draft,
      id,
      after,
      endpoint: endpoints.get(keyOf(endpointOf(draft))),
      body: bodyAround(draft, id),
    }
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
    ), numbered as materialized (
      select n.id, n.merchant_id, n.deposit_id, n.type, n.endpoint_id, n.url, n.head, n.tail, c.last_sequence - n.after as sequence,
        (select inlet_now()) as now, ((select inlet_now()) at time zone 'UTC')::date as made_on
      from (
        select
          unnest(${rows.map((row) => row.id)}::uuid[]) as id,
          unnest(${rows.map((row) => row.merchantId)}::uuid[]) as merchant_id,
          unnest(${rows.map((row) => row.after)}::bigint[]) as after,
          unnest(${rows.map((row) => row.depositId)}::uuid[]) as deposit_id,
          unnest(${rows.map((row) => row.type)}::text[]) as type,
          unnest(${rows.map((row) => row.endpoint ?? null)}::bigint[]) as endpoint_id,
          unnest(${rows.map((row) => row.callbackUrl)}::text[]) as url,
          -- JSON has no line breaks, so the bodies are joined by them instead of being escaped as an array.
          unnest(string_to_array(${rows.map((row) => row.body.head).join('\n')}, chr(10))) as head,
          unnest(string_to_array(${rows.map((row) => row.body.tail).join('\n')}, chr(10))) as tail
      ) n
      join counted c on c.merchant_id = n.merchant_id
    ), made as (
      insert into events (made_on, id, merchant_id, sequence, deposit_id, type, url, body, made_at)
      select made_on, id, merchant_id, sequence, deposit_id, type, url, head || sequence || tail, now
      from numbered
    )
    insert into deliveries (event_id, endpoint_id, merchant_id, deposit_id, sequence, made_on, due_at)
    select n.id, coalesce(n.endpoint_id, o.id), n.merchant_id, n.deposit_id, n.sequence, n.made_on, n.now
    from numbered n
    left join endpoints o on n.endpoint_id is null and o.merchant_id = n.merchant_id and o.origin is null`)
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

type Endpoint = { merchantId: MerchantId; origin: string | null }

const keyOf = ({ merchantId, origin }: Endpoint) => `${merchantId} ${origin ?? ''}`
const endpointOf = ({ merchantId, callbackUrl }: EventDraft): Endpoint => ({
  merchantId,
  origin: originOf(callbackUrl),
})

/**
 * The endpoints of requests with an address of their own, by `keyOf`; new ones are made. The number per merchant is limited:
 * further addresses share a few. The merchant's own endpoint was made with the merchant.
 */
async function endpointsOfRequests(tx: Tx, drafts: readonly EventDraft[]): Promise<Map<string, bigint>> {
  const wanted = new Map(
    drafts.flatMap((draft) =>
      draft.callbackUrl === null ? [] : [[keyOf(endpointOf(draft)), endpointOf(draft)]],
    ),
  )
  if (wanted.size === 0) return new Map()
  const endpoints = await findEndpoints(tx, [...wanted.values()])
  const missing = [...wanted].filter(([key]) => !endpoints.has(key))
  if (missing.length === 0) return endpoints
  const room = await roomForEndpoints(
    tx,
    missing.map(([, { merchantId }]) => merchantId),
  )
  const made = new Map(
    missing.map(([key, { merchantId, origin }]) => {
      const left = room.get(merchantId)!
      room.set(merchantId, left - 1)
      // A longer origin cannot be resolved and does not fit its index: one would fail the whole group.
      const isOwn = left > 0 && origin!.length <= bounds.hostCharacters + 'https://:65535'.length
      return [key, { merchantId, origin: isOwn ? origin : sharedOrigin(origin!) }]
    }),
  )
  const { merchants, origins } = columnsOf([...made.values()])
  await tx.query(sql`
    insert into endpoints (merchant_id, origin)
    select distinct merchant_id, origin
    from unnest(${merchants}::uuid[], ${origins}::text[]) as o (merchant_id, origin)
    order by merchant_id, origin
    on conflict do nothing`)
  const found = await findEndpoints(tx, [...made.values()])
  for (const [key, endpoint] of made) endpoints.set(key, found.get(keyOf(endpoint))!)
  return endpoints
}

/** One of a few shared endpoints, always the same for an address. */
const sharedOrigin = (origin: string): string =>
  `https://* (${createHash('sha256').update(origin).digest().readUInt32BE() % bounds.sharedEndpoints})`

const columnsOf = (endpoints: readonly Endpoint[]) => ({
  merchants: endpoints.map((endpoint) => endpoint.merchantId),
  origins: endpoints.map((endpoint) => endpoint.origin),
})

async function findEndpoints(tx: Tx, endpoints: readonly Endpoint[]): Promise<Map<string, bigint>> {
  const { merchants, origins } = columnsOf(endpoints)
  const rows = await tx.query<Endpoint & { id: bigint }>(sql`
    select distinct p.id, p.merchant_id as "merchantId", p.origin
    from unnest((select ${merchants}::uuid[]), ${origins}::text[]) as o (merchant_id, origin)
    join endpoints p on p.merchant_id = o.merchant_id and p.origin = o.origin`)
  return new Map(rows.map((row) => [keyOf(row), row.id]))
}

/** How many more endpoints each of these merchants may have. */
async function roomForEndpoints(tx: Tx, merchants: readonly MerchantId[]): Promise<Map<MerchantId, number>> {
  const rows = await tx.query<{ merchant_id: string; count: number }>(sql`
    select merchant_id, count(*)::int as count
    from endpoints
    where merchant_id = any(${merchants}::uuid[])
    group by merchant_id`)
  return new Map(rows.map(({ merchant_id, count }) => [merchant_id, bounds.endpointsOfMerchant - count]))
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
        from events
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
      (select min(sequence) from events where merchant_id = ${merchantId}) as oldest,
      coalesce((select last_sequence from event_counters where merchant_id = ${merchantId}), 0) as last`)

/** Whether an event of this day is still to be sent. */
export const isDayOpen = (db: Queryable, day: string): Promise<boolean> =>
  db.has(sql`select from deliveries where made_on = ${day} and state = 'open' limit 1`)

/** In groups, each a short statement. */
const repeatWhileFull = async (change: () => Promise<unknown[]>): Promise<number> => {
  for (let count = 0; ; ) {
    const changed = (await change()).length
    count += changed
    if (changed < bounds.sweepGroup) return count
  }
}

/** Gives up what was not delivered within the life of an event, so that it is listed as failed. Returns how many. */
export const giveUpOld = (db: Queryable): Promise<number> =>
  repeatWhileFull(() =>
    db.query(sql`
      update deliveries d
      set state = 'dead', due_at = 'infinity', died_at = inlet_now(), reason = 'too_old'
      from (
        select w.event_id, w.endpoint_id
        from deliveries w
        join events e on e.made_on = w.made_on and e.id = w.event_id
        where w.state = 'open'
          and w.made_on <= (select ((inlet_now() - make_interval(secs => ${lifeMs / 1000})) at time zone 'UTC')::date)
          and e.made_at <= (select inlet_now() - make_interval(secs => ${lifeMs / 1000}))
        limit ${bounds.sweepGroup}
        for update of w skip locked
      ) old
      where d.event_id = old.event_id and d.endpoint_id = old.endpoint_id
      returning true`),
  )

/** Forgets what was given up so long ago that its event is gone. */
export const forgetDead = (db: Queryable, keepDays: number): Promise<number> =>
  repeatWhileFull(() =>
    db.query(sql`
      delete from deliveries
      where event_id = any(array(
        select event_id
        from deliveries
        where state = 'dead' and made_on < (inlet_now() at time zone 'UTC')::date - ${keepDays}::int
        order by made_on
        limit ${bounds.sweepGroup}
        for update skip locked))
      returning true`),
  )
