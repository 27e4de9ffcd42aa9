/**
 * The queries of delivery. Endpoints are owned, deliveries are not: the owner of an endpoint (owner and epoch) may send and
 * change its deliveries until another node claims it. Leases use the database's real time, `now()`; due times, breakers
 * and ages use `inlet_now()`, which tests can shift. It is written `(select inlet_now())` because a bare call would be
 * evaluated for every row.
 */

import { bounds } from '../../../platform/bounds.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import type { Vault } from '../../../platform/vault.ts'
import { sealLabel } from '../../merchants/api-key.ts'
import type { MerchantId } from '../../merchants/merchant.ts'
import { isHeldBack } from '../store.ts'

export type LaneKey = { id: bigint; epoch: bigint }

export type ClaimedLane = LaneKey & {
  merchantId: MerchantId
  /** Its callbacks have URLs of their own; otherwise they go to the merchant's address. */
  hasOwnUrls: boolean
  window: number
  trips: number
  failingSince: number | null
}

/**
 * Claims endpoints that have something due and no live owner, those least recently served first, and returns the database's time.
 * The recursive query steps from endpoint to endpoint by index, so that the backlog of one that rests is never read; "limit 1"
 * keeps the planner, which expects an empty queue, from reading all rows of an endpoint.
 */
export async function claimLanes(
  db: Queryable,
  { node, most }: { node: string; most: number },
): Promise<{ now: number; claimed: ClaimedLane[] }> {
  const rows = await db.query<{ now: number } & (ClaimedLane | { id: null })>(sql`
    with recursive busy (endpoint_id) as (
      select min(endpoint_id) from deliveries
      union all
      select (select min(d.endpoint_id) from deliveries d where d.endpoint_id > busy.endpoint_id)
      from busy
      where busy.endpoint_id is not null
    ), pick as (
      select p.id
      from endpoints p
      join busy on busy.endpoint_id = p.id
      join merchants m on m.id = p.merchant_id
      cross join lateral (
        select
        from deliveries d
        where d.endpoint_id = p.id and d.due_at <= (select inlet_now())
        order by d.due_at
        limit 1) due
      where p.state = 'active'
        and p.owner_until < now()
        and p.open_until <= (select inlet_now())
        and (p.origin is not null or m.callback_url is not null)
      order by p.owner_until
      limit ${most}
      for no key update of p skip locked
    ), taken as (
      update endpoints p
      set
        owner = ${node},
        epoch = p.epoch + 1,
        owner_until = now() + make_interval(secs => ${bounds.delivery.leaseMs / 1000})
      from pick
      where p.id = pick.id
      returning p.id, p.epoch, p.merchant_id as "merchantId", p.origin is not null as "hasOwnUrls",
        p.window_size as "window", p.trips, (extract(epoch from p.failing_since) * 1000)::float8 as "failingSince"
    )
    select (extract(epoch from inlet_now()) * 1000)::float8 as now, t.id, t.epoch, t."merchantId", t."hasOwnUrls", t."window", t.trips,
      t."failingSince"
    from (values (1)) as always (one)
    left join taken t on true`)
  return { now: rows[0]!.now, claimed: rows.filter((row) => row.id !== null) }
}

/** Renews the leases of these endpoints, and returns those that this node still owns. */
export async function renewLanes(db: Queryable, node: string, lanes: readonly LaneKey[]): Promise<bigint[]> {
  const rows = await db.query<{ id: bigint }>(sql`
    update endpoints p
    set owner_until = now() + make_interval(secs => ${bounds.delivery.leaseMs / 1000})
    from unnest(${lanes.map((lane) => lane.id)}::bigint[], ${lanes.map((lane) => lane.epoch)}::bigint[])
      as mine (id, epoch)
    where p.id = mine.id and p.epoch = mine.epoch and p.owner = ${node}
    returning p.id`)
  return rows.map((row) => row.id)
}

/** An event that its endpoint may get now. */
export type Head = {
  endpointId: bigint
  depositId: string
  sequence: bigint
  eventId: string
  madeOn: string
  madeAt: number
  /** How often it has failed. */
  attempts: number
  url: string
  /** Rendered once, when the event was made: the same bytes at every attempt. */
  body: string
}

/** A lane, and how many events it has room for. */
type Wanted = LaneKey & { most: number }

/**
 * The callbacks that these lanes may send next, oldest first: due, not already in this process (`taken`), and not
 * behind an earlier callback of the same deposit, unless that one has failed five times. "+ 0" and "offset 0" make the
 * planner look up each deposit's callbacks by deposit, one by one.
 *
 * Callbacks that are held back stay due: a merchant may have a million of them, and all lanes are read in one query. So for each
 * merchant a number of the oldest are read and, if these do not suffice, of the newest: among those are the retries that hold
 * the others back.
 */
export async function readHeads(
  db: Queryable,
  { node, lanes, taken }: { node: string; lanes: readonly Wanted[]; taken: readonly string[] },
): Promise<Head[]> {
  const { lookedAtOfMerchant, lookedAtOfLane } = bounds.delivery
  const heads = await db.query<Head>(sql`
    select h.endpoint_id as "endpointId", h.deposit_id as "depositId", h.sequence, h.event_id as "eventId",
      h.made_on as "madeOn", (extract(epoch from c.made_at) * 1000)::float8 as "madeAt", h.attempts,
      coalesce(c.url, m.callback_url) as url, c.body
    from (
      select w.endpoint_id, w.most, l.merchant_id,
        greatest(${lookedAtOfLane}::int, ${lookedAtOfMerchant}::int / count(*) over (partition by l.merchant_id)) as looked
      from unnest(
        ${lanes.map((lane) => lane.id)}::bigint[],
        ${lanes.map((lane) => lane.epoch)}::bigint[],
        ${lanes.map((lane) => lane.most)}::int[]
      ) as w (endpoint_id, epoch, most)
      join endpoints l on l.id = w.endpoint_id and l.epoch = w.epoch and l.owner = ${node} and l.state = 'active'
    ) w
    join merchants m on m.id = w.merchant_id
    cross join lateral (
      select d.endpoint_id, d.deposit_id, d.sequence, d.event_id, d.made_on, d.attempts
      from (
        (select endpoint_id, deposit_id, sequence, event_id, made_on, attempts
         from deliveries
         where endpoint_id = w.endpoint_id and due_at <= (select inlet_now())
         order by due_at
         limit w.looked)
        union all
        (select endpoint_id, deposit_id, sequence, event_id, made_on, attempts
         from deliveries
         where endpoint_id = w.endpoint_id
           and due_at <= (select inlet_now())
           and due_at >= (
             select due_at
             from deliveries
             where endpoint_id = w.endpoint_id and due_at <= (select inlet_now())
             order by due_at
             offset w.looked
             limit 1)
         order by due_at desc
         limit w.looked)
      ) d
      -- Hashed once; "<> all (array)" would compare every row with every member.
      where d.event_id not in (select unnest(${taken}::uuid[]))
        and not ${isHeldBack}
      limit w.most
    ) h
    join events c on c.made_on = h.made_on and c.id = h.event_id
    where coalesce(c.url, m.callback_url) is not null`)
  // A callback may be among both the oldest and the newest.
  return [...new Map(heads.map((head) => [head.eventId, head])).values()]
}

/** The current secrets for these merchants' callbacks, newest first, without those that cannot be decrypted. */
export async function readSigningSecrets(
  db: Queryable,
  vault: Vault,
  merchants: readonly MerchantId[],
): Promise<Map<MerchantId, string[]>> {
  const rows = await db.query<{ id: string; merchant_id: string; secret_sealed: Buffer }>(sql`
    select id, merchant_id, secret_sealed
    from api_keys
    where merchant_id = any(${merchants}::uuid[])
      and purpose = 'callback'
      and (not_after is null or not_after > inlet_now())
    order by created_at desc, id desc`)
  const secrets = new Map<MerchantId, string[]>(merchants.map((merchant) => [merchant, []]))
  for (const row of rows) {
    const secret = decrypted(vault, row)
    if (secret !== undefined) secrets.get(row.merchant_id)!.push(secret)
  }
  return secrets
}

function decrypted(vault: Vault, row: { id: string; merchant_id: string; secret_sealed: Buffer }) {
  try {
    return vault.open(
      row.secret_sealed,
      sealLabel({ id: row.id, merchantId: row.merchant_id, purpose: 'callback' }),
    )
  } catch {
    // One merchant's damaged key must not stop the callbacks of all.
    return undefined
  }
}
