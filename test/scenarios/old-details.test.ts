/** The details of old deposits leave their rows, and nobody who opens one of them sees a difference. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  claimPayment,
  confirmDeposit,
  type DepositContext,
  receiveMoney,
} from '../../src/domain/deposits/change-deposit.ts'
import { moveOldDetails } from '../../src/domain/deposits/move-details.ts'
import { readTimeline } from '../../src/domain/deposits/read-store.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { rejectDeposit, reverseDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { sql } from '../../src/platform/db.ts'
import { filterFrom } from '../../src/surfaces/console/deposits/search.ts'
import { listDepositRows, readHistory } from '../../src/surfaces/console/store.ts'
import { until } from '../support/create-load.ts'
import { type Fields, openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { ageDeposits } from '../support/old-deposits.ts'

const days = 90
let gateway: TestGateway
let shop: Shop
let context: DepositContext
const orders: Fields[] = []
const ids: string[] = []

before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,pay' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  const urls = { callback_url: 'http://localhost:9/in', success_url: 'http://localhost:9/paid' }
  for (const fields of [
    {},
    { ...urls, customer_phone_number: '+79001234567' },
    { payment_type: 'any_bank', cents: 111_100 },
    {},
  ]) {
    const order = shop.order(fields)
    const { status, body } = await shop.create(order)
    assert.equal(status, 201)
    orders.push(order)
    ids.push(body.id)
  }
  const [byHand, byMoney, rejected] = ids as [string, string, string]
  await confirmDeposit(context, {
    depositId: byHand,
    actor: 'operator:anna',
    reason: 'seen on the statement',
  })
  await claimPayment(context, { depositId: byMoney, actor: 'customer' })
  await receiveMoney(context, { depositId: byMoney, actor: 'matcher', cents: 150_000n })
  await rejectDeposit(context, { depositId: rejected, actor: 'customer', reason: 'I do not want it' })
  await rejectDeposit(context, {
    depositId: ids[3]!,
    actor: 'operator:anna',
    reason: 'waits for its callback',
  })
  await age()
})

/** The callback of the last deposit still waits. */
async function age() {
  await ageDeposits(gateway)
  await gateway.database.owner.script(`
    delete from callback_due where deposit_id <> '${ids[3]}';
    delete from callbacks where deposit_id <> '${ids[3]}'`)
}

/** Everything that anybody is shown of these deposits. */
async function look() {
  const { db } = gateway
  const line = {
    merchantId: shop.merchant,
    filter: filterFrom(() => ''),
    zone: 'UTC',
    after: null,
    limit: 50,
  }
  const { lines } = await listDepositRows(db, line)
  return {
    lines,
    list: (await shop.get('/api/v1/requests/deposits')).body,
    each: await Promise.all(
      ids.map(async (id, place) => {
        const { body } = await shop.get(`/api/v1/requests/deposit/${id}`)
        const page = await fetch(body.payment_data.url)
        const replayed = await shop.post('create', orders[place]!)
        const differs = await shop.post('create', {
          ...orders[place]!,
          success_url: 'http://localhost:9/other',
        })
        const { deposit, history } = (await readTimeline(db, id))!
        return {
          body,
          page: [page.status, withoutTime(await page.text())],
          order: (await shop.get(`/api/v1/requests/deposit?order_id=${orders[place]!.order_id}`)).body,
          replayed: [replayed.status, replayed.body],
          differs: [differs.status, differs.body.detail],
          deposit,
          history,
          seenByMerchant: await readHistory(db, shop.merchant, id),
        }
      }),
    ),
  }
}

/** The links back to the shop are signed with the time of the visit, which is also at the end of the page. */
const withoutTime = (page: string) =>
  /<main.*<.main>/s.exec(page)![0].replaceAll(/ts=\d+&amp;signature=\w+/g, '')

const textOf = (value: unknown) =>
  JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? `${part}` : part), 1)

const rows = () =>
  gateway.db.query<{ id: string; isMoved: boolean; details: number; entries: number }>(sql`
    select d.id, d.details_chunk is not null as "isMoved",
      num_nonnulls(d.shown, d.sent, d.callback_url, d.success_url, d.customer_phone_number) as details,
      (select count(*)::int from deposit_history h where h.deposit_id = d.id) as entries
    from deposits d
    where d.merchant_id = ${shop.merchant}
    order by d.id`)

test('details move once, and everybody sees the same afterwards', async () => {
  const seen = await look()
  assert.equal(seen.each[1]!.deposit.customerPhoneNumber, '+79001234567')
  assert.equal(seen.each[0]!.replayed[0], 200)
  assert.equal(seen.each[0]!.differs[0], 422)
  assert.equal(await gateway.asOwner((owner) => moveOldDetails(owner, days)), 3)
  assert.equal(await gateway.asOwner((owner) => moveOldDetails(owner, days)), 0)
  assert.deepEqual(
    (await rows()).map(({ isMoved, details, entries }) => [isMoved, details > 0, entries]),
    [
      // Who confirmed without a transfer stays for the books of the month.
      [true, false, 1],
      [true, false, 1],
      [true, false, 0],
      [false, true, 1],
    ],
  )
  assert.equal(textOf(await look()), textOf(seen))
})

test('nobody waits for moved details but who asked for them', async () => {
  const other = await openShop(gateway)
  const order = other.order()
  const { body } = await other.create(order)
  const asked: (() => Promise<{ status: number }>)[] = [
    () => shop.create(orders[1]!),
    () => shop.create({ ...orders[1]!, cents: 7_700 }),
    () => shop.get(`/api/v1/requests/deposit/${ids[1]}`),
    () => shop.get(`/api/v1/requests/deposit?order_id=${orders[1]!.order_id}`),
  ]
  let waiting: Promise<{ status: number }>[] = []
  await gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`lock table deposit_details in access exclusive mode`)
    waiting = asked.map((ask) => ask())
    for (const answer of await Promise.all([other.create(), other.create()])) assert.equal(answer.status, 201)
    const path = '/api/v1/requests/deposit'
    assert.equal((await other.get(`${path}/${body.id}`)).status, 200)
    assert.equal((await other.get(`${path}?order_id=${order.order_id}`)).status, 200)
  })
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  assert.deepEqual(statuses, [200, 422, 200, 200])
})

test('the doctor finds the moved histories whole', async () => {
  const findings = await examine(gateway, { all: true })
  assert.deepEqual(
    findings.filter(({ verdict }) => verdict === 'broken').map(({ name, offenders }) => [name, offenders]),
    [],
  )
})

test('a bank takes money back from a deposit whose details have moved: its history goes on', async () => {
  const id = ids[1]!
  const { history } = (await readTimeline(gateway.db, id))!
  await reverseDeposit(context, { depositId: id, actor: 'operator:anna', reason: 'the bank took it back' })
  const after = (await readTimeline(gateway.db, id))!
  assert.deepEqual(after.history.slice(0, -1), history)
  assert.equal(after.history.at(-1)!.action, 'reverse')
  const [callback] = await gateway.db.query<{ body: string }>(
    sql`select body from callbacks where deposit_id = ${id} and type = 'deposit.reversed'`,
  )
  assert.equal(JSON.parse(callback!.body).data.payment_data.number, after.deposit.shown!.number)
  const broken = (await examine(gateway, { all: true })).filter(({ verdict }) => verdict === 'broken')
  assert.deepEqual(broken, [])
})

test('details leave a row only for a chunk that has the same, and neither can then be changed', async () => {
  const { owner } = gateway.database
  const [moved, kept] = [ids[0]!, ids[3]!]
  const slim = `shown = null, sent = null, callback_url = null, success_url = null, customer_phone_number = null`
  for (const script of [
    `update deposits set ${slim} where id = '${kept}'`,
    `update deposits set ${slim}, details_entries = 2, details_chunk = (
      select details_chunk from deposits where id = '${moved}') where id = '${kept}'`,
    `update deposits set details_chunk = details_chunk + 1 where id = '${moved}'`,
    `update deposits set details_chunk = null, details_entries = null where id = '${moved}'`,
    `update deposits set reference = 'KT10000000' where id = '${moved}'`,
  ])
    await assert.rejects(owner.script(script), { constraint: 'deposit_keeps_promise' }, script)
  await assert.rejects(gateway.db.run(sql`insert into deposit_details (chunk, details) values (1, '{}')`), {
    code: '42501',
  })
  await assert.rejects(gateway.db.run(sql`delete from deposit_details`), { code: '42501' })
})

test('deposits that are open, recent, under review or with pending callbacks stay in their rows', async () => {
  const { body } = await shop.create()
  for (const change of [
    'holds_reference = true',
    `labels = '{review}'`,
    `late_until = now() - interval '89 days'`,
  ]) {
    await gateway.database.owner.script(`
      delete from callback_due where deposit_id = '${ids[3]}';
      update deposits set ${change} where id = '${ids[3]}'`)
    assert.equal(await gateway.asOwner((owner) => moveOldDetails(owner, days)), 0, change)
    await gateway.database.owner.script(`
      update deposits set holds_reference = false, labels = '{}', late_until = now() - interval '199 days'
      where id = '${ids[3]}'`)
  }
  assert.equal(await gateway.asOwner((owner) => moveOldDetails(owner, days)), 1)
  assert.equal((await shop.get(`/api/v1/requests/deposit/${body.id}`)).body.state, 'created')
})

test('two processes at once move each deposit once', async () => {
  const made = await Promise.all(Array.from({ length: 250 }, () => shop.create()))
  for (const { body } of made)
    await rejectDeposit(context, { depositId: body.id, actor: 'operator:anna', reason: 'not wanted' })
  await age()
  await gateway.database.owner.script('delete from callback_due')
  const moved = await Promise.all([1, 2].map(() => gateway.asOwner((owner) => moveOldDetails(owner, days))))
  assert.equal(moved[0]! + moved[1]!, 250)
  const [counted] = await gateway.db.query<{ deposits: number; kept: number }>(sql`
    select
      (select count(*)::int from deposits where details_chunk is not null) as deposits,
      (select sum((select count(*) from jsonb_object_keys(details)))::int from deposit_details) as kept`)
  assert.equal(counted!.kept, counted!.deposits)
})

test('a gateway moves them by itself, as soon as it starts', async () => {
  const { body } = await shop.create()
  await rejectDeposit(context, { depositId: body.id, actor: 'operator:anna', reason: 'not wanted' })
  await age()
  await gateway.database.owner.script('delete from callback_due')
  const isMoved = () =>
    gateway.db.has(sql`select from deposits where id = ${body.id} and details_chunk is not null`)
  const off = { INLET_ROLES: 'worker', INLET_DETAILS_DAYS: 'off' }
  await startGateway({ beside: gateway, environment: off })
  assert.equal(await isMoved(), false)
  await startGateway({ beside: gateway, environment: { INLET_ROLES: 'worker' } })
  await until('the details have moved', isMoved)
})
