/** Contract, create, and security §2: an order_id names one deposit of its merchant, forever. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { signLiteral } from '../../sdk/signature.ts'
import { changePaymentType } from '../../src/domain/catalogue/change-payment-type.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import {
  type Answer,
  call,
  createPath,
  type Fields,
  openShop,
  productionTimeouts,
  type Shop,
  shopOf,
  startGateway,
  type TestGateway,
  textOf,
} from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ timeouts: productionTimeouts })
  shop = await openShop(gateway)
})

const rowsOf = async (orderId: unknown, merchant = shop.merchant) =>
  (
    await gateway.database.owner.query<{ id: string }>({
      text: 'select id from deposits where merchant_id = $1 and order_id = $2',
      name: '',
      values: [merchant, orderId],
    })
  ).map((row) => row.id)

const counts = (answers: Answer[]) => {
  const found: Record<number, number> = {}
  for (const { status } of answers) found[status] = (found[status] ?? 0) + 1
  return found
}

const postForm = (fields: Fields) =>
  call(gateway.url, createPath, {
    method: 'POST',
    headers: { 'x-signature': signLiteral(shop.secret, 'create', textOf(fields)) },
    body: new URLSearchParams(textOf(fields)),
  })

test('a new order is 201; the same again is 200, the same record, and says that it is a replay', async () => {
  const order = shop.order()
  const first = await shop.post('create', order)
  assert.equal(first.status, 201)
  assert.equal(first.headers.get('idempotent-replayed'), null)
  for (let times = 0; times < 3; times++) {
    const again = await shop.post('create', order)
    assert.equal(again.status, 200)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.body, first.body)
  }
  assert.deepEqual(await rowsOf(order.order_id), [first.body.id])
})

for (const state of ['confirmed', 'rejected', 'expired', 'canceled', 'reversed']) {
  test(`a deposit that became ${state}: the replay answers with the current record`, async () => {
    const order = shop.order()
    const { body } = await shop.post('create', order)
    const path = state === 'reversed' ? ['confirmed', 'reversed'] : [state]
    for (const step of path) {
      await gateway.database.owner.script(
        `update deposits set state = '${step}', received_cents = 5 where id = '${body.id}'`,
      )
    }
    const again = await shop.post('create', order)
    assert.equal(again.status, 200)
    assert.deepEqual([again.body.id, again.body.state, again.body.received_cents], [body.id, state, 5])
  })
}

test('a repeat after the merchant’s return addresses changed is the same request; only new orders take them', async () => {
  const own = await openShop(gateway)
  const merchantId = own.merchant
  const set = (successUrl: string | null) =>
    changeMerchant(gateway.db, { merchantId, successUrl, rejectUrl: 'https://shop.example/no' })
  // Merchants are believed for a second.
  const believed = () => setTimeout(1_050)
  const kept = async (id: string) => (await findDeposit(gateway.db, { merchantId, id }))!.deposit.successUrl
  await set('https://shop.example/first')
  const order = own.order()
  const { body } = await own.post('create', order)
  const built = own.order({ payment_type: 'uzs_select' })
  const { body: page } = await own.post('build', built)
  await set('https://shop.example/second')
  await believed()
  const again = await own.post('create', order)
  assert.deepEqual([again.status, again.body], [200, body])
  assert.equal((await own.post('build', built)).status, 200)
  // What was not sent is not what differs.
  for (const [operation, sent] of [
    ['create', order],
    ['build', built],
  ] as const) {
    const other = await own.post(operation, { ...sent, cents: 777_777 })
    assert.deepEqual([other.status, other.body.detail], [422, 'Differs in: cents.'])
    const named = await own.post(operation, { ...sent, success_url: 'https://shop.example/first' })
    assert.deepEqual([named.status, named.body.detail], [422, 'Differs in: success_url.'])
  }
  const second = (await own.create()).body.id
  await set(null)
  await believed()
  const third = (await own.create()).body.id
  assert.deepEqual(
    [await kept(body.id), await kept(page.uuid), await kept(second), await kept(third)],
    ['https://shop.example/first', 'https://shop.example/first', 'https://shop.example/second', null],
  )
})

test('a replay takes no second slot and no second load', async () => {
  const order = shop.order({ payment_type: 'sbp', cents: 987_600 })
  const load = () =>
    gateway.database.owner.query<object>({
      text: 'select sum(open_deposits) as open, sum(day_cents) as cents, (select count(*) from deposit_slots) as slots, (select count(*) from deposit_timeline) as history from requisite_loads',
      name: '',
      values: [],
    })
  assert.equal((await shop.post('create', order)).status, 201)
  const before = await load()
  assert.equal((await shop.post('create', order)).status, 200)
  assert.deepEqual(await load(), before)
})

test('JSON, form, literal and v2, cents as number or text, empty or absent: one order', async () => {
  const order = shop.order({ callback_url: 'https://shop.example/cb', customer: 'Фарҳод & Co' })
  const answers = [
    await shop.post('create', order),
    await postForm(order),
    await shop.createV2(order),
    await shop.post('create', { ...order, cents: String(order.cents) }),
    await shop.createV2(Object.fromEntries(Object.entries(order).reverse()) as Fields),
    await shop.post('create', { ...order, success_url: '' }),
  ]
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [201, 200, 200, 200, 200, 200],
  )
  assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1)
})

const first = {
  customer_phone_number: '+79991234567',
  callback_url: 'https://shop.example/cb',
  success_url: 'https://shop.example/ok',
  reject_url: 'https://shop.example/no',
}
test('all differing fields are named together, and no value of either request is repeated', async () => {
  const order = shop.order(first)
  await shop.post('create', order)
  const answer = await shop.post('create', { ...order, cents: 160_000, customer: 'other', callback_url: '' })
  assert.deepEqual(
    answer.body.errors.map((error: { pointer: string }) => error.pointer),
    ['#/cents', '#/customer', '#/callback_url'],
  )
  assert.doesNotMatch(JSON.stringify(answer.body), /160000|150000|"other|customer-1|shop\.example/)
})

test('a replay is answered even after the limits of its type changed', async () => {
  const merchant = await openShop(gateway)
  const order = merchant.order()
  const { body } = await merchant.post('create', order)
  const change = (part: { minCents?: bigint; enabled?: boolean }) =>
    changePaymentType(gateway.db, {
      code: 'account_number',
      name: null,
      group: null,
      bankCode: null,
      enabled: part.enabled ?? null,
      limit: {
        currency: 'RUB',
        minCents: part.minCents ?? null,
        maxCents: null,
        merchantId: merchant.merchant,
      },
    })
  for (const part of [{ minCents: 1_000_000n }, { enabled: false }]) {
    await change(part)
    // A gateway that has not yet read this merchant sees the change at once.
    const later = await startGateway({ beside: gateway })
    const again = await shopOf(later, merchant.merchant, merchant.keyId, merchant.secret).post(
      'create',
      order,
    )
    await later.stop()
    assert.deepEqual([again.status, again.body.id], [200, body.id], JSON.stringify(again.body))
  }
})

test('one order_id of two merchants is two deposits, and neither sees the other', async () => {
  const other = await openShop(gateway)
  const order_id = `shared-${newId()}`
  const [mine, theirs] = await Promise.all([
    shop.create({ order_id }),
    other.create({ order_id, cents: 170_000 }),
  ])
  assert.deepEqual([mine.status, theirs.status], [201, 201])
  assert.notEqual(mine.body.id, theirs.body.id)
  assert.deepEqual(await rowsOf(order_id), [mine.body.id])
  assert.deepEqual(await rowsOf(order_id, other.merchant), [theirs.body.id])
})

test('order ids are compared byte by byte: case, composition, width and spaces all make another order', async () => {
  const stem = newId()
  const ids = [
    'a',
    'A',
    'ё'.normalize('NFC'),
    'ё'.normalize('NFD'),
    'а',
    'ａ',
    ' a',
    'a ',
    'a\u00a0',
    'ß',
    'ss',
  ]
  const answers = await Promise.all(ids.map((id) => shop.createV2(shop.order({ order_id: `${stem}${id}` }))))
  assert.deepEqual(
    answers.map((answer) => answer.status),
    ids.map(() => 201),
  )
  assert.equal(new Set(answers.map((answer) => answer.body.id)).size, ids.length)
  assert.equal(answers[3]!.body.external_id, `${stem}${'ё'.normalize('NFD')}`)
})

for (const payment_type of ['account_number', 'any_bank']) {
  test(`100 identical creates of ${payment_type} at once: one 201, 99 × 200, one row`, async () => {
    const order = shop.order({ payment_type, cents: 123_400 })
    const answers = await Promise.all(Array.from({ length: 100 }, () => shop.post('create', order)))
    assert.deepEqual(counts(answers), { 200: 99, 201: 1 })
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1)
    assert.deepEqual(await rowsOf(order.order_id), [answers[0]!.body.id])
    for (const { status, headers } of answers) {
      assert.equal(headers.get('idempotent-replayed'), status === 200 ? 'true' : null)
    }
  })
}

test('100 creates of one order at once, each with another amount: one 201, the rest 422 for cents', async () => {
  const order = shop.order()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => shop.post('create', { ...order, cents: 200_000 + index })),
  )
  assert.deepEqual(counts(answers), { 201: 1, 422: 99 })
  const won = answers.findIndex((answer) => answer.status === 201)
  assert.equal(answers[won]!.body.amount_cents, 200_000 + won)
  for (const { status, body } of answers) {
    if (status === 422) assert.deepEqual([body.code, body.detail], ['order_id_reused', 'Differs in: cents.'])
  }
  assert.deepEqual(await rowsOf(order.order_id), [answers[won]!.body.id])
})

test('a refusal leaves the order_id free: the same request succeeds later, even with other data', async () => {
  // Three phones serve sbp; each takes one deposit of an amount.
  const taken = await Promise.all([1, 2, 3].map(() => shop.create({ payment_type: 'sbp', cents: 456_700 })))
  assert.deepEqual(counts(taken), { 201: 3 })
  const order = shop.order({ payment_type: 'sbp', cents: 456_700 })
  const refused = await shop.post('create', order)
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.retryable, refused.headers.get('retry-after')],
    [503, 'no_requisite_available', true, '30'],
  )
  assert.deepEqual(await rowsOf(order.order_id), [])
  await gateway.database.owner.script(`delete from deposit_slots where deposit_id = '${taken[0]!.body.id}'`)
  assert.equal((await shop.post('create', order)).status, 201)

  const other = shop.order({ cents: 1 })
  assert.equal((await shop.post('create', other)).body.code, 'amount_out_of_range')
  assert.equal((await shop.post('create', { ...other, cents: 200_000 })).status, 201)
})

test('two gateways racing on 50 orders: one deposit each, and every answer is 201, 200 or 409', async () => {
  const second = await startGateway({ beside: gateway })
  const there = shopOf(second, shop.merchant, shop.keyId, shop.secret)
  const orders = Array.from({ length: 50 }, (_, index) =>
    shop.order(index % 2 ? { payment_type: 'any_bank', cents: 600_000 + index } : {}),
  )
  const answers = await Promise.all(
    orders.map((order) =>
      Promise.all([
        shop.post('create', order),
        there.post('create', order),
        shop.post('create', order),
        there.post('create', order),
      ]),
    ),
  )
  for (const [index, four] of answers.entries()) {
    const ids = await rowsOf(orders[index]!.order_id)
    assert.equal(ids.length, 1)
    assert.ok((counts(four)[201] ?? 0) <= 1)
    for (const { status, body, headers } of four) {
      if (status === 409) {
        assert.deepEqual([body.code, headers.get('retry-after')], ['request_in_progress', '1'])
      } else {
        assert.ok(status === 201 || status === 200, JSON.stringify(body))
        assert.equal(body.id, ids[0])
      }
    }
  }
  await second.stop()
})

test('a create that waits for a requisite is overloaded; one whose order is being written is in progress', async () => {
  const { owner } = gateway.database
  const order = shop.order({})
  const busy = await owner.transaction(async (tx) => {
    await tx.query(sql`select requisite_id from requisite_loads for update`)
    return shop.post('create', order)
  })
  assert.deepEqual([busy.status, busy.body.code, busy.body.retryable], [503, 'overloaded', true])
  assert.ok(Number(busy.headers.get('retry-after')) > 0)

  const [written] = await owner.query<{ id: string }>(
    sql`select id from deposits where order_id = ${(await shop.create({})).body.external_id}`,
  )
  const twin = await owner
    .transaction(async (tx) => {
      await tx.query(sql`
        insert into deposits
          (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, page_token,
           sent, created_at, expires_at, late_until)
        select
          gen_random_uuid(), merchant_id, ${order.order_id}, 'build', fingerprint, 'builded', amount_cents, currency,
          payment_type, 'being-written', '{}', created_at, expires_at, late_until
        from deposits
        where id = ${written!.id}`)
      const answer = await shop.post('create', order)
      throw Object.assign(new Error('rolled back'), { answer })
    })
    .catch(({ answer }) => answer)
  assert.deepEqual([twin.status, twin.body.code], [409, 'request_in_progress'])
  assert.equal((await shop.post('create', order)).status, 201)
})
