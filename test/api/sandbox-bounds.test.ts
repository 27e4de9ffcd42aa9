/** What a test key, or a customer on a test payment page, can add to one deposit or one bank id: the test bank stops, a real one never does. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type DepositContext, receiveMoney } from '../../src/domain/deposits/change-deposit.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { type FakePayment, payByFakeBank } from '../../src/domain/sandbox/fake-bank.ts'
import { passTime } from '../../src/domain/sandbox/pass-time.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'

let gateway: TestGateway
let shop: Shop
let context: DepositContext
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,pay' } })
  shop = await openShop(gateway)
  context = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
})

let amount = 5_000_000
async function created(by = shop): Promise<{ id: string; reference: string }> {
  amount += 7_000
  const { status, body } = await by.create({ cents: amount, payment_type: 'account_number' })
  assert.equal(status, 201)
  return { id: body.id, reference: body.payment_data.payment_reason }
}

const pay = (depositId: string, payment: Omit<FakePayment, 'depositId'> = {}) =>
  payByFakeBank(context, { depositId, ...payment })

const counted = (depositId: string) =>
  gateway.database.owner.one<{ entries: number; callbacks: number; transfers: number }>(sql`
    select
      (select count(*)::int from deposit_timeline where deposit_id = ${depositId}) as entries,
      (select count(*)::int from events where deposit_id = ${depositId}) as callbacks,
      (select count(*)::int from transfers) as transfers`)

/** As if the deposit had been through this before. */
const addEntries = (depositId: string, upTo: number) =>
  gateway.database.owner.script(`
    insert into deposit_history (deposit_id, entry, at, action, from_state, to_state, actor)
    select '${depositId}', n, now(), 'claim', 'created', 'created', 'customer'
    from generate_series(2, ${upTo}) n`)

const refused = (most: number) => ({ code: 'state_conflict', message: new RegExp(`${most}`) })

test('payments and revocations of the test bank end with the bound of a history', async () => {
  const { id } = await created()
  await addEntries(id, bounds.fakePayments.entries - 1)
  await pay(id, { cents: 10n, bankId: `part ${id}` })
  const before = await counted(id)
  await assert.rejects(
    pay(id, { cents: 10n, bankId: `part ${id}`, isRevoked: true }),
    refused(bounds.fakePayments.entries),
  )
  await assert.rejects(pay(id, { cents: 10n }), refused(bounds.fakePayments.entries))
  assert.deepEqual(await counted(id), before)
  // A bank is not refused, whatever a customer or a test key has done before.
  await receiveMoney(context, { depositId: id, cents: 10n, actor: 'bank:real' })
  assert.equal((await counted(id)).entries, before.entries + 1)
})

test('a deposit under review, which stays open, does not gain an entry each time that the test clock goes on', async () => {
  const own = await openShop(gateway)
  await changeMerchant(gateway.db, { merchantId: own.merchant, settings: { underpaidPolicy: 'review' } })
  const { id } = await created(own)
  await pay(id, { cents: 10n })
  const merchant = { merchantId: own.merchant, isProduction: false }
  await passTime(context, { ...merchant, minutes: 14_400 })
  const { entries } = await counted(id)
  for (let n = 0; n < 4; n++)
    assert.deepEqual(await passTime(context, { ...merchant, minutes: 1_000 }), { deposits: 0 })
  assert.equal((await counted(id)).entries, entries)
})

test('the test clock goes on for a deposit with very many entries, and adds none', async () => {
  const own = await openShop(gateway)
  const { id } = await created(own)
  await addEntries(id, bounds.passTimeEntries)
  const left = () =>
    gateway.database.owner.one<{ minutes: number }>(sql`
      select (extract(epoch from expires_at - created_at) / 60)::int as minutes from deposits where id = ${id}`)
  const before = [(await left()).minutes, (await counted(id)).entries]
  const passed = await passTime(context, { merchantId: own.merchant, minutes: 3, isProduction: false })
  assert.deepEqual(passed, { deposits: 1 })
  assert.deepEqual([(await left()).minutes + 3, (await counted(id)).entries], before)
})
