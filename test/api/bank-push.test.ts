/** POST /api/v1/bank/transfers: a bank reports money. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { addSource, changeSourceWithin } from '../../src/domain/transfers/bank-source.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { today } from '../support/bank.ts'
import { call, openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { RawConnection } from '../support/raw-connection.ts'

let gateway: TestGateway
let shop: Shop
let token: string
let sourceId: string
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  const added = await addSource(gateway.db, { name: 'T-Bank', mode: 'test' })
  token = added.token
  sourceId = added.id
})

const account = '40702810300000000042'
const push = (body: unknown, authorization = `Bearer ${token}`) =>
  call(gateway.url, '/api/v1/bank/transfers', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

let amount = 5_000_000
let ids = 0
async function paid(changes: object = {}) {
  const { body: deposit } = await shop.create({ cents: ++amount })
  const transfer = {
    id: `operation-${++ids}`,
    account,
    cents: amount,
    currency: 'RUB',
    booked_on: today(),
    payer_name: 'Иванов Иван',
    purpose: deposit.payment_data.payment_reason,
    ...changes,
  }
  return { deposit, transfer }
}
const stateOf = async (id: string) =>
  (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit.state

test('a pushed transfer confirms its deposit; pushed again it changes nothing', async () => {
  const { deposit, transfer } = await paid()
  const first = await push(transfer)
  assert.deepEqual([first.status, first.body.taken, first.body.matched], [200, 1, 1])
  assert.equal(await stateOf(deposit.id), 'confirmed')
  assert.partialDeepStrictEqual((await push(transfer)).body, { taken: 0, seen: 1 })
})

test('a transfer from another account of ours pays no deposit, whatever it names', async () => {
  const { deposit, transfer } = await paid()
  await gateway.database.owner.query(sql`
    update receiving_accounts set number = '40702810600000000043'
    where id = (select id from receiving_accounts where mode = 'test' and number is null order by id limit 1)`)
  const own = { ...transfer, payer_account: '40702 810 6 00000000043' }
  assert.partialDeepStrictEqual((await push(own)).body, { taken: 1, ambiguous: 1, matched: 0 })
  assert.equal(await stateOf(deposit.id), 'created')
  // A bank that names the account itself as the payer's says nothing.
  const { transfer: another } = await paid({ payer_account: account })
  assert.partialDeepStrictEqual((await push(another)).body, { taken: 1, matched: 1 })
})

test('a thousand at once are taken together, a thousand and one refused whole', async () => {
  const entry = (await paid()).transfer
  const many = Array.from({ length: 1_000 }, (_, place) => ({
    ...entry,
    id: `many-${place}`,
    purpose: 'нет',
  }))
  const { status, body } = await push({ transfers: many })
  assert.deepEqual([status, body.taken], [200, 1_000])
  const over = await push({ transfers: [...many, entry] })
  assert.deepEqual([over.status, over.body.code], [400, 'malformed_body'])
})

test('a push is taken whole or not at all: one that failed leaves nothing, and can be repeated', async () => {
  const { deposit, transfer } = await paid()
  const nobodys = Array.from({ length: 500 }, (_, place) => ({
    ...transfer,
    id: `interrupted-${place}`,
    purpose: 'нет',
    cents: 1,
  }))
  const transfers = [...nobodys, transfer]
  await gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`select id from deposits where id = ${deposit.id} for update`)
    assert.ok((await push({ transfers })).status >= 500)
  })
  assert.partialDeepStrictEqual((await push({ transfers })).body, { taken: 501, seen: 0, matched: 1 })
  assert.partialDeepStrictEqual((await push({ transfers })).body, { taken: 0, seen: 501, matched: 0 })
})

for (const [name, changes, pointer] of [
  ['zero', { cents: 0 }, '#/cents'],
  ['a fraction', { cents: 1.5 }, '#/cents'],
  ['an unknown currency', { currency: 'RUR' }, '#/currency'],
  ['a day that is none', { booked_on: '2026-02-31' }, '#/booked_on'],
  ['an unknown field', { amount: 5 }, '#/amount'],
  ['a version too great', { version: '9223372036854775808' }, '#/version'],
  ['no id', { id: '' }, '#/id'],
  ['a purpose without end', { purpose: 'x'.repeat(1_001) }, '#/purpose'],
  // What PostgreSQL cannot keep was once a 500, and the bank sent it again forever.
  ['a zero character in the purpose', { purpose: 'a\0b' }, '#/purpose'],
  ['a line break in the id', { id: 'a\nb' }, '#/id'],
  ['half of a pair in the payer', { payer_name: 'a\ud83d' }, '#/payer_name'],
  ['the year 0', { booked_on: '0000-01-01' }, '#/booked_on'],
  ['the year 3000', { booked_on: '3000-01-01' }, '#/booked_on'],
  ['a moment of the year 9999', { booked_at: '9999-12-31T23:59:59-14:00' }, '#/booked_at'],
  ['a moment of a day that is none', { booked_at: '2026-02-31T00:00:00Z' }, '#/booked_at'],
] as const) {
  test(`${name} is refused with its place, and nothing is stored`, async () => {
    const { deposit, transfer } = await paid()
    const good = { ...transfer, id: `good-${ids}` }
    const single = await push({ ...transfer, ...changes })
    assert.deepEqual([single.status, single.body.code], [422, 'invalid_value'])
    assert.equal(single.body.errors[0].pointer, pointer)
    const among = await push({ transfers: [good, { ...transfer, ...changes }] })
    assert.equal(among.status, 422)
    assert.equal(await stateOf(deposit.id), 'created')
  })
}

for (const [name, write, pointer] of [
  ['the amount twice', (text: string) => text.replace('"cents"', '"cents":1,"cents"'), '#/cents'],
  ['one of them escaped', (text: string) => text.replace('"cents"', '"c\\u0065nts":1,"cents"'), '#/cents'],
  ['the list twice', (text: string) => `{"transfers":[],"transfers":[${text}]}`, '#/transfers'],
  [
    'the account of the second twice',
    (text: string) => `{"transfers":[${text},${text.replace('"account"', '"account":"x","account"')}]}`,
    '#/transfers/1/account',
  ],
] as const) {
  test(`a field that is sent twice is refused with its place: ${name}`, async () => {
    const { deposit, transfer } = await paid()
    const { status, body } = await push(write(JSON.stringify(transfer)))
    assert.deepEqual([status, body.code, body.errors[0]?.pointer], [400, 'duplicate_field', pointer])
    assert.equal(await stateOf(deposit.id), 'created')
  })
}

test('an account that is not ours refuses the whole push', async () => {
  const { transfer } = await paid()
  const { status, body } = await push({ transfers: [transfer, { ...transfer, id: 'x', account: '123' }] })
  assert.deepEqual([status, body.code, body.errors[0].pointer], [404, 'not_found', '#/transfers/1/account'])
  const alone = await push({ ...transfer, account: '123' })
  assert.deepEqual([alone.status, alone.body.errors[0].pointer], [404, '#/account'])
})

test('no token, a wrong one and a revoked one get the same answer; a merchant’s key is none', async () => {
  const { transfer } = await paid()
  for (const authorization of ['', 'Bearer x', `Bearer bank_${'A'.repeat(43)}`, `Bearer ${shop.secret}`]) {
    const { status, body } = await push(transfer, authorization)
    assert.deepEqual([status, body.code], [401, 'bank_token_invalid'])
  }
  await gateway.db.transaction((tx) => changeSourceWithin(tx, sourceId, { enabled: false }))
  assert.equal((await push(transfer)).status, 401)
  await gateway.db.transaction((tx) => changeSourceWithin(tx, sourceId, { enabled: true }))
  assert.equal((await push(transfer)).status, 200)
})

test('a push without a token is refused before its body is read, so a thousand of four megabytes use no memory', async () => {
  const connection = new RawConnection(gateway)
  connection.write(
    'POST /api/v1/bank/transfers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Content-Length: ${bounds.pushBytes}\r\n\r\n[`,
  )
  const [answer] = await connection.settle(1)
  connection.close()
  assert.equal(answer?.status, 401)
})

test('a test source never reaches a live account', async () => {
  const live = await addSource(gateway.db, { name: 'Live', mode: 'live' })
  const { transfer } = await paid()
  assert.equal((await push(transfer, `Bearer ${live.token}`)).status, 404)
})

test('a payer’s card in the purpose is kept masked, and nothing of it is logged', async () => {
  const { transfer } = await paid({ purpose: 'Перевод с карты 4111111111111111' })
  assert.equal((await push(transfer)).status, 200)
  const rows = await gateway.database.owner.query<{ purpose: string }>({
    text: `select purpose from transfers where bank_id = '${transfer.id}'`,
    name: '',
    values: [],
  })
  assert.doesNotMatch(rows[0]!.purpose, /4111111111111111/)
  assert.doesNotMatch(gateway.logged.join(), /4111111111111111|bank_[A-Za-z0-9_-]{43}/)
})

const storedAs = (bankId: string) =>
  gateway.database.owner.query<Record<string, string>>(sql`
    select payer_name, payer_account, payer_tax_id, payer_bank, document_number, purpose, version::text as version
    from transfers
    where bank_id = ${bankId}`)

test('a payer’s account and card are stored masked, and a version as it is', async () => {
  const { transfer } = await paid({
    payer_account: '40817810000000000001',
    purpose: 'Карта 4111111111111111 "да" 😀',
  })
  assert.equal(
    (await push(JSON.stringify(transfer).replace('{', '{"version":9007199254740993,'))).status,
    200,
  )
  const [row] = await storedAs(transfer.id)
  const { payer_account, purpose, version } = row!
  assert.deepEqual(
    [payer_account, purpose, version],
    ['4081…0001', 'Карта 411111******1111 "да" 😀', '9007199254740993'],
  )
})

test('line breaks and other control characters in a bank’s texts become spaces', async () => {
  const { transfer } = await paid({ payer_name: 'a\u001b[2Jb\u009bc', purpose: 'd\r\ne\tf' })
  assert.equal((await push(transfer)).status, 200)
  const [row] = await storedAs(transfer.id)
  assert.deepEqual([row!.payer_name, row!.purpose], ['a [2Jb c', 'd  e f'])
})
