/**
 * Findings of the audit: ways of one admin around a second person. A deposit above the sum of one person is proposed;
 * it must not become confirmed by anything that the one who proposed it can do alone.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { newId } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import { attacksOf, behindProxy, fromAnywhere } from '../support/attempts.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { changePerson } from '../support/office.ts'
import { joined, PersonsBrowser, setUpCodes } from '../support/person.ts'

const { attack, report } = attacksOf('four eyes')
const goodPassword = 'marmalade giraffe window 71'

let gateway: TestGateway
let shop: Shop
type Worker = Awaited<ReturnType<typeof joined>>
let admin: Worker
let approver: Worker
let operator: Worker
before(async () => {
  gateway = await startGateway({ environment: behindProxy })
  shop = await openShop(gateway)
  admin = await joined(gateway, { operatorRole: 'admin' })
  approver = await joined(gateway, { operatorRole: 'approver' })
  operator = await joined(gateway, { operatorRole: 'operator' })
  await gateway.database.owner.script(
    `update installation set single_operator = false, second_person_above = '{"RUB": "100000"}'`,
  )
})

let amount = 900_000
/** A deposit whose confirmation this person has proposed. */
async function proposed({ browser }: Worker): Promise<{ id: string; approve: string }> {
  const { id } = (await shop.create({ cents: ++amount })).body
  await browser.post(`/operator/deposits/${id}/take`, {}, fromAnywhere())
  await browser.post(`/operator/deposits/${id}/confirm`, { reason: 'Seen' }, fromAnywhere())
  const [row] = await gateway.database.owner.query<{ id: string }>(
    sql`select id from proposals where subject = ${`deposit:${id}`}`,
  )
  assert.ok(row, 'it waits for a second person')
  return { id, approve: `/operator/approvals/${row.id}/approve` }
}

const isConfirmed = async (id: string) =>
  (await shop.get(`/api/v1/requests/deposit/${id}`)).body.state === 'confirmed'
const byAdmin = (path: string, fields: Record<string, string>) =>
  admin.browser.post(path, { reason: 'As decided', ...fields }, fromAnywhere())
const saved = (fields: Record<string, string>) =>
  byAdmin('/operator/settings/approvals', { rub: '1000.00', ...fields })
/** What a person may do is changed on the page of that person. */
const about = (act: string, fields: Record<string, string> & { email: string }) =>
  changePerson(admin, act, fields, fromAnywhere())

/** Takes a link that stood on the admin's screen, with a password and a factor of the admin's. */
async function taken(text: string): Promise<PersonsBrowser | null> {
  const link = /\/join\/[\w-]{43}/.exec(text)?.[0]
  if (!link) return null
  const browser = new PersonsBrowser(gateway)
  await browser.get(link, fromAnywhere())
  const answer = await browser.post(link, { password: goodPassword }, fromAnywhere())
  if (answer.status !== 303) return null
  await setUpCodes(gateway, browser).catch(() => {})
  await browser.get('/account', fromAnywhere())
  return browser
}

test('control: a second person approves', async () => {
  const { id, approve } = await proposed(operator)
  await approver.browser.post(approve, { reason: 'Seen too' }, fromAnywhere())
  assert.equal(await isConfirmed(id), true)
})

attack('one admin alone', async (note) => {
  const own = await proposed(admin)
  await admin.browser.post(own.approve, { reason: 'Me' }, fromAnywhere())
  note('approves what they asked for', await isConfirmed(own.id))

  const single = await proposed(admin)
  await saved({ single: 'on' })
  await admin.browser.post(single.approve, { reason: 'Alone' }, fromAnywhere())
  await saved({})
  note('says that the installation has one operator', await isConfirmed(single.id))

  const raised = (await shop.create({ cents: ++amount })).body
  await saved({ rub: '99000000.00' })
  await admin.browser.post(`/operator/deposits/${raised.id}/take`, {}, fromAnywhere())
  await admin.browser.post(`/operator/deposits/${raised.id}/confirm`, { reason: 'Seen' }, fromAnywhere())
  note('raises the sum', await isConfirmed(raised.id))
  await byAdmin('/operator/settings/approvals', { rub: '' })
  const free = (await shop.create({ cents: ++amount })).body
  await admin.browser.post(`/operator/deposits/${free.id}/take`, {}, fromAnywhere())
  await admin.browser.post(`/operator/deposits/${free.id}/confirm`, { reason: 'Seen' }, fromAnywhere())
  note('takes the sum away', await isConfirmed(free.id))
  await saved({})
  await gateway.database.owner.script(
    `update installation set single_operator = false, second_person_above = '{"RUB": "100000"}'`,
  )
})

attack('one admin and somebody who does not exist', async (note) => {
  for (const role of ['approver', 'admin']) {
    const { id, approve } = await proposed(admin)
    const fields = { email: `puppet-${newId()}@example.com`, name: 'Puppet', role }
    const puppet = await taken((await about('invite', fields)).text)
    await puppet?.post(approve, { reason: 'Seen' }, fromAnywhere())
    note(`invites a puppet as ${role}`, await isConfirmed(id))
  }
  const { id, approve } = await proposed(admin)
  const email = `puppet-${newId()}@example.com`
  const puppet = await taken((await about('invite', { email, name: 'Puppet', role: 'auditor' })).text)
  await about('role', { email, role: 'approver' })
  await puppet?.post(approve, { reason: 'Seen' }, fromAnywhere())
  note('raises a puppet', await isConfirmed(id))
  // A merchant's person of the admin's, brought to the desk.
  const member = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  const next = await proposed(admin)
  const shown = await about('invite', {
    email: member.email,
    name: 'Member',
    role: 'approver',
  })
  const brought = await taken(shown.text)
  await brought?.post(next.approve, { reason: 'Seen' }, fromAnywhere())
  note('brings a merchant’s person to the desk', await isConfirmed(next.id))
})

attack('one admin with the access of a colleague', async (note) => {
  const colleague = await joined(gateway, { operatorRole: 'approver' })
  const { id, approve } = await proposed(admin)
  const stolen = await taken((await about('reset', { email: colleague.email })).text)
  await stolen?.post(approve, { reason: 'Seen' }, fromAnywhere())
  note('resets an approver', await isConfirmed(id))
  const another = await joined(gateway, { operatorRole: 'approver' })
  const next = await proposed(admin)
  await about('disable', { email: another.email })
  await about('enable', { email: another.email })
  const reset = await taken((await about('reset', { email: another.email })).text)
  await reset?.post(next.approve, { reason: 'Seen' }, fromAnywhere())
  note('closes, opens and resets an approver', await isConfirmed(next.id))
})

/** The admin asks, in good faith, and this person approves: what they see then has the link. */
async function admittedBy(thief: Worker, asked: string, fields: Record<string, string> & { email: string }) {
  await about(asked, fields)
  const [proposal] = await gateway.database.owner.query<{ id: string }>(sql`
    select o.id
    from proposals o
    join people p on o.subject = 'person:' || p.id
    where o.state = 'open' and p.email = ${fields.email}`)
  const path = `/operator/approvals/${proposal!.id}/approve`
  const shown = await thief.browser.post(path, { reason: 'Yes' }, fromAnywhere())
  const browser = await taken(shown.text)
  assert.ok(browser, 'the link opens')
  return { ...thief, browser }
}

attack('one approver with the links of two people', async (note) => {
  for (const how of ['invite', 'reset']) {
    const colleague = await joined(gateway, { operatorRole: 'approver' })
    const thief = await joined(gateway, { operatorRole: 'approver' })
    const invite = (role: string) =>
      admittedBy(thief, 'invite', { email: `new-${newId()}@example.com`, name: 'New', role })
    const first = await invite('operator')
    const second =
      how === 'invite'
        ? await invite('approver')
        : await admittedBy(thief, 'reset', { email: colleague.email })
    const { id, approve } = await proposed(first)
    await second.browser.post(approve, { reason: 'Seen' }, fromAnywhere())
    note(`an invitation and another ${how}`, await isConfirmed(id))
    await approver.browser.post(approve, { reason: 'Seen too' }, fromAnywhere())
    assert.equal(await isConfirmed(id), true, 'control: another colleague approves')
  }
})

attack(
  'an approver who kept a reset link of an owner, and people who raise each other’s roles',
  async (note) => {
    const live = await openShop(gateway, { mode: 'live' })
    const owner = await joined(gateway, { merchantId: live.merchant, role: 'owner' })
    const viewer = () => joined(gateway, { merchantId: live.merchant, role: 'viewer' })
    const [one, two] = [await viewer(), await viewer()]
    await gateway.database.owner.script(
      `update sign_in_links set used_at = used_at - interval '3 days', made_at = made_at - interval '4 days'`,
    )
    const openAbout = async (subject: string) =>
      (
        await gateway.database.owner.one<{ id: string }>(
          sql`select id from proposals where subject = ${subject} and state = 'open'`,
        )
      ).id
    const approve = async (id: string) =>
      approver.browser.post(`/operator/approvals/${id}/approve`, { reason: 'Yes' }, fromAnywhere())
    await about('reset', { email: owner.email })
    const shown = await approve(await openAbout(`person:${owner.person.id}`))
    const kept = await taken(shown.text)
    assert.ok(kept, 'the approver sees the link')
    const raise = async (by: PersonsBrowser, email: string, role: string) => {
      const asked = { email, name: 'Somebody', role }
      const { status } = await by.post(`/console/${live.merchant}/people/invite`, asked, fromAnywhere())
      assert.equal(status, 303)
    }
    await raise(kept, one.email, 'owner')
    await setUpCodes(gateway, one.browser)
    await one.browser.get('/account', fromAnywhere())
    const address = 'https://evil.example/callback'
    await one.browser.post(`/console/${live.merchant}/settings/callback`, { address }, fromAnywhere())
    const id = await openAbout(`merchant:${live.merchant}`)
    const isChanged = async () =>
      (await approve(id)).status === 303 &&
      gateway.database.owner.has(
        sql`select from merchants where id = ${live.merchant} and callback_url = ${address}`,
      )
    note('approves what the raised one asked for', await isChanged())
    await raise(one.browser, two.email, 'owner')
    await setUpCodes(gateway, two.browser)
    await two.browser.get('/account', fromAnywhere())
    for (const [by, of] of [
      [two, one],
      [one, two],
    ] as const) {
      await raise(by.browser, of.email, 'viewer')
      await raise(by.browser, of.email, 'owner')
    }
    note('approves it after two have raised each other', await isChanged())
  },
)

attack('a decider approves what is about themselves', async (note) => {
  const subject = await joined(gateway, { operatorRole: 'approver' })
  const approveOwn = async () => {
    const { id } = await gateway.database.owner.one<{ id: string }>(
      sql`select id from proposals where subject = ${`person:${subject.person.id}`} and state = 'open'`,
    )
    const path = `/operator/approvals/${id}/approve`
    assert.match(
      (await subject.browser.get(`/operator/approvals/${id}`, fromAnywhere())).text,
      /about yourself/,
    )
    const { text } = await subject.browser.post(path, { reason: 'Me' }, fromAnywhere())
    const refuse = path.replace('approve', 'refuse')
    assert.equal((await subject.browser.post(refuse, { reason: 'No' }, fromAnywhere())).status, 303)
    return text
  }
  await about('role', { email: subject.email, role: 'admin' })
  await approveOwn()
  note(
    'more rights',
    await gateway.database.owner.has(
      sql`select from people where id = ${subject.person.id} and operator_role = 'admin'`,
    ),
  )
  await about('reset', { email: subject.email })
  note('a reset', /\/join\//.test(await approveOwn()))
})

report()
