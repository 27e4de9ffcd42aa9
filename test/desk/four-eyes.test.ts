/** One admin alone cannot get around the second person: not by the settings, not by new people, not by resets. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readAlarms } from '../../src/domain/alarms/store.ts'
import { setApprovalSettings } from '../../src/domain/approvals/change-settings.ts'
import { readApprovalSettings } from '../../src/domain/approvals/store.ts'
import { findMerchant } from '../../src/domain/merchants/store.ts'
import type { OperatorRole } from '../../src/domain/people/person.ts'
import { findPersonByEmail, saveMembership } from '../../src/domain/people/store.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { changePerson } from '../support/office.ts'
import { accessFor } from '../support/permissions.ts'
import { joined, PersonsBrowser, password, setUpCodes } from '../support/person.ts'

type Worker = Pick<Awaited<ReturnType<typeof joined>>, 'email' | 'browser'>

let gateway: TestGateway
let shop: Shop
/** The only person of the desk at first. */
let admin: Worker
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  admin = await joined(gateway, { operatorRole: 'admin' })
  // As "inlet demo remove" leaves the demo's operator: nobody who could ever have decided about real money.
  const demo = await joined(gateway, { operatorRole: 'admin' })
  await gateway.database.owner.query(sql`
    update people set is_demo = true, disabled_at = inlet_now() where id = ${demo.person.id}`)
})

let hours = 0
/** Everybody who is signed in stays so, with a factor just shown. */
async function pass(interval: number): Promise<void> {
  hours += interval
  await gateway.database.shiftClock(`${hours} hours`)
  await gateway.database.owner.script(`
    update sessions
    set seen_at = inlet_now(), proved_at = inlet_now(), ends_at = inlet_now() + interval '12 hours'
    where ended_at is null`)
}

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
const personOf = async (email: string) => (await findPersonByEmail(gateway.db, email))!
const roleOf = async (email: string) => (await personOf(email))?.operatorRole ?? null
const openAbout = async (email: string) => openProposal(`person:${(await personOf(email)).id}`)
const decide = (who: Worker, id: string, word: string) =>
  who.browser.post(`/operator/approvals/${id}/${word}`, { reason: 'I looked' })
const approve = (who: Worker, id: string) => decide(who, id, 'approve')
const saveSettings = (who: Worker, fields: Record<string, string>) =>
  who.browser.post('/operator/settings/approvals', { reason: 'As decided', ...fields })
const change = changePerson
/** The act is done, or waits for a second person. */
const doneOf = ({ location }: { location: string | null }) => location?.split('?done=')[1]
const linkIn = (text: string): string => {
  const [, token] = /\/join\/([\w-]{43})/.exec(text) ?? []
  assert.ok(token, 'no link')
  return `/join/${token}`
}
/** Takes a place by its link as a person does. */
async function takePlace(email: string, link: string): Promise<Worker> {
  const browser = new PersonsBrowser(gateway)
  await browser.get(link)
  const taken = await browser.post(link, { password })
  assert.equal(taken.status, 303)
  if (taken.location === '/sign-in/set-up') await setUpCodes(gateway, browser)
  await browser.get('/account')
  return { email, browser }
}
async function invite(from: Worker, by: Worker, email: string, role: OperatorRole): Promise<Worker> {
  assert.equal(doneOf(await change(from, 'invite', { email, name: 'New person', role })), 'proposed')
  const approved = await approve(by, await openAbout(email))
  return takePlace(email, linkIn(approved.text))
}

test('where no one else has ever decided, the proposer may approve after a day, and the record says so', async () => {
  assert.equal(doneOf(await saveSettings(admin, { single: 'on' })), 'proposed')
  const id = await openProposal('installation')
  assert.match((await admin.browser.get('/operator/settings')).text, /waiting for a second person/)
  const early = await approve(admin, id)
  assert.equal(early.status, 409)
  assert.match(early.text, /do it yourself from \d{4}-\d\d-\d\d \d\d:\d\d UTC/)
  const { text: waiting } = await admin.browser.get(`/operator/approvals/${id}`)
  assert.match(waiting, /you may do it yourself from/)
  assert.match(
    waiting,
    /Nobody else can approve it yet\. <a href="\/operator\/people\/invite">Invite an approver or admin/,
  )
  await pass(23)
  assert.equal((await approve(admin, id)).status, 409)
  assert.equal((await readApprovalSettings(gateway.db)).isSingleOperator, false)
  await pass(1)
  assert.match((await admin.browser.get(`/operator/approvals/${id}`)).text, /You requested this a day ago/)
  assert.equal((await approve(admin, id)).location, `/operator/approvals/${id}?done=approve`)
  assert.equal((await readApprovalSettings(gateway.db)).isSingleOperator, true)
  const [line] = await gateway.db.query<{ after: string }>(
    sql`select after from audit_entries where act = 'approve_settings_change'`,
  )
  assert.equal(JSON.parse(line!.after).delayed, true)
})

let approver: Worker
let second: Worker
let operator: Worker
test('one operator alone does not open what guards the approvals: an invitation waits a day as well', async () => {
  const email = 'approver@example.com'
  assert.equal(doneOf(await change(admin, 'invite', { email, name: 'A', role: 'approver' })), 'proposed')
  const id = await openAbout(email)
  assert.equal((await approve(admin, id)).status, 409)
  await pass(24)
  approver = await takePlace(email, linkIn((await approve(admin, id)).text))
  assert.equal(await roleOf(email), 'approver')
  assert.equal(doneOf(await saveSettings(admin, {})), 'approvals')
  assert.equal((await readApprovalSettings(gateway.db)).isSingleOperator, false)
  await pass(25)
  second = await invite(admin, approver, 'second@example.com', 'admin')
  operator = await invite(admin, approver, 'operator@example.com', 'operator')
  await pass(25)
})

test('an admin cannot switch to one operator, approve their own proposal, and switch back', async () => {
  const proposal = await confirmationAsked(admin)
  await saveSettings(admin, { single: 'on' })
  assert.equal((await approve(admin, await openProposal('installation'))).status, 409)
  const approved = await approve(admin, proposal)
  assert.equal(approved.status, 409)
  assert.match(approved.text, /a second person must/)
  await decide(admin, await openProposal('installation'), 'withdraw')
})

test('an admin cannot raise the sum that one person may confirm, and a second person can let them', async () => {
  await saveSettings(admin, { rub: '1000000.00' })
  await confirmationAsked(admin)
  const id = await openProposal('installation')
  const { text } = await approver.browser.get(`/operator/approvals/${id}`)
  assert.match(text, /Second person above, RUB<\/th><td[^>]*>–<\/td>/)
  const russian = await approver.browser.get(`/operator/approvals/${id}`, { 'accept-language': 'ru' })
  assert.match(russian.text, /Второй сотрудник при сумме больше, RUB/)
  assert.equal((await approve(approver, id)).status, 303)
  assert.deepEqual((await readApprovalSettings(gateway.db)).secondPersonAbove, { RUB: '100000000' })
})

test('stricter approvals and removed rights take effect at once', async () => {
  await setApprovalSettings(gateway.db, { single: 'on', RUB: '5000', TJS: '100' })
  const lower = { rub: '10.00', tjs: '' }
  assert.equal(doneOf(await saveSettings(admin, lower)), 'approvals')
  assert.deepEqual(await readApprovalSettings(gateway.db), {
    isSingleOperator: false,
    secondPersonAbove: { RUB: '1000' },
  })
  // One form with both: it waits as a whole.
  const both = await saveSettings(admin, { rub: '5.00', tjs: '1.00' })
  assert.equal(doneOf(both), 'proposed')
  assert.deepEqual((await readApprovalSettings(gateway.db)).secondPersonAbove, { RUB: '1000' })
  await decide(admin, await openProposal('installation'), 'withdraw')

  const { email } = await joined(gateway, { operatorRole: 'admin' })
  for (const role of ['approver', 'operator', 'auditor'] as const) {
    assert.equal(doneOf(await change(admin, 'role', { email, role })), 'role')
    assert.equal(await roleOf(email), role)
  }
  assert.equal(doneOf(await change(admin, 'leave', { email })), 'leave')
  assert.equal(await roleOf(email), null)
  assert.equal(doneOf(await change(admin, 'disable', { email })), 'disable')
})

test('an admin cannot give a person more rights alone; a reason and a second person do', async () => {
  const { email } = await joined(gateway, { operatorRole: 'auditor' })
  for (const role of ['operator', 'approver', 'admin'] as const) {
    assert.equal((await change(admin, 'role', { email, role, reason: '' })).status, 422)
    assert.equal(doneOf(await change(admin, 'role', { email, role })), 'proposed')
    const id = await openAbout(email)
    assert.equal((await approve(admin, id)).status, 409)
    assert.notEqual(await roleOf(email), role)
    assert.equal((await approve(approver, id)).status, 303)
    assert.equal(await roleOf(email), role)
  }
})

test('an admin cannot invite a puppet: the link is shown once, to the second person alone', async () => {
  const email = 'puppet@example.com'
  const invited = await change(admin, 'invite', { email, name: 'Puppet', role: 'approver' })
  assert.deepEqual([doneOf(invited), /\/join\//.test(invited.text)], ['proposed', false])
  assert.equal(await roleOf(email), null)
  const id = await openAbout(email)
  const approved = await approve(second, id)
  assert.equal(approved.status, 200)
  assert.match(approved.text, /Shown only once/)
  const puppet = await takePlace(email, linkIn(approved.text))
  for (const who of [admin, second])
    assert.doesNotMatch((await who.browser.get(`/operator/approvals/${id}`)).text, /\/join\//)

  // For a day the new person is no second person of either: not of who asked for them, not of who has seen the link.
  const asks = [await confirmationAsked(admin), await confirmationAsked(second)]
  for (const proposal of asks) {
    const refused = await approve(puppet, proposal)
    assert.equal(refused.status, 409)
    assert.match(
      refused.text,
      /gave the other access less than a day ago, or one colleague gave it to both of you\. You can approve it from 2/,
    )
    assert.match((await puppet.browser.get(`/operator/approvals/${proposal}`)).text, /you can from/)
  }
  // Nor are they of the new person; somebody else is.
  const [first, other] = [await confirmationAsked(puppet), await confirmationAsked(operator)]
  for (const who of [admin, second]) assert.equal((await approve(who, first)).status, 409)
  assert.equal((await approve(approver, first)).status, 303)
  assert.equal((await approve(puppet, other)).status, 303)
  await pass(24)
  for (const proposal of asks) assert.equal((await approve(puppet, proposal)).status, 303)
})

test('a person who got more rights cannot be the second person of the giver for a day', async () => {
  const raised = await joined(gateway, { operatorRole: 'operator' })
  const { email } = raised
  const before = await confirmationAsked(admin)
  await change(admin, 'role', { email, role: 'approver' })
  await approve(approver, await openAbout(email))
  assert.equal((await approve(raised, before)).status, 409)
  assert.equal((await approve(raised, await confirmationAsked(approver))).status, 409)
  assert.equal((await approve(raised, await confirmationAsked(second))).status, 303)
})

test('the inviter of a person counts for a day after they joined, also if others gave them more rights since', async () => {
  const [email, other] = ['late@example.com', await joined(gateway, { operatorRole: 'admin' })]
  await change(admin, 'invite', { email, name: 'Late', role: 'operator' })
  const approved = await approve(second, await openAbout(email))
  await pass(71)
  const late = await takePlace(email, linkIn(approved.text))
  await pass(2)
  await change(other, 'role', { email, role: 'approver' })
  assert.equal((await approve(approver, await openAbout(email))).status, 303)
  for (const who of [admin, second])
    assert.equal((await approve(late, await confirmationAsked(who))).status, 409)
  assert.equal((await approve(late, await confirmationAsked(operator))).status, 303)
})

test('a merchant’s owner who invites people of the desk, and withdraws that, does not prevent them from approving', async () => {
  const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const people = [
    await joined(gateway, { operatorRole: 'operator' }),
    await joined(gateway, { operatorRole: 'approver' }),
  ]
  await pass(25)
  for (const { email } of people)
    for (let time = 0; time < 2; time++) {
      const fields = { email, name: 'New person', role: 'viewer' }
      assert.equal((await owner.browser.post(`/console/${shop.merchant}/people/invite`, fields)).status, 200)
    }
  await change(admin, 'disable', { email: owner.email })
  assert.equal((await approve(people[1]!, await confirmationAsked(people[0]!))).status, 303)
})

test('a new person of the desk has the name that the desk approved, and not that of an earlier inviter', async () => {
  const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const email = 'hired@example.com'
  const fields = { email, name: 'Chief admin', role: 'viewer' }
  const { text } = await owner.browser.post(`/console/${shop.merchant}/people/invite`, fields)
  await takePlace(email, linkIn(text))
  await invite(admin, second, email, 'operator')
  assert.equal((await personOf(email)).name, 'New person')
})

test('an admin cannot reset an approver alone, nor use the link that a second person got', async () => {
  const away = await joined(gateway, { operatorRole: 'approver' })
  const reset = await change(admin, 'reset', { email: away.email })
  assert.deepEqual([doneOf(reset), /\/join\//.test(reset.text)], ['proposed', false])
  const approved = await approve(approver, await openAbout(away.email))
  const rejoined = await takePlace(away.email, linkIn(approved.text))
  assert.equal((await approve(rejoined, await confirmationAsked(admin))).status, 409)
  assert.equal((await approve(rejoined, await confirmationAsked(approver))).status, 409)
  assert.equal((await approve(rejoined, await confirmationAsked(operator))).status, 303)
})

test('an admin cannot become a live merchant’s owner alone, by a reset and a proposal in the owner’s name', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const owner = await joined(gateway, { merchantId: live.merchant, role: 'owner' })
  const reset = await change(admin, 'reset', { email: owner.email })
  assert.deepEqual([doneOf(reset), /\/join\//.test(reset.text)], ['proposed', false])
  const proposal = await openAbout(owner.email)
  assert.equal((await approve(admin, proposal)).status, 409)
  const rejoined = await takePlace(owner.email, linkIn((await approve(approver, proposal)).text))

  // A person who requested it or has seen the link cannot be the owner's second person for a day.
  const page = `/console/${live.merchant}/settings/callback`
  assert.equal((await rejoined.browser.post(page, { address: 'https://thief.example/' })).status, 303)
  const id = await openProposal(`merchant:${live.merchant}`)
  for (const who of [admin, approver]) assert.equal((await approve(who, id)).status, 409)
  assert.equal((await approve(second, id)).status, 303)
})

test('an admin resets people of test merchants alone, and a link ends when its person gets a role of a live one', async () => {
  const live = await openShop(gateway, { mode: 'live' })
  const owner = await joined(gateway, { merchantId: live.merchant, role: 'owner' })
  const people = `/console/${live.merchant}/people/invite`
  const viewer = await joined(gateway, { merchantId: live.merchant, role: 'viewer' })
  await change(admin, 'reset', { email: viewer.email })
  const ofViewer = linkIn((await approve(approver, await openAbout(viewer.email))).text)
  await owner.browser.post(people, { email: viewer.email, name: 'Raised', role: 'owner' })
  assert.equal((await admin.browser.get(ofViewer)).status, 410)

  const guest = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const offered = await owner.browser.post(people, { email: guest.email, name: 'Guest', role: 'owner' })
  const ofGuest = linkIn((await change(admin, 'reset', { email: guest.email })).text)
  await guest.browser.post(`${linkIn(offered.text)}/accept`)
  assert.equal((await admin.browser.get(ofGuest)).status, 410)
})

test('of two concurrent approvals one succeeds, and one link is made', async () => {
  const email = 'raced@example.com'
  await change(admin, 'invite', { email, name: 'Raced', role: 'approver' })
  const id = await openAbout(email)
  const answers = await Promise.all([approve(approver, id), approve(second, id)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
  assert.equal(answers.filter(({ text }) => /\/join\/[\w-]{43}/.test(text)).length, 1)
  const [{ links } = { links: 0 }] = await gateway.db.query<{ links: number }>(sql`
    select count(*)::int as links from sign_in_links where person_id = ${(await personOf(email)).id}`)
  assert.equal(links, 1)
})

test('a proposal is made once, and not about oneself', async () => {
  const { email } = await joined(gateway, { operatorRole: 'operator' })
  await change(admin, 'reset', { email })
  assert.equal((await change(second, 'reset', { email })).status, 409)
  await decide(second, await openAbout(email), 'refuse')
  assert.equal((await change(admin, 'reset', { email: admin.email })).status, 409)
  assert.equal((await change(admin, 'invite', { email, name: 'Again', role: 'admin' })).status, 409)
})

test('the database itself refuses the proposer within a day, whatever the settings are', async () => {
  await saveSettings(admin, { single: 'on' })
  const id = await openProposal('installation')
  for (const mark of ['{}', '{"single_operator": true}', '{"delayed": true}'])
    await assert.rejects(
      gateway.db.query(sql`
        update proposals
        set state = 'approved', decided_by = proposed_by, decided_at = proposed_at + interval '23 hours',
          asked = asked || ${mark}::jsonb
        where id = ${id}`),
      { constraint: 'proposal_second_person' },
    )
})

test('a proposer who once had other deciders cannot approve alone after they have left', async () => {
  const id = await openProposal('installation')
  const others = await gateway.db.query<{ email: string }>(
    sql`select email from people where operator_role is not null and email <> ${admin.email}`,
  )
  for (const { email } of others) await change(admin, 'role', { email, role: '' })
  await pass(48)
  const refused = await approve(admin, id)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /a second person must/)
})

test('a decider who also owns a merchant cannot approve requests of a person whom they newly invited there, nor of that person’s invitee', async () => {
  const { merchant } = await openShop(gateway, { mode: 'live' })
  const chief = await joined(gateway, { operatorRole: 'approver' })
  await gateway.db.transaction((tx) =>
    saveMembership(tx, { personId: chief.person.id, merchantId: merchant, role: 'owner' }),
  )
  const inviteMember = async (from: Worker, email: string, role: 'owner' | 'developer') => {
    const { text } = await from.browser.post(`/console/${merchant}/people/invite`, {
      email,
      name: 'New',
      role,
    })
    return takePlace(email, linkIn(text))
  }
  const addressAsked = async ({ browser }: Worker, address: string) => {
    await browser.post(`/console/${merchant}/settings/callback`, { address })
    return openProposal(`merchant:${merchant}`)
  }
  const first = await inviteMember(chief, 'first@example.com', 'owner')
  const asked = await addressAsked(first, 'https://one.example.com/')
  const refused = await approve(chief, asked)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /gave the other access/)
  await first.browser.post(`/console/${merchant}/requests/${asked}/withdraw`)
  const next = await inviteMember(first, 'next@example.com', 'developer')
  const again = await addressAsked(next, 'https://two.example.com/')
  assert.equal((await approve(chief, again)).status, 409)
  assert.equal((await findMerchant(gateway.db, merchant))!.callbackUrl, null)
  await pass(25)
  assert.equal((await approve(chief, again)).status, 303)
  // More rights are access too.
  await chief.browser.post(`/console/${merchant}/people/invite`, {
    email: next.email,
    name: 'New',
    role: 'owner',
  })
  const raised = await addressAsked(next, 'https://three.example.com/')
  assert.equal((await approve(chief, raised)).status, 409)
})

test('every such act raises an alarm for a day, without personal addresses, and the desk shows it', async () => {
  await pass(25)
  const alarms = async () =>
    (await readAlarms(gateway.db)).flatMap(({ kind, detail }) => (kind === 'four_eyes' ? [detail] : []))
  const acts = async () => (await alarms()).map((detail) => /: (\w+), entry \d+ of/.exec(detail)![1])
  assert.deepEqual(await acts(), [])
  const helper = await joined(gateway, { operatorRole: 'approver' })
  await setApprovalSettings(gateway.db, { single: 'on' })
  await saveSettings(admin, {})
  const email = 'heard@example.com'
  await change(admin, 'invite', { email, name: 'Heard', role: 'operator' })
  await approve(helper, await openAbout(email))
  await change(admin, 'leave', { email: helper.email })
  await change(admin, 'disable', { email: helper.email })
  assert.deepEqual((await acts()).toReversed(), [
    'person_invite', // By the command line.
    'settings_change', // The same.
    'settings_change',
    'propose_person_invite',
    'approve_person_invite',
    'person_role',
    'person_disable',
  ])
  assert.doesNotMatch((await alarms()).join(), /@/)
  for (const page of ['', '/approvals', '/people', '/settings']) {
    const { text } = await admin.browser.get(`/operator${page}`)
    assert.match(text, /in the last 24 hours: 7\./, page)
  }
  await pass(24)
  assert.deepEqual(await acts(), [])
})

test('each role of the desk may do all that the role below it may', () => {
  const routes = gateway.policies.filter(({ path }) => path.startsWith('/operator'))
  assert.ok(routes.length > 50, `${routes.length} routes`)
  for (const { path, policy } of routes) {
    const roles = ['auditor', 'operator', 'approver', 'admin']
    const allowed = roles.map((role) => accessFor(policy, role).is === 'allowed')
    assert.deepEqual(allowed, allowed.toSorted(), path)
  }
})
