/**
 * The queries of delivery. Lanes are owned, callbacks are not: the owner of a lane (owner and epoch) may send and
 * change its callbacks until another node claims it. Leases use the database's real time, `now()`; due times, breakers
 * and ages use `inlet_now()`, which tests can shift. It is written `(select inlet_now())` because a bare call would be
 * evaluated for every row.
 */

import { bounds } from '../../../platform/bounds.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import type { Vault } from '../../../platform/vault.ts'
import { sealLabel } from '../../merchants/api-key.ts'
import type { MerchantId } from '../../merchants/merchant.ts'
import { isHeldBack } from '../store.ts'
import { lifeMs } from './retry-schedule.ts'

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
 * Claims lanes that have something due and no live owner, and returns the database's time, and how many such lanes are left.
 * `held`: how many lanes of each merchant this node has already, of which it may have at most `share`. Those of merchants
 * with the fewest are first, then those least recently served. The recursive query steps from lane to lane by index, so that the backlog of an inactive lane is never read; "limit 1"
 * keeps the planner, which expects an empty queue, from reading all rows of a lane.
 */
export async function claimLanes(
  db: Queryable,
  {
    node,
    most,
    share = bounds.delivery.ownedLanesOfMerchant,
    held = new Map(),
  }: { node: string; most: number; share?: number; held?: ReadonlyMap<MerchantId, number> },
): Promise<{ now: number; claimed: ClaimedLane[]; waiting: number }> {
  // "no key update": events being written hold a key share on their lane, and must not hide it.
  const rows = await db.query<{ now: number; waiting: number } & (ClaimedLane | { id: null })>(sql`
    with recursive busy (lane_id) as (
      select min(lane_id) from callback_due
      union all
      select (select min(d.lane_id) from callback_due d where d.lane_id > busy.lane_id)
      from busy
      where busy.lane_id is not null
    ), ready as (
      select l.id, l.merchant_id, l.owner_until,
        row_number() over (partition by l.merchant_id order by l.owner_until) as place
      from callback_lanes l
      join busy on busy.lane_id = l.id
      join merchants m on m.id = l.merchant_id
      cross join lateral (
        select
        from callback_due d
        where d.lane_id = l.id and d.due_at <= (select inlet_now())
        order by d.due_at
        limit 1) due
      where l.state = 'active'
        and l.owner_until < now()
        and l.open_until <= (select inlet_now())
        and (l.origin is not null or m.callback_url is not null)
    ), pick as (
      select l.id
      from ready r
      join callback_lanes l on l.id = r.id
      left join unnest(${[...held.keys()]}::uuid[], ${[...held.values()]}::int[]) as held (merchant_id, lanes)
        on held.merchant_id = r.merchant_id
      where r.place + coalesce(held.lanes, 0) <= ${share}
        -- Checked again under the lock, because the row may have changed.
        and l.state = 'active'
        and l.owner_until < now()
        and l.open_until <= (select inlet_now())
      order by r.place + coalesce(held.lanes, 0), r.owner_until
      limit ${most}
      for no key update of l skip locked
    ), taken as (
      update callback_lanes l
      set
        owner = ${node},
        epoch = l.epoch + 1,
        owner_until = now() + make_interval(secs => ${bounds.delivery.leaseMs / 1000})
      from pick
      where l.id = pick.id
      returning l.id, l.epoch, l.merchant_id as "merchantId", l.origin is not null as "hasOwnUrls",
        l.window_size as "window", l.trips, (extract(epoch from l.failing_since) * 1000)::float8 as "failingSince"
    )
    select (extract(epoch from inlet_now()) * 1000)::float8 as now,
      (select count(*) from ready)::int - (select count(*) from taken)::int as waiting,
      t.id, t.epoch, t."merchantId", t."hasOwnUrls", t."window", t.trips, t."failingSince"
    from (values (1)) as always (one)
    left join taken t on true`)
  const { now, waiting } = rows[0]!
  return { now, waiting, claimed: rows.filter((row) => row.id !== null) }
}

/** Renews the leases of these lanes, and returns those that this node still owns. */
export async function renewLanes(db: Queryable, node: string, lanes: readonly LaneKey[]): Promise<bigint[]> {
  const rows = await db.query<{ id: bigint }>(sql`
    update callback_lanes l
    set owner_until = now() + make_interval(secs => ${bounds.delivery.leaseMs / 1000})
    from unnest(${lanes.map((lane) => lane.id)}::bigint[], ${lanes.map((lane) => lane.epoch)}::bigint[])
      as mine (id, epoch)
    where l.id = mine.id and l.epoch = mine.epoch and l.owner = ${node}
    returning l.id`)
  return rows.map((row) => row.id)
}

/** A callback that its lane may send now. */
export type Head = {
  laneId: bigint
  depositId: string
  sequence: bigint
  callbackId: string
  madeOn: string
  madeAt: number
  /** How often it has failed. */
  attempts: number
  url: string
  body: string
}

/** A lane, and how many callbacks it has room for. */
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
    select h.lane_id as "laneId", h.deposit_id as "depositId", h.sequence, h.callback_id as "callbackId",
      h.made_on as "madeOn", (extract(epoch from c.made_at) * 1000)::float8 as "madeAt", h.attempts,
      coalesce(c.url, m.callback_url) as url, c.body
    from (
      select w.lane_id, w.most, l.merchant_id,
        greatest(${lookedAtOfLane}::int, ${lookedAtOfMerchant}::int / count(*) over (partition by l.merchant_id)) as looked
      from unnest(
        ${lanes.map((lane) => lane.id)}::bigint[],
        ${lanes.map((lane) => lane.epoch)}::bigint[],
        ${lanes.map((lane) => lane.most)}::int[]
      ) as w (lane_id, epoch, most)
      join callback_lanes l on l.id = w.lane_id and l.epoch = w.epoch and l.owner = ${node} and l.state = 'active'
    ) w
    join merchants m on m.id = w.merchant_id
    cross join lateral (
      select d.lane_id, d.deposit_id, d.sequence, d.callback_id, d.made_on, d.attempts
      from (
        (select lane_id, deposit_id, sequence, callback_id, made_on, attempts
         from callback_due
         where lane_id = w.lane_id and due_at <= (select inlet_now())
         order by due_at
         limit w.looked)
        union all
        (select lane_id, deposit_id, sequence, callback_id, made_on, attempts
         from callback_due
         where lane_id = w.lane_id
           and due_at <= (select inlet_now())
           and due_at >= (
             select due_at
             from callback_due
             where lane_id = w.lane_id and due_at <= (select inlet_now())
             order by due_at
             offset w.looked
             limit 1)
         order by due_at desc
         limit w.looked)
      ) d
      -- Hashed once; "<> all (array)" would compare every row with every member.
      where d.callback_id not in (select unnest(${taken}::uuid[]))
        and not ${isHeldBack}
      limit w.most
    ) h
    join callbacks c on c.made_on = h.made_on and c.id = h.callback_id
    where coalesce(c.url, m.callback_url) is not null`)
  // A callback may be among both the oldest and the newest.
  return [...new Map(heads.map((head) => [head.callbackId, head])).values()]
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

/** Gives up callbacks that are older than their life, so that they are listed as failed. Returns how many. */
export async function expireOldCallbacks(db: Queryable, most: number): Promise<number> {
  const rows = await db.query<{ callback_id: string }>(sql`
    with old as (
      select d.lane_id, d.deposit_id, d.sequence, d.callback_id, d.made_on, c.merchant_id
      from callback_due d
      join callbacks c on c.made_on = d.made_on and c.id = d.callback_id
      where d.made_on
          <= (select ((inlet_now() - make_interval(secs => ${lifeMs / 1000})) at time zone 'UTC')::date)
        and c.made_at <= (select inlet_now() - make_interval(secs => ${lifeMs / 1000}))
      limit ${most}
      for update of d skip locked
    ), removed as (
      delete from callback_due d
      using old
      where d.lane_id = old.lane_id and d.deposit_id = old.deposit_id and d.sequence = old.sequence
    )
    insert into callback_dead (callback_id, made_on, merchant_id, lane_id, deposit_id, sequence, died_at, reason)
    select callback_id, made_on, merchant_id, lane_id, deposit_id, sequence, inlet_now(), 'too_old'
    from old
    on conflict (callback_id) do update
    set died_at = excluded.died_at, reason = excluded.reason
    returning callback_id`)
  return rows.length
}

/** Stops the lane. Its owner notices at its next read, and releases it when the requests in flight are done. */
export const pauseLane = (db: Queryable, laneId: bigint, reason: string) =>
  db.run(sql`
    update callback_lanes
    set state = 'paused', reason = ${reason}
    where id = ${laneId}`)

/** Resets the health, so that old failures do not pause it again at once. A lane without an address waits for one. */
export const resumeLane = (db: Queryable, laneId: bigint) =>
  db.run(sql`
    update callback_lanes l
    set
      state = case when l.origin is null and m.callback_url is null then 'waiting' else 'active' end,
      reason = null,
      trips = 0,
      open_until = '-infinity',
      failing_since = null,
      alarmed_at = null
    from merchants m
    where l.id = ${laneId} and m.id = l.merchant_id`)
