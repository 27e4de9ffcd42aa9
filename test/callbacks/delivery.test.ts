import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { pauseLane, resumeLane } from '../../src/domain/callbacks/endpoint-store.ts'
import { giveUpOld } from '../../src/domain/callbacks/store.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { rotateKey } from '../../src/domain/merchants/rotate-key.ts'
import { sql } from '../../src/platform/db.ts'
import { newDeposits, openDeliveryWorld, until } from '../support/delivery.ts'
import { answers, failsFor, ok, type Received, slow, startReceiver } from '../support/receiver.ts'

const world = await openDeliveryWorld()
// A retry comes when a test advances the clock, however slow the machine is.
await world.database.stopClock()
const receiver = await startReceiver()

test('a callback is delivered once, acknowledged and logged', async () => {
  const shop = await world.openShop(receiver.url('/once'))
  const engine = world.startEngine()
  const [callback] = await world.enqueue(shop, newDeposits(1))
  engine.wake()
  await until('delivered', async () => (await world.due(shop)).length === 0)
  const [received, ...more] = receiver.of('/once')
  assert.deepEqual(more, [])
  assert.equal(received!.id, callback!.id)
  assert.equal(received!.body, callback!.body)
  assert.equal(received!.headers['content-type'], 'application/json')
  assert.match(String(received!.headers['user-agent']), /^Inlet\//)
  const { attempts, last_status, acked_at } = await world.callback(callback!.id)
  assert.deepEqual([attempts, last_status, acked_at !== null], [1, 200, true])
  const log = await world.attempts(callback!.id)
  assert.deepEqual(log, [{ outcome: 'ok', status: 200, error: null, node: engine.node }])
  await until('the lane is released', async () => !(await world.lane(shop.laneId)).is_owned)
  await engine.stop()
})

test('every live secret signs, and the public library verifies it', async () => {
  const shop = await world.openShop(receiver.url('/signed'))
  const engine = world.startEngine()
  await world.enqueue(shop, newDeposits(1))
  engine.wake()
  await until('the first', () => receiver.of('/signed').length === 1)
  const { secret } = await rotateKey(world.db, world.vault, {
    merchantId: shop.merchantId,
    purpose: 'callback',
    overlapDays: 1,
    v2Only: false,
  })
  // A rotation takes effect within a second.
  await wait(1_000)
  await world.enqueue(shop, newDeposits(1))
  engine.wake()
  await until('the second', () => receiver.of('/signed').length === 2)
  const [first, second] = receiver.of('/signed')
  const verifies = (key: string, { body, headers }: Received) => {
    try {
      new Webhook(key).verify(body, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  }
  assert.deepEqual(
    [first!, second!].map((received) => [
      verifies(shop.callbackSecret, received),
      verifies(secret, received),
    ]),
    [
      [true, false],
      [true, true],
    ],
  )
  assert.equal(verifies(secret, { ...second!, body: second!.body.replace('confirmed', 'rejected') }), false)
  await engine.stop()
})

test('a retry is due by the database’s time, and its bytes are the same', async () => {
  const shop = await world.openShop(receiver.url('/again'))
  receiver.answer('/again', answers(500))
  const began = performance.now()
  const engine = world.startEngine()
  const [callback] = await world.enqueue(shop, newDeposits(1))
  engine.wake()
  await until('the failure is written', async () => (await world.due(shop))[0]!.attempts === 1)
  const [planned] = await world.due(shop)
  // Between two reads of the database's clock, which is stopped, the engine's own clock goes on.
  const ahead = (performance.now() - began) / 1_000
  assert.ok(planned!.wait > 3.9 && planned!.wait < 6.1 + ahead, `${planned!.wait} s`)
  assert.deepEqual((await world.attempts(callback!.id)).map(pick('outcome', 'status')), [['retry', 500]])
  receiver.answer('/again', ok)
  await wait(600)
  assert.equal(receiver.of('/again').length, 1, 'not before it is due')
  await world.advance(10)
  await until('delivered', async () => (await world.due(shop)).length === 0)
  const [first, second] = receiver.of('/again')
  assert.equal(second!.hash, first!.hash)
  assert.equal(second!.id, first!.id)
  assert.notEqual(second!.headers['webhook-timestamp'], first!.headers['webhook-timestamp'])
  assert.notEqual(second!.headers['webhook-signature'], first!.headers['webhook-signature'])
  const { attempts, last_status } = await world.callback(callback!.id)
  assert.deepEqual([attempts, last_status], [2, 200])
  await engine.stop()
})

test('a callback waits for its predecessor until that is delivered, or has failed five times', async () => {
  const shop = await world.openShop(receiver.url('/order'))
  const [held, free] = newDeposits(2) as [string, string]
  receiver.answer('/order', (received) => ({
    status: received.depositId === held && received.sequence === 1 ? 400 : 200,
  }))
  const engine = world.startEngine()
  await world.enqueue(shop, [held, held, held, free, free, free])
  engine.wake()
  await until('the other deposit is through', () => sequencesOf('/order', free).length === 3)
  assert.deepEqual(sequencesOf('/order', free), [4, 5, 6])
  for (const [failures, waitSeconds] of [
    [1, 10],
    [2, 40],
    [3, 150],
    [4, 730],
  ] as const) {
    await until(`failure ${failures}`, async () => (await world.due(shop))[0]!.attempts === failures)
    assert.deepEqual(sequencesOf('/order', held), Array(failures).fill(1))
    await world.advance(waitSeconds)
  }
  await until('the successors', async () => (await world.due(shop)).length === 1)
  assert.deepEqual(sequencesOf('/order', held), [1, 1, 1, 1, 1, 2, 3])
  await engine.stop()
})

test('a burst of one deposit arrives one by one, each after the other’s answer', async () => {
  const shop = await world.openShop(receiver.url('/burst'))
  receiver.answer('/burst', slow(30))
  const [deposit] = newDeposits(1) as [string]
  await world.enqueue(shop, Array(8).fill(deposit))
  const engine = world.startEngine()
  await until('all of them', async () => (await world.due(shop)).length === 0)
  const burst = receiver.of('/burst')
  assert.deepEqual(
    burst.map((received) => received.sequence),
    [1, 2, 3, 4, 5, 6, 7, 8],
  )
  for (const [index, received] of burst.slice(1).entries())
    assert.ok(received.at >= burst[index]!.answeredAt!)
  await engine.stop()
})

test('one deposit that always fails does not hold up its lane, nor open its breaker', async () => {
  const shop = await world.openShop(receiver.url('/one-bad'))
  const [bad, ...good] = newDeposits(41) as [string, ...string[]]
  receiver.answer('/one-bad', failsFor(bad))
  await world.enqueue(shop, [bad, ...good])
  const engine = world.startEngine()
  await until('the others', async () => (await world.due(shop)).length === 1)
  for (const waitSeconds of [10, 40, 150, 730, 2_170, 4_330]) {
    const [{ attempts } = { attempts: 0 }] = await world.due(shop)
    await world.advance(waitSeconds)
    await until('the next failure', async () => (await world.due(shop))[0]!.attempts === attempts + 1)
  }
  assert.equal((await world.lane(shop.laneId)).trips, 0)
  await engine.stop()
})

test('after thirteen failures a callback is given up and listed, and its lane continues', async () => {
  const shop = await world.openShop(receiver.url('/thirteen'))
  const [bad, good] = newDeposits(2) as [string, string]
  receiver.answer('/thirteen', failsFor(bad, 404))
  const [callback] = await world.enqueue(shop, [bad])
  const engine = world.startEngine()
  for (let failures = 1; failures < 13; failures++) {
    await until(`failure ${failures}`, async () => (await world.due(shop))[0]?.attempts === failures)
    await world.advance(Math.ceil((await world.due(shop))[0]!.wait) + 1)
    engine.wake()
  }
  await until('dead', async () => (await world.due(shop)).length === 0)
  const dead = await world.dead()
  assert.deepEqual(
    dead.find((row) => row.event_id === callback!.id),
    { event_id: callback!.id, reason: 'attempts_used' },
  )
  const log = await world.attempts(callback!.id)
  assert.deepEqual(
    log.map(({ outcome }) => outcome),
    [...Array(12).fill('retry'), 'dead'],
  )
  assert.equal((await world.callback(callback!.id)).attempts, 13)
  await world.enqueue(shop, [good])
  await until('the next deposit', async () => (await world.due(shop)).length === 0)
  await engine.stop()
})

test('a new address gets pending callbacks; a request’s own address stays', async () => {
  const shop = await world.openShop(receiver.url('/old'))
  receiver.answer('/old', answers(500))
  const engine = world.startEngine()
  await world.enqueue(shop, newDeposits(3))
  await world.enqueue(shop, newDeposits(1), { url: receiver.url('/own?order=7') })
  await until('own address', () => receiver.of('/own?order=7').length === 1)
  await until('three failures', async () => (await world.due(shop)).every(({ attempts }) => attempts === 1))
  await world.database.owner.query(
    sql`update merchants set callback_url = ${receiver.url('/new')} where id = ${shop.merchantId}`,
  )
  await world.advance(10)
  await until('delivered', async () => (await world.due(shop)).length === 0)
  assert.equal(receiver.of('/new').length, 3)
  assert.equal(receiver.of('/old').length, 3)
  await engine.stop()
})

test('a waiting, paused or addressless lane holds everything, and nothing is lost', async () => {
  const paused = await world.openShop(receiver.url('/paused'))
  const waiting = await world.openShop(null)
  const addressless = await world.openShop(null)
  await pauseLane(world.db, paused.laneId, 'by hand')
  // As if its address had just been removed.
  await world.database.owner.query(
    sql`update endpoints set state = 'active' where id = ${addressless.laneId}`,
  )
  for (const shop of [paused, waiting, addressless]) await world.enqueue(shop, newDeposits(5))
  const engine = world.startEngine()
  engine.wake()
  await wait(700)
  for (const shop of [paused, waiting, addressless]) {
    assert.equal((await world.due(shop)).length, 5)
    assert.equal((await world.lane(shop.laneId)).epoch, 0n)
  }
  const { reason } = await world.lane(paused.laneId)
  assert.equal(reason, 'by hand')
  await resumeLane(world.db, paused.laneId)
  for (const [shop, path] of [
    [waiting, '/waiting'],
    [addressless, '/addressless'],
  ] as const) {
    await world.database.owner.query(
      sql`update merchants set callback_url = ${receiver.url(path)} where id = ${shop.merchantId}`,
    )
    await resumeLane(world.db, shop.laneId)
  }
  for (const shop of [paused, waiting, addressless]) {
    await until('delivered', async () => (await world.due(shop)).length === 0)
  }
  for (const path of ['/paused', '/waiting', '/addressless']) assert.equal(receiver.of(path).length, 5)
  await engine.stop()
})

test('a new address resumes a lane that the old one’s failures paused, not one that a person paused', async () => {
  for (const [reason, state] of [
    ['answered_410', 'active'],
    ['failing_120_hours', 'active'],
    ['Their server moves tonight', 'paused'],
  ] as const) {
    const { merchantId, laneId } = await world.openShop(receiver.url('/before'))
    await pauseLane(world.db, laneId, reason)
    await changeMerchant(world.db, { merchantId, callbackUrl: receiver.url('/after') })
    assert.equal((await world.lane(laneId)).state, state, reason)
  }
})

test('a lane paused while it is served stops, and continues after the resume', async () => {
  const shop = await world.openShop(receiver.url('/stopped'))
  receiver.answer('/stopped', slow(50))
  await world.enqueue(shop, newDeposits(300))
  const engine = world.startEngine()
  await until('some', () => receiver.of('/stopped').length > 20)
  await pauseLane(world.db, shop.laneId, 'by hand')
  await until('released', async () => !(await world.lane(shop.laneId)).is_owned)
  const before = receiver.of('/stopped').length
  assert.equal((await world.due(shop)).length, 300 - before)
  await wait(400)
  assert.equal(receiver.of('/stopped').length, before)
  await resumeLane(world.db, shop.laneId)
  await until('the rest', async () => (await world.due(shop)).length === 0)
  assert.equal(new Set(receiver.of('/stopped').map(({ id }) => id)).size, 300)
  assert.equal(receiver.of('/stopped').length, 300)
  await engine.stop()
})

test('a callback that is not delivered after 30 days is given up, even on a paused lane', async () => {
  const shop = await world.openShop(null)
  const [old] = await world.enqueue(shop, newDeposits(1))
  await world.advance(29.9 * 86_400)
  const [young] = await world.enqueue(shop, newDeposits(1))
  await giveUpOld(world.db)
  assert.equal((await world.due(shop)).length, 2)
  await world.advance(0.2 * 86_400)
  await giveUpOld(world.db)
  const dead = await world.dead()
  assert.equal(dead.find((row) => row.event_id === old!.id)?.reason, 'too_old')
  assert.deepEqual(
    (await world.due(shop)).map((row) => row.event_id),
    [young!.id],
  )
})

const pick =
  <Key extends string>(...keys: Key[]) =>
  (row: Record<Key, unknown>) =>
    keys.map((key) => row[key])

const sequencesOf = (path: string, depositId: string) =>
  receiver
    .of(path)
    .filter((received) => received.depositId === depositId)
    .map((received) => received.sequence)
