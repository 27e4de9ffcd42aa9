/** Which deposits get a requisite: a slot belongs to one deposit, limits hold, and no request fails because of another. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { expireDeposit, receiveMoney } from '../../src/domain/deposits/change-deposit.ts'
import { createDeposits, creatorOn } from '../../src/domain/deposits/create-deposit.ts'
import type { CreateDeposit } from '../../src/domain/deposits/draft.ts'
import { requestFrom } from '../../src/domain/deposits/record.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { addAccount, addRequisite, setRequisite } from '../../src/domain/requisites/add-requisite.ts'
import { luhnDigit } from '../../src/domain/requisites/luhn.ts'
import type { RequisiteLimits } from '../../src/domain/requisites/requisite.ts'
import { bounds } from '../../src/platform/bounds.ts'
import type { Db } from '../../src/platform/db.ts'
import { sql } from '../../src/platform/db.ts'
import { createDirectory } from '../../src/surfaces/api/merchant-directory.ts'
import { atNoon, depositContextOf } from '../support/bank.ts'
import { openShop, type Shop, shopOf, startGateway, type TestGateway, textOf } from '../support/gateway.ts'

let gateway: TestGateway
let beside: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ demo: false })
  beside = await startGateway({ beside: gateway })
  shop = await openShop(gateway)
})

let cards = 0
const noLimits: RequisiteLimits = { minCents: null, maxCents: null, dailyCents: null, openDeposits: null }

async function addCard(db: Db, { limits = {}, accountId = '', bankCode = 'bankx' as string | null } = {}) {
  const account = accountId ? { id: accountId } : await newAccount(db)
  const body = `220000000000${String(++cards).padStart(3, '0')}`
  const { id } = await addRequisite(db, {
    accountId: account.id,
    draft: { kind: 'card', number: body + luhnDigit(body), holder: 'TEST', bankName: 'Test' },
    bankCode,
    limits: { ...noLimits, ...limits },
    confirmed: true,
  })
  return { id, accountId: account.id }
}

const newAccount = (db: Db, merchantId: string | null = null) =>
  addAccount(db, {
    mode: 'test',
    currency: 'RUB',
    merchantId,
    label: 'test',
    ownerLegalName: 'ООО "Пример"',
    ownerPublicName: 'ООО "Пример"',
    ownerTaxId: '7700000009',
    ownerAgreement: 'test',
    addedBy: 'test',
  })

const disableAll = () => gateway.database.owner.script('update requisites set enabled = false')
const card = (cents: number, payment_type = 'any_bank') => ({ payment_type, cents })
const statuses = (answers: { status: number }[]) => {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('200 parallel creates for one free slot: exactly one 201, the rest 503, over two processes', async () => {
  await disableAll()
  await addCard(gateway.db)
  const second = shopOf(beside, shop.merchant, shop.keyId, shop.secret)
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => (index % 2 ? shop : second).create(card(200_000))),
  )
  assert.deepEqual(statuses(answers), { 201: 1, 503: 199 })
  const refused = answers.find((answer) => answer.status === 503)!
  assert.deepEqual([refused.body.code, refused.body.retryable], ['no_requisite_available', true])
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
})

test('two requisites that settle on one account share its amounts', async () => {
  await disableAll()
  const { accountId } = await addCard(gateway.db)
  await addCard(gateway.db, { accountId })
  const answers = await Promise.all([card(310_000), card(310_000)].map(shop.create))
  assert.deepEqual(statuses(answers), { 201: 1, 503: 1 })
})

test('the database itself refuses a second deposit on a slot', async () => {
  await assert.rejects(
    gateway.database.owner.script(`
      insert into deposit_slots (currency, amount_cents, account_id, deposit_id)
      select currency, amount_cents, account_id, gen_random_uuid() from deposit_slots limit 1`),
    { constraint: 'deposit_slot_once' },
  )
})

test('two groups that need each other’s slots do not deadlock, and no request fails because of another', async () => {
  await disableAll()
  for (let count = 0; count < 2; count++) await addCard(gateway.db)
  const second = shopOf(beside, shop.merchant, shop.keyId, shop.secret)
  const amounts = Array.from({ length: 60 }, (_, index) => 400_000 + index)
  const answers = await Promise.all([
    ...amounts.map((cents) => shop.create(card(cents))),
    ...amounts.toReversed().map((cents) => second.create(card(cents))),
  ])
  assert.deepEqual(statuses(answers), { 201: 120 })
  const third = await Promise.all(amounts.map((cents) => shop.create(card(cents))))
  assert.deepEqual(statuses(third), { 503: 60 })
})

test('a fault of one request does not affect the others of its group', async () => {
  await disableAll()
  await addCard(gateway.db)
  await gateway.database.owner.script(
    `alter table deposits add constraint test_poison check (customer <> 'poison') not valid`,
  )
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      shop.create({ ...card(600_000 + index), customer: index === 13 ? 'poison' : 'honest' }),
    ),
  )
  await gateway.database.owner.script('alter table deposits drop constraint test_poison')
  assert.deepEqual(statuses(answers), { 201: 29, 500: 1 })
  assert.equal(answers[13]!.status, 500)
})

for (const [limit, value, amounts, expected] of [
  ['minCents', 20_000n, [19_999, 20_000], { 201: 1, 503: 1 }],
  ['maxCents', 30_000n, [30_001, 30_000], { 201: 1, 503: 1 }],
  ['openDeposits', 3, [10_001, 10_002, 10_003, 10_004, 10_005], { 201: 3, 503: 2 }],
  ['dailyCents', 50_000n, [20_000, 20_001, 10_000, 10_001], { 201: 2, 503: 2 }],
] as const) {
  test(`a requisite's ${limit} holds under parallel creates of two processes`, async () => {
    await disableAll()
    const { id } = await addCard(gateway.db, { limits: { [limit]: value } })
    const second = shopOf(beside, shop.merchant, shop.keyId, shop.secret)
    const answers = await Promise.all(
      amounts.map((cents, index) => (index % 2 ? shop : second).create(card(cents))),
    )
    const taken = answers.filter((answer) => answer.status === 201)
    assert.equal(taken.length + (statuses(answers)[503] ?? 0), amounts.length)
    const [load] = await gateway.database.owner.query<{ open_deposits: number; day_cents: bigint }>(
      sql`select open_deposits, day_cents from requisite_loads where requisite_id = ${id}`,
    )
    assert.equal(load!.open_deposits, taken.length)
    const sum = taken.reduce((total, answer) => total + answer.body.amount_cents, 0)
    assert.equal(load!.day_cents, BigInt(sum))
    if (limit === 'dailyCents') assert.ok(sum <= 50_000)
    else assert.deepEqual(statuses(answers), expected)
  })
}

for (const [limit, value] of [
  ['day_cents', 100_000],
  ['month_cents', 100_000],
  ['open_deposits', 2],
] as const) {
  test(`an account's ${limit} holds inside one group, also when another process took room a moment before`, async (t) => {
    const { candidatesKeptMs } = bounds
    t.after(() => Object.assign(bounds, { candidatesKeptMs }))
    Object.assign(bounds, { candidatesKeptMs: 60_000 })
    await disableAll()
    const { accountId } = await addCard(gateway.db)
    await addCard(gateway.db, { accountId })
    await gateway.database.owner.script(
      `update receiving_accounts set ${limit} = ${value} where id = '${accountId}'`,
    )
    const known = (await createDirectory(gateway.db, gateway.vault).byId(shop.merchant))!
    const asked = (cents: number): CreateDeposit => {
      const fields = textOf(shop.order(card(cents)))
      const sent = { request: 'test', key: shop.keyId, scheme: 'literal' } as const
      return { flow: 'create', ...known, request: requestFrom(new Map(Object.entries(fields))), sent }
    }
    const type = known.catalogue.types.get('any_bank')!
    const wanted = { merchantId: known.merchant.id, mode: 'test', currency: 'RUB', type } as const
    const creator = creatorOn(gateway.db)
    await creator.candidates.read(gateway.db, wanted)
    const [first] = await createDeposits(creatorOn(gateway.db), [asked(40_001)])
    assert.ok(first && 'done' in first)
    // What this group knows of the account is older than that: each of the two fits, and both together do not.
    const outcomes = await createDeposits(creator, [asked(30_001), asked(30_002)])
    assert.equal(outcomes.filter((outcome) => 'done' in outcome).length, 1)
    const { open, cents } = await gateway.db.one<{ open: number; cents: bigint }>(sql`
      select sum(l.open_deposits)::int as open, sum(l.day_cents)::bigint as cents
      from requisite_loads l
      join requisites r on r.id = l.requisite_id
      where r.account_id = ${accountId}`)
    assert.equal(open, 2)
    assert.ok(cents < 100_000n)
  })
}

test('the daily sum starts again with the bank day', async () => {
  await disableAll()
  await addCard(gateway.db, { limits: { dailyCents: 50_000n } })
  assert.deepEqual((await shop.create(card(50_000))).status, 201)
  assert.deepEqual((await shop.create(card(49_000))).status, 503)
  await gateway.database.shiftClock('1 day')
  assert.deepEqual((await shop.create(card(49_000))).status, 201)
  await gateway.database.shiftClock('0')
})

test('late money counts towards the limit of the day on which it confirms its deposit', async () => {
  await disableAll()
  await addCard(gateway.db, { limits: { dailyCents: 50_000n } })
  const own = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: own.merchant, settings: { lateGraceHours: 72 } })
  const act = { depositId: (await own.create(card(30_000))).body.id, actor: 'matcher', reason: 'test' }
  await expireDeposit(depositContextOf(gateway), act)
  await gateway.database.shiftClock(atNoon(1))
  await receiveMoney(depositContextOf(gateway), { ...act, cents: 30_000n })
  const second = [await own.create(card(20_001)), await own.create(card(20_000))]
  await gateway.database.shiftClock('0')
  assert.deepEqual(
    second.map(({ status }) => status),
    [503, 201],
  )
})

test('the least loaded requisite is taken first', async () => {
  await disableAll()
  for (let count = 0; count < 4; count++) await addCard(gateway.db)
  const answers = []
  for (let index = 0; index < 8; index++) answers.push(await shop.create(card(700_000 + index)))
  const uses = new Map<string, number>()
  for (const { body } of answers) {
    uses.set(body.payment_data.number, (uses.get(body.payment_data.number) ?? 0) + 1)
  }
  assert.deepEqual([...uses.values()], [2, 2, 2, 2])
})

test('a disabled requisite is not offered from the next request on', async () => {
  await disableAll()
  const { id } = await addCard(gateway.db)
  assert.equal((await shop.create(card(810_000))).status, 201)
  await setRequisite(gateway.db, id, false)
  assert.equal((await shop.create(card(820_000))).status, 503)
})

test('a new limit applies to the next request', async () => {
  for (const change of [
    'update requisites set max_cents = 100000 where enabled',
    'update requisites set min_cents = 900000 where enabled',
    `update receiving_accounts set day_cents = 1
     where id in (select account_id from requisites where enabled)`,
    `update receiving_accounts set open_deposits = 1
     where id in (select account_id from requisites where enabled)`,
  ]) {
    await disableAll()
    await addCard(gateway.db)
    assert.equal((await shop.create(card(710_000))).status, 201, 'and the requisites were read for it')
    await gateway.database.owner.script(change)
    assert.equal((await shop.create(card(710_100))).status, 503, change)
  }
})

test('one-bank types take cards of that bank only; a merchant’s own account serves no other merchant', async () => {
  await disableAll()
  await addCard(gateway.db, { bankCode: null })
  assert.equal((await shop.create(card(910_000, 'bankx'))).status, 503)
  assert.equal((await shop.create(card(910_000))).status, 201)
  await disableAll()
  const account = await newAccount(gateway.db, shop.merchant)
  await addCard(gateway.db, { accountId: account.id })
  const other = await openShop(gateway)
  assert.equal((await other.create(card(920_000))).status, 503)
  assert.equal((await shop.create(card(920_000))).status, 201)
})

test('test requisites never serve a live merchant', async () => {
  await disableAll()
  await addCard(gateway.db)
  const live = await openShop(gateway, { mode: 'live' })
  assert.equal((await live.create(card(930_000))).status, 503)
})

test('after all these tests slots, histories and loads agree with the deposits', async () => {
  const wrong = await gateway.database.owner.query(sql`
    select 'slot' as what from deposit_slots s left join deposits d on d.id = s.deposit_id where d.id is null
    union all
    select 'history' from deposits d left join deposit_timeline h on h.deposit_id = d.id where h.deposit_id is null
    union all
    select 'load'
    from requisite_loads l
    where l.open_deposits <> (
      select count(*) from deposits d where d.requisite_id = l.requisite_id and d.state = 'created')`)
  assert.deepEqual(wrong, [])
})
