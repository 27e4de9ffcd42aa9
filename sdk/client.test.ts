/** The client against a real gateway: what it promises beyond creating, and that its types are the wire's. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type DepositContext, receiveMoney } from '../src/domain/deposits/change-deposit.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../test/support/gateway.ts'
import { Inlet, type NewDeposit } from './client.ts'

let gateway: TestGateway
let shop: Shop
let inlet: Inlet
before(async () => {
  // Without workers nothing is delivered behind the test's back.
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  inlet = new Inlet({ baseUrl: gateway.url, merchant: shop.merchant, secret: shop.secret, keyId: shop.keyId })
})

const order = (order_id: string): NewDeposit => ({
  order_id,
  cents: 150000,
  currency: 'RUB',
  payment_type: 'account_number',
  customer: 'user-42',
})

test('a deposit is canceled, its event is in the feed, its callback is listed and replayed', async () => {
  const { id } = await inlet.createDeposit(order('A-1'))
  const canceled = await inlet.cancelDeposit(id)
  assert.deepEqual([canceled.id, canceled.state, canceled.is_final], [id, 'canceled', true])

  const { events, next_after } = await inlet.events()
  const [event] = events
  assert.deepEqual([events.length, next_after, event?.type], [1, 1, 'deposit.canceled'])
  assert.deepEqual(event!.data, canceled)
  assert.deepEqual(await inlet.events(next_after), { events: [], next_after })

  const { callbacks, next_before } = await inlet.callbacks({ state: 'pending' })
  assert.equal(next_before, null)
  assert.deepEqual(
    callbacks.map((callback) => [
      callback.id,
      callback.deposit,
      callback.sequence,
      callback.state,
      callback.held_because,
      callback.url,
    ]),
    [[event!.id, id, 1, 'pending', 'no_address', null]],
  )
  assert.deepEqual(await inlet.callbacks({ state: 'failed' }), { callbacks: [], next_before: null })
  assert.deepEqual((await inlet.callbacks({ before: 1 })).callbacks, [])
  assert.deepEqual(await inlet.replayCallback(event!.id), { id: event!.id, state: 'pending' })
})

test('a selection is built, signed either way, and repeating it answers the same one', async () => {
  const literal = new Inlet({ baseUrl: gateway.url, merchant: shop.merchant, secret: shop.secret })
  const selection = { order_id: 'B-1', cents: 1_500_000n, currency: 'UZS', success_url: undefined } as const
  const built = await inlet.buildDeposit(selection)
  assert.deepEqual(
    [built.order_id, built.state, built.amount_currency, built.is_final],
    ['B-1', 'builded', 'UZS', false],
  )
  assert.match(built.payment_data.url, /\/pay\/[\w-]{30}$/)
  assert.equal((await literal.buildDeposit(selection)).uuid, built.uuid)

  const { id, uuid, external_id, order_id, payment_type, seller } = await inlet.deposit(built.uuid)
  assert.deepEqual([id, order_id, payment_type, seller], [uuid, external_id, 'uzs_select', null])
  await assert.rejects(inlet.buildDeposit({ ...selection, order_id: 'B-2', cents: 0.5 }), TypeError)
  await assert.rejects(inlet.buildDeposit({ ...selection, cents: 1_500_001 }), { code: 'order_id_reused' })
})

test('refusals carry what the shop needs to know', async () => {
  const context: DepositContext = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  const { id } = await inlet.createDeposit(order('A-2'))
  await receiveMoney(context, { depositId: id, actor: 'matcher', cents: 150_000n })
  await assert.rejects(inlet.cancelDeposit(id), {
    code: 'state_conflict',
    status: 409,
    retryable: false,
  })
  const refused = await inlet.cancelDeposit(id).catch((error) => error.problem.state)
  assert.equal(refused, 'confirmed')
  const nothing = '00000000-0000-7000-8000-000000000000'
  await assert.rejects(inlet.cancelDeposit(nothing), { code: 'not_found' })
  await assert.rejects(inlet.replayCallback(nothing), { code: 'not_found' })
  await assert.rejects(inlet.events(-1), { code: 'invalid_value' })
})

test('in test mode a bank sends money and time passes', async () => {
  const { id } = await inlet.createDeposit(order('A-3'))
  const part = await inlet.sandboxTransfer({ deposit: id, cents: 50_000n })
  assert.deepEqual([part.transfer.state, part.deposit.labels], ['matched', ['underpaid']])
  const rest = await inlet.sandboxTransfer({ deposit: id, bank_id: 'B-1' })
  assert.deepEqual([rest.transfer.cents, rest.deposit.state], [100_000, 'confirmed'])
  const back = await inlet.sandboxTransfer({ deposit: id, bank_id: 'B-1', revoked: 'true' })
  assert.deepEqual([back.transfer.state, back.deposit.state], ['revoked', 'reversed'])

  const { id: waiting, expires_at } = await inlet.createDeposit(order('A-4'))
  const passed = await inlet.sandboxClock(10)
  assert.ok(passed.deposits >= 1, JSON.stringify(passed))
  const earlier = Date.parse(expires_at) - Date.parse((await inlet.deposit(waiting)).expires_at)
  assert.equal(earlier, 600_000)
  await assert.rejects(inlet.sandboxClock(0), { code: 'invalid_value' })
  await assert.rejects(inlet.sandboxTransfer({ deposit: id, cents: 0.5 }), TypeError)
  const literal = new Inlet({ baseUrl: gateway.url, merchant: shop.merchant, secret: shop.secret })
  await assert.rejects(literal.sandboxClock(1), TypeError)
})
