/** Rules that protect: limits of customers and accounts hold under parallel creates, lists refuse or ask a person. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readAlarms } from '../../src/domain/alarms/store.ts'
import { readAvailable } from '../../src/domain/catalogue/store.ts'
import {
  cancelDeposit,
  confirmDeposit,
  type DepositContext,
} from '../../src/domain/deposits/change-deposit.ts'
import { chooseMethod } from '../../src/domain/deposits/choose-method.ts'
import { createDeposits, creatorOn } from '../../src/domain/deposits/create-deposit.ts'
import type { CreateDeposit } from '../../src/domain/deposits/draft.ts'
import { expireDeposits } from '../../src/domain/deposits/expire-deposits.ts'
import { findDeposit, readTimeline } from '../../src/domain/deposits/read-store.ts'
import { ReferenceNumbers } from '../../src/domain/deposits/reference-numbers.ts'
import { examine } from '../../src/domain/doctor/examine.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import type { MerchantSettings, Mode } from '../../src/domain/merchants/merchant.ts'
import type { AccountSettings } from '../../src/domain/requisites/account-store.ts'
import {
  addAccount,
  addRequisite,
  changeAccount,
  changeAccountNumber,
} from '../../src/domain/requisites/add-requisite.ts'
import { CandidateCache } from '../../src/domain/requisites/candidate-cache.ts'
import { luhnDigit } from '../../src/domain/requisites/luhn.ts'
import { readServing } from '../../src/domain/requisites/store.ts'
import { addToList, removeListing } from '../../src/domain/rules/change-list.ts'
import { importStatement } from '../../src/domain/statements/import-statement.ts'
import type { Entry } from '../../src/domain/transfers/entry.ts'
import { giveTransfer } from '../../src/domain/transfers/give-transfer.ts'
import type { Source } from '../../src/domain/transfers/source.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { readTransfer } from '../../src/domain/transfers/store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { type Db, type Queryable, queryable, sql } from '../../src/platform/db.ts'
import { textOfMetrics } from '../../src/platform/metrics.ts'
import { createDirectory } from '../../src/surfaces/api/merchant-directory.ts'
import { createMetrics } from '../../src/surfaces/metrics/metrics.ts'
import { accountOf, entryTo, pushSource } from '../support/bank.ts'
import {
  type Answer,
  openShop,
  type Shop,
  shopOf,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'

let gateway: TestGateway
let beside: TestGateway
let context: DepositContext & { references: ReferenceNumbers }
let bank: Source
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  beside = await startGateway({ beside: gateway, environment: { INLET_ROLES: 'api' } })
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {}, references: new ReferenceNumbers() }
  bank = await pushSource(gateway)
})

/** A merchant of its own for each test: what is believed for a second is then never old. */
async function shopWith(settings: Partial<MerchantSettings>): Promise<Shop> {
  const shop = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: shop.merchant, settings })
  return shop
}
const second = ({ merchant, keyId, secret }: Shop) => shopOf(beside, merchant, keyId, secret)
const by = { addedBy: 'anna', reason: 'SECRET reason' }
const add = (entry: Partial<Parameters<typeof addToList>[1]>) =>
  addToList(gateway.db, { list: 'block', kind: 'customer', value: '', merchantId: null, ...by, ...entry })
const end = (id: string) => removeListing(gateway.db, { id, by: 'anna', reason: 'cleared' })
const statuses = (answers: Answer[]) => {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const what = status === 201 ? '201' : `${status} ${body.code}`
    counts[what] = (counts[what] ?? 0) + 1
  }
  return counts
}
const countOf = async (shop: Shop) => {
  const [row] = await gateway.database.owner.query<{ count: bigint }>(
    sql`select count(*) from deposits where merchant_id = ${shop.merchant}`,
  )
  return Number(row!.count)
}
const historyOf = async (id: string) => (await readTimeline(gateway.db, id))!.history

let cents = 5_000_000
const parallel = (shop: Shop, count: number, fields: (index: number) => Record<string, string | number>) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => (index % 2 ? shop : second(shop)).create(fields(index))),
  )

test('50 parallel creates of one customer over two processes: exactly the limit, and neighbours are served', async () => {
  const shop = await shopWith({ customerOpenDeposits: 3 })
  const answers = await parallel(shop, 60, (index) => ({ customer: index < 50 ? 'one' : `other-${index}` }))
  assert.deepEqual(statuses(answers.slice(0, 50)), { '201': 3, '422 customer_limit_reached': 47 })
  assert.deepEqual(statuses(answers.slice(50)), { '201': 10 })
  assert.equal(await countOf(shop), 13)
  const { body } = answers.find((answer) => answer.status === 422)!
  assert.deepEqual([body.retryable, body.limit], [false, 'customer_open_deposits'])
  assert.ok(Date.parse(body.free_at) > Date.now())
  assert.match(body.detail, /open deposits.*room again at .*Z at the latest/)
})

test("a customer's day holds in parallel, to the last unit, and the next bank day is free", async () => {
  const shop = await shopWith({ customerDayCents: 500_000n })
  const answers = await parallel(shop, 50, () => ({ cents: 100_000, customer: 'one' }))
  assert.deepEqual(statuses(answers), { '201': 5, '422 customer_limit_reached': 45 })
  const { body } = answers.find((answer) => answer.status === 422)!
  assert.equal(body.limit, 'customer_day_cents')
  assert.match(body.free_at, /T21:00:00\.000Z$/, 'midnight in Moscow')
  assert.equal((await shop.create({ cents: 100_000, customer: 'two' })).status, 201)
  // Sums are of each currency apart.
  assert.equal((await shop.create({ currency: 'KZT', customer: 'one', cents: 500_001 })).body.free_at, null)
  await gateway.database.shiftClock('1 day')
  try {
    assert.equal((await shop.create({ cents: 500_000, customer: 'one' })).status, 201)
    assert.equal((await shop.create({ cents: 10_000, customer: 'one' })).status, 422)
  } finally {
    await gateway.database.shiftClock('0')
  }
})

test("a customer's month holds over its days and ends with the bank month", async () => {
  const shop = await shopWith({ customerMonthCents: 200_000n })
  assert.equal((await shop.create({ cents: 200_000 })).status, 201)
  const { body } = await shop.create({ cents: 10_000 })
  assert.deepEqual([body.code, body.limit], ['customer_limit_reached', 'customer_month_cents'])
  await gateway.database.shiftClock('32 days')
  try {
    assert.equal((await shop.create({ cents: 200_000 })).status, 201)
  } finally {
    await gateway.database.shiftClock('0')
  }
})

test('canceled and expired deposits leave the sums, paid ones stay, and a repeated order is answered', async () => {
  const shop = await shopWith({ customerDayCents: 100_000n, customerOpenDeposits: 1 })
  const order = shop.order({ cents: 100_000 })
  const { body } = await shop.post('create', order)
  assert.equal((await shop.create({ cents: 100_000 })).status, 422)
  assert.equal((await shop.post('create', order)).status, 200)
  await cancelDeposit(context, { depositId: body.id, merchantId: null, actor: 'merchant' })
  const next = await shop.create({ cents: 100_000 })
  assert.equal(next.status, 201)
  await gateway.database.owner.script(
    `update deposits set expires_at = created_at + interval '1 millisecond' where id = '${next.body.id}'`,
  )
  while ((await expireDeposits(context)) > 0);
  const paid = await shop.create({ cents: 100_000 })
  await confirmDeposit(context, { depositId: paid.body.id, actor: 'operator:anna', reason: 'seen' })
  assert.equal((await shop.create({ cents: 10_000 })).body.limit, 'customer_day_cents')
})

test('a deposit of the selection flow counts for its customer; without a customer there is no limit', async () => {
  const shop = await shopWith({ customerOpenDeposits: 1 })
  assert.equal((await shop.build()).status, 201)
  assert.equal((await shop.build()).body.code, 'customer_limit_reached')
  assert.equal((await shop.create()).body.code, 'customer_limit_reached')
  const { customer: _nobody, ...nameless } = shop.order({ payment_type: 'uzs_select' })
  assert.equal((await shop.post('build', nameless)).status, 201)
})

const choiceOf = async (shop: Shop, depositId: string, paymentType = 'account_number') => {
  const { merchant, catalogue, rules } = (await createDirectory(gateway.db, gateway.vault).byId(
    shop.merchant,
  ))!
  return { merchant, catalogue, rules, depositId, paymentType }
}

test('a choice is not in its own way, but a limit or a block since then stops it', async () => {
  const shop = await shopWith({ customerOpenDeposits: 2, customerDayCents: 300_000n })
  const [one, two] = [await shop.build(), await shop.build()]
  await chooseMethod(context, await choiceOf(shop, one.body.uuid))
  await changeMerchant(gateway.db, { merchantId: shop.merchant, settings: { customerDayCents: 299_999n } })
  await assert.rejects(chooseMethod(context, await choiceOf(shop, two.body.uuid)), {
    code: 'customer_limit_reached',
  })
  await changeMerchant(gateway.db, { merchantId: shop.merchant, settings: { customerDayCents: null } })
  const { id } = await add({ value: 'customer-1', merchantId: shop.merchant })
  await assert.rejects(chooseMethod(context, await choiceOf(shop, two.body.uuid)), {
    code: 'customer_blocked',
  })
  await end(id)
  await chooseMethod(context, await choiceOf(shop, two.body.uuid))
})

for (const [kind, value, fields] of [
  ['customer', ' Blocked  Person ', { customer: 'blocked person' }],
  ['phone', '8 (999) 123-45-67', { customer_phone_number: '+79991234567' }],
] as const) {
  test(`a blocked ${kind} is refused in other spellings too, without the reason`, async () => {
    const [shop, other] = [await openShop(gateway), await openShop(gateway)]
    const { id } = await add({ kind, value, merchantId: shop.merchant })
    const refused = await shop.create(fields)
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.retryable],
      [403, 'customer_blocked', false],
    )
    assert.ok(!JSON.stringify(refused.body).includes('SECRET'))
    if (kind === 'customer') assert.equal((await shop.build(fields)).body.code, 'customer_blocked')
    assert.equal(await countOf(shop), 0)
    const served = await Promise.all([shop.create({ customer: 'somebody' }), other.create(fields)])
    assert.deepEqual(statuses(served), { '201': 2 })
    await end(id)
    assert.equal((await shop.create(fields)).status, 201)
  })
}

test('an entry for all counts for each merchant, and one value is on a list once', async () => {
  const { id } = await add({ value: 'everywhere' })
  const shops = [await openShop(gateway), await openShop(gateway)]
  for (const shop of shops) assert.equal((await shop.create({ customer: 'EVERYWHERE' })).status, 403)
  await assert.rejects(add({ value: ' Everywhere' }), { code: 'already_exists' })
  await end(id)
  await assert.rejects(end(id), { code: 'not_found' })
  await end((await add({ value: 'everywhere' })).id)
})

test('the runtime role can end an entry, and change or erase nothing of it', async () => {
  const { id } = await add({ value: 'kept' })
  for (const statement of [
    sql`update list_entries set reason = 'x' where id = ${id}`,
    sql`delete from list_entries where id = ${id}`,
  ]) {
    await assert.rejects(gateway.db.query(statement), { code: '42501' })
  }
  await end(id)
})

/** Money for a deposit, as its bank would report it; returns the transfer with its last decision. */
async function pay(shop: Shop, id: string, changes: Partial<Entry> = {}) {
  const { deposit } = (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!
  const purpose = deposit.shown!.payment_reason ?? 'Перевод'
  const bankId = newId()
  await takeTransfers(
    context,
    [
      entryTo(await accountOf(gateway, id), {
        ...{ cents: deposit.amountCents, currency: deposit.currency, documentNumber: '1', purpose, bankId },
        ...{ channel: 'push', payerName: 'Иванов Иван', payerAccount: '4081…0001', ...changes },
      }),
    ],
    { source: bank },
  )
  const [row] = await gateway.database.owner.query<{ id: string }>(
    sql`select id from transfers where bank_id = ${bankId}`,
  )
  const { transfer, decisions } = (await readTransfer(gateway.db, row!.id))!
  const after = (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit
  return { transfer, decision: decisions.at(-1)!, deposit: after }
}

test('a watched customer is served; the money waits for a person, who may confirm it', async () => {
  const shop = await openShop(gateway)
  const { id } = await add({ list: 'watch', value: 'customer-1', merchantId: shop.merchant })
  const [created, built] = [await shop.create({ cents: ++cents }), await shop.build({ cents: ++cents })]
  for (const [depositId, state] of [
    [created.body.id, 'created'],
    [built.body.uuid, 'builded'],
  ]) {
    const note = (await historyOf(depositId))[1]!
    assert.deepEqual(
      [note.action, note.actor, note.from_state, note.to_state, `${note.reason}`],
      ['note', 'rule', state, state, 'The customer is on the watch list: SECRET reason.'],
    )
  }
  assert.deepEqual(created.body.labels, [], 'the merchant does not see it')
  const { deposit, transfer } = await pay(shop, created.body.id)
  assert.deepEqual([deposit.state, deposit.labels, transfer.state], ['created', ['review'], 'matched'])
  assert.match(`${(await historyOf(deposit.id)).at(-1)!.reason}`, /on the watch list: SECRET reason/)
  await confirmDeposit(context, { depositId: deposit.id, actor: 'operator:anna', reason: 'looked' })
  await end(id)
  const plain = await shop.create({ cents: ++cents })
  assert.equal((await historyOf(plain.body.id)).length, 1)
  assert.equal((await pay(shop, plain.body.id)).deposit.state, 'confirmed')
})

test('a customer who is listed after the deposit was created is reviewed as well', async () => {
  const shop = await openShop(gateway)
  const { body } = await shop.create({ cents: ++cents, customer_phone_number: '+79990001122' })
  const { id } = await add({ list: 'block', kind: 'phone', value: '89990001122' })
  const { deposit } = await pay(shop, body.id)
  assert.deepEqual([deposit.state, deposit.labels], ['created', ['review']])
  await end(id)
})

for (const [what, value, payer] of [
  ['name', 'Иван Плохой', { payerName: 'ПЛОХОЙ ИВАН' }],
  ['account', '40817810000000007777', { payerAccount: '4081…7777' }],
  ['tax id', '7700000999', { payerTaxId: '7700000999' }],
] as const) {
  for (const list of ['block', 'watch'] as const) {
    test(`money of a payer whose ${what} is on the ${list} list is never matched automatically`, async () => {
      const shop = await openShop(gateway)
      const { id } = await add({ list, kind: 'payer', value })
      const { body } = await shop.create({ cents: ++cents })
      const { transfer, decision, deposit } = await pay(shop, body.id, payer)
      assert.deepEqual(
        [transfer.state, decision.rule, deposit.state, deposit.receivedCents],
        ['ambiguous', 'listed', 'created', 0n],
      )
      assert.match(
        `${decision.reason}`,
        new RegExp(`The payer is on the ${list} list: SECRET reason\\. Otherwise: `),
      )
      await giveTransfer(context, {
        transferId: transfer.id,
        depositId: body.id,
        actor: 'operator:anna',
        reason: 'looked',
      })
      await end(id)
    })
  }
}

let cards = 0
async function newAccount(
  settings: Partial<AccountSettings>,
  { requisites = 1, mode = 'test' as Mode } = {},
) {
  const { id } = await addAccount(gateway.db, {
    mode,
    currency: 'RUB',
    merchantId: null,
    label: 'Main',
    ownerLegalName: 'ООО "Пример"',
    ownerPublicName: 'ООО "Пример"',
    ownerTaxId: '7700000009',
    ownerAgreement: 'test',
    addedBy: 'test',
  })
  await changeAccount(gateway.db, id, settings)
  for (let count = 0; count < requisites; count++) {
    const body = `220000000001${String(++cards).padStart(3, '0')}`
    await addRequisite(gateway.db, {
      accountId: id,
      draft: { kind: 'card', number: body + luhnDigit(body), holder: 'TEST', bankName: 'Test' },
      bankCode: 'bankx',
      limits: { minCents: null, maxCents: null, dailyCents: null, openDeposits: null },
      confirmed: true,
    })
  }
  return id
}
const disableCards = () =>
  gateway.database.owner.script(`update requisites set enabled = false where kind = 'card'`)
const card = (amount: number) => ({ payment_type: 'any_bank', cents: amount })
const sumOf = (answers: Answer[]) =>
  answers.filter((answer) => answer.status === 201).reduce((sum, answer) => sum + answer.body.amount_cents, 0)

test("an account's open deposits hold over its requisites, under 50 parallel creates of two processes", async () => {
  await disableCards()
  const shop = await openShop(gateway)
  await newAccount({ openDeposits: 3 }, { requisites: 3 })
  const answers = await parallel(shop, 50, (index) => card(200_000 + index))
  assert.deepEqual(statuses(answers), { '201': 3, '503 no_requisite_available': 47 })
  assert.equal((await readAvailable(gateway.db, shop.merchant)).has('bankx:RUB'), false)
  // The next account takes what this one cannot, whole.
  await newAccount({ openDeposits: 1 })
  assert.equal((await shop.create(card(210_000))).status, 201)
  assert.equal((await shop.create(card(210_001))).status, 503)
})

for (const [limit, clock] of [
  ['dayCents', '1 day'],
  ['monthCents', '32 days'],
] as const) {
  test(`an account's ${limit} holds under parallel creates of two processes, and begins again`, async () => {
    await disableCards()
    const shop = await openShop(gateway)
    const accountId = await newAccount({ [limit]: 1_000_000n }, { requisites: 2 })
    const answers = await parallel(shop, 40, (index) => card(100_000 + index * 7))
    const sum = sumOf(answers)
    assert.ok(sum > 800_000 && sum <= 1_000_000, `${sum}`)
    const free = 1_000_000 - sum
    assert.equal((await shop.create(card(Math.max(10_000, free) + 1))).status, 503)
    const wanted = { merchantId: shop.merchant, mode: 'test', currency: 'RUB' } as const
    const serving = (amountCents: bigint) => readServing(gateway.db, { ...wanted, amountCents })
    const isCard = (rows: { group: string }[]) => rows.some(({ group }) => group === 'card')
    assert.equal(isCard(await serving(BigInt(free) + 1n)), false)
    await gateway.database.shiftClock(clock)
    try {
      assert.equal(isCard(await serving(1_000_000n)), true)
      assert.equal((await shop.create(card(1_000_000))).status, 201)
      assert.equal((await shop.create(card(10_000))).status, 503)
    } finally {
      await gateway.database.shiftClock('0')
    }
    await changeAccount(gateway.db, accountId, { [limit]: null })
    assert.equal((await shop.create(card(990_000))).status, 201)
  })
}

test('a choice on the page keeps the limits of an account too, in parallel', async () => {
  await disableCards()
  const shop = await openShop(gateway)
  await newAccount({ openDeposits: 2 }, { requisites: 2 })
  const built = await Promise.all(
    Array.from({ length: 8 }, (_, index) => shop.build({ cents: 400_000 + index })),
  )
  const chosen = await Promise.allSettled(
    built.map(async ({ body }) => chooseMethod(context, await choiceOf(shop, body.uuid, 'any_bank'))),
  )
  assert.equal(chosen.filter((outcome) => outcome.status === 'fulfilled').length, 2)
  for (const outcome of chosen) {
    if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'no_requisite_available')
  }
})

test('a merchant without rules asks nothing more than before, and one with rules asks for its group once', async () => {
  const asked: string[] = []
  const counting = (db: Db): Db => {
    const note = ({ query }: Queryable) =>
      queryable((statement) => {
        asked.push(statement.text)
        return query(statement)
      })
    return {
      ...db,
      pool: db.pool,
      ...note(db),
      together: (ask) => db.together((inner) => ask(note(inner))),
      transaction: (work) => db.transaction((tx) => work({ tx: true, ...note(tx) })),
    }
  }
  const creator = creatorOn(counting(gateway.db))
  const createOf = async (shop: Shop, count: number) => {
    const { merchant, catalogue, rules } = (await createDirectory(gateway.db, gateway.vault).byId(
      shop.merchant,
    ))!
    const members = Array.from({ length: count }, (): CreateDeposit => {
      const request = {
        orderId: newId(),
        amountCents: 150_000n,
        currency: 'RUB' as const,
        paymentType: 'account_number',
        customer: newId(),
        customerPhoneNumber: null,
        callbackUrl: null,
        successUrl: null,
        rejectUrl: null,
      }
      return {
        flow: 'create',
        merchant,
        catalogue,
        rules,
        request,
        sent: { request: 'test', key: 'test', scheme: 'v2' },
      }
    })
    const fresh = { ...creator, candidates: new CandidateCache() }
    const outcomes = await createDeposits(fresh, members)
    assert.ok(outcomes.every((outcome) => 'done' in outcome))
  }
  const plain = await openShop(gateway)
  await createOf(plain, 1)
  asked.length = 0
  await createOf(plain, 20)
  assert.equal(asked.length, 2, 'candidates; then the deposits with their loads')
  const ruled = await shopWith({ customerOpenDeposits: 5 })
  await add({ value: 'nobody', merchantId: ruled.merchant })
  asked.length = 0
  await createOf(ruled, 20)
  assert.equal(asked.length, 5, 'and the customers’ locks, lists, use')
})

test('an account without new bank data raises an alarm and a metric until data arrive', async () => {
  const accountId = await newAccount({ silentHours: 24 }, { mode: 'live' })
  await newAccount({ silentHours: 1 }, { mode: 'test' })
  await newAccount({ silentHours: 1, enabled: false }, { mode: 'live' })
  await newAccount({}, { mode: 'live' })
  const silent = async () => (await readAlarms(gateway.db)).filter((alarm) => alarm.kind === 'account_silent')
  const seconds = async () => {
    const metrics = createMetrics({
      db: gateway.db,
      peopleDb: gateway.peopleDb,
      waitingCreates: () => 0,
      delivery: () => undefined,
    })
    const text = textOfMetrics(await metrics.collect())
    metrics.stop()
    return Number(/^inlet_account_silent_seconds (\S+)$/m.exec(text)![1])
  }
  assert.deepEqual([await silent(), await seconds()], [[], 0])
  await gateway.database.shiftClock('25 hours')
  try {
    const [alarm] = await silent()
    assert.deepEqual([alarm!.subject, (await silent()).length], [accountId, 1])
    assert.match(alarm!.detail, /No bank data for the account "Main" for 24 h/)
    assert.ok((await seconds()) >= 25 * 3_600)
    const source = await gateway.db.transaction((tx) =>
      sourceOf(tx, { mode: 'live', kind: 'sandbox', channel: 'sandbox' }),
    )
    const entry = entryTo(accountId, { direction: 'debit', cents: 5n, purpose: 'Комиссия', bankId: null })
    await takeTransfers(context, [entry], { source })
    assert.deepEqual([await silent(), await seconds()], [[], 0])
  } finally {
    await gateway.database.shiftClock('0')
  }
})

test('a statement without rows is no silence either', async () => {
  const accountId = await newAccount({ silentHours: 1 }, { mode: 'live' })
  await changeAccountNumber(gateway.db, accountId, '40702810900000005555')
  const text = [
    '1CClientBankExchange',
    'ВерсияФормата=1.03',
    'Кодировка=Windows',
    'СекцияРасчСчет',
    'ДатаНачала=15.11.2026',
    'ДатаКонца=15.11.2026',
    'РасчСчет=40702810900000005555',
    'НачальныйОстаток=0.00',
    'ВсегоПоступило=0.00',
    'ВсегоСписано=0.00',
    'КонечныйОстаток=0.00',
    'КонецРасчСчет',
    'КонецФайла',
    '',
  ].join('\r\n')
  const file = {
    name: 'empty.txt',
    async *open() {
      yield Buffer.from(text)
    },
  }
  const isSilent = async () =>
    (await readAlarms(gateway.db)).some(
      ({ kind, subject }) => kind === 'account_silent' && subject === accountId,
    )
  await gateway.database.shiftClock('2 hours')
  try {
    assert.equal(await isSilent(), true)
    const asked = { file, mode: 'live', by: 'anna', dryRun: true, anyway: false } as const
    await importStatement(context, asked)
    assert.equal(await isSilent(), true, 'a dry run is no news')
    assert.equal((await importStatement(context, { ...asked, dryRun: false })).isTaken, true)
    assert.equal(await isSilent(), false)
  } finally {
    await gateway.database.shiftClock('0')
  }
})

test('after all that the doctor finds every history whole and every load true', async () => {
  const findings = await examine(gateway, { all: true })
  for (const name of [
    'history-is-a-path',
    'load-is-true',
    'change-has-one-callback',
    'confirmed-for-a-reason',
  ]) {
    const { verdict, offenders } = findings.find((finding) => finding.name === name)!
    assert.deepEqual([verdict, offenders], ['holds', []], name)
  }
})
