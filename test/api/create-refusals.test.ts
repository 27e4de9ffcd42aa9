/** Spec 7 and 8: bad input gets a clear refusal with a registry code, and nothing is stored. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signLiteral, signV2 } from '../../sdk/signature.ts'
import { sql } from '../../src/platform/db.ts'
import {
  type Answer,
  call,
  createPath,
  type Fields,
  nowSeconds,
  openShop,
  type Shop,
  startGateway,
  type TestGateway,
  textOf,
} from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let liveShop: Shop
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  liveShop = await openShop(gateway, { mode: 'live' })
})

/** Signs exactly these bytes with v2, so that only the body is wrong. */
function send(body: string | Uint8Array, contentType = 'application/json', as = shop): Promise<Answer> {
  const bytes = Buffer.from(body)
  const signed = { method: 'POST', target: createPath, body: bytes, t: nowSeconds() }
  const signature = signV2({ ...signed, secret: as.secret, kid: as.keyId })
  const headers = { 'content-type': contentType, 'x-signature': signature }
  return call(gateway.url, createPath, { method: 'POST', headers, body: bytes })
}
/** An order in which one field has this JSON. */
const sendField = (name: string, json: string, as = shop) =>
  send(
    JSON.stringify({ ...as.order(), [name]: '@' }).replace('"@"', () => json),
    undefined,
    as,
  )

function assertProblem(
  { status, headers, body }: Answer,
  expected: number,
  code: string,
  pointers?: string[],
) {
  assert.deepEqual([status, body.code], [expected, code], JSON.stringify(body))
  assert.match(headers.get('content-type')!, /^application\/problem\+json/)
  const members = ['type', 'title', 'status', 'code', 'detail', 'retryable', 'request_id', 'errors']
  assert.deepEqual(Object.keys(body).slice(0, 8), members)
  assert.equal(body.request_id, headers.get('request-id'))
  const named = body.errors.map((error: { pointer: string }) => error.pointer)
  if (pointers) assert.deepEqual(named, pointers)
}

const required = ['order_id', 'cents', 'currency', 'payment_type', 'customer']
const addresses = ['callback_url', 'success_url', 'reject_url']
const names = ['merchant', ...required, ...addresses, 'customer_phone_number']

test('a required field that is missing or empty is named', async () => {
  for (const field of required) {
    const { [field]: _missing, ...order } = shop.order()
    for (const [sent, code] of [
      [order, 'required'],
      [shop.order({ [field]: '' }), 'empty'],
    ] as [Fields, string][]) {
      const answer = await shop.post('create', sent)
      assertProblem(answer, 422, 'invalid_value', [`#/${field}`])
      assert.equal(answer.body.errors[0].code, code)
    }
  }
  const { merchant: _missing, ...order } = shop.order()
  for (const sent of [order as Fields, shop.order({ merchant: '' })])
    assertProblem(await shop.post('create', sent), 401, 'signature_invalid')
})

test('all problems of one request come together', async () => {
  const answer = await shop.post('create', shop.order({ cents: 0, customer: '', callback_url: 'ftp://x' }))
  assertProblem(answer, 422, 'invalid_value', ['#/cents', '#/customer', '#/callback_url'])
})

test('a field of another type than text is named, whichever it is', async () => {
  for (const name of names)
    for (const json of [
      'null',
      'true',
      '["x"]',
      '{"a":{"b":1}}',
      ...(name === 'cents' ? ['1.5', '1e2'] : ['7']),
    ])
      assertProblem(await sendField(name, json), 400, 'invalid_type', [`#/${name}`])
})

test('a value that its field cannot have is named', async () => {
  for (const [name, value, status, code] of [
    ...['order_id', 'customer', 'payment_type'].map((name) => [name, 'я'.repeat(129), 422, 'invalid_value']),
    ['customer', 'a\u0000b', 400, 'malformed_body'],
    ['customer', 'a\u0085b', 400, 'malformed_body'],
    ['cents', 0, 422, 'invalid_value'],
    ['cents', -150_000, 422, 'invalid_value'],
    ['cents', 1_000_000_000_000_000, 422, 'invalid_value'],
    ['cents', '1.5', 422, 'invalid_value'],
    ['cents', '0150000', 422, 'invalid_value'],
    ['cents', '+150000', 422, 'invalid_value'],
    ['cents', 9_999, 422, 'amount_out_of_range'],
    ['cents', 60_000_001, 422, 'amount_out_of_range'],
    ['currency', 'USD', 422, 'currency_not_supported'],
    ['currency', 'rub', 422, 'currency_not_supported'],
    ['payment_type', 'cash', 422, 'payment_type_not_supported'],
    ['payment_type', 'uzs_select', 422, 'payment_type_not_supported'],
    ['callback_url', `https://shop.example/${'x'.repeat(2_000)}`, 422, 'invalid_value'],
    ...addresses.map((name) => [name, 'https://user:secret@shop.example/', 422, 'url_not_allowed']),
    ...addresses.map((name) => [name, 'javascript:alert(1)', 422, 'url_not_allowed']),
    ...['+7 999', 'phone', '123456', '+1234567890123456'].map((phone) => [
      ...['customer_phone_number', phone, 422, 'invalid_value'],
    ]),
    ['amount', 5, 400, 'unknown_field'],
    ['constructor', 'x', 400, 'unknown_field'],
  ] as [string, string | number, number, string][]) {
    const answer = await sendField(name, JSON.stringify(value))
    assertProblem(answer, status, code, [`#/${name}`])
    assert.ok(!answer.body.detail.includes('secret'))
    if (code === 'amount_out_of_range')
      assert.deepEqual([answer.body.min_cents, answer.body.max_cents], [10_000, 60_000_000])
  }
  const fits = await sendField('customer', JSON.stringify('😀'.repeat(128)))
  assert.equal(fits.status, 201)
})

test("a live merchant's addresses have https, a name and a usual port", async () => {
  for (const url of ['http://shop.example/x', 'https://shop.example:9443/', 'https://[2001:db8::1]/'])
    assertProblem(await sendField('callback_url', JSON.stringify(url), liveShop), 422, 'url_not_allowed', [
      '#/callback_url',
    ])
})

test('a value with the separator is refused under the literal rule, and welcome under v2', async () => {
  for (const customer of ['bob::+79990000000', ':bob', 'bob:', '::']) {
    const order = shop.order({ customer })
    const signature = signLiteral(shop.secret, 'create', { ...textOf(order), customer: 'x' })
    const headers = { 'x-signature': signature, 'content-type': 'application/json' }
    const answer = await call(gateway.url, createPath, {
      ...{ method: 'POST', headers, body: JSON.stringify(order) },
    })
    assertProblem(answer, 400, 'separator_in_value', ['#/customer'])
    assertProblem(await send(JSON.stringify({ ...order, cents: 1 })), 422, 'amount_out_of_range')
  }
})

test('a field sent twice, in JSON or form, is named', async () => {
  const body = JSON.stringify(shop.order()).replace('{', '{"cents":1,')
  assertProblem(await send(body), 400, 'duplicate_field', ['#/cents'])
  const form = `${new URLSearchParams(textOf(shop.order()))}&cents=1`
  assertProblem(await send(form, 'application/x-www-form-urlencoded'), 400, 'duplicate_field', ['#/cents'])
})

const form = 'application/x-www-form-urlencoded'
for (const [what, body, type, status, code] of [
  ['truncated', '{"merchant":"x"', 'application/json', 400, 'malformed_body'],
  ['an array', '[]', 'application/json', 400, 'malformed_body'],
  ['with trailing text', '{} x', 'application/json', 400, 'malformed_body'],
  ['empty', '', 'application/json', 400, 'malformed_body'],
  ['not UTF-8', 'customer=%E9', form, 400, 'malformed_body'],
  ['of more than 16 KiB', `{"x":"${'x'.repeat(17_000)}"}`, 'application/json', 413, 'body_too_large'],
  ['of text', '{}', 'text/plain', 415, 'unsupported_media_type'],
  ['in parts', '{}', 'multipart/form-data; boundary=x', 415, 'unsupported_media_type'],
  ['of another JSON', '{}', 'application/json-patch+json', 415, 'unsupported_media_type'],
  ['of JSON, with parameters and other case', '{}', 'Application/JSON; charset=utf-8', 422, 'invalid_value'],
] as const)
  test(`a body ${what}: ${status} ${code}`, async () => assertProblem(await send(body, type), status, code))

test('no refusal repeats a value that was sent, and none stored anything', async () => {
  const { count: before } = await gateway.database.owner.one<{ count: bigint }>(
    sql`select count(*) from deposits`,
  )
  for (const [field, value] of [
    ['customer', 'CANARY\u0001'],
    ['callback_url', 'CANARY'],
    ['currency', 'CANARY'],
    ['customer_phone_number', 'CANARY'],
  ] as const) {
    const answer = await sendField(field, JSON.stringify(value))
    assert.ok(!JSON.stringify(answer.body).includes('CANARY'), field)
  }
  assert.ok(!gateway.logged.join('').includes('CANARY'))
  const { count } = await gateway.database.owner.one<{ count: bigint }>(sql`select count(*) from deposits`)
  // The one that fits.
  assert.deepEqual([before, count], [1n, 1n])
})
