/** What a receiver may do to us, and what that does to its own lane and to nobody else's. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { type DeliveryShop, newDeposits, openDeliveryWorld, until } from '../support/delivery.ts'
import {
  answers,
  flaps,
  hangs,
  ok,
  type Received,
  resets,
  slow,
  startReceiver,
  tooMany,
} from '../support/receiver.ts'

const world = await openDeliveryWorld()
await world.database.stopClock()
const receiver = await startReceiver()

test('the breaker opens, probes one callback without charging it, and closes', async () => {
  const shop = await world.openShop(receiver.url('/down'))
  receiver.answer('/down', answers(503))
  await world.enqueue(shop, newDeposits(60))
  const engine = world.startEngine()
  await until('open', async () => (await world.lane(shop.laneId)).is_open)
  await until('let go', async () => !(await world.lane(shop.laneId)).is_owned)
  const opened = await world.lane(shop.laneId)
  assert.equal(opened.trips, 1)
  assert.ok(opened.failing_since !== null)
  const charged = await chargedOf(shop)
  // Five in a row opened it; of what was in flight then, nothing is charged.
  assert.equal(charged, 5)
  const before = receiver.of('/down').length
  assert.ok(before <= 5 + 3, `${before} sendings`)

  for (const [trips, waitSeconds] of [
    [2, 10],
    [3, 16],
    [4, 28],
  ] as const) {
    await world.advance(waitSeconds)
    await until(`probe ${trips}`, async () => (await world.lane(shop.laneId)).trips === trips)
    await until('let go', async () => !(await world.lane(shop.laneId)).is_owned)
    assert.equal(receiver.of('/down').length, before + trips - 1, 'one probe')
    assert.equal(await chargedOf(shop), 5, 'nobody is charged')
  }
  const outcomes = await world.database.owner.query<{ count: number }>(sql`
    select count(*)::int as count from delivery_attempts where outcome = 'probe'`)
  assert.equal(outcomes[0]!.count, before - 5 + 3)

  receiver.answer('/down', slow(20))
  const down = receiver.of('/down').length
  await world.advance(60)
  await until('all delivered', async () => (await world.due(shop)).length === 0)
  await until('let go', async () => !(await world.lane(shop.laneId)).is_owned)
  const closed = await world.lane(shop.laneId)
  assert.deepEqual([closed.trips, closed.is_open, closed.failing_since], [0, false, null])
  // From window 1: the second was sent after the answer to the first.
  const recovery = receiver.of('/down').slice(down)
  assert.ok(recovery[1]!.at >= recovery[0]!.answeredAt!)
  assert.ok(atOnce(recovery.slice(0, 6)) <= 3, `${atOnce(recovery.slice(0, 6))} at once`)
  await engine.stop()
})

test('a probe that is refused closes the breaker and is charged', async () => {
  const shop = await world.openShop(receiver.url('/reached'))
  receiver.answer('/reached', answers(500))
  await world.enqueue(shop, newDeposits(20))
  const engine = world.startEngine()
  await until('open', async () => (await world.lane(shop.laneId)).is_open)
  await until('let go', async () => !(await world.lane(shop.laneId)).is_owned)
  receiver.answer('/reached', answers(422))
  await world.advance(10)
  await until('all charged', async () => (await world.due(shop)).every(({ attempts }) => attempts >= 1))
  assert.equal((await world.lane(shop.laneId)).trips, 0)
  await engine.stop()
})

test('Retry-After holds the callback for its time and the lane for at most five minutes', async () => {
  const shop = await world.openShop(receiver.url('/busy'))
  receiver.answer('/busy', tooMany(3_600))
  await world.enqueue(shop, newDeposits(1))
  const began = performance.now()
  const engine = world.startEngine()
  await until('asked to rest', async () => (await world.due(shop))[0]!.attempts === 1)
  const [rested] = await world.due(shop)
  // Between two reads of the database's clock, which is stopped, the engine's own clock goes on.
  const ahead = (performance.now() - began) / 1_000
  assert.ok(rested!.wait > 3_599.9 && rested!.wait < 3_600.1 + ahead, `${rested!.wait} s`)
  await until('let go', async () => !(await world.lane(shop.laneId)).is_owned)
  const lane = await world.lane(shop.laneId)
  assert.deepEqual([lane.is_open, lane.trips, lane.window_size], [true, 0, 2])
  receiver.answer('/busy', ok)
  await world.enqueue(shop, newDeposits(1))
  engine.wake()
  await wait(400)
  assert.equal(receiver.of('/busy').length, 1, 'the lane rests')
  await world.advance(310)
  await until('the second', async () => (await world.due(shop)).length === 1)
  await world.advance(3_300)
  await until('the first', async () => (await world.due(shop)).length === 0)
  await engine.stop()
})

test('410 from the merchant’s address pauses its lane and holds everything', async () => {
  const shop = await world.openShop(receiver.url('/gone'))
  receiver.answer('/gone', answers(410))
  await world.enqueue(shop, newDeposits(10))
  const engine = world.startEngine()
  await until('paused', async () => (await world.lane(shop.laneId)).state === 'paused')
  await until('let go', async () => !(await world.lane(shop.laneId)).is_owned)
  assert.equal((await world.lane(shop.laneId)).reason, 'answered_410')
  const due = await world.due(shop)
  assert.deepEqual([due.length, due.every(({ attempts }) => attempts === 0)], [10, true])
  assert.ok(receiver.of('/gone').length <= 4)
  await engine.stop()
})

test('410 from a request’s own address ends that callback only', async () => {
  const shop = await world.openShop(null)
  receiver.answer('/order/1', answers(410))
  const [gone] = await world.enqueue(shop, newDeposits(1), { url: receiver.url('/order/1') })
  const [fine] = await world.enqueue(shop, newDeposits(1), { url: receiver.url('/order/2') })
  const engine = world.startEngine()
  await until('both are done', async () => (await world.callback(fine!.id)).acked_at !== null)
  await until('dead', async () => (await world.dead()).length === 1)
  assert.deepEqual(await world.dead(), [{ event_id: gone!.id, reason: 'answered_410' }])
  await engine.stop()
})

for (const [name, behaviour, status, error] of [
  ['a redirect', answers(302, { location: receiver.url('/elsewhere') }), 302, null],
  ['a reset', resets, null, 'reset'],
] as const) {
  test(`${name} is a failure, sent again later`, async () => {
    const path = `/fails-${status ?? error}`
    const shop = await world.openShop(receiver.url(path))
    receiver.answer(path, behaviour)
    const [callback] = await world.enqueue(shop, newDeposits(1))
    const engine = world.startEngine()
    await until('written', async () => (await world.due(shop))[0]!.attempts === 1)
    const [attempt] = await world.attempts(callback!.id)
    assert.deepEqual([attempt!.outcome, attempt!.status, attempt!.error], ['retry', status, error])
    assert.equal(receiver.of('/elsewhere').length, 0)
    receiver.answer(path, ok)
    await world.advance(10)
    await until('delivered', async () => (await world.due(shop)).length === 0)
    await engine.stop()
  })
}

test('dead, hanging and slow endpoints do not slow the others down', async (t) => {
  const shops: Record<'dead' | 'hanging' | 'slow' | 'fine', DeliveryShop[]> = {
    dead: [],
    hanging: [],
    slow: [],
    fine: [],
  }
  for (const [kind, count, behaviour] of [
    ['dead', 4, answers(500)],
    ['hanging', 2, hangs],
    ['slow', 2, slow(1_500)],
    ['fine', 6, ok],
  ] as const) {
    for (let index = 0; index < count; index++) {
      const path = `/${kind}-${index}`
      receiver.answer(path, behaviour)
      shops[kind].push(await world.openShop(receiver.url(path)))
    }
  }
  for (const shop of Object.values(shops).flat()) await world.enqueue(shop, newDeposits(100))
  const engine = world.startEngine()
  const isDone = async (shop: DeliveryShop) => (await world.due(shop)).length === 0
  for (const shop of shops.fine) await until('fine', () => isDone(shop))
  // The first calls to the hanging endpoints take ten seconds, and nobody waited for them.
  const { at: begun } = receiver.received.find(({ path }) => path.startsWith('/hanging-'))!
  const meanwhile = (path: string) => receiver.of(path).filter(({ at }) => at < begun + 9_000).length
  for (const index of shops.fine.keys()) assert.ok(meanwhile(`/fine-${index}`) >= 50)
  for (const index of shops.hanging.keys()) assert.ok(meanwhile(`/hanging-${index}`) <= 4)
  for (const shop of shops.dead) assert.ok((await chargedOf(shop)) <= 8)
  // An engine that stops does not wait for a call that has just begun either.
  receiver.answer('/hanging-last', hangs)
  await world.enqueue(await world.openShop(receiver.url('/hanging-last')), newDeposits(1))
  await until('the last', () => receiver.of('/hanging-last').length === 1)
  const { stopMs } = bounds.delivery
  Object.assign(bounds.delivery, { stopMs: 500 })
  t.after(() => Object.assign(bounds.delivery, { stopMs }))
  await engine.stop()
  assert.ok(engine.stats().inFlight > 0)
})

test('a flapping endpoint gets everything in the end, and what it took is not sent again', async () => {
  const shop = await world.openShop(receiver.url('/flaps'))
  receiver.answer('/flaps', flaps(2))
  await world.enqueue(shop, newDeposits(10))
  const engine = world.startEngine()
  for (let round = 0; (await world.due(shop)).length > 0; round++) {
    assert.ok(round < 60)
    await world.advance(1_800)
    engine.wake()
    await wait(150)
  }
  const taken = receiver.of('/flaps').filter(({ status }) => status === 200)
  assert.deepEqual([taken.length, new Set(taken.map(({ id }) => id)).size], [10, 10])
  await engine.stop()
})

const chargedOf = async (shop: DeliveryShop) =>
  (await world.due(shop)).reduce((sum, { attempts }) => sum + attempts, 0)

/** How many of these were under way at once, at most. */
const atOnce = (received: Received[]) =>
  Math.max(
    ...received.map(({ at }) => received.filter((other) => other.at <= at && other.answeredAt! > at).length),
  )
