/** I14: what failed can be sent again, one or all; a replay keeps its id and its bytes and holds nobody back. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { replayCallback } from '../../src/domain/callbacks/replay-callbacks.ts'
import { replayFailed } from '../../src/domain/callbacks/replay-store.ts'
import { confirmDeposit, type DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { rejectDeposit, reverseDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, signedPost, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { answers, ok, type Receiver, slow, startReceiver } from '../support/receiver.ts'

let gateway: TestGateway
let receiver: Receiver
let shop: Shop
let context: DepositContext
before(async () => {
  gateway = await startGateway()
  receiver = await startReceiver()
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  await changeMerchant(gateway.db, { merchantId: shop.merchant, callbackUrl: receiver.url('/shop') })
})

const makeEvent = async () => {
  const depositId = (await shop.create()).body.id as string
  await rejectDeposit(context, { depositId, actor: 'operator:test', reason: 'test' })
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_400; tries++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail(`never happened: ${what}`)
}

const list = async (state: string) => (await shop.get(`/api/v1/callbacks?state=${state}`)).body.callbacks

test('a delivered callback replayed twice is sent twice more: one id, the same bytes', async () => {
  await makeEvent()
  await until('delivered', async () => (await list('delivered')).length === 1)
  const [{ id }] = await list('delivered')
  for (const count of [2, 3]) {
    const answer = await signedPost(gateway, shop, `/api/v1/callbacks/${id}/replay`)
    assert.deepEqual([answer.status, answer.body], [202, { id, state: 'pending' }])
    await until(`received ${count} times`, () => receiver.of('/shop').length === count)
    await until('acknowledged', async () => (await list('pending')).length === 0)
  }
  assert.deepEqual(new Set(receiver.of('/shop').map((callback) => callback.id)), new Set([id]))
  assert.equal(new Set(receiver.of('/shop').map((callback) => callback.hash)).size, 1)
})

test('a callback that still waits is replayed before those that wait for it', async () => {
  // Nothing is retried automatically.
  await gateway.database.stopClock()
  const own = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: own.merchant, callbackUrl: receiver.url('/down') })
  receiver.answer('/down', answers(500))
  const depositId = (await own.create()).body.id as string
  const by = { depositId, actor: 'operator:test', reason: 'test' }
  await confirmDeposit(context, by)
  await reverseDeposit(context, by)
  await until('a failure', async () => {
    const { callbacks } = (await own.get('/api/v1/callbacks?state=pending')).body
    return callbacks.length === 2 && callbacks[1].attempts === 1
  })
  receiver.answer('/down', slow(200))
  const [, first] = (await own.get('/api/v1/callbacks?state=pending')).body.callbacks
  assert.equal((await signedPost(gateway, own, `/api/v1/callbacks/${first.id}/replay`)).status, 202)
  await until('both delivered', async () => {
    const { callbacks } = (await own.get('/api/v1/callbacks?state=delivered')).body
    return callbacks.length === 2
  })
  const [, confirmed, reversed] = receiver.of('/down')
  assert.deepEqual([confirmed!.sequence, reversed!.sequence], [1, 2])
  assert.ok(reversed!.at >= confirmed!.answeredAt!, 'the second came before the first was answered')
})

/** Requests of the last minutes, as if the callback had been sent so often. */
const sent = (id: string, times: number, outcome: string) =>
  gateway.database.owner.run(sql`
    insert into delivery_attempts (made_on, event_id, endpoint_id, at, ms, outcome, status, node)
    select c.made_on, c.id, (select p.id from endpoints p where p.merchant_id = c.merchant_id and p.origin is null),
      inlet_now() - n * interval '1 millisecond', 1, ${outcome}, 200, gen_random_uuid()
    from events c, generate_series(1, ${times}::int) n
    where c.id = ${id}`)

test('a callback that was sent a hundred times in a day is replayed again a day later', async () => {
  const own = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: own.merchant, callbackUrl: receiver.url('/often') })
  const { body } = await own.create()
  await rejectDeposit(context, { depositId: body.id, actor: 'operator:test', reason: 'test' })
  const delivered = async () => (await own.get('/api/v1/callbacks?state=delivered')).body.callbacks
  await until('delivered', async () => (await delivered()).length === 1)
  const [{ id }] = await delivered()
  const replay = () => signedPost(gateway, own, `/api/v1/callbacks/${id}/replay`)
  // Probes of a failing endpoint do not count as replays.
  await sent(id, 300, 'probe')
  await sent(id, bounds.replays.attemptsOfDay - 2, 'ok')
  assert.equal((await replay()).status, 202)
  await until('sent again', async () => receiver.of('/often').length === 2)
  await until('written', async () => (await delivered()).length === 1)
  const refused = await replay()
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait > 86_000 && wait <= 86_400, `${wait} s`)
  const { browser } = await joined(gateway, { merchantId: own.merchant, role: 'developer' })
  const [{ sequence }] = await delivered()
  const page = await browser.post(`/console/${own.merchant}/callbacks/${sequence}/replay`, {})
  assert.equal(page.status, 429)
  assert.match(page.text, /100 times/)
  await gateway.database.shiftClock('25 hours')
  await replayCallback(gateway.db, { merchantId: own.merchant, callbackId: id })
  await until('sent once more', async () => receiver.of('/often').length === 3)
  await gateway.database.shiftClock('0')
})

test('a replay of all that failed leaves out what was sent a hundred times in a day', async () => {
  const own = await openShop(gateway)
  receiver.answer('/never', answers(410))
  for (let count = 0; count < 3; count++) {
    const { body } = await own.create({ callback_url: receiver.url('/never') })
    await rejectDeposit(context, { depositId: body.id, actor: 'operator:test', reason: 'test' })
  }
  const failed = async () => (await own.get('/api/v1/callbacks?state=failed')).body.callbacks
  await until('given up', async () => (await failed()).length === 3)
  const [{ id }] = await failed()
  await sent(id, bounds.replays.attemptsOfDay, 'retry')
  const asked = { merchantId: own.merchant, since: '2020-01-01T00:00:00Z' }
  assert.equal(await replayFailed(gateway.db, asked), 2)
  await until('given up again', async () => (await failed()).length === 3)
  assert.equal(receiver.of('/never').length, 5)
})

test('another merchant’s callback, and one that never was, are not found', async () => {
  const [{ id }] = await list('delivered')
  const other = await openShop(gateway)
  for (const target of [id, '00000000-0000-7000-8000-000000000000', 'x']) {
    const answer = await signedPost(gateway, other, `/api/v1/callbacks/${target}/replay`)
    assert.deepEqual([answer.status, answer.body.code], [404, 'not_found'])
  }
})

test('all that failed since a time go out again, and are delivered', async () => {
  const own = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: own.merchant, callbackUrl: receiver.url('/closed') })
  receiver.answer('/gone', answers(410))
  for (let count = 0; count < 3; count++) {
    const { body } = await own.create({ callback_url: receiver.url('/gone') })
    await rejectDeposit(context, { depositId: body.id, actor: 'operator:test', reason: 'test' })
  }
  const failed = async () => (await own.get('/api/v1/callbacks?state=failed')).body.callbacks
  await until('given up', async () => (await failed()).length === 3)
  receiver.answer('/gone', ok)
  await gateway.database.shiftClock('1 second')
  const [{ now }] = (await gateway.db.query<{ now: Date }>(sql`select inlet_now() as now`)) as [{ now: Date }]
  assert.equal(await replayFailed(gateway.db, { merchantId: own.merchant, since: now.toISOString() }), 0)
  assert.equal(await replayFailed(gateway.db, { merchantId: own.merchant, since: null }), 3)
  await until(
    'delivered',
    async () => (await own.get('/api/v1/callbacks?state=delivered')).body.callbacks.length === 3,
  )
  assert.deepEqual(await failed(), [])
})
