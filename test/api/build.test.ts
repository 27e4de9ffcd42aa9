/** Spec 2.4, 2.5, 4.2: the customer chooses the method. The page's own form is tested in pay-page.test.ts. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimPayment, type DepositContext } from '../../src/domain/deposits/change-deposit.ts'
import { type ChooseMethod, chooseMethod } from '../../src/domain/deposits/choose-method.ts'
import { isFinal } from '../../src/domain/deposits/deposit.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { BuildAnswer, DepositRecord } from '../../src/domain/deposits/record.ts'
import { ReferenceNumbers } from '../../src/domain/deposits/reference-numbers.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { createDirectory } from '../../src/surfaces/api/merchant-directory.ts'
import { assertDescribed } from '../support/described.ts'
import {
  type Answer,
  type Fields,
  openShop,
  type Shop,
  signedPost,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext & { references: ReferenceNumbers }
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {}, references: new ReferenceNumbers() }
})

/** Amounts differ, so that no test wants the slot of another. */
let amount = 2_000_000
const built = async (fields: Fields = {}) => {
  const answer = await shop.build({ cents: ++amount, ...fields })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

async function choiceOf(depositId: string, paymentType: string, owner = shop): Promise<ChooseMethod> {
  const { merchant, catalogue, rules } = (await createDirectory(gateway.db, gateway.vault).byId(
    owner.merchant,
  ))!
  return { merchant, catalogue, rules, depositId, paymentType }
}
const choose = async (depositId: string, paymentType = 'any_bank', owner = shop) =>
  chooseMethod(context, await choiceOf(depositId, paymentType, owner))

const read = async (id: string): Promise<Answer['body']> => {
  const { status, body } = await shop.get(`/api/v1/requests/deposit/${id}`)
  assert.equal(status, 200)
  assertDescribed(DepositRecord, body)
  return body
}

/** Straight from the database: a signed question would not hold while the clock is shifted. */
const stored = async (id: string) => (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!

test('2.5: the answer holds exactly the fields of the specification and our additions', async () => {
  const { status, body } = await shop.build({ order_id: 'A-1002', cents: ++amount })
  assert.equal(status, 201)
  assertDescribed(BuildAnswer, body)
  const { uuid, created_at, expires_at, payment_data, ...rest } = body
  assert.match(uuid, /^[0-9a-f-]{36}$/)
  assert.deepEqual(rest, {
    merchant: shop.merchant,
    order_id: 'A-1002',
    state: 'builded',
    amount_currency: 'RUB',
    is_final: false,
  })
  assert.deepEqual(Object.keys(payment_data), ['url'])
  assert.match(payment_data.url, /\/pay\/[A-Za-z0-9_-]{30}$/)
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 30 * 60_000)
})

test('2.4: the customer may be absent; then the buyer is empty', async () => {
  const order = shop.order({ payment_type: 'uzs_select', cents: ++amount })
  delete order.customer
  const { status, body } = await shop.post('build', order)
  assert.equal(status, 201)
  assert.equal((await read(body.uuid)).buyer, '')
})

for (const [name, fields, status, code] of [
  ['KZT', { currency: 'KZT' }, 422, 'currency_not_supported'],
  ['a direct type', { payment_type: 'any_bank' }, 422, 'payment_type_not_supported'],
  ['a phone number', { customer_phone_number: '+79990000000' }, 400, 'unknown_field'],
  ['too much', { cents: 60_000_001 }, 422, 'amount_out_of_range'],
] as const) {
  test(`2.4: ${name} is refused: ${code}`, async () => {
    const answer = await shop.build({ ...fields })
    assert.deepEqual([answer.status, answer.body.code], [status, code])
  })
}

test('return addresses that build does not name are the merchant’s, and outlast the choice', async () => {
  const own = await openShop(gateway)
  const set = { successUrl: 'https://shop.example/thanks', rejectUrl: 'https://shop.example/basket' }
  await changeMerchant(gateway.db, { merchantId: own.merchant, ...set })
  const { body } = await own.build({ cents: ++amount, reject_url: 'https://shop.example/named' })
  await changeMerchant(gateway.db, { merchantId: own.merchant, successUrl: null, rejectUrl: null })
  const { deposit } = await choose(body.uuid, 'any_bank', own)
  assert.deepEqual(
    [deposit.state, deposit.successUrl, deposit.rejectUrl],
    ['created', set.successUrl, 'https://shop.example/named'],
  )
})

test('the same order is answered again, before and after the choice; other data is refused', async () => {
  const fields = { order_id: 'again', cents: ++amount }
  const first = await shop.build(fields)
  const second = await shop.build(fields)
  assert.deepEqual([second.status, second.headers.get('idempotent-replayed')], [200, 'true'])
  assert.deepEqual(second.body, first.body)
  await choose(first.body.uuid)
  const third = await shop.build(fields)
  assert.deepEqual([third.status, third.body.state], [200, 'created'])
  const other = await shop.build({ ...fields, cents: amount + 1 })
  assert.deepEqual([other.status, other.body.detail], [422, 'Differs in: cents.'])
})

test('create and build share one space of orders', async () => {
  await shop.build({ order_id: 'shared', cents: ++amount })
  const { status, body } = await shop.create({ order_id: 'shared', cents: amount })
  assert.deepEqual([status, body.code], [422, 'order_id_reused'])
  assert.match(body.detail, /^Differs in: the operation/)
  assert.equal(body.errors[0].pointer, '#')
})

test('before the choice a record has no requisites, afterwards all of them, and both names of each id', async () => {
  const { uuid } = await built()
  const before = await read(uuid)
  assert.deepEqual(
    [before.state, before.seller, before.payment_bill_url, Object.keys(before.payment_data)],
    ['builded', null, null, ['url']],
  )
  assert.deepEqual([before.uuid, before.order_id], [before.id, before.external_id])
  await choose(uuid, 'account_number')
  const after = await read(uuid)
  assert.deepEqual([after.state, after.payment_type], ['created', 'account_number'])
  assert.deepEqual(Object.keys(after.payment_data), [
    'number',
    'name',
    'bank_name',
    'bic',
    'payment_reason',
    'url',
  ])
  assert.match(after.payment_bill_url, /\.png$/)
  assert.equal(after.created_at, before.created_at)
})

test('payment has its own time, from the choice on', async () => {
  const { uuid, expires_at } = await built()
  await gateway.database.shiftClock('20 minutes')
  try {
    await choose(uuid)
    const moved = (await stored(uuid)).deposit.expiresAt.getTime() - Date.parse(expires_at)
    assert.ok(Math.abs(moved - 20 * 60_000) < 30_000, `${moved} ms`)
  } finally {
    await gateway.database.shiftClock('0')
  }
})

test('choosing twice, and two methods at once, leaves the first choice', async () => {
  const { uuid } = await built()
  const answers = await Promise.all(
    ['any_bank', 'account_number', 'sbp', 'any_bank'].map((type) => choose(uuid, type)),
  )
  assert.equal(new Set(answers.map(({ deposit }) => deposit.paymentType)).size, 1)
  const [taken] = await gateway.database.owner.query<{ slots: bigint; lines: bigint }>(sql`
    select
      (select count(*) from deposit_slots where deposit_id = ${uuid}) as slots,
      (select count(*) from deposit_history where deposit_id = ${uuid} and action = 'choose_method') as lines`)
  assert.ok(taken!.slots <= 1n)
  assert.equal(taken!.lines, 1n)
})

test('an amount that no method takes is refused with the range that some method does; without methods, the currency', async () => {
  const own = await openShop(gateway)
  const limits = (values: string) =>
    gateway.database.owner.script(`
      insert into payment_limits (merchant_id, payment_type, currency, min_cents, max_cents, enabled)
      select '${own.merchant}', l.payment_type, l.currency, ${values}
      from payment_limits l
      where l.merchant_id is null and l.currency = 'RUB' and l.payment_type <> 'uzs_select'
      on conflict (payment_type, currency, merchant_id) do update set enabled = excluded.enabled`)
  await limits(`case l.payment_type when 'sbp' then 50000 else 70000 end, 90000, true`)
  const { status, body } = await own.build({ cents: 40_000 })
  assert.deepEqual(
    [status, body.code, body.min_cents, body.max_cents],
    [422, 'amount_out_of_range', 50_000, 90_000],
  )
  await limits('1, 2, false')
  await sleep(bounds.merchantCacheMs)
  const none = await own.build({ cents: 80_000 })
  assert.deepEqual([none.status, none.body.code], [422, 'currency_not_supported'])
})

for (const [name, type, code] of [
  ['the select type itself', 'uzs_select', 'payment_type_not_supported'],
  ['a type of another currency', 'nothing', 'payment_type_not_supported'],
  ['a type whose range ends lower', 'sbp', 'amount_out_of_range'],
] as const) {
  test(`a choice outside the offer is refused: ${name}`, async () => {
    const { uuid } = await built({ cents: 20_000_000 + ++amount })
    await assert.rejects(choose(uuid, type), { code })
    assert.equal((await read(uuid)).state, 'builded')
  })
}

test('without a choice in time the deposit expires, is final at once, and the merchant gets a callback', async () => {
  const { uuid } = await built()
  const choice = await choiceOf(uuid, 'any_bank')
  await gateway.database.shiftClock('31 minutes')
  try {
    await assert.rejects(chooseMethod(context, choice), { code: 'state_conflict' })
    for (let tries = 0; (await stored(uuid)).deposit.state !== 'expired'; tries++) {
      assert.ok(tries < 600)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const { deposit, now } = await stored(uuid)
    assert.equal(isFinal(deposit, now), true)
    await assert.rejects(claimPayment(context, { depositId: uuid, actor: 'customer' }), {
      code: 'state_conflict',
    })
  } finally {
    await gateway.database.shiftClock('0')
  }
  const [event] = await gateway.database.owner.query<{ type: string }>(
    sql`select type from events where deposit_id = ${uuid}`,
  )
  assert.equal(event!.type, 'deposit.expired')
})

test('the merchant may cancel before the choice', async () => {
  const { uuid } = await built()
  const { status, body } = await signedPost(gateway, shop, `/api/v1/requests/deposit/${uuid}/cancel`)
  assert.deepEqual([status, body.state], [200, 'canceled'])
})

test('deposit.method_selected is sent to merchants who asked for it, with the requisites', async () => {
  const curious = await openShop(gateway)
  await changeMerchant(gateway.db, {
    merchantId: curious.merchant,
    optionalEvents: ['deposit.method_selected'],
  })
  for (const asking of [shop, curious]) {
    const { body } = await asking.build({ cents: ++amount })
    await choose(body.uuid, 'sbp', asking)
    const events = await gateway.database.owner.query<{ type: string; body: string }>(
      sql`select type, body from events where deposit_id = ${body.uuid}`,
    )
    assert.equal(events.length, asking === curious ? 1 : 0)
    if (asking === curious) {
      const { data } = JSON.parse(events[0]!.body)
      assert.deepEqual([data.payment_type, data.uuid, data.order_id], ['sbp', body.uuid, body.order_id])
    }
  }
})

test('after all that every promise of the database holds', async () => {
  const wrong = (await examine(gateway, { all: true })).filter(({ verdict }) => verdict !== 'holds')
  assert.deepEqual(wrong, [])
})
