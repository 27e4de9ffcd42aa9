/** A proposal is not carried out once its author has lost the right to make it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findMerchant } from '../../src/domain/merchants/store.ts'
import { endMember, inviteMember } from '../../src/domain/people/change-members.ts'
import { changeOperatorRole, disablePerson } from '../../src/domain/people/change-person.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

type Someone = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let live: Shop
let owner: Someone
let approver: Someone
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  live = await openShop(gateway, { mode: 'live' })
  owner = await joined(gateway, { merchantId: live.merchant, role: 'owner' })
  approver = await joined(gateway, { operatorRole: 'approver' })
})

const byTest = { personId: null, name: 'test', requestId: null }

async function openProposal(subject: string): Promise<string> {
  const [row] = await gateway.db.query<{ id: string }>(
    sql`select id from proposals where subject = ${subject} and state = 'open'`,
  )
  assert.ok(row, `nothing open about ${subject}`)
  return row.id
}

async function assertVoid(id: string) {
  const approved = await approver.browser.post(`/operator/approvals/${id}/approve`, { reason: 'I looked' })
  assert.equal(approved.status, 409)
  assert.match(approved.text, /no longer has the right to/)
  const refused = await approver.browser.post(`/operator/approvals/${id}/refuse`, { reason: 'They left' })
  assert.equal(refused.status, 303)
}

async function addressAsked({ browser }: Someone): Promise<string> {
  const page = `/console/${live.merchant}/settings/callback`
  assert.equal((await browser.post(page, { address: 'https://thief.example/' })).status, 303)
  return openProposal(`merchant:${live.merchant}`)
}

test('a callback address is not changed by a proposal whose author has left, may only view, or is disabled', async () => {
  const { merchant: merchantId } = live
  for (const removeRight of [
    (email: string) => gateway.db.transaction((tx) => endMember(tx, { merchantId, email, actor: byTest })),
    (email: string) =>
      inviteMember(gateway.db, { merchantId, email, name: 'Thief', role: 'viewer', actor: byTest }),
    (email: string) => disablePerson(gateway.db, email, true, byTest),
  ]) {
    const thief = await joined(gateway, { merchantId, role: 'developer' })
    const id = await addressAsked(thief)
    await removeRight(thief.email)
    await assertVoid(id)
    assert.notEqual((await findMerchant(gateway.db, merchantId))!.callbackUrl, 'https://thief.example/')
  }
  const id = await addressAsked(owner)
  const approved = await approver.browser.post(`/operator/approvals/${id}/approve`, { reason: 'I looked' })
  assert.equal(approved.status, 303, 'whoever is still there is heard')
})

test('nobody is invited to the desk by the proposal of a former admin', async () => {
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const fields = { email: 'puppet@example.com', name: 'Puppet', role: 'admin', reason: 'A colleague' }
  await admin.browser.post('/operator/people/invite', fields)
  const [puppet] = await gateway.db.query<{ id: string }>(
    sql`select id from people where email = ${fields.email}`,
  )
  const id = await openProposal(`person:${puppet!.id}`)
  await gateway.db.transaction((tx) => changeOperatorRole(tx, admin.email, 'operator', byTest))
  await assertVoid(id)
})
