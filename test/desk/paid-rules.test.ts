/** What makes little money, or money that names nobody, confirm a live deposit is said by two people. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { saveApprovalSettings } from '../../src/domain/approvals/store.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { changeMerchant } from '../../src/domain/merchants/change-merchant.ts'
import { findMerchant } from '../../src/domain/merchants/store.ts'
import { addAccount, addRequisite } from '../../src/domain/requisites/add-requisite.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql, within } from '../../src/platform/db.ts'
import { depositContextOf, entryTo } from '../support/bank.ts'
import { during } from '../support/during.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

let gateway: TestGateway
let shop: Shop
let accountId: string
let [admin, approver]: Awaited<ReturnType<typeof joined>>[] = []
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway, { mode: 'live' })
  accountId = await addLiveAccount()
  const limits = { minCents: null, maxCents: null, dailyCents: null, openDeposits: null }
  const draft = {
    kind: 'account_ru',
    ...{ number: '40702810300000000042', holder: 'ООО', bankName: 'Банк', taxId: '7700000009' },
    ...{ bic: '044525999', corrAccount: '30101810600000000999' },
  } as const
  await addRequisite(gateway.db, { accountId, draft, bankCode: null, limits, confirmed: true })
  const above = { isSingleOperator: false, secondPersonAbove: { RUB: '500000' } }
  await gateway.db.transaction((tx) => saveApprovalSettings(tx, above))
  admin = await joined(gateway, { operatorRole: 'admin' })
  approver = await joined(gateway, { operatorRole: 'approver' })
})

async function addLiveAccount(): Promise<string> {
  const owner = { ownerLegalName: 'ООО "Пример"', ownerPublicName: 'Пример', ownerTaxId: '7700000009' }
  const { id } = await addAccount(gateway.db, {
    ...{ mode: 'live', currency: 'RUB', merchantId: null, label: 'Live' },
    ...{ ...owner, ownerAgreement: 'No. 1', addedBy: 'test' },
  })
  return id
}

/** Saves the merchant's rules of one group: whether that is done, or waits for a second person. */
async function save(owner: Shop, changes: Record<string, string>) {
  const fields = { ...changes, reason: 'The merchant wrote to us' }
  const act = 'lateGraceHours' in changes || 'lateGraceAccountHours' in changes ? 'times' : 'differences'
  const saved = await admin!.browser.post(`/operator/merchants/${owner.merchant}/${act}`, fields)
  return saved.location?.split('?done=')[1] ?? saved.text
}
const rulesOf = async (owner: Shop) => {
  const { settings } = (await findMerchant(gateway.db, owner.merchant))!
  return [settings.underpaidPolicy, settings.underpaidToleranceCents, settings.overpaidPolicy]
}
const open = (subject: string) =>
  gateway.db.query<{ id: string }>(
    sql`select id from proposals where subject = ${subject} and state = 'open' order by proposed_at`,
  )
async function approve(subject: string) {
  const [proposal, ...more] = await open(subject)
  assert.deepEqual(more, [])
  const page = `/operator/approvals/${proposal!.id}`
  const { text } = await approver!.browser.get(page)
  assert.equal((await admin!.browser.post(`${page}/approve`, { reason: 'Mine' })).status, 409)
  const done = await approver!.browser.post(`${page}/approve`, { reason: 'Asked them' })
  return { status: done.status, text }
}

const generous = { underpaidPolicy: 'accept', underpaidTolerance: '9999999999999.99' }

test('one admin does not let a rouble confirm a live deposit of any sum', async () => {
  const { body } = await shop.create({ cents: 900_000, payment_type: 'account_number' })
  const id = body.id as string
  // A stricter rule in the same form waits with the looser ones; alone it counts at once.
  assert.equal(await save(shop, { overpaidPolicy: 'review' }), 'differences')
  assert.equal(await save(shop, generous), 'proposed')
  const [deposit] = await gateway.db.query<{ reference: string }>(
    sql`select reference from deposits where id = ${id}`,
  )
  const source = await gateway.db.transaction((tx) =>
    sourceOf(tx, { mode: 'live', kind: 'sandbox', channel: 'sandbox' }),
  )
  const rouble = () => entryTo(accountId, { cents: 100n, purpose: deposit!.reference })
  await takeTransfers(depositContextOf(gateway), [rouble()], { source })
  const stateOf = async () =>
    (await findDeposit(gateway.db, { merchantId: shop.merchant, id }))!.deposit.state
  assert.equal(await stateOf(), 'created')
  assert.deepEqual(await rulesOf(shop), ['wait', 0n, 'review'])

  const { status, text } = await approve(`merchant:${shop.merchant}`)
  assert.match(text, /Accepted shortfall[\s\S]*>0<[\s\S]*9999999999999\.99/)
  assert.equal(status, 303)
  assert.deepEqual(await rulesOf(shop), ['accept', 999_999_999_999_999n, 'review'])
  await takeTransfers(depositContextOf(gateway), [rouble()], { source })
  assert.equal(await stateOf(), 'confirmed')
})

test('stricter rules take effect at once, and so does everything of a test merchant', async () => {
  const [live, trial] = [await openShop(gateway, { mode: 'live' }), await openShop(gateway)]
  assert.equal(await save(trial, generous), 'differences')
  assert.deepEqual((await rulesOf(trial))[0], 'accept')
  assert.equal(await save(live, { latePolicy: 'review', underpaidPolicy: 'review' }), 'differences')
  assert.deepEqual(await open(`merchant:${live.merchant}`), [])
  assert.equal(await save(live, { latePolicy: 'confirm' }), 'proposed')
  // Somebody has changed the same rule since.
  await gateway.database.owner.query(
    sql`update merchants set late_policy = 'confirm' where id = ${live.merchant}`,
  )
  assert.equal((await approve(`merchant:${live.merchant}`)).status, 409)
})

test('how long late money confirms a live deposit is said by two people', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const subject = `merchant:${live.merchant}`
  const hoursOf = async () => {
    const { lateGraceHours, lateGraceAccountHours } = (await findMerchant(gateway.db, live.merchant))!
      .settings
    return [lateGraceHours, lateGraceAccountHours]
  }
  const [card, account] = await hoursOf()
  assert.ok(card! < 700 && account! < 700)
  assert.equal(await save(live, { lateGraceHours: '720' }), 'proposed')
  assert.deepEqual(await hoursOf(), [card, account])
  const { status, text } = await approve(subject)
  assert.match(text, /Late payments accepted, cards and phones, hours[\s\S]*720/)
  assert.equal(status, 303)
  assert.deepEqual(await hoursOf(), [720, account])
  assert.equal(await save(live, { lateGraceAccountHours: '720' }), 'proposed')
  assert.equal((await approve(subject)).status, 303)
  assert.equal(await save(live, { lateGraceHours: '1', lateGraceAccountHours: '1' }), 'times')

  // While late money waits for a person, the hours have no effect; who lets it confirm sees how long it counts.
  assert.equal(await save(live, { latePolicy: 'review' }), 'differences')
  assert.equal(await save(live, { lateGraceHours: '2' }), 'times')
  assert.equal(await save(live, { latePolicy: 'confirm' }), 'proposed')
  assert.equal(await save(live, { lateGraceHours: '719' }), 'times')
  assert.equal((await approve(subject)).status, 409)
  assert.deepEqual((await findMerchant(gateway.db, live.merchant))!.settings.latePolicy, 'review')
})

test('matching by amount alone on a live account needs two people', async () => {
  const id = await addLiveAccount()
  const page = `/operator/accounts/${id}`
  const set = async (matching: string) =>
    (await admin!.browser.post(`${page}/matching`, { matching, reason: 'One merchant only' })).location
  const now = async () =>
    (
      await gateway.db.query<{ is: string }>(
        sql`select amount_matching as is from receiving_accounts where id = ${id}`,
      )
    )[0]!.is
  assert.deepEqual([await set('always'), await now()], [`${page}?done=proposed`, 'by_kind'])
  assert.equal((await approve(`account:${id}`)).status, 303)
  assert.equal(await now(), 'always')
  assert.deepEqual([await set('never'), await now()], [`${page}?done=matching`, 'never'])
  assert.deepEqual([await set('by_kind'), await now()], [`${page}?done=proposed`, 'never'])
})

test('the account number of a live account needs two people', async () => {
  const id = await addLiveAccount()
  const page = `/operator/accounts/${id}`
  const set = (number: string) =>
    admin!.browser.post(`${page}/number`, { number, reason: 'From the agreement' })
  const now = async () =>
    (
      await gateway.db.query<{ number: string | null }>(
        sql`select number from receiving_accounts where id = ${id}`,
      )
    )[0]!.number
  assert.equal((await set('№')).status, 422)
  assert.equal((await set('4070 2810 3000 0000 1234')).location, `${page}?done=proposed`)
  assert.equal(await now(), null)
  const { text } = await approve(`account:${id}`)
  assert.match(text, />4070 2810 3000 0000 1234</)
  assert.equal(await now(), '40702810300000001234')
})

test('a merchant’s owner lets less money confirm with a fresh factor', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const { browser, person } = await joined(gateway, { merchantId: live.merchant, role: 'owner' })
  const page = `/console/${live.merchant}/settings`
  await gateway.database.owner.query(sql`
    update sessions set proved_at = inlet_now() - interval '1 hour' where person_id = ${person.id}`)
  const stricter = await browser.post(`${page}/differences`, { latePolicy: 'review' })
  assert.equal(stricter.location, `${page}?done=differences`, stricter.text)
  const looser = await browser.post(`${page}/differences`, { latePolicy: 'review', ...generous })
  assert.equal(looser.location, `/sign-in/again?to=${encodeURIComponent(page)}`)
  assert.equal((await rulesOf(live))[0], 'wait')
})

test('a save without a fresh factor does not loosen a rule that was made stricter while it waited', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const { browser, person } = await joined(gateway, { merchantId: live.merchant, role: 'owner' })
  const page = `/console/${live.merchant}/settings`
  const setPolicy = (underpaidPolicy: 'accept' | 'wait') => ({
    merchantId: live.merchant,
    settings: { underpaidPolicy },
  })
  await changeMerchant(gateway.db, setPolicy('accept'))
  await gateway.database.owner.query(sql`
    update sessions set proved_at = inlet_now() - interval '1 hour' where person_id = ${person.id}`)
  const saved = await during(
    gateway,
    (tx) => changeMerchant(within(tx, gateway.db), setPolicy('wait')),
    () => browser.post(`${page}/differences`, { underpaidPolicy: 'accept' }),
  )
  assert.equal(saved.location, `/sign-in/again?to=${encodeURIComponent(page)}`, saved.text)
  assert.equal((await rulesOf(live))[0], 'wait')
})
