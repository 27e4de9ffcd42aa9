/** Contract, further operations: a merchant reads its deposits, one or many, and never another merchant's. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signLiteral } from '../../sdk/signature.ts'
import { DepositPage, DepositRecord } from '../../src/domain/deposits/record.ts'
import { newId } from '../../src/platform/clock.ts'
import { assertDescribed } from '../support/described.ts'
import {
  type Answer,
  call,
  nowSeconds,
  openShop,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'

const onePath = '/api/v1/requests/deposit'
const listPath = '/api/v1/requests/deposits'

let gateway: TestGateway
let shop: Shop
let other: Shop
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  other = await openShop(gateway)
})

const created = async (as = shop, fields = {}) => {
  const answer = await as.create(fields)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

const script = (text: string) => gateway.database.owner.script(text)
// fetch itself encodes an apostrophe in a query; what is signed must be what is sent.
const byOrder = (orderId: string) =>
  `${onePath}?order_id=${encodeURIComponent(orderId).replaceAll("'", '%27')}`

/** A refusal without what is different in every answer. */
const shape = ({ status, body: { request_id: _id, ...body } }: Answer) => ({ status, body })

type Page = { deposits: DepositRecord[]; next_after: string | null }

async function list(query = '', as = shop): Promise<Page> {
  const answer = await as.get(listPath + query)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assertDescribed(DepositPage, answer.body)
  return answer.body
}

/** Follows next_after to the end, for at most so many pages. */
async function listAll(query: string, as: Shop): Promise<DepositRecord[][]> {
  const pages: DepositRecord[][] = []
  let after: string | null = ''
  while (after !== null && pages.length < 100) {
    const page: Page = await list(`?${query}${after && `&after=${after}`}`, as)
    pages.push(page.deposits)
    after = page.next_after
  }
  return pages
}

test('the id and the order_id lead to the record that the creation answered with', async () => {
  for (const fields of [
    { payment_type: 'any_bank', cents: 777_000 },
    { payment_type: 'sbp', cents: 777_001 },
    { payment_type: 'account_number', success_url: 'https://shop.example/ok' },
  ]) {
    const record = await created(shop, fields)
    for (const answer of [
      await shop.get(`${onePath}/${record.id}`),
      await shop.get(byOrder(record.external_id)),
    ]) {
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, record)
      assertDescribed(DepositRecord, answer.body)
      assert.match(answer.headers.get('ratelimit')!, /^"merchant";/)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
  }
})

test('the record is the current one: state, sums, labels and finality', async () => {
  const { id } = await created()
  await script(
    `update deposits set state = 'confirmed', received_cents = 151000, labels = '{overpaid}', final_at = '2026-07-01T10:00:00Z' where id = '${id}'`,
  )
  const { body } = await shop.get(`${onePath}/${id}`)
  assertDescribed(DepositRecord, body)
  const { state, received_cents, labels, is_final, final_at } = body
  assert.deepEqual(
    [state, received_cents, labels, is_final, final_at],
    ['confirmed', 151_000, ['overpaid'], true, '2026-07-01T10:00:00.000Z'],
  )
})

test('an expired deposit becomes final at the very moment late money is no longer waited for', async () => {
  const { id } = await created()
  await script(`update deposits set state = 'expired' where id = '${id}'`)
  for (const [late, expected] of [
    [`inlet_now() + interval '1 minute'`, false],
    [`inlet_now()`, true],
  ] as const) {
    await script(
      `update deposits set expires_at = created_at + interval '1 microsecond', late_until = ${late} where id = '${id}'`,
    )
    const { body } = await shop.get(`${onePath}/${id}`)
    assert.deepEqual([body.state, body.is_final], ['expired', expected])
  }
})

for (const orderId of ['Заказ №5 / ещё', 'a+b c', '100%', '😀'.repeat(128), 'a?b', '../../etc/passwd']) {
  test(`order_id ${orderId.slice(0, 20)} is found under exactly that name`, async () => {
    const record = await created(shop, { order_id: orderId })
    const { status, body } = await shop.get(byOrder(orderId))
    assert.deepEqual([status, body.id], [200, record.id])
  })
}

test('a question mark inside the query is a part of the order_id, encoded or not (RFC 3986, 3.4)', async () => {
  const whole = await created(shop, { order_id: 'what?' })
  const start = await created(shop, { order_id: 'what' })
  assert.equal((await shop.get(`${onePath}?order_id=what%3F`)).body.id, whole.id)
  assert.equal((await shop.get(`${onePath}?order_id=what`)).body.id, start.id)
  assert.equal((await shop.get(`${onePath}?order_id=what?`)).body.id, whole.id)
})

test('a + in a query is a space, as in a form', async () => {
  const record = await created(shop, { order_id: 'two words' })
  assert.equal((await shop.get(`${onePath}?order_id=two+words`)).body.id, record.id)
})

test("another merchant's deposit is 404, exactly like one that never was", async () => {
  const theirs = await created(other)
  assert.deepEqual(
    shape(await shop.get(`${onePath}/${theirs.id}`)),
    shape(await shop.get(`${onePath}/${newId()}`)),
  )
  assert.deepEqual(
    shape(await shop.get(byOrder(theirs.external_id))),
    shape(await shop.get(byOrder('never was'))),
  )
  const { status, body } = await shop.get(`${onePath}/${theirs.id}`)
  assert.deepEqual([status, body.code], [404, 'not_found'])
  assert.equal((await other.get(`${onePath}/${theirs.id}`)).status, 200)
})

for (const id of [
  'x',
  '00000000-0000-0000-0000-00000000000',
  '00000000-0000-0000-0000-00000000000g',
  '%00',
]) {
  test(`the malformed id ${id.slice(0, 40)}: 404`, async () => {
    const { status, body } = await shop.get(`${onePath}/${id}`)
    assert.deepEqual([status, body.code], [404, 'not_found'])
  })
}

const targets = () => [`${onePath}/${newId()}`, byOrder('x'), listPath]

test('unsigned: 401, on each of the three', async () => {
  for (const target of targets()) {
    const { status, body } = await call(gateway.url, target)
    assert.deepEqual([status, body.code], [401, 'signature_invalid'], target)
  }
})

test('the literal rule does not open them: it names neither method nor path', async () => {
  const own = { merchant: shop.merchant, timestamp: String(nowSeconds()) }
  const literal = signLiteral(shop.secret, 'limit', own)
  for (const target of targets()) {
    const { status, body } = await call(gateway.url, target, { headers: { 'x-signature': literal } })
    assert.deepEqual([status, body.code], [401, 'signature_invalid'], target)
  }
})

for (const [target, status, code, pointer] of [
  [onePath, 422, 'invalid_value', '#/order_id'],
  [`${onePath}?order_id=`, 422, 'invalid_value', '#/order_id'],
  [`${onePath}?order_id=a&order_id=b`, 400, 'duplicate_field', '#/order_id'],
  [`${onePath}?id=a`, 400, 'unknown_field', '#/id'],
  [`${onePath}?order_id=%00`, 400, 'malformed_body', '#/order_id'],
  [`${listPath}?page=2`, 400, 'unknown_field', '#/page'],
  [`${listPath}?state=created&state=expired`, 400, 'duplicate_field', '#/state'],
  [`${listPath}?state=open`, 422, 'invalid_value', '#/state'],
  [`${listPath}?after=x`, 422, 'invalid_value', '#/after'],
  [`${listPath}?limit=0`, 422, 'invalid_value', '#/limit'],
  [`${listPath}?limit=201`, 422, 'invalid_value', '#/limit'],
  [`${listPath}?from=2026-07-01`, 422, 'invalid_value', '#/from'],
  [`${listPath}?to=2026-13-01T00:00:00Z`, 422, 'invalid_value', '#/to'],
  // Times that JavaScript reads and PostgreSQL does not, or not as the same moment.
  [`${listPath}?from=2026-02-30T00:00:00Z`, 422, 'invalid_value', '#/from'],
  [`${listPath}?from=0000-01-01T00:00:00Z`, 422, 'invalid_value', '#/from'],
  [`${listPath}?from=2026-07-01T00:00:00%2B23:59`, 422, 'invalid_value', '#/from'],
] as const) {
  test(`GET ${target.slice(16).replace(/[0-9a-f-]{36}/, '{id}')}: ${status} ${code} for ${pointer}`, async () => {
    const answer = await shop.get(target)
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body))
    assert.deepEqual(
      answer.body.errors.map((error: { pointer: string }) => error.pointer),
      [pointer],
    )
  })
}

test('a merchant without deposits gets an empty page, and so does every filter that nothing passes', async () => {
  const empty = { deposits: [], next_after: null }
  assert.deepEqual(await list('', await openShop(gateway)), empty)
  await created()
  assert.deepEqual(await list('?state=reversed'), empty)
  assert.deepEqual(await list('?from=2100-01-01T00:00:00Z'), empty)
  assert.deepEqual(await list('?to=2000-01-01T00:00:00Z'), empty)
})

test('the list holds whole records, newest first, of this merchant only', async () => {
  const lister = await openShop(gateway)
  const records = [await created(lister), await created(lister), await created(lister)]
  await created(other)
  const { deposits, next_after } = await list('', lister)
  assert.deepEqual(deposits, records.reverse())
  assert.equal(next_after, null)
})

test('without a limit a page has 50', async () => {
  const lister = await openShop(gateway)
  await Promise.all(Array.from({ length: 51 }, () => created(lister)))
  const { deposits, next_after } = await list('', lister)
  assert.equal(deposits.length, 50)
  assert.equal(next_after, deposits.at(-1)?.id)
})

test('state, from and to: the list holds what passes all of them; from includes its moment, to does not', async () => {
  const lister = await openShop(gateway)
  const ids: string[] = []
  for (const [day, state] of [
    ['2026-07-01', 'created'],
    ['2026-07-02', 'confirmed'],
    ['2026-07-03', 'created'],
    ['2026-07-04', 'expired'],
  ] as const) {
    const id = newId()
    await copyDeposit((await created(lister)).id, id, `${day}T12:00:00Z`, state)
    ids.push(id)
  }
  const [first, second, third, fourth] = ids
  for (const [query, expected] of [
    ['from=2026-07-01T12:00:00Z&to=2026-07-04T12:00:00.000001Z', [fourth, third, second, first]],
    ['from=2026-07-01T12:00:00.000001Z&to=2026-07-04T12:00:00Z', [third, second]],
    ['from=2026-07-02T15:00:00%2B03:00&to=2026-07-05T00:00Z', [fourth, third, second]],
    ['from=2026-07-02T15:00:01%2B03:00&to=2026-07-05T00:00Z', [fourth, third]],
    ['state=created&to=2026-07-05T00:00:00Z', [third, first]],
    ['state=confirmed', [second]],
    [`state=created&to=2026-07-05T00:00:00Z&after=${third}`, [first]],
    [`to=2026-07-05T00:00:00Z&after=${fourth}&limit=2`, [third, second]],
    ['from=2026-07-03T00:00:00Z&to=2026-07-03T00:00:00Z', []],
    ['from=2026-07-04T00:00:00Z&to=2026-07-01T00:00:00Z', []],
  ] as const) {
    const { deposits } = await list(`?${query}`, lister)
    assert.deepEqual(
      deposits.map((deposit) => deposit.id),
      expected,
      query,
    )
  }
})

/** The same deposit again under another id, order and time: a past that no request can make, and no sweep ends. */
const copyDeposit = (from: string, id: string, at: string, state: string) =>
  script(`
    insert into deposits (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency,
      payment_type, customer, requisite_id, account_id, shown, reference, page_token,
      sent, created_at, issued_at, expires_at, late_until)
    select '${id}', merchant_id, 'copy-${id}', flow, fingerprint, '${state}', amount_cents, currency,
      payment_type, customer, requisite_id, account_id, shown, 'KT' || (10000000 + abs(hashtext('${id}')) % 80000000), 'copy-${id}',
      '{}', '${at}', '${at}', inlet_now() + interval '30 minutes', inlet_now() + interval '1 day'
    from deposits where id = '${from}'`)

test('pages over 450 deposits, many of one moment, neither skip nor repeat, whatever the page size', async () => {
  const lister = await openShop(gateway)
  // Creates that share a commit share a time: the id alone parts them.
  const records = await Promise.all(Array.from({ length: 450 }, () => created(lister)))
  const expected = records.map((record) => record.id).sort()
  for (const [limit, sizes] of [
    [200, [200, 200, 50]],
    [90, [90, 90, 90, 90, 90]],
    [37, [...Array.from({ length: 12 }, () => 37), 6]],
  ] as const) {
    const pages = await listAll(`limit=${limit}`, lister)
    assert.deepEqual(pages.map((page) => page.length).filter(Boolean), sizes)
    const ids = pages.flat().map((deposit) => deposit.id)
    assert.deepEqual(ids.toSorted(), expected)
    const times = pages.flat().map((deposit) => deposit.created_at)
    assert.deepEqual(times, times.toSorted().reverse())
  }
})

test("another merchant's deposit as `after` reveals nothing: it is treated as unknown", async () => {
  const theirs = await created(other)
  await created()
  assert.deepEqual(await list(`?after=${theirs.id}`), await list(`?after=${newId()}`))
})
