/**
 * An invitation gives a place to the person who takes it, and to nobody before. An owner who invites an address first
 * gains nothing of what another merchant or the desk offers to it later.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { endMember } from '../../src/domain/people/change-members.ts'
import {
  changeOperatorRole,
  disablePerson,
  type Invite,
  invitePerson,
  resetPerson,
} from '../../src/domain/people/change-person.ts'
import { digestOfSecret } from '../../src/domain/people/session.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { changePerson } from '../support/office.ts'
import { joined, PersonsBrowser, password, setUpCodes } from '../support/person.ts'

let gateway: TestGateway
let shopA: Shop
let shopB: Shop
let ownerA: PersonsBrowser
let ownerB: PersonsBrowser
before(async () => {
  gateway = await startGateway()
  shopA = await openShop(gateway)
  shopB = await openShop(gateway)
  ownerA = (await joined(gateway, { merchantId: shopA.merchant, role: 'owner' })).browser
  ownerB = (await joined(gateway, { merchantId: shopB.merchant, role: 'owner' })).browser
})

let addresses = 0
const newAddress = () => `cfo-${++addresses}@b.example`

/** What the owner's page shows after the form: the path of the one-time link. */
async function inviteTo(owner: PersonsBrowser, shop: Shop, email: string, role = 'owner'): Promise<string> {
  const { text } = await owner.post(`${consoleOf(shop)}/people/invite`, { email, name: 'Chief', role })
  const [, path] = /(\/join\/[\w-]{43})/.exec(text) ?? []
  assert.ok(path, 'every invitation gives a link')
  return path
}

const consoleOf = (shop: Shop) => `/console/${shop.merchant}`
const homeOf = (shop: Shop) => `${consoleOf(shop)}/overview`

/** Somebody with an account, by the link of A's shop, in a browser. */
async function member(email: string) {
  const browser = new PersonsBrowser(gateway)
  await browser.post(await inviteTo(ownerA, shopA, email, 'viewer'), { password })
  await browser.get('/account')
  return browser
}

const byTest = { personId: null, name: 'test', requestId: null }
const invite = (email: string, place: Partial<Invite>) =>
  invitePerson(gateway.db, {
    email,
    name: 'Chief',
    operatorRole: null,
    membership: null,
    actor: byTest,
    ...place,
  })

/** The ids of the invitations on a page. */
const invitationsOn = (text: string) =>
  [...text.matchAll(/<tr><th[^>]*><a href="[^"]*\/people\/([0-9a-f-]{36})"/g)].map(([, id]) => id!)

test('joining by A’s link gives no access to B, even if B invites the same address', async () => {
  const email = newAddress()
  const attacker = new PersonsBrowser(gateway)
  await attacker.post(await inviteTo(ownerA, shopA, email), { password })
  assert.equal((await attacker.get(homeOf(shopA))).status, 200)
  await ownerB.post(`${consoleOf(shopB)}/people/invite`, { email, name: 'Chief', role: 'owner' })
  assert.equal((await attacker.get(homeOf(shopB))).status, 404)
  for (const page of ['/home', '/account', consoleOf(shopA)])
    assert.doesNotMatch((await attacker.get(page)).text, new RegExp(shopB.merchant), page)
})

test('A’s unused link gives nothing of B: B’s invitation ends it', async () => {
  const email = newAddress()
  const ofA = await inviteTo(ownerA, shopA, email)
  const { text } = await ownerB.post(`${consoleOf(shopB)}/people/invite`, {
    email,
    name: 'Chief',
    role: 'owner',
  })
  const attacker = new PersonsBrowser(gateway)
  const answered = await attacker.post(ofA, { password })
  assert.notEqual((await attacker.get(homeOf(shopB))).status, 200)
  assert.equal(answered.status, 410)
  assert.match(text, /\/join\/[\w-]{43}/)
  const [, ofB] = /(\/join\/[\w-]{43})/.exec(text)!
  const chief = new PersonsBrowser(gateway)
  assert.match((await chief.get(ofB!)).text, /Test shop<\/bdi><\/strong>, Owner/)
  assert.equal((await chief.post(ofB!, { password })).location, '/home')
  assert.equal((await chief.get(homeOf(shopB))).status, 200)
  assert.equal((await chief.get(homeOf(shopA))).status, 404, 'exactly the place of that link')
})

test('A invites again after B: B’s link ends for a person who has not joined, and A’s gives A’s role alone', async () => {
  const email = newAddress()
  const ofB = await inviteTo(ownerB, shopB, email)
  const ofA = await inviteTo(ownerA, shopA, email)
  assert.equal((await new PersonsBrowser(gateway).get(ofB)).status, 410)
  const attacker = new PersonsBrowser(gateway)
  await attacker.post(ofA, { password })
  assert.equal((await attacker.get(homeOf(shopB))).status, 404)
})

test('a person with an account accepts a role signed in, and no one else can', async () => {
  const email = newAddress()
  const browser = await member(email)
  const link = await inviteTo(ownerB, shopB, email, 'developer')
  // A link alone sets no password of somebody who has one.
  const stranger = new PersonsBrowser(gateway)
  const page = await stranger.get(link)
  assert.match(page.text, new RegExp(`for ${email}. Sign in with that email`))
  assert.match(page.text, /Ask the operator to reset access/)
  assert.doesNotMatch(page.text, /name="password"/)
  assert.equal((await stranger.post(link, { password: 'a password of strangers' })).status, 401)
  assert.equal((await stranger.post(`${link}/accept`)).location, `/sign-in?to=${encodeURIComponent(link)}`)
  // Somebody else sees as whom they are signed in, and accepts nothing.
  const other = await member(newAddress())
  assert.match((await other.get(link)).text, new RegExp(`signed in as .*this invitation is for ${email}`))
  assert.equal((await other.post(`${link}/accept`)).status, 403)
  assert.equal((await other.get(homeOf(shopB))).status, 404)
  const left = await other.post('/sign-out', { to: link })
  assert.equal(left.location, `/sign-in?to=${encodeURIComponent(link)}`)
  // The person is led to the sign-in and back.
  const again = new PersonsBrowser(gateway)
  assert.equal((await again.post('/sign-in', { email, password, to: link })).location, link)
  assert.match((await again.get(link)).text, new RegExp(`signed in as ${email}`))
  assert.equal((await again.post(`${link}/accept`, { csrf: 'x' })).status, 403)
  assert.equal((await browser.get(homeOf(shopB))).status, 404, 'nothing before it is accepted')
  assert.equal((await again.post(`${link}/accept`)).location, homeOf(shopB))
  assert.equal((await again.get(homeOf(shopB))).status, 200)
  assert.equal(
    (await again.get(`${consoleOf(shopB)}/people/${shopA.merchant}/end`)).status,
    403,
    'a developer',
  )
  assert.equal((await again.post(`${link}/accept`)).status, 410)
  assert.equal((await again.get(homeOf(shopA))).status, 200, 'what they had stays')
})

test('a person whose address was taken before gets it back by a reset, then accepts; the reset gives no place', async () => {
  const email = newAddress()
  const attacker = await member(email)
  const link = await inviteTo(ownerB, shopB, email)
  const token = await resetPerson(gateway.db, email, byTest)
  const chief = new PersonsBrowser(gateway)
  await chief.post(`/join/${token}`, { password: 'a password of my own' })
  assert.equal((await attacker.get('/account')).status, 303)
  assert.equal((await chief.get(homeOf(shopB))).status, 404)
  await chief.get(link)
  assert.equal((await chief.post(`${link}/accept`)).location, homeOf(shopB))
  const [row] = await gateway.database.owner.query(sql`
    select desk_since as desk from people where email = ${email}`)
  assert.deepEqual(row, { desk: null })
})

test('of two concurrent acceptances of one invitation one succeeds', async () => {
  const email = newAddress()
  const browser = await member(email)
  const link = await inviteTo(ownerB, shopB, email)
  await browser.get(link)
  const both = await Promise.all([browser.post(`${link}/accept`), browser.post(`${link}/accept`)])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [303, 410])
})

test('an invitation that was withdrawn, or was ended by a newer one or a disabled account, opens nothing', async () => {
  const email = newAddress()
  const browser = await member(email)
  const first = await inviteTo(ownerB, shopB, email, 'owner')
  const second = await inviteTo(ownerB, shopB, email, 'viewer')
  assert.equal((await browser.get(first)).status, 410)
  const people = `${consoleOf(shopB)}/people`
  const page = (await ownerB.get(`${people}?show=invitations`)).text
  assert.match(page, new RegExp(`${email}.*Viewer`, 's'))
  const [id] = invitationsOn(page).slice(-1)
  assert.equal((await ownerA.post(`${consoleOf(shopA)}/people/${id}/withdraw`)).status, 404, 'of B')
  const back = await ownerB.post(`${people}/${id}/withdraw`)
  assert.equal(back.location, `${people}?done=withdraw`)
  assert.equal((await ownerB.post(`${people}/${id}/withdraw`)).status, 404)
  assert.equal((await browser.post(`${second}/accept`)).status, 410)
  assert.equal((await browser.get(homeOf(shopB))).status, 404)

  const disabled = newAddress()
  const link = await inviteTo(ownerB, shopB, disabled)
  await disablePerson(gateway.db, disabled, true, byTest)
  assert.equal((await new PersonsBrowser(gateway).get(link)).status, 410)
  assert.equal((await new PersonsBrowser(gateway).post(link, { password })).status, 410)
  const late = await inviteTo(ownerB, shopB, newAddress())
  await gateway.database.owner.query(sql`
    update sign_in_links
    set made_at = made_at - interval '73 hours', expires_at = expires_at - interval '73 hours'
    where digest = ${digestOfSecret(late.slice(6))}`)
  assert.equal((await new PersonsBrowser(gateway).post(late, { password })).status, 410)
})

test('a change of a member’s role takes effect immediately, and ends earlier offers', async () => {
  const shop = await openShop(gateway)
  const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const staff = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  const offered = await invite(staff.email, { membership: { merchantId: shop.merchant, role: 'owner' } })
  const set = await owner.browser.post(`${consoleOf(shop)}/people/invite`, {
    email: staff.email,
    name: 'Staff',
    role: 'developer',
  })
  assert.equal(set.location, `${consoleOf(shop)}/people?done=invite`)
  assert.doesNotMatch(set.text, /\/join\//)
  assert.equal((await staff.browser.get(`/join/${offered.token}`)).status, 410)
  assert.equal((await staff.browser.get(`${consoleOf(shop)}/keys/rotate`)).status, 200, 'a developer')
})

test('links made by an owner end with the owner’s membership', async () => {
  const shop = await openShop(gateway)
  await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const leaving = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const puppet = await inviteTo(leaving.browser, shop, newAddress())
  const member = { merchantId: shop.merchant, email: leaving.email, actor: byTest }
  await gateway.db.transaction((tx) => endMember(tx, member))
  assert.equal((await new PersonsBrowser(gateway).post(puppet, { password })).status, 410)
})

test('an invited owner does not count as the merchant’s last owner', async () => {
  const shop = await openShop(gateway)
  const only = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  await inviteTo(only.browser, shop, newAddress())
  assert.equal((await only.browser.post(`${consoleOf(shop)}/people/${only.person.id}/end`)).status, 409)
  // Nor may the last owner accept a lower place.
  const { token } = await invite(only.email, { membership: { merchantId: shop.merchant, role: 'viewer' } })
  await only.browser.get(`/join/${token}`)
  const refused = await only.browser.post(`/join/${token}/accept`)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /must have at least one owner/)
  assert.equal((await only.browser.get(`/join/${token}`)).status, 200, 'the link is not used up')
})

test('an owner gets the same answer for every address, and sees the names that they gave', async () => {
  const known = newAddress()
  await member(known)
  const desk = await joined(gateway, { operatorRole: 'operator' })
  const shop = await openShop(gateway)
  const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const pages = []
  for (const email of [known, desk.email, newAddress()]) {
    const { text } = await owner.browser.post(`${consoleOf(shop)}/people/invite`, {
      email,
      name: 'X',
      role: 'viewer',
    })
    pages.push(text.replaceAll(email, 'E').replace(/\/join\/[\w-]{43}/g, 'L'))
  }
  assert.equal(pages[0], pages[2])
  assert.equal(pages[1], pages[2])
  const { text } = await owner.browser.get(`${consoleOf(shop)}/people?show=invitations`)
  assert.equal(text.match(/<bdi>X<\/bdi>/g)?.length, 3)
  assert.doesNotMatch(text, new RegExp(desk.person.name))
  assert.equal(invitationsOn(text).length, 3)
})

test('one merchant’s thousand invitations do not hide people at the desk', async () => {
  await gateway.database.owner.script(`
    insert into people (id, email, name)
    select gen_random_uuid(), 'flood-' || n || '@a.example', 'Flood' from generate_series(1, 1000) n`)
  await gateway.database.owner.query(sql`
    insert into sign_in_links
      (id, digest, person_id, purpose, name, merchant_id, merchant_role, made_by, expires_at)
    select gen_random_uuid(), sha256(email::bytea), id, 'invitation', 'Flood', ${shopA.merchant}, 'viewer', 'test',
      inlet_now() + interval '1 day'
    from people
    where email like 'flood-%'`)
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const invited = newAddress()
  await invite(invited, { operatorRole: 'auditor' })
  const { text } = await admin.browser.get('/operator/people')
  assert.ok(text.includes(admin.email))
  assert.ok(text.includes(invited))
  await gateway.database.owner.script(`
    delete from sign_in_links where name = 'Flood';
    delete from people where email like 'flood-%'`)
})

test('an address that only looks like another one is none', async () => {
  for (const email of [
    'ann\u200b@b.example',
    'ann@b.example\u2060',
    'a\u00adnn@b.example',
    'ann\u3164@b.example',
    'operator:ann@b.example',
  ])
    await assert.rejects(
      invite(email, { operatorRole: 'auditor' }),
      { code: 'invalid_value' },
      encodeURI(email),
    )
  assert.ok(await invite('анна@пример.рф', { operatorRole: 'auditor' }))
})

type Admin = Awaited<ReturnType<typeof joined>>
const admins = async (): Promise<[Admin, Admin]> => [
  await joined(gateway, { operatorRole: 'admin' }),
  await joined(gateway, { operatorRole: 'admin' }),
]

/** What one admin asks for and a second one approves, who is shown the link. */
async function deskLink(
  [admin, second]: [Admin, Admin],
  word: 'invite' | 'reset',
  fields: Record<string, string> & { email: string },
): Promise<{ link: string; text: string }> {
  await changePerson(admin, word, fields)
  const [open] = await gateway.db.query<{ id: string }>(sql`
    select o.id
    from proposals o
    join people p on o.subject = 'person:' || p.id
    where p.email = ${fields.email} and o.state = 'open'`)
  const { text } = await second.browser.post(`/operator/approvals/${open!.id}/approve`, {
    reason: 'I looked',
  })
  return { link: /(\/join\/[\w-]{43})/.exec(text)![1]!, text }
}

test('an invitation to the desk changes nothing; accepting it resets the account and records the inviter', async () => {
  const [admin, second] = await admins()
  const email = newAddress()
  const browser = await member(email)
  const asked = { email, name: 'Chief', role: 'approver' }
  const { link, text } = await deskLink([admin, second], 'invite', asked)
  assert.match(text, /The link resets it/)
  assert.equal((await browser.get(homeOf(shopA))).status, 200, 'the account works as before')
  assert.equal((await browser.get('/operator')).status, 404)
  const chief = new PersonsBrowser(gateway)
  assert.match((await chief.get(link)).text, /Operator’s desk<\/strong>, Approver/)
  const joining = await chief.post(link, { password: 'a password of my own' })
  assert.equal(joining.location, '/sign-in/set-up')
  assert.equal((await browser.get('/account')).status, 303)
  await setUpCodes(gateway, chief)
  assert.equal((await chief.get('/operator')).status, 200)
  const [row] = await gateway.database.owner.query(sql`
    select desk_since is not null as desk from people where email = ${email}`)
  assert.deepEqual(row, { desk: true })
  // At the desk already: another role is accepted by who they are, and ends when the role is changed otherwise.
  const { token } = await invite(email, { operatorRole: 'admin' })
  assert.equal((await new PersonsBrowser(gateway).post(`/join/${token}`, { password })).status, 401)
  await gateway.db.transaction((tx) => changeOperatorRole(tx, email, null, byTest))
  assert.equal((await chief.post(`/join/${token}/accept`)).status, 410)
  const [left] = await gateway.database.owner.query(sql`
    select operator_role as role, desk_since is not null as desk from people where email = ${email}`)
  assert.deepEqual(left, { role: null, desk: true })
})

test('the desk sees and withdraws invitations; those of an admin end with their role', async () => {
  const [admin, second] = await admins()
  const { email: resetting } = await joined(gateway, { operatorRole: 'operator' })
  const invitation = () => ({ email: newAddress(), name: 'N', role: 'admin' })
  const { link: invited } = await deskLink([admin, second], 'invite', invitation())
  const { link: reset } = await deskLink([admin, second], 'reset', { email: resetting })
  const wrong = invitation()
  const { link: withdrawn } = await deskLink([admin, second], 'invite', wrong)
  const { text } = await second.browser.get('/operator/people?show=invitations')
  const [, id] = /operator\/people\/([0-9a-f-]{36})"/.exec(
    text.slice(text.lastIndexOf('<tr>', text.indexOf(wrong.email))),
  )!
  const back = await second.browser.post(`/operator/people/${id}/withdraw`, { reason: 'A mistake' })
  assert.equal(back.status, 303)
  assert.equal((await new PersonsBrowser(gateway).get(withdrawn)).status, 410)
  await gateway.db.transaction((tx) => changeOperatorRole(tx, second.email, 'operator', byTest))
  for (const link of [invited, reset]) assert.equal((await new PersonsBrowser(gateway).get(link)).status, 410)
})

test('an older reset link does not open the account of a person who has joined the desk since', async () => {
  const email = newAddress()
  await member(email)
  const reset = await resetPerson(gateway.db, email, byTest)
  const { token } = await invite(email, { operatorRole: 'approver' })
  assert.equal((await new PersonsBrowser(gateway).get(`/join/${reset}`)).status, 200)
  await new PersonsBrowser(gateway).post(`/join/${token}`, { password })
  assert.equal((await new PersonsBrowser(gateway).post(`/join/${reset}`, { password })).status, 410)
})

test('the members of a merchant can send a limited number of invitations a day, withdrawn ones included; others are not affected', async (t) => {
  const { invitationsOfDay } = bounds
  Object.assign(bounds, { invitationsOfDay: 10 })
  t.after(() => Object.assign(bounds, { invitationsOfDay }))
  const [shop, other] = [await openShop(gateway), await openShop(gateway)]
  const [owner, neighbour] = await Promise.all(
    [shop, other].map(({ merchant }) => joined(gateway, { merchantId: merchant, role: 'owner' })),
  )
  const ask = (by: typeof owner, of: Shop) =>
    by!.browser.post(`${consoleOf(of)}/people/invite`, { email: newAddress(), name: 'Guest', role: 'viewer' })
  for (let made = 1; made < bounds.invitationsOfDay; made++)
    assert.equal((await ask(owner, shop)).status, 200)
  const { text } = await owner!.browser.get(`${consoleOf(shop)}/people?show=invitations`)
  const [id] = invitationsOn(text)
  assert.equal((await owner!.browser.post(`${consoleOf(shop)}/people/${id}/withdraw`)).status, 303)
  const people = async () => (await gateway.db.query(sql`select id from people`)).length
  const before = await people()
  const refused = await ask(owner, shop)
  assert.equal(refused.status, 429)
  assert.match(refused.text, new RegExp(`at most ${bounds.invitationsOfDay} people a day`))
  assert.equal(await people(), before)
  assert.equal((await ask(neighbour, other)).status, 200)
})

test('a person who has not joined is invited again, not reset', async () => {
  const email = newAddress()
  await inviteTo(ownerA, shopA, email)
  await assert.rejects(resetPerson(gateway.db, email, byTest), { code: 'state_conflict' })
})
