/** One admin alone cannot get around the second person: not by the settings, not by new people, not by resets. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findPersonByEmail } from '../../src/people/store.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

type Worker = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let admin: Worker
let approver: Worker
let operator: Worker
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  admin = await joined(gateway, { operatorRole: 'admin' })
  approver = await joined(gateway, { operatorRole: 'approver' })
  operator = await joined(gateway, { operatorRole: 'operator' })
})

let amount = 500_000
/** A confirmation by hand that waits for a second person. */
async function confirmationAsked({ browser }: Worker): Promise<string> {
  const { body } = await shop.create({ cents: ++amount })
  const page = `/operator/deposits/${body.id}`
  await browser.post(`${page}/take`)
  await browser.post(`${page}/confirm`, { reason: 'Seen at the bank' })
  return openProposal(`deposit:${body.id}`)
}
async function openProposal(subject: string): Promise<string> {
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from proposals where subject = ${subject} and state = 'open' order by proposed_at desc limit 1`,
  )
  assert.ok(row, `nothing open about ${subject}`)
  return row.id
}
const approve = (who: Worker, id: string) =>
  who.browser.post(`/operator/approvals/${id}/approve`, { reason: 'I looked' })
const saveSettings = (fields: Record<string, string>) =>
  admin.browser.post('/operator/settings/save', { reason: 'As decided', ...fields })
const roleOf = async (email: string) => (await findPersonByEmail(gateway.db, email))?.operatorRole ?? null

test('an admin cannot switch to one operator, approve their own proposal, and switch back', async () => {
  const proposal = await confirmationAsked(admin)
  await saveSettings({ single: 'on' })
  const approved = await approve(admin, proposal)
  await saveSettings({})
  assert.equal(approved.status, 409)
  assert.match(approved.text, /a second person does/)
})

test('an admin cannot raise the sum that one person may confirm', async () => {
  await saveSettings({ 'above-RUB': '1000000.00' })
  const { body } = await shop.create({ cents: ++amount })
  const page = `/operator/deposits/${body.id}`
  await admin.browser.post(`${page}/take`)
  const confirmed = await admin.browser.post(`${page}/confirm`, { reason: 'Seen' })
  assert.equal(confirmed.location, `${page}?notice=proposed`)
})

test('an admin cannot invite an approver alone, and sees no link', async () => {
  const puppet = { email: 'puppet@example.com', name: 'Puppet', role: 'approver', reason: 'More hands' }
  const invited = await admin.browser.post('/operator/people/invite', puppet)
  assert.doesNotMatch(invited.text, /\/join\//)
  assert.equal(await roleOf(puppet.email), null)
})

test('an admin cannot give a person more rights alone', async () => {
  await admin.browser.post('/operator/people/role', {
    email: operator.email,
    role: 'approver',
    reason: 'More hands',
  })
  assert.equal(await roleOf(operator.email), 'operator')
})

test('an admin cannot begin an approver’s access anew alone, and sees no link', async () => {
  const reset = await admin.browser.post('/operator/people/reset', {
    email: approver.email,
    reason: 'Lost the phone',
  })
  assert.doesNotMatch(reset.text, /\/join\//)
})

test('an admin cannot switch a disabled person of the desk on again alone', async () => {
  const away = await joined(gateway, { operatorRole: 'approver' })
  await admin.browser.post('/operator/people/disable', { email: away.email })
  await admin.browser.post('/operator/people/enable', { email: away.email, reason: 'Back from leave' })
  assert.notEqual((await findPersonByEmail(gateway.db, away.email))!.disabledAt, null)
})
