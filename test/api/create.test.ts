/** Spec 2.1, 2.2, 2.3, 2.6, 4.1: a signed create answers with the record and the requisites. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { requestFields } from '../../src/domain/deposits/record.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import {
  call,
  type Fields,
  openShop,
  type Shop,
  signedPost,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
})

test('2.1 the required fields alone create a deposit: 201 and the record of 2.3', async () => {
  const order = shop.order({ payment_type: 'any_bank', cents: 151_000 })
  const { status, body } = await shop.post('create', order)
  assert.equal(status, 201)
  assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const { id, payment_data, payment_bill_url, created_at, expires_at, ...rest } = body
  assert.deepEqual(rest, {
    merchant: shop.merchant,
    external_id: order.order_id,
    state: 'created',
    kind: 'deposit',
    amount_cents: 151_000,
    amount_currency: 'RUB',
    seller: 'ООО "Пример"',
    buyer: 'customer-1',
    payment_type: 'any_bank',
    is_final: false,
    final_at: null,
    labels: [],
    received_cents: 0,
  })
  assert.equal(new Date(expires_at).getTime() - new Date(created_at).getTime(), 30 * 60_000)
  assert.match(payment_bill_url, new RegExp(`^${gateway.url}/bill/`))
  assert.match(payment_data.url, new RegExp(`^${gateway.url}/pay/[A-Za-z0-9_-]{30}$`))
})

test('2.1 every field is accepted, and kept with the deposit', async () => {
  const order = shop.order({
    callback_url: 'https://shop.example/callback?x=1',
    success_url: 'https://shop.example/ok',
    reject_url: 'https://shop.example/no',
    customer_phone_number: '+79991234567',
    customer: 'Фарҳод Йўлдошев',
  })
  const { status, body } = await shop.post('create', order)
  assert.equal(status, 201)
  assert.equal(body.buyer, 'Фарҳод Йўлдошев')
  const { deposit } = (await findDeposit(gateway.db, { merchantId: shop.merchant, id: body.id }))!
  const kept = Object.fromEntries(
    Object.entries(requestFields).map(([name, property]) => [name, deposit[property]?.toString()]),
  )
  const { merchant: _merchant, ...fields } = order
  assert.deepEqual(kept, { ...fields, cents: `${order.cents}` })
})

test('return addresses: what a request does not name, or names empty, is the merchant’s own', async () => {
  const own = await openShop(gateway)
  const set = { successUrl: 'https://shop.example/thanks', rejectUrl: 'https://shop.example/basket?a=1' }
  await changeMerchant(gateway.db, { merchantId: own.merchant, ...set })
  const keptBy = async (fields: Fields) => {
    const { status, body } = await own.create(fields)
    assert.equal(status, 201, JSON.stringify(body))
    const { deposit } = (await findDeposit(gateway.db, { merchantId: own.merchant, id: body.id }))!
    return [deposit.successUrl, deposit.rejectUrl]
  }
  assert.deepEqual(await keptBy({}), [set.successUrl, set.rejectUrl])
  assert.deepEqual(await keptBy({ success_url: '', reject_url: '' }), [set.successUrl, set.rejectUrl])
  const named = 'https://shop.example/named'
  assert.deepEqual(await keptBy({ success_url: named }), [named, set.rejectUrl])
  assert.deepEqual(await keptBy({ reject_url: named }), [set.successUrl, named])
  // The customer's button leads there.
  const { body } = await own.create()
  await signedPost(gateway, own, `/api/v1/requests/deposit/${body.id}/cancel`)
  const page = await call('', body.payment_data.url)
  assert.match(page.body, /href="https:\/\/shop\.example\/basket\?a=1&amp;id=/)
})

// 2.2 and 2.6: each payment type shows its own set of fields.
const shownFields = [
  ['any_bank', 'RUB', 200_000, ['bank_name', 'name', 'number', 'url'], /^2200\d{12}$/],
  ['any_bank', 'UZS', 2_000_000, ['bank_name', 'name', 'number', 'url'], /^8600\d{12}$/],
  ['any_bank', 'KZT', 200_000, ['bank_name', 'name', 'number', 'url'], /^4000\d{12}$/],
  ['any_bank', 'TJS', 200_000, ['bank_name', 'name', 'number', 'url'], /^5500\d{12}$/],
  ['bankx', 'RUB', 300_000, ['bank_name', 'name', 'number', 'url'], /^2200\d{12}$/],
  ['bankx', 'UZS', 3_000_000, ['bank_name', 'name', 'number', 'url'], /^8600\d{12}$/],
  ['sbp', 'RUB', 400_000, ['bank_name', 'name', 'number', 'url'], /^\+79\d{9}$/],
  [
    'account_number',
    'RUB',
    500_000,
    ['bank_name', 'bic', 'name', 'number', 'payment_reason', 'url'],
    /^\d{20}$/,
  ],
  [
    'account_number',
    'UZS',
    5_000_000,
    ['bank_name', 'bic', 'name', 'number', 'payment_reason', 'url'],
    /^\d{20}$/,
  ],
  [
    'account_number',
    'KZT',
    500_000,
    ['bank_name', 'bic', 'name', 'number', 'payment_reason', 'url'],
    /^KZ\w{18}$/,
  ],
  [
    'account_number',
    'TJS',
    500_000,
    ['bank_name', 'bic', 'name', 'number', 'payment_reason', 'url'],
    /^\d{20}$/,
  ],
] as const

for (const [payment_type, currency, cents, fields, number] of shownFields) {
  test(`2.2, 2.6 ${payment_type} in ${currency} shows ${fields.join(', ')}`, async () => {
    const { status, body } = await shop.create({ payment_type, currency, cents })
    assert.equal(status, 201)
    assert.deepEqual(Object.keys(body.payment_data).sort(), [...fields])
    assert.match(body.payment_data.number, number)
    if (payment_type === 'bankx') assert.equal(body.payment_data.bank_name, 'Bank X')
    if (payment_type === 'account_number') assert.match(body.payment_data.payment_reason, /KT[1-9]\d{7}/)
  })
}

test('2.6 two account deposits carry different references in their payment reasons', async () => {
  const [one, two] = await Promise.all([shop.create(), shop.create()])
  assert.notEqual(one.body.payment_data.payment_reason, two.body.payment_data.payment_reason)
})

test('4.1 the body may be a form: same fields, same signature, same record', async () => {
  const { textOf, call, createPath } = await import('../support/gateway.ts')
  const { signLiteral } = await import('../../sdk/signature.ts')
  const order = textOf(shop.order({ customer: 'имя & ещё' }))
  const { status, body } = await call(gateway.url, createPath, {
    method: 'POST',
    headers: { 'x-signature': signLiteral(shop.secret, 'create', order) },
    body: new URLSearchParams(order),
  })
  assert.equal(status, 201)
  assert.equal(body.buyer, 'имя & ещё')
})

test('cents may come as its decimal text', async () => {
  const { status, body } = await shop.create({ cents: '150001' })
  assert.deepEqual([status, body.amount_cents], [201, 150_001])
})

test('an empty optional field is signed as empty and then counts as absent', async () => {
  const order = shop.order({ success_url: '' })
  assert.equal((await shop.post('create', order)).status, 201)
  const { success_url: _empty, ...without } = order
  const again = await shop.post('create', without)
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
})

test('a customer sees a snapshot: a changed requisite does not affect it', async () => {
  const { body } = await shop.create({ payment_type: 'sbp', cents: 777_700 })
  await gateway.database.owner.script(`update requisites set holder = 'SOMEBODY ELSE' where kind = 'phone'`)
  const read = await shop.get(`/api/v1/requests/deposit/${body.id}`)
  assert.deepEqual(read.body.payment_data, body.payment_data)
  await assert.rejects(
    gateway.database.owner.script(
      `update deposits set shown = shown || '{"number": "1"}' where id = '${body.id}'`,
    ),
    { constraint: 'deposit_keeps_promise' },
  )
})
