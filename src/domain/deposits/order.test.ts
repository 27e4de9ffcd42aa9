import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Deposit } from './deposit.ts'
import { asSent, differingFields, fingerprint, returnsOf } from './order.ts'
import { type DepositRequest, requestFrom } from './record.ts'

const request: DepositRequest = {
  orderId: 'A-1',
  amountCents: 150_000n,
  currency: 'RUB',
  paymentType: 'sbp',
  customer: 'user-42',
  customerPhoneNumber: '+79991234567',
  callbackUrl: 'https://shop.example/cb',
  successUrl: 'https://shop.example/ok',
  rejectUrl: 'https://shop.example/no',
}

const print = (part: Partial<DepositRequest> = {}) => fingerprint('create', { ...request, ...part })

/** The deposit that this request made. */
const deposit = { ...request, flow: 'create' } as Deposit

test('the same data has the same fingerprint, a digest of 32 bytes', () => {
  assert.equal(print(), print({}))
  assert.match(print(), /^[0-9a-f]{64}$/)
})

// What was stored is compared forever: a change of the rule would make every old order "other data".
test('the fingerprint is SHA-256 over the flow and the named values, sorted, absent ones left out', () => {
  const text =
    '["create",["callback_url","https://shop.example/cb"],["cents","150000"],["currency","RUB"],' +
    '["customer","user-42"],["payment_type","sbp"],["reject_url","https://shop.example/no"],' +
    '["success_url","https://shop.example/ok"]]'
  assert.equal(print({ customerPhoneNumber: null }), createHash('sha256').update(text).digest('hex'))
})

for (const [field, part] of [
  ['cents', { amountCents: 150_001n }],
  ['currency', { currency: 'UZS' }],
  ['payment_type', { paymentType: 'any_bank' }],
  ['customer', { customer: 'User-42' }],
  ['customer_phone_number', { customerPhoneNumber: '+79991234568' }],
  ['customer_phone_number', { customerPhoneNumber: null }],
  ['callback_url', { callbackUrl: 'https://shop.example/CB' }],
  ['callback_url', { callbackUrl: null }],
  ['success_url', { successUrl: 'https://shop.example/ok?' }],
  ['success_url', { successUrl: null }],
  ['reject_url', { rejectUrl: 'https://shop.example/ok' }],
  ['reject_url', { rejectUrl: null }],
] as const) {
  test(`${field} of ${Object.values(part)[0]} is other data, and is the field that is named`, () => {
    assert.notEqual(print(part), print())
    assert.deepEqual(differingFields(deposit, 'create', { ...request, ...part }), [field])
  })
}

test('all differing fields are named, in one fixed order', () => {
  const other = { ...request, rejectUrl: null, amountCents: 1n, customer: 'x' }
  assert.deepEqual(differingFields(deposit, 'create', other), ['cents', 'customer', 'reject_url'])
})

test('equal requests have no differing fields', () => {
  assert.deepEqual(differingFields(deposit, 'create', request), [])
})

test('success_url sent again as reject_url differs in both, although both sign alike', () => {
  const first = { ...request, successUrl: 'https://shop.example/x', rejectUrl: null }
  const moved = { ...request, successUrl: null, rejectUrl: 'https://shop.example/x' }
  assert.notEqual(print(first), print(moved))
  assert.deepEqual(differingFields({ ...deposit, ...first }, 'create', moved), ['success_url', 'reject_url'])
})

test('the fingerprint shows which return addresses and type were in the request', () => {
  const set = { successUrl: 'https://shop.example/default', rejectUrl: 'https://shop.example/default' }
  for (const successUrl of [request.successUrl, null])
    for (const rejectUrl of [request.rejectUrl, null]) {
      const sent = { ...request, successUrl, rejectUrl }
      const made = { ...deposit, ...sent, ...returnsOf(set, sent) }
      assert.deepEqual(asSent(made, fingerprint('create', sent)), { ...deposit, ...sent })
      const chosen = { ...made, flow: 'build' } as Deposit
      const selection = { ...sent, paymentType: 'uzs_select' }
      assert.deepEqual(asSent(chosen, fingerprint('build', selection)), { ...chosen, ...selection })
    }
})

test('the other flow is other data, whatever its fields', () => {
  assert.notEqual(fingerprint('build', request), print())
  assert.deepEqual(differingFields(deposit, 'build', request), ['the operation'])
})

test('composed and decomposed letters are different customers', () => {
  assert.notEqual(print({ customer: 'Йўл'.normalize('NFC') }), print({ customer: 'Йўл'.normalize('NFD') }))
})

test('an empty optional field is an absent one', () => {
  const sent = new Map([
    ['order_id', 'A-1'],
    ['cents', '150000'],
    ['currency', 'RUB'],
    ['payment_type', 'sbp'],
    ['customer', 'user-42'],
  ])
  const empty = new Map([
    ...sent,
    ['callback_url', ''],
    ['customer_phone_number', ''],
    ['success_url', ''],
  ] as const)
  assert.deepEqual(fingerprint('create', requestFrom(empty)), fingerprint('create', requestFrom(sent)))
})

test('two requests have one fingerprint exactly when every field but the order_id is equal', () => {
  const text = fc.constantFrom('a', 'b', '","', 'a","b')
  const optional = fc.option(text, { nil: null })
  const requests = fc.record({
    orderId: text,
    amountCents: fc.bigInt({ min: 1n, max: 3n }),
    currency: fc.constantFrom('RUB', 'UZS'),
    paymentType: text,
    customer: text,
    customerPhoneNumber: optional,
    callbackUrl: optional,
    successUrl: optional,
    rejectUrl: optional,
  }) as fc.Arbitrary<DepositRequest>
  fc.assert(
    fc.property(requests, requests, (one, two) => {
      const differing = differingFields({ ...one, flow: 'create' } as Deposit, 'create', two)
      assert.equal(fingerprint('create', one) === fingerprint('create', two), differing.length === 0)
    }),
    { numRuns: 1_000 },
  )
})
