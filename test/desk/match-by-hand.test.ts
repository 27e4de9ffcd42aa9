/** Matching live money manually: above the amount that one person may confirm, a second person approves. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { saveApprovalSettings } from '../../src/domain/approvals/store.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { addAccount, addRequisite, changeAccountNumber } from '../../src/domain/requisites/add-requisite.ts'
import { addSource } from '../../src/domain/transfers/bank-source.ts'
import type { BankSource } from '../../src/domain/transfers/source.ts'
import { findSource } from '../../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { bankDay, depositContextOf, entryTo, today } from '../support/bank.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { misprintsOf } from '../support/staff-pages.ts'
import { writeCamt } from '../support/writers/camt.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let accountId: string
let source: BankSource
let [worker, approver]: Worker[] = []
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  const owner = { ownerLegalName: 'ООО "Пример"', ownerPublicName: 'Пример', ownerTaxId: '7700000009' }
  const account = await addAccount(gateway.db, {
    ...{ mode: 'live', currency: 'RUB', merchantId: null, label: 'Live' },
    ...{ ...owner, ownerAgreement: 'No. 1', addedBy: 'test' },
  })
  accountId = account.id
  const added = await addSource(gateway.db, { name: 'Push', mode: 'live' })
  source = (await findSource(gateway.db, added.id))!
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

async function transferOf(cents: bigint, to = accountId): Promise<string> {
  const entry = entryTo(to, { cents })
  await takeTransfers(depositContextOf(gateway), [entry], { source })
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from transfers where bank_id = ${entry.bankId}`,
  )
  return row!.id
}

async function transferNaming(
  deposit: string,
  cents: bigint,
  facts: Parameters<typeof entryTo>[1] | object = {},
): Promise<string> {
  const { reference } = await gateway.db.one<{ reference: string }>(
    sql`select reference from deposits where id = ${deposit}`,
  )
  const purpose = `Оплата ${reference}`
  const entry = entryTo(accountId, { cents, purpose, purposeParts: [purpose], ...facts })
  await takeTransfers(depositContextOf(gateway), [entry], { source })
  const { id } = await gateway.db.one<{ id: string }>(
    sql`select id from transfers where bank_id = ${entry.bankId} order by taken_at desc, id desc limit 1`,
  )
  return id
}

test('a payment that names one deposit is matched to another only if the operator says that this is intended', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const [meant, named] = [await card(shop, 330_001), await card(shop, 330_002)]
  const transfer = await transferNaming(named, 330_001n, { paidOn: today() })
  const { browser } = worker!
  await browser.post(`/operator/transfers/${transfer}/take`)
  const page = (await browser.get(`/operator/queue/transfers/${transfer}`)).text
  assert.match(page, /The purpose contains the reference of a deposit/)
  assert.match(page, /name="despite"/)
  assert.deepEqual(misprintsOf(page), [])
  const refused = await match(worker!, transfer, meant)
  assert.match(refused.text, /that of another deposit/)
  assert.equal(await stateOf(shop, meant), 'created')
  const act = { deposit: meant, reason: 'The payer wrote to us', despite: 'on' }
  await browser.post(`/operator/transfers/${transfer}/match`, act)
  assert.equal(await stateOf(shop, meant), 'confirmed')
  // To match the deposit that it names, no box has to be ticked.
  const own = await transferNaming(named, 330_000n)
  await match(worker!, own, named)
  const { deposit_id } = await gateway.db.one<{ deposit_id: string }>(
    sql`select deposit_id from allocations where transfer_id = ${own}`,
  )
  assert.equal(deposit_id, named)
})

test('the second person sees that a payment names another deposit, and can approve the match', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const [meant, named] = [await card(shop, 930_001), await card(shop, 930_002)]
  const transfer = await transferNaming(named, 930_001n)
  await worker!.browser.post(`/operator/transfers/${transfer}/take`)
  const act = { deposit: meant, reason: 'The payer wrote to us', despite: 'on' }
  const asked = await worker!.browser.post(`/operator/transfers/${transfer}/match`, act)
  assert.match(asked.location!, /done=proposed/)
  const { id } = await gateway.db.one<{ id: string }>(
    sql`select id from proposals where kind = 'transfer.match' and subject = ${`transfer:${transfer}`}`,
  )
  const page = (await approver!.browser.get(`/operator/approvals/${id}`)).text
  const { reference } = await gateway.db.one<{ reference: string }>(
    sql`select reference from deposits where id = ${named}`,
  )
  assert.match(page, new RegExp(`purpose names[\\s\\S]*${reference}`))
  const approved = await approver!.browser.post(`/operator/approvals/${id}/approve`, { reason: 'I called' })
  assert.equal(approved.status, 303)
  assert.equal(await stateOf(shop, meant), 'confirmed')
})

test('the refunds page shows the deposit that a payer named; a payment that names one is not simply the same as another', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const [paid, named] = [await card(shop, 340_001), await card(shop, 340_002)]
  const first = await transferOf(340_001n)
  await match(worker!, first, paid)
  const { bankId } = await gateway.db.one<{ bankId: string }>(
    sql`select bank_id as "bankId" from transfers where id = ${first}`,
  )
  // Under the id of a known payment, which may be the same: it is held.
  const transfer = await transferNaming(named, 340_001n, { bankId })
  const { browser } = worker!
  const same = await browser.post(`/operator/transfers/${transfer}/same`, { of: first, reason: 'The same' })
  assert.match(same.text, /that of another deposit/)
  const owed = await transferNaming(named, 340_003n)
  await browser.post(`/operator/transfers/${owed}/take`)
  await browser.post(`/operator/transfers/${owed}/set-aside`, { reason: 'Nobody knows it' })
  assert.match((await browser.get(`/operator/refunds/${owed}`)).text, /Оплата KT\d{8}/)
})

/** As at the desk: the item is assigned first, then decided. */
async function match({ browser }: Worker, transfer: string, deposit: string) {
  await browser.post(`/operator/transfers/${transfer}/take`)
  return browser.post(`/operator/transfers/${transfer}/match`, { deposit, reason: 'The payer wrote to us' })
}

test('one person cannot move a large payment from one merchant’s deposit to another’s', async () => {
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
  assert.deepEqual([asked.status, asked.location], [303, `${page}?done=proposed`])
  assert.equal(await stateOf(other, wanted), 'created')
  assert.match((await worker!.browser.get(page)).text, /waiting for a second person/)
  const [proposal] = await gateway.db.query<{ id: string }>(
    sql`select id from proposals where kind = 'transfer.match' and subject = ${`transfer:${transfer}`}`,
  )
  assert.equal((await match(worker!, transfer, wanted)).status, 409, 'proposed twice')
  const approval = `/operator/approvals/${proposal!.id}`
  const shown = (await approver!.browser.get(approval)).text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  assert.match(shown, /sent 9 000\.00 RUB .* asked 8 900\.00 RUB /)
  assert.equal((await worker!.browser.post(`${approval}/approve`, { reason: 'Yes' })).status, 403)
  assert.equal((await approver!.browser.post(`${approval}/approve`, { reason: 'I called them' })).status, 303)
  assert.equal(await stateOf(other, wanted), 'confirmed')
})

test('up to the amount that one person may confirm, one person matches alone; part of a large deposit is above it', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const [small, large] = [await card(shop, 400_000), await card(shop, 800_000)]
  const alone = await match(worker!, await transferOf(399_000n), small)
  assert.match(alone.location!, /done=match/)
  const part = await match(worker!, await transferOf(398_000n), large)
  assert.match(part.location!, /done=proposed/)
})

test('live money cannot be matched by hand to a deposit of test mode', async () => {
  const shop = await openShop(gateway, { mode: 'test' })
  const deposit = await card(shop, 380_000)
  const transfer = await transferOf(380_000n)
  const refused = await match(worker!, transfer, deposit)
  assert.deepEqual([refused.status, await stateOf(shop, deposit)], [422, 'created'])
})

test('money on a merchant’s own account cannot be matched by hand to a deposit of another merchant', async () => {
  const [owner, other] = [
    await openShop(gateway, { mode: 'live' }),
    await openShop(gateway, { mode: 'live' }),
  ]
  const own = await addAccount(gateway.db, {
    ...{ mode: 'live', currency: 'RUB', merchantId: owner.merchant, label: 'Own' },
    ...{ ownerLegalName: 'ООО "Другое"', ownerPublicName: 'Другое', ownerTaxId: '7700000009' },
    ...{ ownerAgreement: 'No. 2', addedBy: 'test' },
  })
  const [deposit, transfer] = [await card(other, 390_000), await transferOf(390_000n, own.id)]
  const refused = await match(worker!, transfer, deposit)
  assert.deepEqual([refused.status, await stateOf(other, deposit)], [422, 'created'])
  const allowed = await match(worker!, transfer, await card(owner, 390_001))
  assert.match(allowed.location!, /done=match/)
})

test('an impossible match cannot be proposed', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const paid = await card(shop, 700_000)
  const transfer = await transferOf(700_000n)
  const wanted = await card(shop, 710_000)
  assert.equal(await stateOf(shop, paid), 'confirmed')
  assert.equal((await match(worker!, transfer, wanted)).status, 409)
  assert.equal((await match(worker!, await transferOf(720_000n), newId())).status, 422)
})

/** Uploads a file that reverses this payment, ready to be imported. */
async function reversalFile(transfer: string): Promise<{ take(by: Worker): Promise<number> }> {
  const [known] = await gateway.db.query<{ bankId: string; number: string; cents: bigint }>(
    sql`select bank_id as "bankId", document_number as number, cents from transfers where id = ${transfer}`,
  )
  const account = '40702810300000009999'
  await changeAccountNumber(gateway.db, accountId, account)
  const payer = { payerName: '', payerAccount: '', payerTaxId: '', payerBank: '' }
  const taken = { bankId: known!.bankId, documentNumber: known!.number, ...payer, purpose: 'Возврат' }
  // Of a day that is over, so that the file counts.
  const yesterday = bankDay(-1)
  const day = { bookedOn: yesterday, bookedAt: null, paidOn: null }
  const entries = [{ ...taken, ...day, line: 1, direction: 'debit' as const, cents: known!.cents }]
  const [from, to] = [yesterday, yesterday]
  const written = writeCamt(
    [{ account, currency: 'RUB', from, to, entries }],
    `${today()}T20:00:00`,
    transfer,
  )
  const [debit, reversal] = ['<CdtDbtInd>DBIT</CdtDbtInd>', '<RvslInd>true</RvslInd>']
  const file = new Blob([
    Buffer.from(written).toString().replace(`${debit}<Sts>`, `${debit}${reversal}<Sts>`),
  ])
  const { browser } = worker!
  const sent = await browser.upload('/operator/statements/upload', { mode: 'live' }, file, 'back.xml')
  const at = sent.location!
  const settled = async () => {
    while ((await browser.get(at)).text.includes('data-under-way'))
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await settled()
  return {
    async take(by) {
      const { status } = await by.browser.post(`${at}/take`, { reading: '1', anyway: 'on' })
      await settled()
      return status
    },
  }
}

const reversals = async () =>
  (await gateway.db.query(sql`select id from transfers where state = 'reversal'`)).length

test('one person cannot import a file with a large reversal, which then waits for a person', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const paid = await card(shop, 910_000)
  const file = await reversalFile(await transferOf(910_000n))
  assert.equal(await stateOf(shop, paid), 'confirmed')
  assert.deepEqual([await file.take(worker!), await reversals()], [409, 0])
  await file.take(approver!)
  assert.deepEqual([await reversals(), await stateOf(shop, paid)], [1, 'confirmed'])
})

test('reversals of several files of one day count together', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  for (const cents of [310_000, 320_000]) await card(shop, cents)
  const first = await reversalFile(await transferOf(310_000n))
  const second = await reversalFile(await transferOf(320_000n))
  const before = await reversals()
  assert.deepEqual([await first.take(worker!), await reversals()], [303, before + 1])
  assert.deepEqual([await second.take(worker!), await reversals()], [409, before + 1])
  await second.take(approver!)
  assert.equal(await reversals(), before + 2)
})

test('marking a payment that confirmed a deposit as a duplicate needs a fresh factor', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const paid = await card(shop, 300_000)
  const [transfer, duplicateOf] = [await transferOf(300_000n), await transferOf(300_000n)]
  const { browser, person } = worker!
  const page = `/operator/transfers/${transfer}`
  await browser.post(`${page}/take`)
  const prove = (ago: string) =>
    gateway.database.owner.query(sql`
      update sessions set proved_at = inlet_now() - ${ago}::interval where person_id = ${person.id}`)
  await prove('1 hour')
  const stale = await browser.post(`${page}/same`, { of: duplicateOf, reason: 'Reported twice' })
  assert.deepEqual(
    [stale.location, await stateOf(shop, paid)],
    [`/sign-in/again?to=${encodeURIComponent(page)}`, 'confirmed'],
  )
  await prove('0')
  await browser.post(`${page}/same`, { of: duplicateOf, reason: 'Reported twice' })
  assert.equal(await stateOf(shop, paid), 'reversed')
})

test('a payment of another amount cannot be a duplicate, unless the bank corrected it', async () => {
  const shop = await openShop(gateway, { mode: 'live' })
  const paid = await card(shop, 340_000)
  const [transfer, duplicateOf] = [await transferOf(340_000n), await transferOf(1_000n)]
  const { browser } = worker!
  for (const [one, other] of [
    [transfer, duplicateOf],
    [duplicateOf, transfer],
  ]) {
    await browser.post(`/operator/transfers/${one}/take`)
    const answer = await browser.post(`/operator/transfers/${one}/same`, {
      of: other!,
      reason: 'Reported twice',
    })
    // It is not among those that it may be.
    assert.equal(answer.status, 422)
  }
  assert.equal(await stateOf(shop, paid), 'confirmed')
})
