/**
 * An endpoint is away for an hour while its backlog waits (I10). It is asked as seldom as the breaker says, nobody
 * who waits is charged for it, and when it is back the backlog comes by one, by two, and never as a herd.
 *
 *   npm test               600 callbacks
 *   npm run test:faults    100,000, and the time they take
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laneRules } from '../../src/domain/callbacks/delivery/lane.ts'
import { sql } from '../../src/platform/db.ts'
import { type DeliveryShop, type Engine, openDeliveryWorld, until } from '../support/delivery.ts'
import { answers, type Received, slow, startReceiver } from '../support/receiver.ts'
import { isLong, timed } from './measure.ts'

const backlog = isLong ? 100_000 : 600
const outageSeconds = 3_600

const world = await openDeliveryWorld()
const receiver = await startReceiver()
const { owner } = world.database

test(`an hour away with ${backlog} waiting costs a few probes, and ends in a ramp from one`, {
  timeout: 600_000,
}, async () => {
  const shop = await world.openShop(receiver.url('/shop'))
  receiver.answer('/shop', answers(503))
  await world.enqueueMany(shop, backlog)
  const { db, claims } = timed(world.db)
  const engine = world.startEngine(db)
  await until('open', async () => (await world.lane(shop.laneId)).is_open)
  await untilLetGo(shop)
  const charged = await chargedOf(shop)
  assert.deepEqual(charged, { waiting: backlog, charged: laneRules.failuresToTrip })

  const probes = await outage(shop, engine, claims)
  if (isLong) console.log(`${probes} probes in an hour`)
  // 5 s doubling to 5 min is 17 in an hour, and 20 when chance makes every wait a fifth shorter.
  assert.ok(probes >= 14 && probes <= 20, `${probes} probes`)
  assert.deepEqual(await chargedOf(shop), charged, 'nobody was charged while the breaker was open')

  receiver.received.length = 0
  receiver.answer('/shop', slow(isLong ? 5 : 10))
  const began = performance.now()
  await world.advance((await openSeconds(shop)) + 0.1)
  await until('all arrived', () => receiver.received.length >= backlog, 400_000)
  const seconds = (performance.now() - began) / 1000
  await until('all written', async () => (await chargedOf(shop)).waiting === 0)
  await engine.stop()
  assert.equal(receiver.received.length, backlog)
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, backlog, 'each once')
  assert.deepEqual(receiver.overlaps, [])
  const most = assertRamp(receiver.received)
  if (isLong)
    console.log(
      `${backlog} arrived in ${seconds.toFixed(1)} s, ${Math.round(backlog / seconds)}/s, ${most} at once at most`,
    )
})

/** An hour of the database's clock: each time it is looked once too early, and once in time. */
async function outage(shop: DeliveryShop, engine: Engine, claims: number[]): Promise<number> {
  const before = receiver.received.length
  let passed = 0
  for (;;) {
    const wait = await openSeconds(shop)
    if (passed + wait > outageSeconds) return receiver.received.length - before
    const sendings = receiver.received.length
    const { trips } = await world.lane(shop.laneId)
    // One second stays: this process goes on meanwhile, in real time.
    await world.advance(Math.max(0, wait - 1))
    await looked(engine, claims)
    const early = receiver.received.length
    const lane = await world.lane(shop.laneId)
    // On a machine so slow that its time has come meanwhile nothing can be concluded.
    if (lane.is_open && lane.trips === trips) assert.equal(early, sendings, 'nothing is sent before its time')
    await world.advance(1)
    passed += wait
    await until('probed', async () => (await world.lane(shop.laneId)).trips === trips + 1)
    await untilLetGo(shop)
    assert.equal(receiver.received.length, sendings + 1, 'one probe')
  }
}

/** Until the engine has asked for lanes twice: the second question was put after we called. */
async function looked(engine: Engine, claims: number[]): Promise<void> {
  const before = claims.length
  await until('looked', () => {
    engine.wake()
    return claims.length >= before + 2
  })
}

const untilLetGo = (shop: DeliveryShop) =>
  until('let go', async () => !(await world.lane(shop.laneId)).is_owned)

async function openSeconds({ laneId }: DeliveryShop): Promise<number> {
  const [row] = await owner.query<{ wait: number }>(sql`
    select extract(epoch from open_until - inlet_now())::float8 as wait
    from endpoints
    where id = ${laneId}`)
  return row!.wait
}

async function chargedOf({ laneId }: DeliveryShop): Promise<{ waiting: number; charged: number }> {
  const [row] = await owner.query<{ waiting: number; charged: number }>(sql`
    select count(*)::int as waiting, coalesce(sum(attempts), 0)::int as charged
    from deliveries
    where endpoint_id = ${laneId}`)
  return row!
}

/**
 * At every arrival no more are in hand than the window may be after so many answers: n of them after n (n - 1) / 2.
 * Returns how many were in hand at most.
 */
function assertRamp(received: readonly Received[]): number {
  const answered = received.map((entry) => entry.answeredAt!).toSorted((one, other) => one - other)
  let answers = 0
  let most = 0
  for (const [index, entry] of received.entries()) {
    while (answers < answered.length && answered[answers]! <= entry.at) answers++
    const atOnce = index + 1 - answers
    const window = Math.min(Math.floor((1 + Math.sqrt(1 + 8 * answers)) / 2), laneRules.windowMost)
    assert.ok(atOnce <= window, `${atOnce} at once after ${answers} answers`)
    most = Math.max(most, atOnce)
  }
  assert.ok(most > laneRules.windowMost / 4, `it grows: ${most} at once`)
  return most
}
