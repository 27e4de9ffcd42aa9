/** Spec 4.3 and 8: what may be asked for, in public and for one merchant. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { signLiteral } from '../../sdk/signature.ts'
import { changePaymentType } from '../../src/domain/catalogue/change-payment-type.ts'
import { LimitAnswer } from '../../src/domain/catalogue/limit.ts'
import type { Currency } from '../../src/domain/money.ts'
import { addAccount, addRequisite, setRequisite } from '../../src/domain/requisites/add-requisite.ts'
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

const path = '/api/v1/requests/limit'

/** Everything on offer, no requisites: each test adds what it needs. */
let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ demo: false })
})
// What the gateway knows of a merchant is believed for a second: each test has a merchant of its own.
beforeEach(async () => {
  shop = await openShop(gateway)
})

const ask = async (parameters: Record<string, string> = {}, headers: Record<string, string> = {}) => {
  const query = new URLSearchParams(parameters).toString()
  const answer = await call(gateway.url, query ? `${path}?${query}` : path, { headers })
  if (answer.status === 200) assertDescribed(LimitAnswer, answer.body)
  return answer
}

const askOwn = (parameters: Record<string, string> = {}, as = shop) => {
  const own = { merchant: as.merchant, timestamp: String(nowSeconds()), ...parameters }
  return ask(own, { 'x-signature': signLiteral(as.secret, 'limit', own) })
}

type Limit = {
  operation: string
  currency: string
  payment_type: string
  min_cents: number
  max_cents: number
  available: boolean
}
const limitOf = ({ body }: Answer, payment_type: string, currency: string): Limit =>
  body.limits.find((limit: Limit) => limit.payment_type === payment_type && limit.currency === currency)
const availableOf = (answer: Answer, operation = 'create') =>
  answer.body.limits
    .filter((limit: Limit) => limit.available && limit.operation === operation)
    .map((limit: Limit) => `${limit.payment_type}:${limit.currency}`)

const noLimits = { minCents: null, maxCents: null, dailyCents: null, openDeposits: null }
let cards = 0

/** A phone or card on an account of its own; returns its id. */
async function addRequisiteWithin(
  currency: Currency,
  {
    mode = 'test' as 'live' | 'test',
    kind = 'phone' as 'phone' | 'card',
    bankCode = null as string | null,
    limits = {},
    owner = null as string | null,
  } = {},
): Promise<string> {
  const { id } = await addAccount(gateway.db, {
    mode,
    currency,
    merchantId: owner,
    label: 'x',
    ownerLegalName: 'Example',
    ownerPublicName: 'Example',
    ownerTaxId: '1',
    ownerAgreement: 'x',
    addedBy: 'test',
  })
  const count = String(++cards).padStart(4, '0')
  const added = await addRequisite(gateway.db, {
    accountId: id,
    // A prefix of no brand: the check digit is then only a warning.
    draft: {
      kind,
      number: kind === 'phone' ? `+7900000${count}` : `991100000000${count}`,
      holder: 'x',
      bankName: 'x',
    },
    bankCode,
    limits: { ...noLimits, ...limits },
    confirmed: true,
  })
  return added.id
}

/** Takes every requisite out of service, so that a test begins with none. */
const clearRequisites = () => gateway.database.owner.script('update requisites set enabled = false')

// The seed of the catalogue, as the operator finds it.
const offers = [
  ['any_bank', 'RUB', 10_000, 30_000_000],
  ['any_bank', 'UZS', 1_000_000, 2_500_000_000],
  ['any_bank', 'KZT', 50_000, 150_000_000],
  ['any_bank', 'TJS', 1_000, 3_000_000],
  ['sbp', 'RUB', 10_000, 10_000_000],
  ['bankx', 'RUB', 10_000, 30_000_000],
  ['bankx', 'UZS', 1_000_000, 2_500_000_000],
  ['bankx', 'KZT', 50_000, 150_000_000],
  ['bankx', 'TJS', 1_000, 3_000_000],
  ['account_number', 'RUB', 10_000, 60_000_000],
  ['account_number', 'UZS', 1_000_000, 5_000_000_000],
  ['account_number', 'KZT', 50_000, 300_000_000],
  ['account_number', 'TJS', 1_000, 6_000_000],
  ['uzs_select', 'RUB', 10_000, 60_000_000],
  ['uzs_select', 'UZS', 1_000_000, 5_000_000_000],
] as const
const answerFrom = (rows: readonly (typeof offers)[number][]) => ({
  currencies: [...new Set(rows.map(([, currency]) => currency))],
  payment_types: [...new Set(rows.map(([type]) => type))],
  limits: rows.map(([payment_type, currency, min_cents, max_cents]) => ({
    operation: payment_type === 'uzs_select' ? 'build' : 'create',
    currency,
    payment_type,
    min_cents,
    max_cents,
    available: false,
  })),
})

test('4.3 without parameters: the public catalogue, every currency and type with its minimum and maximum', async () => {
  await clearRequisites()
  const answer = await ask()
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, answerFrom(offers))
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

for (const [parameters, keep] of [
  [{ currency: 'UZS' }, (row) => row[1] === 'UZS'],
  [{ payment_type: 'any_bank' }, (row) => row[0] === 'any_bank'],
  [{ currency: 'RUB', payment_type: 'sbp' }, (row) => row[0] === 'sbp'],
  [{ currency: 'UZS', payment_type: 'sbp' }, () => false],
  [{ currency: 'USD' }, () => false],
  [{ payment_type: 'uzs_select' }, (row) => row[0] === 'uzs_select'],
  [{ currency: '' }, () => true],
] as [Record<string, string>, (row: (typeof offers)[number]) => boolean][]) {
  test(`4.3 filtered by ${new URLSearchParams(parameters)}: only those, in public and for a merchant`, async () => {
    await clearRequisites()
    const expected = answerFrom(offers.filter(keep))
    const [open, own] = [await ask(parameters), await askOwn(parameters)]
    assert.deepEqual([open.status, own.status], [200, 200])
    assert.deepEqual(open.body, expected)
    assert.deepEqual(own.body, expected)
  })
}

test('the select type is available while any method is', async () => {
  await clearRequisites()
  assert.deepEqual(availableOf(await ask(), 'build'), [])
  await addRequisiteWithin('RUB')
  assert.deepEqual(availableOf(await ask(), 'build'), ['uzs_select:RUB'])
})

test("the merchant's own limits: signed over the parameters sent, in alphabetical order", async () => {
  const timestamp = String(nowSeconds())
  const { createHmac } = await import('node:crypto')
  const hmac = (text: string) => createHmac('sha256', shop.secret).update(text).digest('hex')
  for (const [parameters, text] of [
    [{ timestamp, merchant: shop.merchant }, `${shop.merchant}::${timestamp}`],
    [{ timestamp, merchant: shop.merchant, currency: 'RUB' }, `RUB::${shop.merchant}::${timestamp}`],
    [
      { timestamp, payment_type: 'sbp', merchant: shop.merchant, currency: 'RUB' },
      `RUB::${shop.merchant}::sbp::${timestamp}`,
    ],
    [{ timestamp, payment_type: 'sbp', merchant: shop.merchant }, `${shop.merchant}::sbp::${timestamp}`],
  ] as const) {
    const answer = await ask(parameters, { 'x-signature': hmac(text) })
    assert.equal(answer.status, 200, text)
    assert.match(answer.headers.get('ratelimit')!, /^"merchant";/)
  }
})

test('the signature may stand among the parameters', async () => {
  const own = { merchant: shop.merchant, timestamp: String(nowSeconds()) }
  const signature = signLiteral(shop.secret, 'limit', own)
  assert.equal((await ask({ ...own, signature })).status, 200)
  const wrong = await ask({ ...own, signature }, { 'x-signature': 'f'.repeat(64) })
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'signature_conflict'])
})

test('no timestamp, or one that is no time, is 401 however well it is signed', async () => {
  const without = { merchant: shop.merchant }
  const missing = await ask(without, { 'x-signature': signLiteral(shop.secret, 'limit', without) })
  assert.deepEqual([missing.status, missing.body.code], [401, 'timestamp_out_of_window'])
  for (const timestamp of ['', 'now', '0', '-1', `${nowSeconds()}000`, new Date().toISOString()]) {
    const answer = await askOwn({ timestamp })
    assert.deepEqual([answer.status, answer.body.code], [401, 'timestamp_out_of_window'], timestamp)
  }
})

test('a wrong signature, none at all, or another merchant: 401, and no limits', async () => {
  const stranger = await openShop(gateway)
  const own = { merchant: shop.merchant, timestamp: String(nowSeconds()) }
  const right = signLiteral(shop.secret, 'limit', own)
  for (const [parameters, headers] of [
    [own, {}],
    [own, { 'x-signature': 'f'.repeat(64) }],
    [own, { 'x-signature': right.slice(0, 62) }],
    [own, { 'x-signature': signLiteral(stranger.secret, 'limit', own) }],
    [{ ...own, merchant: stranger.merchant }, { 'x-signature': right }],
    [{ ...own, currency: 'RUB' }, { 'x-signature': right }],
    [{ timestamp: own.timestamp }, { 'x-signature': right }],
    [{}, { 'x-signature': right }],
    [{ merchant: 'nobody', timestamp: own.timestamp }, { 'x-signature': right }],
  ] as [Record<string, string>, Record<string, string>][]) {
    const answer = await ask(parameters, headers)
    assert.deepEqual(
      [answer.status, answer.body.code],
      [401, 'signature_invalid'],
      JSON.stringify(parameters),
    )
    assert.ok(!('limits' in answer.body))
  }
})

for (const [query, code, pointer] of [
  ['currencies=RUB', 'unknown_field', '#/currencies'],
  ['Currency=RUB', 'unknown_field', '#/Currency'],
  ['currency=RUB&constructor=x', 'unknown_field', '#/constructor'],
  ['currency=RUB&currency=RUB', 'duplicate_field', '#/currency'],
  ['merchant=a&merchant=b', 'duplicate_field', '#/merchant'],
  ['currency=%00', 'malformed_body', '#/currency'],
  ['currency=%ff', 'malformed_body', undefined],
] as const) {
  test(`4.3 ?${query}: 400 ${code}, in public and signed`, async () => {
    for (const answer of [await call(gateway.url, `${path}?${query}`), await shop.get(`${path}?${query}`)]) {
      assert.deepEqual([answer.status, answer.body.code], [400, code])
      if (pointer) assert.equal(answer.body.errors[0].pointer, pointer)
    }
  })
}

test('available: a free requisite makes exactly the types it can serve available', async () => {
  await clearRequisites()
  assert.deepEqual(availableOf(await askOwn()), [])
  await addRequisiteWithin('RUB')
  assert.deepEqual(availableOf(await askOwn()), ['sbp:RUB'])
  await addRequisiteWithin('UZS', { kind: 'card' })
  assert.deepEqual(availableOf(await askOwn()), ['any_bank:UZS', 'sbp:RUB'])
  await addRequisiteWithin('KZT', { kind: 'card', bankCode: 'bankx' })
  assert.deepEqual(availableOf(await askOwn()), ['any_bank:UZS', 'any_bank:KZT', 'sbp:RUB', 'bankx:KZT'])
})

test('available is false while the requisite, or its account, is disabled', async () => {
  await clearRequisites()
  const id = await addRequisiteWithin('RUB')
  await setRequisite(gateway.db, id, false)
  assert.deepEqual(availableOf(await askOwn()), [])
  await setRequisite(gateway.db, id, true)
  assert.deepEqual(availableOf(await askOwn()), ['sbp:RUB'])
  const account = `(select account_id from requisites where id = '${id}')`
  await gateway.database.owner.script(`update receiving_accounts set enabled = false where id = ${account}`)
  assert.deepEqual(availableOf(await askOwn()), [])
})

test('available is false while every requisite is full, in public and for the merchant', async () => {
  await clearRequisites()
  await addRequisiteWithin('RUB', { limits: { openDeposits: 2 } })
  for (const [cents, expected] of [
    [10_000, ['sbp:RUB']],
    [10_001, []],
  ] as const) {
    assert.equal((await shop.create({ payment_type: 'sbp', cents })).status, 201)
    assert.deepEqual(availableOf(await askOwn()), expected)
    assert.deepEqual(availableOf(await ask()), expected)
  }
  assert.equal(
    (await shop.create({ payment_type: 'sbp', cents: 10_002 })).body.code,
    'no_requisite_available',
  )
})

test('availability counts requisites of the same mode only', async () => {
  await clearRequisites()
  await addRequisiteWithin('RUB')
  const live = await openShop(gateway, { mode: 'live' })
  assert.deepEqual(availableOf(await askOwn({}, live)), [])
  assert.deepEqual(availableOf(await askOwn()), ['sbp:RUB'])
  await addRequisiteWithin('UZS', { mode: 'live', kind: 'card' })
  assert.deepEqual(availableOf(await askOwn({}, live)), ['any_bank:UZS'])
  assert.deepEqual(availableOf(await askOwn()), ['sbp:RUB'])
  // In public an installation with live requisites speaks of those.
  assert.deepEqual(availableOf(await ask()), ['any_bank:UZS'])
})

test("a merchant's own account serves that merchant alone", async () => {
  await clearRequisites()
  await addRequisiteWithin('TJS', { kind: 'card', owner: shop.merchant })
  const other = await openShop(gateway)
  assert.deepEqual(availableOf(await askOwn()), ['any_bank:TJS'])
  assert.deepEqual(availableOf(await askOwn({}, other)), [])
})

const change = (
  code: string,
  currency: Currency | null,
  part: { minCents?: bigint; maxCents?: bigint; merchantId?: string; enabled?: boolean },
) =>
  changePaymentType(gateway.db, {
    code,
    name: null,
    group: null,
    bankCode: null,
    enabled: part.enabled ?? null,
    limit: currency && {
      currency,
      minCents: part.minCents ?? null,
      maxCents: part.maxCents ?? null,
      merchantId: part.merchantId ?? null,
    },
  })

test("8 a merchant's own limits stand in place of the general ones, for it alone, and creates obey them", async () => {
  await change('account_number', 'TJS', { minCents: 5_000n, maxCents: 7_000n, merchantId: shop.merchant })
  const { min_cents, max_cents } = limitOf(await askOwn(), 'account_number', 'TJS')
  assert.deepEqual([min_cents, max_cents], [5_000, 7_000])
  const other = await openShop(gateway)
  for (const answer of [await ask(), await askOwn({}, other)]) {
    const general = limitOf(answer, 'account_number', 'TJS')
    assert.deepEqual([general.min_cents, general.max_cents], [1_000, 6_000_000])
  }
  for (const [cents, code] of [
    [4_999, 'amount_out_of_range'],
    [5_000, 'no_requisite_available'],
    [7_000, 'no_requisite_available'],
    [7_001, 'amount_out_of_range'],
  ] as const) {
    const answer = await shop.create({ currency: 'TJS', cents })
    assert.equal(answer.body.code, code, String(cents))
    if (code === 'amount_out_of_range') {
      assert.deepEqual([answer.body.min_cents, answer.body.max_cents], [5_000, 7_000])
    }
  }
})

test('an offer switched off for one merchant disappears for it alone', async () => {
  await change('bankx', 'KZT', { enabled: false, merchantId: shop.merchant })
  assert.equal(limitOf(await askOwn(), 'bankx', 'KZT'), undefined)
  assert.ok(limitOf(await ask(), 'bankx', 'KZT'))
  const answer = await shop.create({ payment_type: 'bankx', currency: 'KZT', cents: 100_000 })
  assert.deepEqual([answer.status, answer.body.code], [422, 'payment_type_not_supported'])
})

test('a merchant’s own limit, set while the general one is off, applies when that is on again', async () => {
  const other = await openShop(gateway)
  await change('bankx', 'TJS', { enabled: false })
  await change('bankx', 'TJS', { minCents: 777n, merchantId: other.merchant })
  await change('bankx', 'TJS', { enabled: true })
  assert.equal(limitOf(await askOwn({}, other), 'bankx', 'TJS')?.min_cents, 777)
})

test('a disabled limit disappears in its currency, a disabled type everywhere, and both come back', async () => {
  try {
    await change('sbp', 'RUB', { enabled: false })
    await change('bankx', null, { enabled: false })
    const { body } = await ask()
    assert.deepEqual(body.payment_types, ['any_bank', 'account_number', 'uzs_select'])
    assert.deepEqual((await askOwn()).body.payment_types, body.payment_types)
    const refused = await shop.create({ payment_type: 'sbp' })
    assert.deepEqual([refused.status, refused.body.code], [422, 'payment_type_not_supported'])
  } finally {
    await change('sbp', 'RUB', { enabled: true })
    await change('bankx', null, { enabled: true })
  }
  assert.ok((await ask()).body.payment_types.includes('sbp'))
})

test('changed general limits and new types appear at once', async () => {
  await change('account_number', 'UZS', { minCents: 2_000_000n })
  const changed = limitOf(await ask(), 'account_number', 'UZS')
  assert.deepEqual([changed.min_cents, changed.max_cents], [2_000_000, 5_000_000_000])
  await changePaymentType(gateway.db, {
    code: 'humo',
    name: 'Humo card',
    group: 'card',
    bankCode: 'humo',
    enabled: null,
    limit: { currency: 'UZS', minCents: 1n, maxCents: 999_999_999_999_999n, merchantId: null },
  })
  const { min_cents, max_cents } = limitOf(await ask(), 'humo', 'UZS')
  assert.deepEqual([min_cents, max_cents], [1, 999_999_999_999_999])
})
