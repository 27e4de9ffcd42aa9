/**
 * Signed requests that do something each time are taken once per signature: replaying a callback, test money, the clock of
 * test mode. An attacker who records such a request and sends it again is refused.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Inlet } from '../../sdk/client.ts'
import { signV2 } from '../../sdk/signature.ts'
import { cancelDeposit, type DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { deleteExpired } from '../../src/platform/used-once.ts'
import {
  type Answer,
  call,
  type Fields,
  freshSeconds,
  nowSeconds,
  openShop,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'

const transfersPath = '/api/v1/sandbox/transfers'
const clockPath = '/api/v1/sandbox/clock'

let gateway: TestGateway
/** Another process on the same database. */
let beside: TestGateway
let shop: Shop
let eventId: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  beside = await startGateway({ beside: gateway, environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  const context: DepositContext = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  const { body } = await shop.create()
  await cancelDeposit(context, { depositId: body.id, actor: 'merchant', merchantId: shop.merchant })
  eventId = (await shop.get('/api/v1/events')).body.events[0].id
})

type Recorded = { target: string; init: RequestInit }

/** A request as it goes over the wire, to be sent as often as one likes. */
function recorded(target: string, fields: Fields | null, t = freshSeconds(target), by = shop): Recorded {
  const body = Buffer.from(fields ? JSON.stringify(fields) : '')
  const signature = signV2({ secret: by.secret, kid: by.keyId, t, method: 'POST', target, body })
  const headers = { 'x-signature': signature, ...(fields && { 'content-type': 'application/json' }) }
  return { target, init: { method: 'POST', headers, ...(fields && { body }) } }
}

const send = ({ target, init }: Recorded, to = gateway): Promise<Answer> => call(to.url, target, init)

const count = async (text: string): Promise<number> => {
  const [row] = await gateway.db.query<{ count: number }>({ text, name: '', values: [] })
  return row!.count
}

let cents = 7_000_000
async function newDeposit(): Promise<string> {
  cents += 7_000
  const { status, body } = await shop.create({ cents })
  assert.equal(status, 201)
  return body.id
}

/** Every signed request of the API that does something again when it is repeated. */
const acts: Record<
  string,
  { request: () => Promise<Recorded>; done: () => Promise<number>; status: number }
> = {
  'test money': {
    request: async () => recorded(transfersPath, { deposit: await newDeposit(), cents: 100 }),
    done: () => count('select count(*)::int from transfers'),
    status: 201,
  },
  'test money taken back': {
    async request() {
      const deposit = await newDeposit()
      const entry = { deposit, cents: 100, bank_id: `B${cents}` }
      assert.equal((await send(recorded(transfersPath, entry))).status, 201)
      return recorded(transfersPath, { ...entry, revoked: 'true' })
    },
    done: () => count("select count(*)::int from transfer_decisions where rule like 'revo%'"),
    status: 200,
  },
  'the clock of test mode': {
    request: async () => recorded(clockPath, { minutes: 1 }),
    done: () => count("select count(*)::int from deposit_history where action = 'pass_time'"),
    status: 200,
  },
  'the replay of a callback': {
    request: async () => recorded(`/api/v1/callbacks/${eventId}/replay`, null),
    done: () => count('select (extract(epoch from max(due_at)) * 1000)::float8 as count from deliveries'),
    status: 202,
  },
}

for (const [name, { request, done, status }] of Object.entries(acts)) {
  test(`${name}: sent again, the same signature is refused and nothing is done`, async () => {
    const once = await request()
    assert.equal((await send(once)).status, status)
    const after = await done()
    for (const to of [gateway, beside, gateway]) {
      const { status: refused, headers, body } = await send(once, to)
      assert.deepEqual([refused, body.code, body.retryable], [409, 'request_repeated', true])
      assert.equal(headers.get('retry-after'), '1')
    }
    assert.equal(await done(), after)
  })

  test(`${name}: of ten at once in two processes one is taken`, async () => {
    const once = await request()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => send(once, index % 2 === 0 ? gateway : beside)),
    )
    const statuses = answers.map((answer) => answer.status).sort()
    assert.deepEqual(statuses, [status, ...Array(9).fill(409)].sort())
  })
}

test('a request that was refused has used nothing up', async () => {
  const deposit = await newDeposit()
  const target = `/api/v1/callbacks/${deposit}/replay`
  const unknown = recorded(target, null)
  for (let time = 0; time < 2; time++) assert.equal((await send(unknown)).body.code, 'not_found')
  const early = recorded(transfersPath, { deposit, cents: 5, booked_on: '2026-02-31' })
  for (let time = 0; time < 2; time++) assert.equal((await send(early)).body.code, 'invalid_value')
})

test('the same request with a new signature is accepted, and so is that of another key', async () => {
  const t = freshSeconds(clockPath)
  const other = await openShop(gateway)
  assert.equal((await send(recorded(clockPath, { minutes: 2 }, t))).status, 200)
  assert.equal((await send(recorded(clockPath, { minutes: 2 }, t))).status, 409)
  assert.equal((await send(recorded(clockPath, { minutes: 2 }, t, other))).status, 200)
  assert.equal((await send(recorded(clockPath, { minutes: 2 }))).status, 200)
})

test('however its header is written, a signature is the same one', async () => {
  const { target, init } = recorded(clockPath, { minutes: 3 })
  assert.equal((await call(gateway.url, target, init)).status, 200)
  const signature = (init.headers as Record<string, string>)['x-signature']!
  const [front, hex] = signature.split(',v2=') as [string, string]
  for (const written of [`${front},v2=${hex.toUpperCase()}`, `${signature} `, ` ${signature}`]) {
    const answer = await call(gateway.url, target, {
      ...init,
      headers: { ...init.headers, 'x-signature': written },
    })
    assert.ok([401, 409].includes(answer.status), written)
  }
})

test('create, build, cancel, reads and test money with a bank_id stay safe to repeat', async () => {
  const order = shop.order({ cents: 8_800_000 })
  const create = recorded('/api/v1/requests/deposit/create', order)
  const [first, second] = [await send(create), await send(create)]
  assert.deepEqual([first.status, second.status, second.body.id], [201, 200, first.body.id])
  const build = recorded('/api/v1/requests/deposit/build', shop.order({ payment_type: 'uzs_select' }))
  assert.equal((await send(build)).body.uuid, (await send(build)).body.uuid)
  const entry = recorded(transfersPath, { deposit: first.body.id, cents: 100, bank_id: 'named-once' })
  assert.deepEqual([(await send(entry)).status, (await send(entry)).status], [201, 200])
  const { body } = await shop.create({ cents: 9_900_000 })
  const cancel = recorded(`/api/v1/requests/deposit/${body.id}/cancel`, null)
  const canceled = await send(cancel)
  assert.equal(canceled.body.state, 'canceled')
  assert.deepEqual((await send(cancel)).body, canceled.body)
})

test('a signature is kept for as long as its time is accepted, then forgotten', async () => {
  const ahead = nowSeconds() + bounds.signatureToleranceSeconds - 5
  const late = recorded(clockPath, { minutes: 4 }, ahead)
  assert.equal((await send(late)).status, 200)
  const kept = () => count('select count(*)::int from used_once')
  const before = await kept()
  await deleteExpired(gateway.db)
  assert.equal(await kept(), before)
  // Ten minutes on the time that was ahead is just too old: until then the signature is known.
  await gateway.database.shiftClock('594 seconds')
  try {
    await deleteExpired(gateway.db)
    assert.ok((await kept()) >= 1)
    await gateway.database.shiftClock('662 seconds')
    await deleteExpired(gateway.db)
    assert.equal(await kept(), 0)
  } finally {
    await gateway.database.shiftClock('0')
  }
})

test('the client signs equal calls of one second apart, and each is done', async () => {
  const inlet = new Inlet({
    ...{ baseUrl: gateway.url, merchant: shop.merchant, secret: shop.secret, keyId: shop.keyId },
    now: () => frozen,
  })
  const frozen = nowSeconds()
  const deposit = await newDeposit()
  const paid = await Promise.all(
    Array.from({ length: 5 }, () => inlet.sandboxTransfer({ deposit, cents: 10 })),
  )
  assert.equal(new Set(paid.map(({ transfer }) => transfer.id)).size, 5)
  for (let time = 0; time < 3; time++) assert.equal((await inlet.replayCallback(eventId)).state, 'pending')
  // Two clients of one key do not know of each other: the second one is refused.
  const twin = new Inlet({
    ...{ baseUrl: gateway.url, merchant: shop.merchant, secret: shop.secret, keyId: shop.keyId },
    now: () => frozen,
  })
  await assert.rejects(twin.replayCallback(eventId), {
    code: 'request_repeated',
    status: 409,
    retryable: true,
  })
})

test('by which rule a key was used is noted', async () => {
  const own = await openShop(gateway)
  const uses = async () => {
    const [row] = await gateway.db.query(sql`
      select literal_used_at is not null as literal, v2_used_at is not null as v2, last_used_at is not null as any
      from api_keys where id = ${own.keyId}`)
    return row
  }
  assert.deepEqual(await uses(), { literal: false, v2: false, any: false })
  await own.get('/api/v1/events')
  await eventually(async () => assert.deepEqual(await uses(), { literal: false, v2: true, any: true }))
  await own.create()
  await eventually(async () => assert.deepEqual(await uses(), { literal: true, v2: true, any: true }))
})

/** It is written behind the answer. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (let tries = 3_000; ; tries--) {
    try {
      return await check()
    } catch (error) {
      if (tries === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}
