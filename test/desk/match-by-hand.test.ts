/** Live money is given to another deposit by two people where it is more than one may confirm by hand. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { saveApprovalSettings } from '../../src/approvals/store.ts'
import { findDeposit } from '../../src/deposits/store.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { addAccount, addRequisite, numberAccount } from '../../src/requisites/add-requisite.ts'
import { writeCamt } from '../../src/statements/writers/camt.ts'
import { sourceOfKind } from '../../src/transfers/store.ts'
import { takeTransfers } from '../../src/transfers/take-transfers.ts'
import { entryTo, ledgerOf, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let accountId: string
let [worker, approver]: Worker[] = []
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  const owner = { ownerLegalName: 'ООО "Пример"', ownerPublicName: 'Пример', ownerTaxId: '7700000009' }
  const account = await addAccount(gateway.db, {
    ...{ mode: 'live', currency: 'RUB', merchantId: null, label: 'Live' },
    ...{ ...owner, ownerAgreement: 'No. 1', addedBy: 'test' },
  })
  accountId = account.id
  const limits = { minCents: null, maxCents: null, dailyCents: null, openDeposits: null }
  const draft = { kind: 'card', number: '2200000000000004', holder: 'TEST', bankName: 'Test' } as const
  await addRequisite(gateway.db, { accountId, draft, bankCode: null, limits, confirmed: true })
  const above = { isSingleOperator: false, secondPersonAbove: { RUB: '500000' } }
  await gateway.db.transaction((tx) => saveApprovalSettings(tx, above))
  worker = await joined(gateway, { operatorRole: 'operator' })
  approver = await joined(gateway, { operatorRole: 'approver' })
})

const card = (shop: Shop, cents: number) =>
  shop.create({ cents, payment_type: 'any_bank' }).then(({ body }) => body.id as string)
const stateOf = async ({ merchant: merchantId }: Shop, id: string) =>
  (await findDeposit(gateway.db, { merchantId, id }))!.deposit.state

async function transferOf(cents: bigint): Promise<string> {
  const source = await gateway.db.transaction((tx) => sourceOfKind(tx, 'statement', 'live', newId()))
  const entry = entryTo(accountId, { cents })
  await takeTransfers(ledgerOf(gateway), [entry], { source })
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from transfers where bank_id = ${entry.bankId}`,
  )
  return row!.id
}

/** As the desk does it: taken first, then decided. */
async function match({ browser }: Worker, transfer: string, deposit: string) {
  await browser.post(`/operator/transfers/${transfer}/take`)
  return browser.post(`/operator/transfers/${transfer}/match`, { deposit, reason: 'The payer wrote to us' })
}

test('one person does not move a large payment from a merchant’s deposit to another’s', async () => {
  const [shop, other] = [await openShop(gateway, { mode: 'live' }), await openShop(gateway, { mode: 'live' })]
  const paid = await card(shop, 900_000)
  const transfer = await transferOf(900_000n)
  assert.equal(await stateOf(shop, paid), 'confirmed')
  const wanted = await card(other, 890_000)
  await worker!.browser.post(`/operator/deposits/${paid}/take`)
  const reversed = await worker!.browser.post(`/operator/deposits/${paid}/reverse`, { reason: 'A mistake' })
  assert.equal(reversed.status, 303)

  const asked = await match(worker!, transfer, wanted)
  const page = `/operator/transfers/${transfer}`
  assert.deepEqual([asked.status, asked.location], [303, `${page}?notice=proposed`])
  assert.equal(await stateOf(other, wanted), 'created')
  assert.match((await worker!.browser.get(page)).text, /A second person has been asked/)
  const [proposal] = await gateway.db.query<{ id: string }>(
    sql`select id from proposals where kind = 'match' and subject = ${`transfer:${transfer}`}`,
  )
  assert.equal((await match(worker!, transfer, wanted)).status, 409, 'asked for twice')
  const approval = `/operator/approvals/${proposal!.id}`
  assert.match(
    (await approver!.browser.get(approval)).text,
    /Match a transfer by hand[\s\S]*8,900\.00[\s\S]*9,000\.00/,
  )
  assert.equal((await worker!.browser.post(`${approval}/approve`, { reason: 'Yes' })).status, 403)
  assert.equal((await approver!.browser.post(`${approval}/approve`, { reason: 'I called them' })).status, 303)
  assert.equal(await stateOf(other, wanted), 'confirmed')
})

test('up to the sum that one may confirm, one person matches alone; a part of a large deposit is above it', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const [small, large] = [await card(shop, 400_000), await card(shop, 800_000)]
  const alone = await match(worker!, await transferOf(399_000n), small)
  assert.match(alone.location!, /notice=matched/)
  const part = await match(worker!, await transferOf(398_000n), large)
  assert.match(part.location!, /notice=proposed/)
})

test('what could not be matched is not asked for', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const paid = await card(shop, 700_000)
  const transfer = await transferOf(700_000n)
  const wanted = await card(shop, 710_000)
  assert.equal(await stateOf(shop, paid), 'confirmed')
  assert.equal((await match(worker!, transfer, wanted)).status, 409)
  assert.equal((await match(worker!, await transferOf(720_000n), newId())).status, 404)
})

test('one person does not take a file by which the bank would take a large payment back', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const paid = await card(shop, 910_000)
  const transfer = await transferOf(910_000n)
  assert.equal(await stateOf(shop, paid), 'confirmed')
  const [known] = await gateway.db.query<{ bankId: string; number: string }>(
    sql`select bank_id as "bankId", document_number as number from transfers where id = ${transfer}`,
  )
  const account = '40702810300000009999'
  await numberAccount(gateway.db, accountId, account)
  const payer = { name: '', account: '', taxId: '', bank: '' }
  const taken = { bankId: known!.bankId, documentNumber: known!.number, payer, purpose: 'Возврат' }
  const day = { bookedOn: today(), bookedAt: null, paidOn: null }
  const entries = [{ ...taken, ...day, line: 1, direction: 'debit' as const, cents: 910_000n }]
  const [from, to] = [today(), today()]
  const written = writeCamt([{ account, currency: 'RUB', from, to, entries }], `${to}T20:00:00`, 'one')
  const [debit, reversal] = ['<CdtDbtInd>DBIT</CdtDbtInd>', '<RvslInd>true</RvslInd>']
  const file = new Blob([
    Buffer.from(written).toString().replace(`${debit}<Sts>`, `${debit}${reversal}<Sts>`),
  ])
  const { browser } = worker!
  const sent = await browser.upload('/operator/statements/upload', { mode: 'live' }, file, 'back.xml')
  const settled = async () => {
    while ((await browser.get(sent.location!)).text.includes('data-under-way'))
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await settled()
  const alone = await browser.post(`${sent.location}/take`, { reading: '1', anyway: 'on' })
  await settled()
  assert.deepEqual([alone.status, await stateOf(shop, paid)], [409, 'confirmed'])
  await approver!.browser.post(`${sent.location}/take`, { reading: '1', anyway: 'on' })
  await settled()
  assert.equal(await stateOf(shop, paid), 'reversed')
})

test('whoever says that a payment which confirmed a deposit is another one shows a fresh factor', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const paid = await card(shop, 300_000)
  const [transfer, of] = [await transferOf(300_000n), await transferOf(1_000n)]
  const { browser, person } = worker!
  const page = `/operator/transfers/${transfer}`
  await browser.post(`${page}/take`)
  const prove = (ago: string) =>
    gateway.database.owner.query(sql`
      update sessions set proved_at = inlet_now() - ${ago}::interval where person_id = ${person.id}`)
  await prove('1 hour')
  const stale = await browser.post(`${page}/duplicate`, { of, reason: 'Told twice' })
  assert.deepEqual(
    [stale.location, await stateOf(shop, paid)],
    [`/sign-in/again?to=${encodeURIComponent(page)}`, 'confirmed'],
  )
  await prove('0')
  await browser.post(`${page}/duplicate`, { of, reason: 'Told twice' })
  assert.equal(await stateOf(shop, paid), 'reversed')
})
