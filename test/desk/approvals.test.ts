/** What needs a second person, what nobody can approve alone, and emergency stops, which need no approval. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readAlarms } from '../../src/domain/alarms/store.ts'
import { type SettingValues, setApprovalSettings } from '../../src/domain/approvals/change-settings.ts'
import { listOpenProposals, listOpenProposalsOf } from '../../src/domain/approvals/store.ts'
import { readTimeline } from '../../src/domain/deposits/read-store.ts'
import { Message } from '../../src/domain/messages/message.ts'
import { changeAccountNumber } from '../../src/domain/requisites/add-requisite.ts'
import { revokeByHand } from '../../src/domain/transfers/decide-transfer.ts'
import { sql } from '../../src/platform/db.ts'
import { depositContextOf, paymentOf, transferTo } from '../support/bank.ts'
import { openShop, type Shop, shopOf, startGateway, type TestGateway } from '../support/gateway.ts'
import { actAs, askAs, decideAs, officeContextOf } from '../support/office.ts'
import { joined } from '../support/person.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let operator: Worker
let approver: Worker
let admin: Worker
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  operator = await joined(gateway, { operatorRole: 'operator' })
  approver = await joined(gateway, { operatorRole: 'approver' })
  admin = await joined(gateway, { operatorRole: 'admin' })
})

const stateOf = async (id: string) => (await readTimeline(gateway.db, id))!.deposit.state
const openProposal = async (subject: string) => {
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from proposals where subject = ${subject} and state = 'open' order by proposed_at desc limit 1`,
  )
  return row!.id
}
const lastLine = async (subject: string) => {
  const [row] = await gateway.db.query<{ act: string; actor: string; after: string }>(
    sql`select act, actor, after from audit_entries where subject = ${subject} order by place desc limit 1`,
  )
  return row!
}

let amount = 500_000
async function proposedConfirmation({ browser }: Worker) {
  const { body } = await shop.create({ cents: ++amount })
  const page = `/operator/deposits/${body.id}`
  await browser.post(`${page}/take`)
  const confirmed = await browser.post(`${page}/confirm`, { reason: 'Seen at the bank' })
  assert.equal(confirmed.location, `${page}?done=proposed`)
  assert.equal(await stateOf(body.id), 'created')
  return { depositId: body.id as string, proposal: await openProposal(`deposit:${body.id}`) }
}

/** Sets them as the command line does: at the desk looser settings take two people. */
const settings = (values: SettingValues) => setApprovalSettings(gateway.db, values)

test('a confirmation above the limit of one person takes effect when a second person approves it', async () => {
  await settings({ RUB: '100000' })
  const { depositId, proposal } = await proposedConfirmation(operator)
  const page = `/operator/approvals/${proposal}`
  assert.match((await approver.browser.get(page)).text, /Seen at the bank/)
  assert.equal((await operator.browser.post(`${page}/approve`, { reason: 'Me too' })).status, 403)
  const approved = await approver.browser.post(`${page}/approve`, { reason: 'I saw it too' })
  assert.deepEqual([approved.status, approved.location], [303, `${page}?done=approve`])
  assert.equal(await stateOf(depositId), 'confirmed')
  const { history } = (await readTimeline(gateway.db, depositId))!
  assert.deepEqual(
    [history.at(-1)!.actor, (history.at(-1)!.evidence as { proposed_by: string }).proposed_by],
    [`operator:${approver.email}`, operator.person.name],
  )
  const line = await lastLine(`deposit:${depositId}`)
  assert.deepEqual([line.act, line.actor], ['approve_deposit_confirm', approver.email])
  const again = await approver.browser.post(`${page}/approve`, { reason: 'Once more' })
  assert.equal(again.status, 409)
})

test('up to the limit of one person, one person suffices', async () => {
  await settings({ RUB: '100000000' })
  const { body } = await shop.create({ cents: ++amount })
  await operator.browser.post(`/operator/deposits/${body.id}/take`)
  await operator.browser.post(`/operator/deposits/${body.id}/confirm`, { reason: 'Seen' })
  assert.equal(await stateOf(body.id), 'confirmed')
  await settings({ RUB: '100000' })
})

test('the proposer cannot approve: neither at the desk, nor by the function, nor in the database', async () => {
  const { depositId, proposal } = await proposedConfirmation(approver)
  const page = `/operator/approvals/${proposal}`
  const { text: waiting } = await approver.browser.get(page)
  assert.match(waiting, /a second person must approve it/)
  assert.doesNotMatch(waiting, /Nobody else can approve/)
  const own = await approver.browser.post(`${page}/approve`, { reason: 'I trust myself' })
  assert.equal(own.status, 409)
  assert.match(own.text, /cannot approve it/)
  await assert.rejects(decideAs(officeContextOf(gateway), approver, proposal), { code: 'state_conflict' })
  await assert.rejects(
    gateway.database.owner.query(sql`
      update proposals
      set state = 'approved', decided_by = proposed_by, decided_at = inlet_now()
      where id = ${proposal}`),
    { constraint: 'proposal_second_person' },
  )
  assert.equal(await stateOf(depositId), 'created')
  // There cannot be two open proposals of the same change, and only the proposer may withdraw one.
  await approver.browser.post(`/operator/deposits/${depositId}/take`)
  const twice = await approver.browser.post(`/operator/deposits/${depositId}/confirm`, { reason: 'Again' })
  assert.equal(twice.status, 409)
  assert.match(twice.text, /waiting for a decision/)
  assert.equal((await admin.browser.post(`${page}/withdraw`, { reason: 'Not mine' })).status, 409)
  assert.equal((await approver.browser.post(`${page}/withdraw`, { reason: 'Mine' })).status, 303)
})

test('in single-operator mode one person approves alone, and the audit log says so', async () => {
  await settings({ single: 'on' })
  const { depositId, proposal } = await proposedConfirmation(admin)
  const approved = await admin.browser.post(`/operator/approvals/${proposal}/approve`, {
    reason: 'Alone here',
  })
  assert.equal(approved.location, `/operator/approvals/${proposal}?done=approve`)
  assert.equal(await stateOf(depositId), 'confirmed')
  assert.equal(JSON.parse((await lastLine(`deposit:${depositId}`)).after).single_operator, true)
  const stricter = { rub: '1000.00', reason: 'There are more of us' }
  assert.equal((await admin.browser.post('/operator/settings/approvals', stricter)).status, 303)
  const line = await lastLine('installation')
  assert.deepEqual([line.act, line.actor], ['settings_change', admin.email])
})

test('a proposal whose change is no longer possible stays open', async () => {
  const { depositId, proposal } = await proposedConfirmation(operator)
  await operator.browser.post(`/operator/deposits/${depositId}/take`)
  await operator.browser.post(`/operator/deposits/${depositId}/reject`, { reason: 'Too late' })
  const approved = await approver.browser.post(`/operator/approvals/${proposal}/approve`, { reason: 'Yes' })
  assert.equal(approved.status, 409)
  assert.equal(await openProposal(`deposit:${depositId}`), proposal)
  await approver.browser.post(`/operator/approvals/${proposal}/refuse`, { reason: 'It is over' })
})

test('a proposal to confirm cannot be approved if the money has changed since', async () => {
  const context = depositContextOf(gateway)
  const approve = (id: string) =>
    approver.browser.post(`/operator/approvals/${id}/approve`, { reason: 'I saw it too' })
  const by = { actor: 'bank:test', reason: 'The bank took it back' }
  const paid = async () => {
    const { body } = await shop.create({ payment_type: 'account_number', cents: ++amount })
    const { deposit } = (await readTimeline(gateway.db, body.id))!
    const { cents, ...facts } = await paymentOf(gateway, deposit)
    return {
      depositId: deposit.id,
      transferId: await transferTo(gateway, facts.accountId, { ...facts, cents: cents - 1n }),
    }
  }
  const { depositId, transferId } = await paid()
  const page = `/operator/deposits/${depositId}`
  await operator.browser.post(`${page}/take`)
  await operator.browser.post(`${page}/confirm`, { reason: 'One kopeck is missing' })
  await revokeByHand(context, { ...by, transferId })
  const confirmed = await approve(await openProposal(`deposit:${depositId}`))
  assert.deepEqual([confirmed.status, await stateOf(depositId)], [409, 'created'])
  assert.match(confirmed.text, /has changed since/)
})

const addAccount = async (mode: 'test' | 'live') => {
  const added = await admin.browser.post('/operator/accounts/add', {
    ...{ mode, currency: 'TJS', label: 'New account' },
    ...{ owner: 'Owner', taxId: '123456789', agreement: 'No. 7' },
  })
  assert.equal(added.status, 303, added.text)
  return /accounts\/([0-9a-f-]{36})/.exec(added.location!)![1]!
}

test('a new requisite is not used until a second person has approved it', async () => {
  const account = await addAccount('test')
  const draft = {
    ...{ account, kind: 'card', number: '5058270000000004' },
    ...{ holder: 'NEW HOLDER', bankName: 'New Bank', reason: 'More room' },
  }
  const add = (fields: Record<string, string>) =>
    operator.browser.post('/operator/requisites/add', { ...draft, ...fields })
  assert.equal((await add({ number: '12' })).status, 422)
  assert.equal((await add({ confirmed: 'on', min: '2000', max: '1000' })).status, 422)
  const proposed = await add({ confirmed: 'on' })
  assert.equal(proposed.location, '/operator/requisites?done=proposed', proposed.text)
  const requisites = () =>
    gateway.db.query<{ id: string; enabled: boolean }>(
      sql`select id, enabled from requisites where account_id = ${account}`,
    )
  assert.deepEqual(await requisites(), [])
  const { id } = (await listOpenProposals(gateway.db, 200)).find(({ kind }) => `${kind}` === 'requisite.add')!
  const { text } = await approver.browser.get(`/operator/approvals/${id}`)
  assert.ok(text.includes('5058 2700 0000 0004'), text)
  assert.match(text, /New account · TJS/)
  await approver.browser.post(`/operator/approvals/${id}/approve`, { reason: 'Checked with the bank' })
  const [requisite] = await requisites()
  assert.equal(requisite!.enabled, true)
  // The audit log does not contain the full number.
  const line = await lastLine(`requisite:${requisite!.id}`)
  assert.deepEqual([line.act, line.actor], ['approve_requisite_add', approver.email])
  assert.match(line.after, /0004/)
  const lines = await gateway.db.query(
    sql`select place from audit_entries where before like '%5058270000000004%' or after like '%5058270000000004%'`,
  )
  assert.deepEqual(lines, [])

  // One person switches it off; switching it on again takes two.
  const page = `/operator/requisites/${requisite!.id}`
  assert.equal((await operator.browser.post(`${page}/stop`)).location, `${page}?done=stop`)
  assert.equal((await requisites())[0]!.enabled, false)
  assert.equal((await lastLine(`requisite:${requisite!.id}`)).act, 'emergency_stop')
  const asked = await operator.browser.post(`${page}/on`, { reason: 'All is well' })
  assert.equal(asked.location, `${page}?done=proposed`)
  assert.equal((await requisites())[0]!.enabled, false)
  const on = await openProposal(`requisite:${requisite!.id}`)
  await approver.browser.post(`/operator/approvals/${on}/approve`, { reason: 'It is' })
  assert.equal((await requisites())[0]!.enabled, true)
})

test('requests and audit entries show the name of their subject, not its id', async () => {
  const [place] = await gateway.db.query<{ id: string; account: string; label: string; tail: string }>(sql`
    select r.id, a.id as account, a.label, right(r.number, 4) as tail
    from requisites r
    join receiving_accounts a on a.id = r.account_id
    where r.mode = 'test' and r.kind = 'card'
    limit 1`)
  const { id, account, label, tail } = place!
  const _by = { personId: operator.person.id, email: operator.email, requestId: null }
  const reason = 'The agreement'
  const proposals: string[] = []
  for (const [kind, row] of [
    ['requisite', id],
    ['account', account],
  ] as const) {
    await actAs(officeContextOf(gateway), operator, `${kind}.stop`, row)
    proposals.push(await askAs(officeContextOf(gateway), operator, `${kind}.on`, row))
  }
  const named = [`•••• ${tail}, `, `<bdi>${label}</bdi>`]
  for (const [place, expected] of named.entries()) {
    const own = (await admin.browser.get(`/operator/approvals/${proposals[place]}`)).text
    assert.ok(own.includes(expected), `${expected}: ${own}`)
    assert.ok((await admin.browser.get('/operator/approvals')).text.includes(expected), expected)
  }
  const log = (await admin.browser.get('/operator/audit')).text
  for (const name of named) assert.ok(log.includes(name), name)
  for (const proposal of proposals)
    await operator.browser.post(`/operator/approvals/${proposal}/withdraw`, { reason })
  await gateway.database.owner.script(
    'update requisites set enabled = true; update receiving_accounts set enabled = true',
  )
  const decided = (await admin.browser.get('/operator/approvals')).text
  for (const expected of named) assert.ok(decided.includes(expected), expected)
})

test('a stop takes effect for the very next request: requisite, account, payment type, merchant', async () => {
  const create = async (payment_type: string) => {
    const { status, body } = await shop.create({ payment_type, cents: ++amount, currency: 'RUB' })
    return [status, body.code]
  }
  // All account requisites in RUB are on one account; cards still work.
  const [place] = await gateway.db.query<{ account_id: string; id: string }>(sql`
    select account_id, id from requisites where currency = 'RUB' and kind like 'account%' and mode = 'test'`)
  assert.deepEqual(await create('account_number'), [201, undefined])
  await operator.browser.post(`/operator/accounts/${place!.account_id}/stop`)
  assert.deepEqual(await create('account_number'), [503, 'no_requisite_available'])
  assert.deepEqual(await create('any_bank'), [201, undefined])

  await operator.browser.post('/operator/payment-types/any_bank/stop')
  assert.deepEqual(await create('any_bank'), [422, 'payment_type_not_supported'])
  assert.deepEqual(await create('sbp'), [201, undefined])
  assert.equal((await operator.browser.post('/operator/payment-types/any_bank/start')).status, 403)
  await admin.browser.post('/operator/payment-types/any_bank/start')
  assert.deepEqual(await create('any_bank'), [201, undefined])

  await operator.browser.post(`/operator/merchants/${shop.merchant}/stop`)
  assert.deepEqual(await create('any_bank'), [403, 'merchant_disabled'])
  assert.equal((await lastLine(`merchant:${shop.merchant}`)).act, 'emergency_stop')
  await admin.browser.post(`/operator/merchants/${shop.merchant}/start`)
  assert.deepEqual(await create('any_bank'), [201, undefined])
})

test('another process learns of a stop within a second', async () => {
  const beside = await startGateway({ beside: gateway, environment: { INLET_ROLES: 'api' } })
  const there = shopOf(beside, shop.merchant, shop.keyId, shop.secret)
  assert.equal((await there.create({ payment_type: 'any_bank', cents: ++amount })).status, 201)
  await operator.browser.post(`/operator/merchants/${shop.merchant}/stop`)
  await new Promise((resolve) => setTimeout(resolve, 1_050))
  const { status, body } = await there.create({ payment_type: 'any_bank', cents: ++amount })
  assert.deepEqual([status, body.code], [403, 'merchant_disabled'])
  await admin.browser.post(`/operator/merchants/${shop.merchant}/start`)
})

test('a bank that pushes real money is added, allowed more and switched on by two people', async () => {
  const numbers = ['20206972000000000101', '20206972000000000102'] as const
  const accounts = []
  for (const statementNumber of numbers) {
    const id = await addAccount('live')
    await changeAccountNumber(gateway.db, id, statementNumber)
    accounts.push(id)
  }
  const why = { reason: 'The agreement with the bank' }
  const sources = () =>
    gateway.db.query<{ id: string; enabled: boolean; networks: string[]; accounts: string[] }>(sql`
      select s.id, s.enabled, s.networks::text[] as networks,
        array(select id::text from unnest(s.account_ids) id order by 1) as accounts
      from bank_sources s
      where s.mode = 'live'`)
  const bank = { name: 'Bank', account: accounts[0]!, networks: '203.0.113.0/24', ...why }

  const added = await admin.browser.post('/operator/sources/add', bank)
  assert.deepEqual([added.location, await sources()], ['/operator/sources?done=proposed', []])
  const open = await listOpenProposals(gateway.db, 200)
  const { id: add } = open.find(({ kind }) => `${kind}` === 'source.add')!
  const { text: asksFor } = await approver.browser.get(`/operator/approvals/${add}`)
  assert.match(asksFor, /203\.0\.113\.0\/24/)
  assert.match(asksFor, /Account<\/th>.*>New account · TJS · •••• 0101</)
  assert.equal((await admin.browser.post(`/operator/approvals/${add}/approve`, why)).status, 409)
  const approved = await approver.browser.post(`/operator/approvals/${add}/approve`, why)
  assert.match(approved.text, /bank_[\w-]{43}/)
  const [source] = await sources()
  assert.deepEqual(source!.accounts, [accounts[0]])

  const page = `/operator/sources/${source!.id}`
  const readSource = async (read: (found: typeof source) => unknown) => read((await sources())[0])
  const asked = async (act: string, fields: Record<string, string> = {}) => {
    const { location, text } = await admin.browser.post(`${page}/${act}`, { ...why, ...fields })
    assert.equal(location, `${page}?done=proposed`, text)
    return openProposal(`source:${source!.id}`)
  }
  const approve = async (id: string) =>
    (await approver.browser.post(`/operator/approvals/${id}/approve`, why)).status

  const allow = await asked('allow', { account: accounts[1]! })
  assert.equal(await readSource((found) => found!.accounts.length), 1)
  assert.equal(await approve(allow), 303)
  assert.deepEqual(await readSource((found) => found!.accounts), accounts.toSorted())

  const anywhere = await asked('networks', { networks: '' })
  assert.deepEqual(await readSource((found) => found!.networks), ['203.0.113.0/24'])
  assert.equal(await approve(anywhere), 303)
  assert.deepEqual(await readSource((found) => found!.networks), [])

  // A stricter change takes effect immediately, and makes earlier proposals void.
  const tighten = (act: string, fields: Record<string, string> = {}) =>
    admin.browser.post(`${page}/${act}`, { ...why, ...fields })
  assert.equal((await tighten('networks', { networks: '203.0.113.0/24 198.51.100.7' })).status, 303)
  const more = await asked('networks', { networks: '203.0.113.0/24 192.0.2.0/24' })
  assert.equal((await tighten('networks', { networks: '203.0.113.0/24' })).status, 303)
  assert.deepEqual(await readSource((found) => found!.networks), ['203.0.113.0/24'])
  assert.equal(await approve(more), 409)
  assert.equal((await tighten('withdraw', { account: accounts[1]! })).status, 303)
  assert.deepEqual(await readSource((found) => found!.accounts), [accounts[0]])
  assert.equal((await tighten('disable')).status, 303)
  const on = await asked('enable')
  assert.equal(await readSource((found) => found!.enabled), false)
  assert.equal(await approve(on), 303)
  assert.equal(await readSource((found) => found!.enabled), true)

  const alarms = JSON.stringify(await readAlarms(gateway.db))
  for (const act of ['source_add', 'source_account_add', 'source_networks', 'source_enable'])
    for (const word of ['propose', 'approve']) assert.match(alarms, new RegExp(`${word}_${act}, entry`))
})

test('every list of requests reads a reason that Inlet gave as a message, which can be shown in each language', async () => {
  const { merchant } = await openShop(gateway, { mode: 'live' })
  const owner = await joined(gateway, { merchantId: merchant, role: 'owner' })
  const context = { ...officeContextOf(gateway), merchantId: merchant }
  const id = await askAs(
    context,
    owner,
    'shop.callback',
    merchant,
    { address: 'https://shop.example/new' },
    '',
  )
  const lists = [
    await listOpenProposals(gateway.db, 200),
    await listOpenProposalsOf(gateway.db, `merchant:${merchant}`),
  ]
  for (const list of lists) {
    const proposal = list.find((one) => one.id === id)!
    assert.ok(proposal.reason instanceof Message)
    assert.equal(proposal.reason.code, 'asked_for_in_merchant_console')
  }
})
