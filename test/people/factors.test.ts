/** Who needs a second factor, that links and old sessions do not bypass it, and the recovery codes that replace a lost one. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, test } from 'node:test'
import { inviteToDemo } from '../../src/domain/people/change-person.ts'
import { sessionCookie } from '../../src/domain/people/session.ts'
import { openSession } from '../../src/domain/people/sign-in.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { Device } from '../support/passkey.ts'
import {
  codeNow,
  invited,
  joined,
  PersonsBrowser,
  password,
  postJson,
  setUpCodes,
} from '../support/person.ts'

let gateway: TestGateway
let live: Shop
let shop: Shop
before(async () => {
  gateway = await startGateway({ environment: { INLET_DEMO: 'on' } })
  live = await openShop(gateway, { mode: 'live' })
  shop = await openShop(gateway)
})

const client = { network: '203.0.113.7', browser: 'test', mark: null, requestId: null }
const atLive = (role: 'owner' | 'developer' | 'viewer') => ({ merchantId: live.merchant, role })

for (const [role, next] of [
  ['owner', '/sign-in/set-up'],
  ['developer', '/sign-in/set-up'],
  ['viewer', '/home'],
] as const)
  test(`after the password a live merchant’s ${role} is sent to ${next}`, async () => {
    const { token, email } = await invited(gateway, atLive(role))
    const browser = new PersonsBrowser(gateway)
    assert.equal((await browser.post(`/join/${token}`, { password })).location, next)
    const again = new PersonsBrowser(gateway)
    const signedIn = await again.post('/sign-in', { email, password })
    assert.equal(signedIn.location?.split('?')[0], next)
    const page = await again.get(`/console/${live.merchant}/overview`)
    assert.equal(page.status, role === 'viewer' ? 200 : 303)
  })

test('a live merchant’s owner cannot remove the last factor', async () => {
  const { browser } = await joined(gateway, atLive('owner'))
  const refused = await browser.post('/account/totp/remove')
  assert.equal(refused.status, 403)
  assert.match(refused.text, /Set up another one first/)
})

test('a session from before the rule leads to the set-up page; after ten minutes, to the sign-in page', async () => {
  const { token, person, email } = await invited(gateway, atLive('developer'))
  await new PersonsBrowser(gateway).post(`/join/${token}`, { password })
  const { secret } = await gateway.db.transaction((tx) =>
    openSession(tx, person.id, { strength: 'full', how: 'password', client }),
  )
  const browser = new PersonsBrowser(gateway)
  browser.keep([sessionCookie(secret, false)])
  const here = `/console/${live.merchant}/overview`
  assert.equal((await browser.get(here)).location, `/sign-in/second?to=${encodeURIComponent(here)}`)
  assert.equal((await browser.get('/sign-in/second')).location, '/sign-in/set-up')
  assert.match((await browser.get('/sign-in/set-up')).text, /Your role requires a second factor/)
  await gateway.database.owner.query(sql`
    update sessions set proved_at = proved_at - interval '11 minutes' where person_id = ${person.id}`)
  assert.equal((await browser.get('/sign-in/set-up')).location, '/sign-in?to=%2Fhome')
  assert.equal((await browser.get('/sign-in')).status, 200)
  assert.match((await browser.post('/sign-in', { email, password })).location!, /^\/sign-in\/set-up/)
  await setUpCodes(gateway, browser)
  assert.equal((await browser.get(here)).status, 200)
})

test('accepting a role that needs a second factor requires setting one up first', async () => {
  const { email, browser } = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  const owner = await joined(gateway, atLive('owner'))
  const { text } = await owner.browser.post(`/console/${live.merchant}/people/invite`, {
    email,
    name: 'Both',
    role: 'owner',
  })
  const [, link] = /(\/join\/[\w-]{43})/.exec(text)!
  await browser.get(link!)
  const old = browser.cookie
  assert.equal((await browser.post(`${link}/accept`)).location, '/sign-in/set-up')
  assert.notEqual(browser.cookie, old)
  for (const path of [`/console/${live.merchant}/overview`, `/console/${shop.merchant}`, '/account'])
    assert.match((await browser.get(path)).location!, /^\/sign-in\/second/, path)
  await setUpCodes(gateway, browser)
  assert.equal((await browser.get(`/console/${live.merchant}/overview`)).status, 200)
})

test('a demo link does not bypass a code that its person has set up', async () => {
  const actor = { personId: null, name: 'demo', requestId: null }
  const place = { operatorRole: null, membership: { merchantId: shop.merchant, role: 'owner' as const } }
  const guest = { email: 'owner@demo.example', name: 'Demo', ...place, actor }
  const link = async () => (await gateway.db.transaction((tx) => inviteToDemo(tx, guest))).token
  const browser = new PersonsBrowser(gateway)
  assert.equal((await browser.post(`/join/${await link()}`)).location, '/home')
  await browser.get('/account')
  const secret = await setUpCodes(gateway, browser)
  const again = new PersonsBrowser(gateway)
  await again.post(`/join/${await link()}`)
  assert.match((await again.get('/account')).location!, /^\/sign-in\/second/)
  assert.match((await again.get('/sign-in/second')).text, /six-digit code.*autofocus/s)
  const shown = await again.post('/sign-in/second', { code: await codeNow(gateway, secret, 1n) })
  assert.equal(shown.location, '/home')
})

test('an expired demo link explains how to get another', async () => {
  for (const [language, expected] of [
    ['en', /run npm start again: it prints a new link/],
    ['ru', /запустите npm start ещё раз: появится новая ссылка/],
  ] as const) {
    const { status, text } = await new PersonsBrowser(gateway).get(`/join/${'x'.repeat(43)}?lang=${language}`)
    assert.equal(status, 410)
    assert.match(text, expected)
  }
})

test('a demo link does not bypass a passkey; the account page shows how many recovery codes are left', async () => {
  const actor = { personId: null, name: 'demo', requestId: null }
  const place = { operatorRole: null, membership: { merchantId: shop.merchant, role: 'owner' as const } }
  const guest = { email: 'key@demo.example', name: 'Demo', ...place, actor }
  const link = async () => (await gateway.db.transaction((tx) => inviteToDemo(tx, guest))).token
  const browser = new PersonsBrowser(gateway)
  assert.equal((await browser.post(`/join/${await link()}`)).location, '/home')
  const setUp = await browser.get('/sign-in/set-up')
  assert.match(setUp.text, /<a href="\/account">Back<\/a>/)
  const { codes } = await addPasskey(browser, new Device(gateway))
  browser.csrf = codes!.csrf
  assert.equal(codesIn((await browser.post('/account/codes')).text).length, 10)
  assert.match((await browser.get('/account')).text, /Recovery codes: <span class="badge ok">10 left/)
  const again = new PersonsBrowser(gateway)
  await again.post(`/join/${await link()}`)
  for (const path of ['/home', '/account', `/console/${shop.merchant}`, '/sign-in/set-up'])
    assert.match((await again.get(path)).location!, /^\/sign-in\/second/, path)
})

test('people who must set up a factor can sign out; people who must confirm again can go back', async () => {
  const { token } = await invited(gateway, atLive('owner'))
  const browser = new PersonsBrowser(gateway)
  await browser.post(`/join/${token}`, { password })
  assert.match((await browser.get('/sign-in/set-up')).text, /action="\/sign-out"/)
  await setUpCodes(gateway, browser)
  assert.match((await browser.get('/sign-in/again')).text, /<a href="\/home">Back<\/a>/)
})

test('a merchant’s invitation gives no access to the demo’s desk, whose person has no password', async () => {
  const actor = { personId: null, name: 'demo', requestId: null }
  const email = 'operator@demo.example'
  const desk = { email, name: 'Demo', operatorRole: 'admin' as const, membership: null, actor }
  const { token } = await gateway.db.transaction((tx) => inviteToDemo(tx, desk))
  const demo = new PersonsBrowser(gateway)
  await demo.post(`/join/${token}`)
  const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const people = `/console/${shop.merchant}/people/invite`
  const { text } = await owner.browser.post(people, { email, name: 'Mine', role: 'viewer' })
  const [, link] = /(\/join\/[\w-]{43})/.exec(text)!
  const taker = new PersonsBrowser(gateway)
  assert.equal((await taker.post(link!, { password })).status, 401)
  assert.equal((await taker.get('/operator')).status, 303)
  await demo.get(link!)
  assert.equal((await demo.post(`${link}/accept`)).location, `/console/${shop.merchant}/overview`)
})

const codesIn = (text: string) =>
  [...text.matchAll(/<li>([a-z0-9]{5}-[a-z0-9]{5})<\/li>/g)].map(([, code]) => code!)

async function addPasskey(browser: PersonsBrowser, device: Device) {
  const ask = (path: string, body: unknown) => postJson(gateway, path, body, browser)
  const question = (await (await ask('/sign-in/set-up/passkey/ask', {})).json()) as { challenge: string }
  const added = await ask('/sign-in/set-up/passkey', { ...device.made(question), name: 'Key ring' })
  browser.keep(added.headers.getSetCookie())
  return (await added.json()) as { codes?: { csrf: string } }
}

test('the first passkey comes with recovery codes; one of them replaces a lost device', async () => {
  const { token, email } = await invited(gateway, atLive('owner'))
  const browser = new PersonsBrowser(gateway)
  await browser.post(`/join/${token}`, { password })
  await browser.get('/sign-in/set-up')
  const { codes } = await addPasskey(browser, new Device(gateway))
  assert.ok(codes, 'a person without codes is offered some')
  browser.csrf = codes.csrf
  const kept = codesIn((await browser.post('/account/codes')).text)
  assert.equal(kept.length, 10)
  await browser.get('/account')
  assert.deepEqual(await addPasskey(browser, new Device(gateway)), {}, 'a person with codes keeps them')

  const elsewhere = new PersonsBrowser(gateway)
  assert.match((await elsewhere.post('/sign-in', { email, password })).location!, /^\/sign-in\/second/)
  // The passkey is asked for first, then a recovery code.
  const passkeyFirst = /data-passkey="sign-in".*If you don’t have your passkey, enter one.*name="code"/s
  const { text: second } = await elsewhere.get('/sign-in/second')
  assert.match(second, passkeyFirst)
  assert.doesNotMatch(second, /six digits|autofocus/)
  assert.equal((await elsewhere.post('/sign-in/second', { code: kept[0]! })).location, '/home')
  await elsewhere.get('/account')
  assert.match((await elsewhere.get('/sign-in/again')).text, passkeyFirst)
  assert.equal((await elsewhere.post('/sign-in/again', { code: kept[1]! })).location, '/home')
})

test('recovery codes stay while there is a passkey, and are removed with the last factor', async () => {
  const { browser, person } = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  await setUpCodes(gateway, browser)
  await browser.get('/account')
  await addPasskey(browser, new Device(gateway))
  await browser.get('/account')
  for (const _ of [1, 2]) await browser.post('/account/totp/remove')
  const removals = await gateway.db.query(
    sql`select place from audit_entries where act = 'totp_remove' and person_id = ${person.id}`,
  )
  assert.equal(removals.length, 1)
  const { text } = await browser.get('/account')
  assert.match(text, /10 left/)
  const id = /name="id" value="([\w-]{20,30})"/.exec(text)![1]!
  await browser.post('/account/passkeys/remove', { id })
  assert.doesNotMatch((await browser.get('/account')).text, /10 left/)
})

test('digests of recovery codes are keyed, and each code works once', async () => {
  const { email, person, browser } = await joined(gateway, { operatorRole: 'operator' })
  await browser.get('/account')
  const [one, two] = codesIn((await browser.post('/account/codes')).text)
  const plain = (code: string) =>
    createHash('sha256')
      .update(`recovery ${person.id} ${code.replace('-', '')}`)
      .digest()
  const stored = await gateway.database.owner.query<{ digest: Buffer }>(
    sql`select unnest(recovery_digests) as digest from people where id = ${person.id}`,
  )
  assert.ok(
    stored.every(({ digest }) => !digest.equals(plain(one!)) && !digest.equals(plain(two!))),
    'a digest cannot be made without the master key',
  )
  const beside = await startGateway({ beside: gateway })
  for (const [code, status] of [
    [one!, 303],
    [one!, 401],
    [two!, 303],
  ] as const) {
    const other = new PersonsBrowser(beside)
    await other.post('/sign-in', { email, password })
    await other.get('/sign-in/second')
    assert.equal((await other.post('/sign-in/second', { code })).status, status)
  }
})
