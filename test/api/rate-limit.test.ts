/** Contract, limits: a bucket per merchant, one per address for strangers, and one for failed signatures. */
import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, test } from 'node:test'
import { signLiteral } from '../../sdk/signature.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import {
  type Answer,
  call,
  createPath,
  nowSeconds,
  openShop,
  type Shop,
  shopOf,
  signedPost,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { atOneMoment } from '../support/one-moment.ts'

const limitPath = '/api/v1/requests/limit'

let home: TestGateway
before(async () => {
  home = await startGateway({ environment: { INLET_ROLES: 'api' } })
})
// Buckets live in the process: each test has a gateway of its own.
let gateway: TestGateway
beforeEach(async () => {
  gateway = await startGateway({ beside: home, environment: { INLET_ROLES: 'api' } })
})
afterEach(() => gateway.stop())

/** A merchant with this many requests at once, and one more a second after. */
async function openLimited(burst: number): Promise<Shop> {
  const { merchant, keyId, secret } = await openShop(home)
  await changeMerchant(home.db, {
    merchantId: merchant,
    settings: { ratePerSecond: 1, rateBurst: burst },
  })
  return shopOf(gateway, merchant, keyId, secret)
}

const times = <Result>(count: number, work: () => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, work))

const counts = (answers: Answer[]) => {
  const found: Record<number, number> = {}
  for (const { status } of answers) found[status] = (found[status] ?? 0) + 1
  return found
}

function assertLimited({ status, headers, body }: Answer, policy: string) {
  assert.deepEqual([status, body.code, body.retryable], [429, 'rate_limited', true], JSON.stringify(body))
  assert.equal(headers.get('retry-after'), '1')
  assert.match(headers.get('ratelimit')!, new RegExp(`^"${policy}";r=0;t=\\d+$`))
  assert.match(headers.get('content-type')!, /^application\/problem\+json/)
}

for (const burst of [1, 5]) {
  test(`a merchant with a burst of ${burst} creates exactly ${burst} at once; the others get Retry-After`, async () => {
    const shop = await openLimited(burst)
    const answers = await atOneMoment(() => times(burst + 4, () => shop.create()))
    assert.deepEqual(counts(answers), { 201: burst, 429: 4 })
    for (const answer of answers) if (answer.status === 429) assertLimited(answer, 'merchant')
    const rows = await home.database.owner.query<{ count: bigint }>({
      text: 'select count(*) from deposits where merchant_id = $1',
      name: '',
      values: [shop.merchant],
    })
    assert.equal(rows[0]!.count, BigInt(burst))
  })
}

test('every signed answer says what remains, and all operations draw from one bucket', async () => {
  const shop = await openLimited(5)
  const own = { merchant: shop.merchant, timestamp: String(nowSeconds()) }
  const signature = signLiteral(shop.secret, 'limit', own)
  const order = shop.order()
  const answers = await atOneMoment(async () => [
    await shop.post('create', order),
    await shop.get('/api/v1/requests/deposits'),
    await shop.get(`/api/v1/requests/deposit?order_id=${order.order_id}`),
    await call(gateway.url, `${limitPath}?${new URLSearchParams(own)}`, {
      headers: { 'x-signature': signature },
    }),
  ])
  assert.deepEqual(counts(answers), { 201: 1, 200: 3 })
  const remaining = answers.map((answer) =>
    Number(/^"merchant";r=(\d+);/.exec(answer.headers.get('ratelimit')!)![1]),
  )
  assert.deepEqual(remaining, [4, 3, 2, 1])
})

const forge = (merchant: string) =>
  call(gateway.url, createPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-signature': 'f'.repeat(64) },
    body: JSON.stringify({ merchant, order_id: 'x' }),
  })

/** One after the other until the address is stopped, so that each counts. */
async function forgeUntilStopped(merchant: string): Promise<number> {
  const most = bounds.failedSignatureRate.burst * 3
  for (let failures = 0; failures < most; failures++) {
    const answer = await forge(merchant)
    if (answer.status === 429) {
      assertLimited(answer, 'failed-signatures')
      return failures
    }
    assert.equal(answer.status, 401)
  }
  return most
}

test('after 30 failed signatures a network’s failures are refused, and right signatures are still accepted', async () => {
  const victim = await openLimited(5)
  await atOneMoment(async () => {
    assert.equal(await forgeUntilStopped(victim.merchant), 30)
    assertLimited(await forge('nobody'), 'failed-signatures')
    assertLimited(await call(gateway.url, '/api/v1/requests/deposits'), 'failed-signatures')
  })
  assert.equal((await victim.create()).status, 201)
  // Unsigned questions are not signatures: the public catalogue is still there.
  assert.equal((await call(gateway.url, limitPath)).status, 200)
})

test('failures are charged to the address, never to the merchant: elsewhere its bucket is full', async () => {
  const victim = await openLimited(3)
  await forgeUntilStopped(victim.merchant)
  const elsewhere = await startGateway({ beside: home })
  const there = shopOf(elsewhere, victim.merchant, victim.keyId, victim.secret)
  const answers = await atOneMoment(() => times(5, () => there.create()))
  assert.deepEqual(counts(answers), { 201: 3, 429: 2 })
  await elsewhere.stop()
})

test('behind a trusted proxy each forwarded address has its own budget; without trust the header is nothing', async () => {
  const behind = await startGateway({ beside: home, environment: { INLET_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  const victim = await openLimited(5)
  const forgeFrom = (url: string, address: string) =>
    call(url, createPath, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-signature': 'f'.repeat(64),
        'x-forwarded-for': address,
      },
      body: JSON.stringify({ merchant: victim.merchant }),
    })
  const { burst } = bounds.failedSignatureRate
  await atOneMoment(async () => {
    for (let tries = 0; tries < burst; tries++)
      assert.equal((await forgeFrom(behind.url, '203.0.113.1')).status, 401)
    assert.equal((await forgeFrom(behind.url, '203.0.113.1')).status, 429)
    assert.equal((await forgeFrom(behind.url, '203.0.113.2')).status, 401)
    assert.equal((await forgeFrom(behind.url, 'evil, 203.0.113.1')).status, 429)
  })
  assert.equal((await shopOf(behind, victim.merchant, victim.keyId, victim.secret).create()).status, 201)
  await behind.stop()

  await atOneMoment(async () => {
    for (let tries = 0; tries < burst; tries++)
      assert.equal((await forgeFrom(gateway.url, `203.0.113.${tries}`)).status, 401)
    assert.equal((await forgeFrom(gateway.url, '203.0.113.99')).status, 429)
  })
})

test('unsigned questions have a budget per address; merchants are not part of it', async () => {
  const shop = await openLimited(5)
  const { burst } = bounds.addressRate
  const answers: Answer[] = []
  // On a slow machine the bucket is refilled during the requests.
  for (let rounds = 0; counts(answers)[429] === undefined && rounds < 20; rounds++)
    answers.push(...(await times(burst, () => call(gateway.url, limitPath))))
  assert.ok(counts(answers)[200]! >= burst)
  const limited = answers.filter((answer) => answer.status === 429)
  assertLimited(limited[0]!, 'address')
  assert.equal((await shop.get(limitPath)).status, 200)
})

test('health is exempt', async () => {
  const { burst } = bounds.addressRate
  const answers = await times(burst + 50, () => call(gateway.url, '/health/live'))
  assert.deepEqual(counts(answers), { 200: burst + 50 })
  const first = await call(gateway.url, limitPath)
  assert.equal(first.headers.get('ratelimit'), `"address";r=${burst - 1};t=1`)
  assert.equal(answers[0]!.headers.get('ratelimit'), null)
  await forgeUntilStopped('nobody')
  assert.equal((await call(gateway.url, '/health/ready')).status, 200)
})

test('work of one merchant that waits for locks leaves a place to another merchant’s', async () => {
  const held = await startGateway({ environment: { INLET_ROLES: 'api' } })
  const [slow, other] = [await openShop(held), await openShop(held)]
  const ids = await Promise.all(
    Array.from({ length: 3 }, async () => (await slow.create()).body.id as string),
  )
  let settled = 0
  const canceled = await held.database.owner.transaction(async (tx) => {
    await tx.query(sql`select id from deposits where id = any(${ids}::uuid[]) for update`)
    const asked = ids.map((id) =>
      signedPost(held, slow, `/api/v1/requests/deposit/${id}/cancel`).finally(() => settled++),
    )
    const waiting = () =>
      held.database.owner.has(sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
        having count(*) >= 2`)
    while (settled === 0 && !(await waiting()));
    assert.equal((await other.get('/api/v1/events')).status, 200)
    assert.equal(settled, 0, 'the other merchant waited for them')
    return asked
  })
  assert.deepEqual(
    (await Promise.all(canceled)).map(({ status }) => status),
    [200, 200, 200],
  )
})
