/** Delivery on a real database: shops with an address, callbacks in their queue, engines that deliver them. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { type Delivery, startDelivery } from '../../src/domain/callbacks/delivery/deliver-callbacks.ts'
import { keepCallbackPartitions } from '../../src/domain/callbacks/keep-partitions.ts'
import { callbackSent } from '../../src/domain/callbacks/list-store.ts'
import { createMerchant } from '../../src/domain/merchants/create-merchant.ts'
import { newId } from '../../src/platform/clock.ts'
import { type Db, openDatabase, sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { createOutbound } from '../../src/platform/outbound.ts'
import { proveVault } from '../../src/platform/sealing-key.ts'
import { createVault, type Vault } from '../../src/platform/vault.ts'
import { atEnd } from './clean-up.ts'
import { createDatabase, type TestDatabase } from './database.ts'

export type DeliveryShop = { merchantId: string; laneId: bigint; callbackSecret: string }

type Enqueued = { id: string; depositId: string; sequence: bigint; body: string }

export type Engine = Delivery & { node: string }

export type DeliveryWorld = {
  database: TestDatabase
  db: Db
  vault: Vault
  logged: string[]
  openShop(callbackUrl: string | null): Promise<DeliveryShop>
  /** One callback for each deposit named, in this order. Without a URL it goes to the shop's address. */
  enqueue(shop: DeliveryShop, depositIds: readonly string[], options?: { url?: string }): Promise<Enqueued[]>
  /** So many, each of a deposit of its own, made by the database itself. */
  enqueueMany(shop: DeliveryShop, count: number): Promise<void>
  /** On the world's database, or on one that watches it. */
  startEngine(using?: Db): Engine
  /** Moves the database's clock on, on top of what it was moved before. */
  advance(seconds: number): Promise<void>
  lane(id: bigint): Promise<LaneState>
  /** What is still due, in order. */
  due(
    shop?: DeliveryShop,
  ): Promise<{ event_id: string; attempts: number; endpoint_id: bigint; wait: number }[]>
  dead(): Promise<{ event_id: string; reason: string }[]>
  callback(id: string): Promise<{ attempts: number; last_status: number | null; acked_at: Date | null }>
  attempts(
    id: string,
  ): Promise<{ outcome: string; status: number | null; error: string | null; node: string }[]>
}

type LaneState = {
  state: string
  reason: string | null
  owner: string | null
  epoch: bigint
  trips: number
  window_size: number
  failing_since: Date | null
  is_owned: boolean
  is_open: boolean
}

export async function openDeliveryWorld(): Promise<DeliveryWorld> {
  const database = await createDatabase()
  const { owner } = database
  await keepCallbackPartitions(owner)
  const db = openDatabase(database.login, { role: 'inlet_runtime' })
  const vault = createVault(Buffer.alloc(32, 7))
  await proveVault(db, vault, 'server')
  const logged: string[] = []
  const log = createLog('debug', (line) => logged.push(line))
  const outbound = createOutbound({ allowed: () => false, loopback: true }, { connections: 256 })
  const engines: Delivery[] = []
  atEnd(async () => {
    await Promise.all(engines.map((engine) => engine.stop()))
    await outbound.close()
    await db.close()
  })
  let shift = 0
  const sequences = new Map<string, bigint>()

  return {
    database,
    db,
    vault,
    logged,
    async openShop(callbackUrl) {
      const created = await createMerchant(db, vault, { name: 'Shop', mode: 'test', callbackUrl })
      const { id: merchantId } = created.merchant
      const [lane] = await owner.query<{ id: bigint }>(
        sql`select id from endpoints where merchant_id = ${merchantId} and origin is null`,
      )
      return { merchantId, laneId: lane!.id, callbackSecret: created.callbackSecret }
    },
    async enqueue({ merchantId, laneId }, depositIds, { url } = {}) {
      const lane = url === undefined ? laneId : await laneOfOrigin(owner, merchantId, new URL(url).origin)
      const rows = depositIds.map((depositId): Enqueued => {
        const sequence = (sequences.get(merchantId) ?? 0n) + 1n
        sequences.set(merchantId, sequence)
        const id = newId()
        const event = { type: 'deposit.confirmed', id, sequence: Number(sequence), data: { id: depositId } }
        return { id, depositId, sequence, body: JSON.stringify(event) }
      })
      await owner.query(sql`
        with made as (
          insert into events (made_on, id, merchant_id, sequence, deposit_id, type, url, body, made_at)
          select (inlet_now() at time zone 'UTC')::date, id, ${merchantId}, sequence, deposit_id,
            'deposit.confirmed', ${url ?? null}, body, inlet_now()
          from unnest(
            ${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.sequence)}::bigint[],
            ${rows.map((row) => row.depositId)}::uuid[], ${rows.map((row) => row.body)}::text[]
          ) as n (id, sequence, deposit_id, body)
          returning made_on, id, merchant_id, sequence, deposit_id, made_at
        )
        insert into deliveries (endpoint_id, merchant_id, deposit_id, sequence, event_id, made_on, due_at)
        select ${lane}, merchant_id, deposit_id, sequence, id, made_on, made_at
        from made`)
      return rows
    },
    async enqueueMany({ merchantId, laneId }, count) {
      const last = sequences.get(merchantId) ?? 0n
      sequences.set(merchantId, last + BigInt(count))
      // In parts, each well within the time that a statement may take.
      for (let from = 0; from < count; from += 20_000) {
        await owner.query(sql`
          with made as (
            insert into events (made_on, id, merchant_id, sequence, deposit_id, type, body, made_at)
            select (n.now at time zone 'UTC')::date, n.id, ${merchantId}, n.sequence, n.deposit_id,
              'deposit.confirmed',
              format('{"type":"deposit.confirmed","id":"%s","sequence":%s,"data":{"id":"%s"}}',
                n.id, n.sequence, n.deposit_id),
              n.now
            from (
              select gen_random_uuid() as id, gen_random_uuid() as deposit_id, ${last}::bigint + number as sequence,
                (select inlet_now()) as now
              from generate_series(${from + 1}::int, ${Math.min(from + 20_000, count)}::int) as number
            ) n
            returning made_on, id, merchant_id, sequence, deposit_id, made_at
          )
          insert into deliveries (endpoint_id, merchant_id, deposit_id, sequence, event_id, made_on, due_at)
          select ${laneId}, merchant_id, deposit_id, sequence, id, made_on, made_at
          from made`)
      }
    },
    startEngine(using = db) {
      const node = newId()
      const engine = startDelivery({ db: using, vault, outbound, log, node })
      engines.push(engine)
      return { ...engine, node }
    },
    async advance(seconds) {
      shift += seconds
      await database.shiftClock(`${shift} seconds`)
      await keepCallbackPartitions(owner)
    },
    async lane(id) {
      const [row] = await owner.query<LaneState>(sql`
        select state, reason, owner, epoch, trips, window_size, failing_since, owner_until > now() as is_owned,
          open_until > inlet_now() as is_open
        from endpoints
        where id = ${id}`)
      return row!
    },
    due: (shop) =>
      owner.query(sql`
        select event_id, attempts, endpoint_id, extract(epoch from due_at - inlet_now())::float8 as wait
        from deliveries
        where state = 'open' and (${shop?.laneId ?? null}::bigint is null or endpoint_id = ${shop?.laneId ?? null})
        order by sequence`),
    dead: () =>
      owner.query(sql`select event_id, reason from deliveries where state = 'dead' order by died_at`),
    async callback(id) {
      const rows = await owner.query<{ attempts: number; last_status: number | null; acked_at: Date | null }>(
        sql`
          select sent.attempts, sent.last_status, sent.acked_at
          from events c
          ${callbackSent}
          where c.id = ${id}`,
      )
      return rows[0]!
    },
    attempts: (id) =>
      owner.query(
        sql`select outcome, status, error, node from delivery_attempts where event_id = ${id} order by at`,
      ),
  }
}

async function laneOfOrigin(owner: Db, merchantId: string, origin: string): Promise<bigint> {
  await owner.query(sql`
    insert into endpoints (merchant_id, origin) values (${merchantId}, ${origin}) on conflict do nothing`)
  const [row] = await owner.query<{ id: bigint }>(
    sql`select id from endpoints where merchant_id = ${merchantId} and origin = ${origin}`,
  )
  return row!.id
}

/** Deposits that nobody has: their ids are all that delivery looks at. */
export const newDeposits = (count: number): string[] => Array.from({ length: count }, newId)

/** Waits until this holds, and says what it was when it never did. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms = 30_000,
): Promise<void> {
  const end = performance.now() + ms
  while (!(await holds())) {
    assert.ok(performance.now() < end, `in vain for ${ms} ms: ${what}`)
    await wait(20)
  }
}
