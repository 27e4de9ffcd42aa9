import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskedAccount } from '../requisites/masked-account.ts'
import {
  customerKeys,
  type Listing,
  type ListKind,
  listingReason,
  listingsFrom,
  listValue,
  payerKeys,
  strongest,
} from './listing.ts'

for (const [kind, one, other] of [
  ['customer', ' User-42 ', 'user-42'],
  ['customer', 'Иван\u00a0 Иванов', 'иван иванов'],
  ['customer', 'ｕｓｅｒ', 'user'],
  ['phone', '+7 (999) 123-45-67', '89991234567'],
  ['phone', '79991234567', '9991234567'],
  ['phone', '+998 90 123-45-67', '998901234567'],
  ['phone', '00 992 900 123456', '992900123456'],
  ['payer', 'ИВАНОВ Иван Иванович', 'Иван Иванович Иванов'],
  ['payer', 'ООО "Ёлка"', 'ООО «ЕЛКА»'],
  ['payer', '4081 7810 0000 0000 0001', '40817810000000000001'],
  ['payer', 'kz86125kzt5004100100', 'KZ86 125K ZT50 0410 0100'],
  ['payer', '2202 20** **** 1234', '2202202020201234'],
  ['payer', '77 00 000009', '7700000009'],
] as const) {
  test(`${kind}: "${one}" is listed as "${other}" is`, () => {
    assert.equal(listValue(kind, one), listValue(kind, other))
    assert.ok(listValue(kind, one))
  })
}

for (const [kind, one, other] of [
  ['customer', 'user-42', 'user42'],
  ['phone', '+79991234567', '+77991234567'],
  ['phone', '+998901234567', '+992901234567'],
  ['payer', 'Иванов Иван', 'Иванов Иван Иванович'],
  ['payer', '7700000009', '7700000017'],
] as const) {
  test(`${kind}: "${one}" is another than "${other}"`, () => {
    assert.notEqual(listValue(kind, one), listValue(kind, other))
  })
}

for (const [kind, text] of [
  ['customer', '  '],
  ['phone', '12-34'],
  ['payer', '""'],
] as [ListKind, string][]) {
  test(`${kind} ${JSON.stringify(text)} says nothing, and cannot be listed`, () => {
    assert.equal(listValue(kind, text), null)
  })
}

test('an account is kept and found as transfers keep it; no full number stands on a list', () => {
  const account = '40817810000000000001'
  assert.equal(listValue('payer', account), maskedAccount(account))
  const facts = { payerName: '', payerAccount: maskedAccount(account), payerTaxId: '' }
  assert.deepEqual(payerKeys(facts), [{ kind: 'payer', value: '4081…0001' }])
})

test('a customer without a phone has one key, and one without a name none', () => {
  assert.deepEqual(customerKeys({ customer: 'A', customerPhoneNumber: null }), [
    { kind: 'customer', value: 'a' },
  ])
  assert.deepEqual(customerKeys({ customer: null, customerPhoneNumber: null }), [])
})

const entry = (part: Partial<Listing>): Listing => ({
  list: 'watch',
  kind: 'customer',
  merchantId: null,
  value: 'a',
  reason: 'chargeback',
  ...part,
})

for (const [what, entries, merchant, expected] of [
  ['nothing is listed', [], 'm1', undefined],
  ['an entry for all counts for each', [entry({})], 'm1', 0],
  ["another merchant's entry does not count", [entry({ merchantId: 'm2' })], 'm1', undefined],
  ['a block goes before a watch', [entry({}), entry({ list: 'block', merchantId: 'm1' })], 'm1', 1],
  ['money that is nobody’s yet meets what is for all', [entry({ merchantId: 'm1' }), entry({})], null, 1],
] as const) {
  test(what, () => {
    assert.equal(strongest(entries, merchant), expected === undefined ? undefined : entries[expected])
  })
}

test('entries are found by kind and value, and say why in a sentence', () => {
  const found = listingsFrom([entry({}), entry({ kind: 'phone', value: '7' })])
  assert.equal(found([{ kind: 'customer', value: 'a' }]).length, 1)
  assert.equal(found([{ kind: 'payer', value: 'a' }]).length, 0)
  assert.equal(listingReason(entry({})).text, 'The customer is on the watch list: chargeback.')
  assert.equal(
    listingReason(entry({ kind: 'phone', list: 'block', reason: 'Seen before!' })).text,
    "The customer's phone is on the block list: Seen before!",
  )
})
