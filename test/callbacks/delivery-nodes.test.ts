/** Several engines on one database: who owns a lane may change it, and nothing is sent twice at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { LaneChange } from '../../src/domain/callbacks/delivery/held-lane.ts'
import { operatorPause } from '../../src/domain/callbacks/delivery/lane.ts'
import type { Recorded } from '../../src/domain/callbacks/delivery/phases.ts'
import { writeLanes, writeResults } from '../../src/domain/callbacks/delivery/record-store.ts'
import { claimLanes, type Head, readHeads, renewLanes } from '../../src/domain/callbacks/delivery/store.ts'
import { pauseLane } from '../../src/domain/callbacks/endpoint-store.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { newId } from '../../src/platform/clock.ts'
import { type Db, sql } from '../../src/platform/db.ts'
import { type DeliveryShop, newDeposits, openDeliveryWorld, until } from '../support/delivery.ts'
import { during } from '../support/during.ts'
import { slow, startReceiver } from '../support/receiver.ts'

const world = await openDeliveryWorld()
const receiver = await startReceiver()

/** The lease of a node that is gone runs out at once, instead of in 15 seconds. */
const endLease = (shop: DeliveryShop) =>
  world.database.owner.query(
    sql`update endpoints set owner_until = now() - interval '1 s' where id = ${shop.laneId}`,
  )

const claimOne = async (shop: DeliveryShop, node: string) => {
  const { claimed } = await claimLanes(world.db, { node, most: 100 })
  return claimed.find(({ id }) => id === shop.laneId)
}

const flush = async (
  db: Db,
  node: string,
  { results, lanes }: { results: Recorded[]; lanes: LaneChange[] },
): Promise<void> => {
  await writeResults(db, node, results)
  await writeLanes(db, node, lanes)
}

const resultOf = (head: Head, epoch: bigint, outcome: Recorded['outcome']): Recorded => ({
  ...head,
  outcome,
  epoch,
  at: head.madeAt,
  ms: 5,
  status: outcome === 'ok' ? 200 : 500,
  answer: '',
  address: '127.0.0.1',
  ...(outcome === 'retry' && { dueAt: head.madeAt + 3_600_000 }),
  ...(outcome === 'dead' && { reason: 'attempts_used' }),
})

test('a lane has one owner; a stale failure is refused, a stale success lands', async () => {
  const shop = await world.openShop(receiver.url('/fence'))
  const [first, second] = [newId(), newId()]
  await world.enqueue(shop, newDeposits(3))
  const old = (await claimOne(shop, first))!
  assert.equal(await claimOne(shop, second), undefined)
  const heads = await readHeads(world.db, { node: first, lanes: [{ ...old, most: 10 }], taken: [] })
  assert.equal(heads.length, 3)
  const [succeeds, fails, dies] = heads as [Head, Head, Head]

  await endLease(shop)
  const now = (await claimOne(shop, second))!
  assert.equal(now.epoch, old.epoch + 1n)
  assert.deepEqual(await renewLanes(world.db, first, [old]), [])
  assert.deepEqual(await renewLanes(world.db, second, [now]), [shop.laneId])
  assert.deepEqual(await readHeads(world.db, { node: first, lanes: [{ ...old, most: 10 }], taken: [] }), [])

  await flush(world.db, first, {
    results: [
      resultOf(succeeds, old.epoch, 'ok'),
      resultOf(fails, old.epoch, 'retry'),
      resultOf(dies, old.epoch, 'dead'),
    ],
    lanes: [
      {
        ...old,
        window: 1,
        trips: 7,
        openUntil: 4e12,
        failingSince: 1,
        pause: 'answered_410',
        pausedUrl: receiver.url('/fence'),
        release: true,
      },
    ],
  })
  assert.deepEqual(
    (await world.due(shop)).map(({ event_id, attempts, wait: seconds }) => [
      event_id,
      attempts,
      seconds <= 0,
    ]),
    [
      [fails.eventId, 0, true],
      [dies.eventId, 0, true],
    ],
  )
  assert.deepEqual(await world.dead(), [])
  assert.ok((await world.callback(succeeds.eventId)).acked_at)
  assert.equal((await world.callback(fails.eventId)).attempts, 1, 'what was sent is on record all the same')
  const lane = await world.lane(shop.laneId)
  assert.deepEqual([lane.owner, lane.state, lane.trips, lane.is_owned], [second, 'active', 0, true])

  await flush(world.db, second, {
    results: [resultOf(fails, now.epoch, 'retry'), resultOf(dies, now.epoch, 'dead')],
    lanes: [],
  })
  assert.deepEqual(
    (await world.due(shop)).map(({ attempts }) => attempts),
    [1],
  )
  assert.deepEqual(await world.dead(), [{ event_id: dies.eventId, reason: 'attempts_used' }])

  // A success that was under way all the time still ends it.
  await flush(world.db, first, { results: [resultOf(dies, old.epoch, 'ok')], lanes: [] })
  assert.deepEqual(await world.dead(), [])
  await world.database.owner.script(`delete from deliveries`)
})

test('a lane that is paused by the operator and automatically at once counts as paused by the operator', async () => {
  const shop = await world.openShop(receiver.url('/both'))
  const node = newId()
  await world.enqueue(shop, newDeposits(1))
  const claimed = (await claimOne(shop, node))!
  const health = { window: 1, trips: 0, openUntil: 0, failingSince: 1, release: false }
  const pause = { pause: 'answered_410', pausedUrl: receiver.url('/both') }
  await during(
    world,
    (tx) => pauseLane(tx, shop.laneId, operatorPause('Complaints')),
    () =>
      world.db.transaction((tx) => writeLanes(tx, node, [{ ...claimed, ...health, ...pause }]), {
        statementMs: 60_000,
      }),
  )
  const { state, reason } = await world.lane(shop.laneId)
  assert.deepEqual([state, reason], ['paused', operatorPause('Complaints')])
  await world.database.owner.script(`delete from deliveries`)
})

test('a result written twice counts once', async () => {
  const shop = await world.openShop(receiver.url('/twice'))
  const node = newId()
  await world.enqueue(shop, newDeposits(1))
  const lane = (await claimOne(shop, node))!
  const [head] = await readHeads(world.db, { node, lanes: [{ ...lane, most: 10 }], taken: [] })
  const batch = { results: [resultOf(head!, lane.epoch, 'retry')], lanes: [] }
  await flush(world.db, node, batch)
  await flush(world.db, node, batch)
  assert.deepEqual(
    (await world.due(shop)).map(({ attempts }) => attempts),
    [1],
  )
  assert.equal((await world.callback(head!.eventId)).attempts, 1)
  await world.database.owner.script(`delete from deliveries`)
})

test('of those that are held back few are looked at, from both ends: others do not wait for one merchant', async () => {
  const shop = await world.openShop(receiver.url('/held-back'))
  const { owner } = world.database
  const node = newId()
  const [oldest, middle, newest] = newDeposits(3) as [string, string, string]
  await world.enqueue(shop, [oldest, middle, newest])
  const dueBefore = (deposit: string, minutes: number) =>
    owner.query(sql`
      update deliveries set due_at = inlet_now() - make_interval(mins => ${minutes}::int) where deposit_id = ${deposit}`)
  /** As many as are looked at, each behind one that is not due. */
  const holdBack = (minutes: number) =>
    owner.query(sql`
      insert into deliveries (endpoint_id, merchant_id, deposit_id, sequence, event_id, made_on, due_at, attempts)
      select ${shop.laneId}, ${shop.merchantId}, d.id, s.sequence, gen_random_uuid(), current_date,
        inlet_now() + make_interval(mins => case s.sequence when 1001 then 60 else -${minutes}::int end), 1
      from (select gen_random_uuid() as id from generate_series(1, ${bounds.delivery.lookedAtOfMerchant}::int)) d
      cross join (values (1001), (1002)) as s (sequence)`)
  await dueBefore(oldest, 50)
  await holdBack(40)
  await dueBefore(middle, 30)
  await holdBack(20)
  await dueBefore(newest, 10)
  const lane = (await claimOne(shop, node))!
  const read = async () => {
    const heads = await readHeads(world.db, { node, lanes: [{ ...lane, most: 10 }], taken: [] })
    return heads.map(({ depositId }) => depositId)
  }
  assert.deepEqual((await read()).sort(), [oldest, newest].sort())
  await owner.script(
    `delete from deliveries where sequence = 1002 and due_at < inlet_now() - interval '30 minutes'`,
  )
  assert.deepEqual((await read()).sort(), [oldest, middle, newest].sort())
  await owner.script(`delete from deliveries`)
})

test('of a deposit with hundreds of callbacks that hold nothing back, the one that does is found by itself', async () => {
  const node = newId()
  const shop = await world.openShop(receiver.url('/many-replays'))
  const { owner } = world.database
  // Eight hundred were replayed and wait for their next attempt; the one after them holds back two hundred.
  await owner.query(sql`
    insert into deliveries (endpoint_id, merchant_id, deposit_id, sequence, event_id, made_on, due_at, attempts, holds)
    select ${shop.laneId}, ${shop.merchantId}, d.id, n, gen_random_uuid(), current_date,
      inlet_now() + case when n <= 801 then interval '1 hour' else -interval '1 hour' end, 1, n > 800
    from (select gen_random_uuid() as id from generate_series(1, 20)) d
    cross join generate_series(1, 1001) n`)
  const lane = (await claimOne(shop, node))!
  const undo = new Error('measured')
  let read = 0n
  const measuring = world.db.transaction(async (tx) => {
    // What the connection read in earlier tests may still be among it.
    const readUntilNow = async () => {
      const row = await tx.one<{ read: bigint }>(sql`
        select idx_tup_fetch::int8 as read from pg_stat_xact_user_tables where relname = 'deliveries'`)
      return row.read
    }
    const before = await readUntilNow()
    await readHeads(tx, { node, lanes: [{ ...lane, most: 10 }], taken: [] })
    read = (await readUntilNow()) - before
    throw undo
  })
  await assert.rejects(measuring, undo)
  assert.ok(read < 10n * BigInt(bounds.delivery.lookedAtOfMerchant), `${read} rows were read`)
  await owner.script(`delete from deliveries`)
})

test('events being written do not hide their lane from a claim', async () => {
  const shop = await world.openShop(receiver.url('/being-written'))
  await world.enqueue(shop, newDeposits(1))
  await world.database.owner.transaction(async (tx) => {
    await tx.query(sql`select id from endpoints where id = ${shop.laneId} for key share`)
    assert.ok(await claimOne(shop, newId()))
  })
  await world.database.owner.script(`delete from deliveries`)
})

test('two engines share the lanes: each callback arrives exactly once, in order, within every window', async (t) => {
  // Neither engine may claim all lanes at once, and no receiver answers before both own some.
  const { claimLanes: most } = bounds.delivery
  Object.assign(bounds.delivery, { claimLanes: 5 })
  t.after(() => Object.assign(bounds.delivery, { claimLanes: most }))
  const bothOwn = Promise.withResolvers<void>()
  const shops = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      receiver.answer(`/shared-${index}`, async () => {
        await bothOwn.promise
        return { status: 200, delayMs: index % 20 }
      })
      return world.openShop(receiver.url(`/shared-${index}`))
    }),
  )
  // Four callbacks for each of five deposits.
  for (const shop of shops) {
    const deposits = newDeposits(5)
    await world.enqueue(shop, [...deposits, ...deposits, ...deposits, ...deposits])
  }
  const engines = [world.startEngine(), world.startEngine()]
  await until('both own lanes', () => engines.every((engine) => engine.stats().lanes > 0))
  bothOwn.resolve()
  await until('all delivered', async () => (await world.due()).length === 0, 60_000)
  const received = receiver.received.filter(({ path }) => path.startsWith('/shared-'))
  assert.deepEqual([received.length, new Set(received.map(({ id }) => id)).size], [1_000, 1_000])
  assert.deepEqual(receiver.overlaps, [])
  const seen = new Map<string, number>()
  for (const { depositId, sequence } of received) {
    assert.ok(sequence > (seen.get(depositId) ?? 0), 'in order')
    seen.set(depositId, sequence)
  }
  for (const index of shops.keys()) assert.ok(receiver.mostAtOnce(`/shared-${index}`) <= 32)
  const nodes = await world.database.owner.query<{ node: string }>(
    sql`select distinct node from delivery_attempts`,
  )
  for (const engine of engines)
    assert.ok(
      nodes.some(({ node }) => node === engine.node),
      'both have worked',
    )
  await Promise.all(engines.map((engine) => engine.stop()))
})

test('a stopping engine finishes what it began and hands its lanes over at once', async () => {
  const shop = await world.openShop(receiver.url('/handover'))
  receiver.answer('/handover', slow(200))
  await world.enqueue(shop, newDeposits(40))
  const first = world.startEngine()
  await until('some', () => receiver.of('/handover').length >= 4)
  await first.stop()
  const begun = receiver.of('/handover').length
  assert.equal((await world.due(shop)).length, 40 - begun, 'all that was begun is written')
  assert.equal((await world.lane(shop.laneId)).is_owned, false)
  const second = world.startEngine()
  await until('the rest', async () => (await world.due(shop)).length === 0)
  assert.equal(receiver.of('/handover').length, 40)
  await second.stop()
})

test('lanes of a node that died are taken over when their lease ends', async () => {
  const shop = await world.openShop(receiver.url('/takeover'))
  await world.enqueue(shop, newDeposits(3))
  assert.ok(await claimOne(shop, newId()))
  const engine = world.startEngine()
  await wait(500)
  assert.equal(receiver.of('/takeover').length, 0)
  await endLease(shop)
  await until('delivered', async () => (await world.due(shop)).length === 0)
  await engine.stop()
})

test('a database that throws every connection out is waited for, and nothing is lost', async () => {
  const shop = await world.openShop(receiver.url('/thrown-out'))
  receiver.answer('/thrown-out', slow(30))
  await world.enqueue(shop, newDeposits(200))
  const engine = world.startEngine()
  for (let round = 0; round < 5; round++) {
    await wait(100)
    await world.database.owner.query(sql`
      select pg_terminate_backend(pid)
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'active' or query ilike '%deliver%'
        and pid <> pg_backend_pid() and datname = current_database()`)
  }
  await until('delivered', async () => (await world.due(shop)).length === 0, 60_000)
  assert.equal(new Set(receiver.of('/thrown-out').map(({ id }) => id)).size, 200)
  await engine.stop()
})
