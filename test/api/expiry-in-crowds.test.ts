/** Very many deposits past their time: what the sweep reads for one more is bounded, and no merchant's keep those of others waiting. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readAlarms } from '../../src/domain/alarms/store.ts'
import { cancelDeposit, claimPayment, receiveMoney } from '../../src/domain/deposits/change-deposit.ts'
import { expireDeposits, freeExpiredSlots, sweepDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { lockInTurn } from '../../src/domain/deposits/overdue-store.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { freeSlots } from '../../src/domain/deposits/slot-store.ts'
import { invariants, offendersOf } from '../../src/domain/doctor/examine.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { rejectDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { openDatabase, sql, type Tx } from '../../src/platform/db.ts'
import { readPulse } from '../../src/surfaces/metrics/store.ts'
import { depositContextOf } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { fillDeposits } from '../support/many-deposits.ts'

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
})

let made = 0

/** So many deposits like a new one of this shop, with other values in these columns; returns the id of the new one. */
async function fill(own: Shop, many: number, columns: Record<string, string>): Promise<string> {
  const { body } = await own.create({ payment_type: 'account_number' })
  const all = {
    ...{ id: 'gen_random_uuid()', order_id: `'C-' || n`, reference: `'KT' || (20000000 + n)` },
    ...{ page_token: `'crowd' || lpad(n::text, 17, '0')`, created_at: `created_at - interval '2 days'` },
    ...columns,
  }
  const kept =
    `merchant_id, flow, fingerprint, amount_cents, currency, payment_type, customer, requisite_id, account_id, shown,
    sent, issued_at, late_until, received_cents`.split(/,\s+/)
  const copied = kept.filter((name) => !(name in all))
  await gateway.database.owner.script(`
    insert into deposits (${[...copied, ...Object.keys(all)].join(', ')})
    select ${[...copied, ...Object.values(all)].join(', ')}
    from deposits, generate_series(${made + 1}, ${made + many}) n
    where deposits.id = '${body.id}';
    update requisite_loads set open_deposits = open_deposits + ${columns.state === "'created'" ? many : 0}
    where requisite_id = (select requisite_id from deposits where id = '${body.id}')`)
  made += many
  return body.id
}

const yesterday = `now() - interval '1 day' + n * interval '1 millisecond'`

/** How many deposits, slots and transfers a connection has read, but for what it reported long ago. */
const countRead = async (tx: Tx): Promise<number> => {
  const { read } = await tx.one<{ read: bigint }>(sql`
    select sum(idx_tup_fetch + coalesce(seq_tup_read, 0))::int8 as read
    from pg_stat_xact_user_tables
    where relname in ('deposits', 'deposit_slots', 'transfers')`)
  return Number(read)
}

/** How many of them the server reads for this work, which is not kept. */
async function readFor(work: (tx: Tx) => Promise<unknown>, db = gateway.db): Promise<number> {
  const undo = new Error('measured')
  let read = 0
  const measuring = db.transaction(async (tx) => {
    const before = await countRead(tx)
    await work(tx)
    read = (await countRead(tx)) - before
    throw undo
  })
  await assert.rejects(measuring, undo)
  return read
}

const everyMerchant = { from: null, ofMerchant: 50, limit: 500 }

const overdue = invariants.find(({ name }) => name === 'deadlines-are-kept')!

const looks: [name: string, look: (db: Tx) => Promise<unknown>][] = [
  ['the sweep by merchants', (tx) => lockInTurn(tx, everyMerchant)],
  ['the alarms', (tx) => readAlarms(tx)],
  ['the metrics', (tx) => readPulse(tx, 1_000)],
  ['the doctor', (tx) => offendersOf(overdue, tx, { fromId: '', fromDay: '', most: 20 }, gateway)],
]

test('deposits under review are not read again and again because their deadline has passed', async () => {
  await fill(shop, 2_000, {
    ...{ state: `'created'`, labels: `'{underpaid,review}'`, received_cents: '1' },
    ...{ expires_at: yesterday },
  })
  for (const [name, look] of looks) {
    const read = await readFor(look)
    assert.ok(read < 50, `${name}: ${read} rows were read`)
  }
})

test('slots that are held past their time, for a review or an open deposit, are not read in every sweep', async () => {
  await fill(shop, 600, {
    state: `'created'`,
    labels: `'{review}'`,
    received_cents: '1',
    expires_at: yesterday,
  })
  await gateway.database.owner.script(`
    insert into deposit_slots (currency, amount_cents, account_id, deposit_id, free_at)
    select currency, 90000000 + row_number() over (), account_id, id, now() - interval '1 hour'
    from deposits
    where order_id like 'C-%' and state = 'created'
    limit 1400`)
  while ((await freeExpiredSlots(gateway.db)) > 0);
  const { count } = await gateway.db.one<{ count: number }>(
    sql`select count(*)::int as count from deposit_slots`,
  )
  assert.equal(count, 1_400)
  const read = await readFor((tx) => freeSlots(tx, 500))
  assert.ok(read < 50, `${read} rows were read`)
})

test('a slot that was held past its time is free once its review has ended, or its deposit', async () => {
  const own = await openShop(gateway)
  await changeMerchant(gateway.db, {
    merchantId: own.merchant,
    settings: { overpaidPolicy: 'review', lateGraceHours: 0 },
  })
  const context = depositContextOf(gateway)
  const slots = async () =>
    (
      await gateway.db.query(sql`select from deposit_slots s join deposits d on d.id = s.deposit_id
      where d.merchant_id = ${own.merchant}`)
    ).length
  const amount = { payment_type: 'any_bank', currency: 'TJS' }
  const ids: string[] = []
  for (const cents of [123_400, 123_500]) ids.push((await own.create({ ...amount, cents })).body.id)
  const [reviewed, open] = ids
  await receiveMoney(context, { depositId: reviewed!, actor: 'matcher', cents: 200_000n })
  await gateway.database.shiftClock('31 minutes')
  while ((await freeExpiredSlots(gateway.db)) > 0);
  assert.equal(await slots(), 2)
  await expireDeposits(context)
  while ((await freeExpiredSlots(gateway.db)) > 0);
  assert.equal(await slots(), 1, `that of ${open} is free`)
  await rejectDeposit(context, { depositId: reviewed!, actor: 'operator:anna', reason: 'test' })
  while ((await freeExpiredSlots(gateway.db)) > 0);
  assert.equal(await slots(), 0)
  await gateway.database.shiftClock('0')
})

test('late money under review holds the slot of its expired deposit until a person has decided', async () => {
  const own = await openShop(gateway)
  const settings = { latePolicy: 'review', lateGraceHours: 1 } as const
  await changeMerchant(gateway.db, { merchantId: own.merchant, settings })
  const context = depositContextOf(gateway)
  const ids: string[] = []
  for (const cents of [223_400, 223_500])
    ids.push((await own.create({ payment_type: 'any_bank', currency: 'TJS', cents })).body.id)
  const [reviewed, unpaid] = ids as [string, string]
  const holders = async () => {
    while ((await freeExpiredSlots(gateway.db)) > 0);
    const slots = await gateway.db.query<{ id: string }>(
      sql`select deposit_id as id from deposit_slots where deposit_id = any(${ids}::uuid[])`,
    )
    return slots.map(({ id }) => id)
  }
  await gateway.database.shiftClock('31 minutes')
  await expireDeposits(context)
  await receiveMoney(context, { depositId: reviewed, actor: 'matcher', cents: 223_400n })
  const { state, labels } = (await findDeposit(gateway.db, { merchantId: own.merchant, id: reviewed }))!
    .deposit
  assert.deepEqual([state, labels.includes('review')], ['expired', true])
  assert.deepEqual((await holders()).toSorted(), ids.toSorted())
  await gateway.database.shiftClock('3 hours')
  assert.deepEqual(await holders(), [reviewed], `that of ${unpaid} is free`)
  await rejectDeposit(context, { depositId: reviewed, actor: 'operator:anna', reason: 'test' })
  assert.deepEqual(await holders(), [])
  await gateway.database.shiftClock('0')
})

test('a claim that extends the deadline extends the slot too', async () => {
  const own = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: own.merchant, settings: { lateGraceHours: 1 } })
  const context = depositContextOf(gateway)
  const order = { payment_type: 'any_bank', currency: 'TJS', cents: 323_400 }
  const { id } = (await own.create(order)).body
  const before = (await findDeposit(gateway.db, { merchantId: own.merchant, id }))!.deposit
  await gateway.database.shiftClock('29 minutes')
  const { deposit } = await claimPayment(context, { depositId: id, actor: 'customer' })
  assert.ok(deposit.lateUntil > before.lateUntil)
  // The grace that it had before is over, the one that it has now is not.
  await gateway.database.shiftClock('91 minutes')
  await expireDeposits(context)
  while ((await freeExpiredSlots(gateway.db)) > 0);
  assert.ok(await gateway.db.has(sql`select deposit_id from deposit_slots where deposit_id = ${id}`))
  await gateway.database.shiftClock('0')
})

/** Is called after each group; the sweep stops after so many, as if the database had other work. */
const stoppingAfter = (groups: number) => {
  let left = groups
  const changed = () => {
    if (--left === 0) throw Object.assign(new Error('stopped'), { code: '55P03' })
  }
  return { ...depositContextOf(gateway), changed }
}

test('deposits of one merchant that end at once keep neither those of others nor freed slots waiting', async () => {
  const [crowd, other] = [await openShop(gateway), await openShop(gateway)]
  const { owner } = gateway.database
  const waiting = (await other.create()).body.id
  const canceled = (await other.create({ payment_type: 'any_bank', currency: 'TJS', cents: 123_600 })).body.id
  await cancelDeposit(depositContextOf(gateway), {
    depositId: canceled,
    actor: 'merchant',
    merchantId: other.merchant,
  })
  await owner.script(
    `update deposit_slots set free_at = now() - interval '1 minute' where deposit_id = '${canceled}'`,
  )
  await owner.script(`
    update deposits set expires_at = created_at + interval '1 millisecond', late_until = created_at + interval '1 hour'
    where id = '${waiting}'`)
  await fill(crowd, 1_600, {
    state: `'created'`,
    expires_at: yesterday,
    late_until: `now() + interval '1 hour'`,
  })
  const left = async (merchant: string) =>
    (
      await owner.query(sql`select from deposits where merchant_id = ${merchant} and state = 'created'
      and expires_at < now()`)
    ).length

  await assert.rejects(sweepDeposits(stoppingAfter(3)), /stopped/)
  assert.deepEqual(
    [
      await left(other.merchant),
      await owner.has(sql`select from deposit_slots where deposit_id = ${canceled}`),
    ],
    [0, false],
  )
  assert.ok((await left(crowd.merchant)) > 500)
  await sweepDeposits(depositContextOf(gateway))
  assert.equal(await left(crowd.merchant), 0)
})

test('a plan that was kept while nothing was overdue reads few of many, one group at most', async () => {
  const db = openDatabase({ url: gateway.database.url }, { connections: 1, role: 'inlet_runtime' })
  const asked: [string, (tx: Tx) => Promise<{ id: string; merchantId: string }[]>][] = [
    ['in turn', (tx) => lockInTurn(tx, everyMerchant)],
  ]
  for (let time = 0; time < 8; time++) for (const [, ask] of asked) await db.transaction(ask)
  const plans = await db.query<{ text: string }>(sql`
    select statement as text
    from pg_prepared_statements
    where custom_plans > 5 or (generic_plans = 0 and custom_plans > 1)`)
  assert.deepEqual(plans, [])

  const shops = [await openShop(gateway), await openShop(gateway), await openShop(gateway)]
  await fillDeposits(gateway, shops[0]!.merchant, { deposits: 6_000, callbacks: 0, isAnalyzed: false })
  for (const own of shops) {
    await fill(own, 1_000, {
      state: `'created'`,
      late_until: `now() + interval '1 day'`,
      expires_at: `now() + interval '1 hour'`,
    })
    await fill(own, 1_000, {
      state: `'created'`,
      late_until: `now() + interval '1 day'`,
      expires_at: yesterday,
    })
  }
  for (const [name, ask] of asked) {
    let found: { merchantId: string }[] = []
    const read = await readFor(async (tx) => {
      found = await ask(tx)
    }, db)
    assert.ok(read < 1_200, `${name}: ${read} rows were read`)
    const each = shops.map(({ merchant }) => found.filter(({ merchantId }) => merchantId === merchant).length)
    assert.deepEqual(each, name === 'in turn' ? [50, 50, 50] : each)
    assert.equal(found.length, name === 'in turn' ? 150 : 500)
  }
  await db.close()
})
