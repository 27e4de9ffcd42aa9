/** One payment for several deposits, several payments for one, the same payment by its id, and a decision taken back. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { saveApprovalSettings } from '../../src/domain/approvals/store.ts'
import { findDeposit } from '../../src/domain/deposits/read-store.ts'
import { addAccount, addRequisite } from '../../src/domain/requisites/add-requisite.ts'
import { sourceOf } from '../../src/domain/transfers/source-store.ts'
import { takeTransfers } from '../../src/domain/transfers/take-transfers.ts'
import { sql } from '../../src/platform/db.ts'
import { accountOf, depositContextOf, entryTo, today, transferTo } from '../support/bank.ts'
import { heldDay, stateOfTransfer } from '../support/booked-day.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { misprintsOf } from '../support/staff-pages.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let worker: Worker
let accountId: string
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  worker = await joined(gateway, { operatorRole: 'operator' })
  accountId = await accountOf(gateway, await deposit(9_999_900))
  await gateway.database.owner.query(
    sql`update requisites set enabled = false where account_id <> ${accountId}`,
  )
})

const deposit = async (cents: number, of = shop): Promise<string> => {
  const { status, body } = await of.create({ cents, payment_type: 'account_number' })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}
const stateOf = async (id: string, { merchant: merchantId } = shop) =>
  (await findDeposit(gateway.db, { merchantId, id }))!.deposit.state

const pageOf = (transfer: string) => `/operator/transfers/${transfer}`

/** As at the desk: the item is assigned first, then decided. */
async function decide(transfer: string, word: string, fields: Record<string, string>, { browser } = worker) {
  await browser.post(`${pageOf(transfer)}/take`)
  return browser.post(`${pageOf(transfer)}/${word}`, { reason: 'The payer wrote to us', ...fields })
}

const lastAct = () =>
  gateway.db.one<{ act: string; subject: string; reason: string }>(
    sql`select act, subject, reason from audit_entries order by place desc limit 1`,
  )

test('a payment for two deposits is split over them, and the split can be undone', async () => {
  const [one, two] = [await deposit(100_100), await deposit(50_200)]
  const transfer = await transferTo(gateway, accountId, { cents: 150_300n })
  const done = await decide(transfer, 'split', { shares: `${one} 1001\n${two.toUpperCase()} – 502,00` })
  assert.match(done.location!, /done=split/)
  assert.deepEqual([await stateOf(one), await stateOf(two)], ['confirmed', 'confirmed'])
  assert.deepEqual(await lastAct(), {
    act: 'transfer_split',
    subject: `transfer:${transfer}`,
    reason: 'The payer wrote to us',
  })
  const page = (await worker.browser.get(pageOf(transfer))).text
  assert.match(page, /"money">1,001\.00 [\s\S]*"money">502\.00 /)
  assert.deepEqual(misprintsOf(page), [])

  const undone = await decide(transfer, 'undo', {})
  assert.match(undone.location!, /done=undo/)
  assert.deepEqual(
    [await stateOfTransfer(gateway, transfer), await stateOf(one), await stateOf(two)],
    ['unmatched', 'reversed', 'reversed'],
  )
  assert.equal((await decide(transfer, 'undo', {})).status, 409, 'an undone decision is undone once')
})

test('a split that is refused changes nothing, and the form keeps what was typed', async () => {
  const [one, two] = [await deposit(100_500), await deposit(50_600)]
  const other = await openShop(gateway)
  const foreign = await deposit(50_700, other)
  const transfer = await transferTo(gateway, accountId, { cents: 151_100n })
  for (const [shares, status, sentence] of [
    [`${one} 1005`, 422, /add up/],
    [`${one} 1005\n${two} 505`, 422, /add up/],
    [`${one} 1005\n${one} 506`, 422, /add up/],
    [`${one} 1511\n${two} 0`, 422, /add up/],
    [`${one} a lot`, 422, /line per deposit/],
    [`${one} 1005\n${foreign} 506`, 422, /one merchant/],
  ] as const) {
    const refused = await decide(transfer, 'split', { shares, reason: 'What was typed' })
    assert.deepEqual([shares, refused.status], [shares, status])
    assert.match(refused.text, sentence)
    assert.ok(refused.text.includes(`>${shares}</textarea>`), 'the shares are typed again')
    assert.match(refused.text, /value="What was typed"/)
  }
  assert.equal(await stateOfTransfer(gateway, transfer), 'unmatched')
})

test('several payments go to one deposit, all of them or none', async () => {
  const wanted = await deposit(90_000)
  const parts = [30_001n, 29_999n, 30_000n]
  const transfers: string[] = []
  for (const cents of parts) transfers.push(await transferTo(gateway, accountId, { cents }))
  const [first = '', ...others] = transfers
  const gone = await decide(first, 'several', { deposit: wanted, others: `${others.join(' ')} ${wanted}` })
  assert.equal(gone.status, 404)
  assert.equal(await stateOf(wanted), 'created')
  const done = await decide(first, 'several', { deposit: wanted, others: others.join(', ') })
  assert.match(done.location!, /done=several/)
  assert.equal(await stateOf(wanted), 'confirmed')
  assert.equal((await lastAct()).act, 'transfer_match_several')
  for (const transfer of transfers) assert.equal(await stateOfTransfer(gateway, transfer), 'matched')
})

test('a payment that a colleague works on is not given away together with others', async () => {
  const wanted = await deposit(91_000)
  const colleague = await joined(gateway, { operatorRole: 'operator' })
  const [mine, theirs] = [
    await transferTo(gateway, accountId, { cents: 45_501n }),
    await transferTo(gateway, accountId, { cents: 45_502n }),
  ]
  await colleague.browser.post(`${pageOf(theirs)}/take`)
  const refused = await decide(mine, 'several', { deposit: wanted, others: theirs })
  assert.deepEqual([refused.status, await stateOf(wanted)], [409, 'created'])
})

test('a payment is the same as another one that nobody suspected', async () => {
  const cents = 77_100n
  const [first, second] = [
    await transferTo(gateway, accountId, { cents }),
    await transferTo(gateway, accountId, { cents }),
  ]
  const done = await decide(second, 'same', { of: first })
  assert.match(done.location!, /done=same/)
  assert.equal(await stateOfTransfer(gateway, second), 'duplicate')
  await decide(second, 'undo', {})
  assert.equal(await stateOfTransfer(gateway, second), 'unmatched')
})

test('"a payment of its own" can be undone: what the matcher gave it since is taken back', async () => {
  const cents = 61_300n
  const wanted = await deposit(Number(cents))
  const { reference } = await gateway.db.one<{ reference: string }>(
    sql`select reference from deposits where id = ${wanted}`,
  )
  const { held } = await heldDay(gateway, accountId, [cents], {
    day: today(),
    purpose: `Оплата ${reference}`,
  })
  await decide(held[0]!, 'genuine', {})
  assert.deepEqual(
    [await stateOfTransfer(gateway, held[0]!), await stateOf(wanted)],
    ['matched', 'confirmed'],
  )
  const undone = await decide(held[0]!, 'undo', {})
  assert.match(undone.location!, /done=undo/)
  assert.deepEqual([await stateOfTransfer(gateway, held[0]!), await stateOf(wanted)], ['held', 'reversed'])
})

test('one that was called the same payment, and then not, is the same again when that is undone', async () => {
  const cents = 77_900n
  const [first, second] = [
    await transferTo(gateway, accountId, { cents }),
    await transferTo(gateway, accountId, { cents }),
  ]
  await decide(second, 'same', { of: first })
  await decide(second, 'genuine', {})
  assert.equal(await stateOfTransfer(gateway, second), 'unmatched')
  await decide(second, 'undo', {})
  const { duplicate_of } = await gateway.db.one<{ duplicate_of: string }>(
    sql`select duplicate_of from transfers where id = ${second}`,
  )
  assert.deepEqual([await stateOfTransfer(gateway, second), duplicate_of], ['duplicate', first])
})

test('what the bank took back is undone from the page of the payment', async () => {
  const paid = await deposit(88_800)
  const transfer = await transferTo(gateway, accountId, { cents: 88_800n })
  await decide(transfer, 'match', { deposit: paid })
  assert.equal(await stateOf(paid), 'confirmed')
  const done = await decide(transfer, 'revoke', {})
  assert.match(done.location!, /done=revoke/)
  assert.deepEqual([await stateOfTransfer(gateway, transfer), await stateOf(paid)], ['revoked', 'reversed'])
  assert.equal((await decide(transfer, 'undo', {})).status, 409)
})

test('above the sum of one person a split and several payments wait for a second one', async () => {
  const account = await addAccount(gateway.db, {
    ...{ mode: 'live', currency: 'RUB', merchantId: null, label: 'Live' },
    ...{ ownerLegalName: 'ООО "Пример"', ownerPublicName: 'Пример', ownerTaxId: '7700000009' },
    ...{ ownerAgreement: 'No. 1', addedBy: 'test' },
  })
  const limits = { minCents: null, maxCents: null, dailyCents: null, openDeposits: null }
  const draft = { kind: 'card', number: '2200000000000004', holder: 'TEST', bankName: 'Test' } as const
  await addRequisite(gateway.db, { accountId: account.id, draft, bankCode: null, limits, confirmed: true })
  const above = { isSingleOperator: false, secondPersonAbove: { RUB: '100000' } }
  await gateway.db.transaction((tx) => saveApprovalSettings(tx, above))
  const approver = await joined(gateway, { operatorRole: 'approver' })
  const live = await openShop(gateway, { mode: 'live' })
  const card = async (cents: number) =>
    (await live.create({ cents, payment_type: 'any_bank' })).body.id as string
  const liveTransfer = async (cents: bigint) => {
    const source = await gateway.db.transaction((tx) =>
      sourceOf(tx, { mode: 'live', kind: 'hand', channel: 'hand' }),
    )
    const entry = entryTo(account.id, { cents, channel: 'hand' })
    await takeTransfers(depositContextOf(gateway), [entry], { source })
    return (
      await gateway.db.one<{ id: string }>(sql`select id from transfers where bank_id = ${entry.bankId}`)
    ).id
  }
  const [one, two, three] = [await card(60_000), await card(70_000), await card(120_000)]
  const whole = await liveTransfer(130_000n)
  const parts = [await liveTransfer(60_001n), await liveTransfer(59_999n)]
  for (const [transfer, word, fields, kind, deposits] of [
    [whole, 'split', { shares: `${one} 600\n${two} 700` }, 'transfer.split', [one, two]],
    [parts[0]!, 'several', { deposit: three, others: parts[1]! }, 'transfer.several', [three]],
  ] as const) {
    const asked = await decide(transfer, word, fields)
    assert.match(asked.location!, /done=proposed/, kind)
    for (const id of deposits) assert.equal(await stateOf(id, live), 'created', kind)
    const proposal = await gateway.db.one<{ id: string }>(sql`select id from proposals where kind = ${kind}`)
    const page = `/operator/approvals/${proposal.id}`
    const { text } = await approver.browser.get(page)
    for (const id of kind === 'transfer.split' ? deposits : parts) assert.match(text, new RegExp(id), kind)
    assert.deepEqual(misprintsOf(text), [])
    assert.equal((await worker.browser.post(`${page}/approve`, { reason: 'Yes' })).status, 403)
    assert.equal((await approver.browser.post(`${page}/approve`, { reason: 'I called' })).status, 303)
    for (const id of deposits) assert.equal(await stateOf(id, live), 'confirmed', kind)
  }
})

test('a request to split is void once something else was decided about the payment', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const approver = await joined(gateway, { operatorRole: 'approver' })
  const card = async (cents: number) =>
    (await live.create({ cents, payment_type: 'any_bank' })).body.id as string
  const [one, two] = [await card(80_000), await card(81_000)]
  const { account_id } = await gateway.db.one<{ account_id: string }>(
    sql`select account_id from deposits where id = ${one}`,
  )
  const source = await gateway.db.transaction((tx) =>
    sourceOf(tx, { mode: 'live', kind: 'hand', channel: 'hand' }),
  )
  const entry = entryTo(account_id, { cents: 161_000n, channel: 'hand' })
  await takeTransfers(depositContextOf(gateway), [entry], { source })
  const { id } = await gateway.db.one<{ id: string }>(
    sql`select id from transfers where bank_id = ${entry.bankId}`,
  )
  await decide(id, 'split', { shares: `${one} 800\n${two} 810` })
  await decide(id, 'set-aside', {})
  const proposal = await gateway.db.one<{ id: string }>(
    sql`select id from proposals where kind = 'transfer.split' and subject = ${`transfer:${id}`}`,
  )
  const page = `/operator/approvals/${proposal.id}/approve`
  assert.equal((await approver.browser.post(page, { reason: 'Yes' })).status, 409)
  assert.equal(await stateOf(one, live), 'created')
})
