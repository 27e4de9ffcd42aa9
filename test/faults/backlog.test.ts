/**
 * 100,000 callbacks wait for a shop that is gone, and the other shops do not notice: the dead one is tried as
 * often as its breaker allows, and looking for the others' work does not look at what waits for it.
 *
 *   npm test               20,000, and counts only
 *   npm run test:faults    also the healthy shops' times, beside a database without a backlog
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/platform/db.ts'
import {
  type DeliveryShop,
  type DeliveryWorld,
  newDeposits,
  openDeliveryWorld,
  until,
} from '../support/delivery.ts'
import { startReceiver } from '../support/receiver.ts'
import { isLong, p50and99, percentile, workOfRound } from './measure.ts'

const backlog = isLong ? 100_000 : 20_000
const healthyShops = 8
const stepMs = 20
const stepsPerPhase = isLong ? 500 : 20
const phases = isLong ? 4 : 1

type Side = { name: string; world: DeliveryWorld; shops: DeliveryShop[]; latencies: number[] }

const receiver = await startReceiver()
const burdened: Side = { name: 'with', world: await openDeliveryWorld(), shops: [], latencies: [] }
const free: Side = { name: 'without', world: await openDeliveryWorld(), shops: [], latencies: [] }
let dead: DeliveryShop
before(async () => {
  // The dead shop's lane is the oldest, so it comes first in the order of lanes.
  dead = await burdened.world.openShop(await closedPort())
  await burdened.world.enqueueMany(dead, backlog)
  for (const { name, world, shops } of [burdened, free]) {
    for (let number = 0; number < healthyShops; number++) {
      shops.push(await world.openShop(receiver.url(`/${name}/${number}`)))
    }
  }
})

test(`${backlog} callbacks for a dead shop: it is probed, and every healthy shop has its own`, {
  timeout: 600_000,
}, async () => {
  for (let phase = 0; phase < phases; phase++) {
    for (const side of [burdened, free]) {
      const latencies = await deliverInSteps(side)
      side.latencies.push(...latencies)
      if (isLong) console.log(`phase ${phase + 1}, ${side.name} the backlog: ${p50and99(latencies)}`)
    }
  }
  assert.deepEqual(receiver.overlaps, [])
  await assertOnlyProbed()
  if (!isLong) return
  const median = (side: Side) => percentile(side.latencies, 0.5)
  console.log(`with the backlog ${p50and99(burdened.latencies)}, without ${p50and99(free.latencies)}`)
  assert.ok(median(burdened) <= 1.5 * median(free), 'the median with a backlog is that without')
})

test('looking for work costs the same with the backlog as without', async () => {
  const looks = []
  // Its breaker is open, however long the others took.
  await burdened.world.database.owner.query(sql`
    update endpoints
    set open_until = inlet_now() + interval '5 minutes'
    where id = ${dead.laneId}`)
  for (const { world, shops } of [burdened, free]) {
    for (const shop of shops) await world.enqueue(shop, newDeposits(4))
    looks.push(await workOfRound(world.db))
  }
  const [withBacklog, without] = looks
  if (isLong) console.log('one claim and one read', JSON.stringify(looks))
  assert.equal(withBacklog!.heads, without!.heads)
  for (const part of ['claim', 'read'] as const) {
    const [one, other] = [withBacklog![part], without![part]]
    assert.equal(one.scans, 0, `${part}: never the whole table`)
    // A larger index is a level or two deeper, and that is all.
    assert.ok(one.pages <= 3 * other.pages + 20, `${part}: ${one.pages} pages, ${other.pages} without`)
    assert.ok(
      one.entries <= 2 * other.entries + 20,
      `${part}: ${one.entries} entries, ${other.entries} without`,
    )
  }
})

/** Each step one callback for a shop, in turn; returns how long each was under way. */
async function deliverInSteps({ world, shops }: Side): Promise<number[]> {
  receiver.received.length = 0
  const engine = world.startEngine()
  const sent = new Map<string, number>()
  for (let step = 0; step < stepsPerPhase; step++) {
    const [made] = await world.enqueue(shops[step % healthyShops]!, newDeposits(1))
    sent.set(made!.id, performance.now())
    engine.wake()
    await sleep(stepMs)
  }
  await until('all arrived', () => new Set(receiver.received.map(({ id }) => id)).size === sent.size, 30_000)
  await engine.stop()
  assert.equal(receiver.received.length, sent.size, 'each once')
  return receiver.received.map(({ id, at }) => at - sent.get(id)!)
}

/** Five failures open the breaker, what was in flight with them comes back, and then each opening is one probe. */
async function assertOnlyProbed(): Promise<void> {
  const { trips } = await burdened.world.lane(dead.laneId)
  const attempts = await burdened.world.database.owner.query<{ outcome: string; count: number }>(sql`
    select outcome, count(*)::int as count
    from delivery_attempts
    where outcome <> 'ok'
    group by outcome`)
  const count = Object.fromEntries(attempts.map((row) => [row.outcome, row.count]))
  assert.ok(trips >= 1)
  assert.deepEqual(
    Object.keys(count).filter((outcome) => !['retry', 'probe'].includes(outcome)),
    [],
  )
  assert.equal(count.retry, 5)
  assert.ok((count.probe ?? 0) <= 3 + trips - 1, `${count.probe} probes in ${trips} openings`)
  const [waiting] = await burdened.world.database.owner.query(sql`
    select count(*)::int as all, count(*) filter (where attempts = 0)::int as untouched
    from deliveries
    where endpoint_id = ${dead.laneId}`)
  assert.deepEqual(waiting, { all: backlog, untouched: backlog - 5 })
  if (isLong)
    console.log(`the dead shop was tried ${5 + (count.probe ?? 0)} times, its breaker opened ${trips} times`)
}

async function closedPort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/dead`
}
