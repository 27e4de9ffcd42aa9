/** Spec 5: who may ask. Both signature modes, and everything that is not a signature. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, beforeEach, test } from 'node:test'
import { signatureString, signLiteral, signV2 } from '../../sdk/signature.ts'
import type { KeyPurpose } from '../../src/domain/merchants/api-key.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { rotateKey } from '../../src/domain/merchants/rotate-key.ts'
import { insertKey, insertMerchant, liveKeys } from '../../src/domain/merchants/store.ts'
import { until } from '../support/delivery.ts'
import {
  call,
  createPath,
  type Fields,
  nowSeconds,
  openShop,
  type Shop,
  shopOf,
  startGateway,
  type TestGateway,
  textOf,
} from '../support/gateway.ts'

const environment = { INLET_ROLES: 'api', INLET_TRUSTED_PROXIES: '127.0.0.1,::1' }
let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ environment })
})
// Failed signatures have a budget per address: each test has one of its own.
let tests = 0
const from = () => ({ 'x-forwarded-for': `10.0.0.${tests}` })
beforeEach(async () => {
  tests++
  shop = await openShop(gateway)
})

const send = (fields: Fields, headers: Record<string, string>, target = createPath, url = gateway.url) =>
  call(url, target, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...from(), ...headers },
    body: JSON.stringify(fields),
  })

const rotate = (overlapDays: number, v2Only = false) =>
  rotateKey(gateway.db, gateway.vault, { merchantId: shop.merchant, purpose: 'request', overlapDays, v2Only })

test('5 rules 1-3: the values sent, in the published order, joined by ::, absent fields absent', async () => {
  const order = shop.order({ success_url: 'https://s.example/ok', callback_url: 'https://s.example/cb' })
  const text = textOf(order)
  const string = signatureString('create', text)
  assert.equal(
    string,
    `https://s.example/cb::150000::RUB::customer-1::${shop.merchant}::${order.order_id}::account_number::https://s.example/ok`,
  )
  assert.equal((await send(order, { 'x-signature': signLiteral(shop.secret, 'create', text) })).status, 201)
})

test('upper-case hex is accepted', async () => {
  const order = shop.order()
  const signature = signLiteral(shop.secret, 'create', textOf(order)).toUpperCase()
  assert.equal((await send(order, { 'x-signature': signature })).status, 201)
})

test('the signature may stand in the body instead of the header', async () => {
  const order = shop.order()
  const signature = signLiteral(shop.secret, 'create', textOf(order))
  assert.equal((await send({ ...order, signature }, {})).status, 201)
  const other = shop.order()
  const same = signLiteral(shop.secret, 'create', textOf(other))
  assert.equal((await send({ ...other, signature: same }, { 'x-signature': same })).status, 201)
})

test('header and body that differ, or two headers: 400 signature_conflict', async () => {
  const order = shop.order()
  const signature = signLiteral(shop.secret, 'create', textOf(order))
  const differing = await send({ ...order, signature: 'f'.repeat(64) }, { 'x-signature': signature })
  assert.deepEqual([differing.status, differing.body.code], [400, 'signature_conflict'])
  const twice = await rawPost(
    [
      ['X-Signature', signature],
      ['X-Signature', signature],
    ],
    JSON.stringify(order),
  )
  assert.match(twice, /^HTTP\/1.1 400[\s\S]*signature_conflict/)
})

async function rawPost(headers: [string, string][], body: string): Promise<string> {
  const { connect } = await import('node:net')
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  socket.end(
    `POST ${createPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('in production wrong, missing, short, long, non-hex and foreign signatures, unknown merchants: one and the same 401', async () => {
  const settings = { ...environment, NODE_ENV: 'production', INLET_PUBLIC_URL: 'https://pay.example' }
  const { url } = await startGateway({ beside: gateway, environment: settings })
  const order = shop.order()
  const right = signLiteral(shop.secret, 'create', textOf(order))
  const stranger = await openShop(gateway, { mode: 'live' })
  const live = shopOf(gateway, stranger.merchant, stranger.keyId, stranger.secret)
  const shapes = new Set<string>()
  for (const [fields, signature] of [
    [live.order(), 'f'.repeat(64)],
    [live.order(), ''],
    [live.order(), right.slice(0, 62)],
    [live.order(), `${right}zz`],
    [live.order(), 'z'.repeat(64)],
    [live.order(), right],
    [live.order({ merchant: '3f0c9a52-7d1e-4b86-9c2a-5e8f1d20b647' }), right],
    [live.order({ merchant: 'not-a-uuid' }), right],
    [live.order({ merchant: live.merchant.toUpperCase() }), right],
    [live.order(), `t=${nowSeconds()},kid=unknown,v2=${right}`],
    [live.order(), `t=${nowSeconds()},kid=${live.keyId},v2=${right}`],
    [live.order(), `sha256=${right}`],
  ] as const) {
    const answer = await send(fields, signature ? { 'x-signature': signature } : {}, createPath, url)
    assert.equal(answer.status, 401, signature)
    const { request_id: _id, ...shape } = answer.body
    shapes.add(JSON.stringify(shape))
  }
  assert.equal(shapes.size, 1)
})

test('v2 signs method, path and the whole body; the body merchant must own the key', async () => {
  const order = shop.order({ order_id: `A::${nowSeconds()}` })
  assert.equal((await shop.createV2(order)).status, 201)
  const body = Buffer.from(JSON.stringify(order))
  const sign = (part: object) =>
    signV2({
      secret: shop.secret,
      kid: shop.keyId,
      t: nowSeconds(),
      method: 'POST',
      target: createPath,
      body,
      ...part,
    })
  for (const part of [
    { method: 'GET' },
    { target: '/api/v1/requests/deposit/build' },
    { target: `${createPath}?a=1` },
    { body: Buffer.from('{}') },
    { secret: 'other' },
  ]) {
    assert.equal((await send(order, { 'x-signature': sign(part) })).status, 401, JSON.stringify(part))
  }
  const other = await openShop(gateway)
  assert.equal((await shop.createV2({ ...order, merchant: other.merchant })).status, 401)
  assert.equal((await send(order, { 'x-signature': sign({}) })).status, 200)
})

test('v2 is verified with the key that it names, not with another key of the merchant', async () => {
  const merchantId = shop.merchant
  const rotated = await rotateKey(gateway.db, gateway.vault, {
    ...{ merchantId, purpose: 'request', overlapDays: 7, v2Only: true },
  })
  const named = (kid: string, secret: string) =>
    shopOf(gateway, merchantId, kid, secret).createV2(shop.order())
  const statuses = []
  for (const [kid, secret] of [
    [rotated.id, rotated.secret],
    [shop.keyId, shop.secret],
    [shop.keyId, rotated.secret],
    [rotated.id, shop.secret],
  ] as const)
    statuses.push((await named(kid, secret)).status)
  assert.deepEqual(statuses, [201, 201, 401, 401])
})

test('after a rotation both keys sign; with no overlap the old one is dead; an expired key is 401', async () => {
  const rotated = await rotate(7)
  const renewed = shopOf(gateway, shop.merchant, rotated.id, rotated.secret)
  assert.deepEqual([(await shop.create()).status, (await renewed.create()).status], [201, 201])
  await rotate(0)
  const later = await startGateway({ beside: gateway })
  const old = shopOf(later, shop.merchant, shop.keyId, shop.secret)
  assert.deepEqual([(await old.create()).status, (await old.createV2(old.order())).status], [401, 401])
})

test('a rotation of one kind of key leaves those of the other kind as they are', async () => {
  const merchantId = shop.merchant
  const live = async (purpose: KeyPurpose) =>
    (await liveKeys(gateway.db, gateway.vault, merchantId, purpose)).map(({ id }) => id)
  const rotate = (purpose: KeyPurpose) =>
    rotateKey(gateway.db, gateway.vault, { merchantId, purpose, overlapDays: 0 })
  const callback = await live('callback')
  assert.equal(callback.length, 1)
  const request = await rotate('request')
  assert.deepEqual([await live('request'), await live('callback')], [[request.id], callback])
  const renewed = await rotate('callback')
  assert.deepEqual([await live('request'), await live('callback')], [[request.id], [renewed.id]])
})

test('a merchant has at most three live keys', async () => {
  await rotate(7)
  await rotate(7)
  await assert.rejects(rotate(7), { code: 'too_many_keys' })
})

test('a key marked v2-only refuses the literal rule: 403 scheme_too_weak', async () => {
  const strict = await rotate(0, true)
  const strong = shopOf(gateway, shop.merchant, strict.id, strict.secret)
  const refused = await strong.create()
  assert.deepEqual([refused.status, refused.body.code], [403, 'scheme_too_weak'])
  assert.equal((await strong.createV2(strong.order())).status, 201)
})

test('a disabled merchant gets 403 merchant_disabled only with a right signature', async () => {
  await changeMerchant(gateway.db, { merchantId: shop.merchant, enabled: false })
  const refused = await shop.create()
  assert.deepEqual([refused.status, refused.body.code], [403, 'merchant_disabled'])
  assert.equal((await send(shop.order(), { 'x-signature': 'f'.repeat(64) })).status, 401)
})

test('the last use of a key is recorded', async () => {
  await shop.create()
  const read = () =>
    gateway.database.owner.query<{ last_used_at: Date | null }>({
      text: 'select last_used_at from api_keys where id = $1',
      name: '',
      values: [shop.keyId],
    })
  await until('the use is recorded', async () => (await read())[0]!.last_used_at !== null)
})

test('secrets are sealed at rest, and a ciphertext moved to another row does not open', async () => {
  const { liveKeys } = await import('../../src/domain/merchants/store.ts')
  const other = await openShop(gateway)
  const rows = await gateway.database.owner.query<{ row: string }>({
    text: 'select to_jsonb(k)::text as row from api_keys k',
    name: '',
    values: [],
  })
  assert.ok(
    !rows.some(
      ({ row }) => row.includes(shop.secret) || row.includes(Buffer.from(shop.secret).toString('hex')),
    ),
  )
  await gateway.database.owner.script(
    `update api_keys set secret_sealed = (select secret_sealed from api_keys where id = '${shop.keyId}') where id = '${other.keyId}'`,
  )
  await assert.rejects(liveKeys(gateway.db, gateway.vault, other.merchant, 'request'))
})

test('the published signature vectors are accepted over HTTP, and their forgeries are refused', async () => {
  const vectors = JSON.parse(await readFile(new URL('../vectors/signature.json', import.meta.url), 'utf8'))
  const [{ secret, fields }] = vectors.literal
  const merchantId = fields.merchant as string
  await gateway.db.transaction(async (tx) => {
    await insertMerchant(tx, { id: merchantId, name: 'Vectors', mode: 'test', callbackUrl: null })
    await insertKey(tx, gateway.vault, { id: 'key_1', merchantId, purpose: 'request', secret, v2Only: false })
  })
  // One that has not heard of them as strangers.
  gateway = await startGateway({ beside: gateway, environment })
  // Their signed time is a fixed moment: the database's clock is taken there.
  const { t } = vectors.v2[0]
  await gateway.database.shiftClock(`${t - nowSeconds()} seconds`)
  for (const { name, signature, ...vector } of vectors.literal) {
    if (vector.operation === 'create') {
      const { status, body } = await send(vector.fields, { 'x-signature': signature })
      // Both halves of vector 4 sign alike: the second is recognised as other data of the same order.
      const heard = status === 201 || status === 200 || body.code === 'order_id_reused'
      assert.ok(heard, `${name}: ${status} ${body.code}`)
    } else if (vector.operation === 'limit') {
      const query = new URLSearchParams(textOf(vector.fields))
      const headers = { 'x-signature': signature }
      assert.equal(
        (await call(gateway.url, `/api/v1/requests/limit?${query}`, { headers })).status,
        200,
        name,
      )
    }
  }
  for (const { name, method, target, body, kid, signature } of vectors.v2) {
    const { status } = await call(gateway.url, target, {
      method,
      headers: { 'content-type': 'application/json', 'x-signature': `t=${t},kid=${kid},v2=${signature}` },
      ...(method === 'POST' && { body }),
    })
    assert.ok(status === 200 || status === 201, `${name}: ${status}`)
  }
  for (const { name, fields: forged, signature } of vectors.must_fail) {
    // HTTP itself takes the space around a header's value away: such a forgery cannot be sent.
    if (typeof signature === 'string' && signature !== signature.trim()) continue
    const { status } = await send(forged, typeof signature === 'string' ? { 'x-signature': signature } : {})
    assert.equal(status, 401, name)
  }
  await gateway.database.shiftClock('0')
})
