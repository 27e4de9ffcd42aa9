/** Joining, signing in and staying signed in: what works, and what must not. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  changeOperatorRole,
  disablePerson,
  invitePerson,
  resetPerson,
} from '../../src/domain/people/change-person.ts'
import { removeFactors, setPassword } from '../../src/domain/people/factor-store.ts'
import { acceptLink } from '../../src/domain/people/links/accept-link.ts'
import { throttleKeys } from '../../src/domain/people/login-attempts.ts'
import { hashPassword } from '../../src/domain/people/password.ts'
import { endSessions } from '../../src/domain/people/session-store.ts'
import { signInWithPassword } from '../../src/domain/people/sign-in.ts'
import { lockPerson, setOperatorRole } from '../../src/domain/people/store.ts'
import { sql, type Tx } from '../../src/platform/db.ts'
import { during } from '../support/during.ts'
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
let shop: Shop
before(async () => {
  gateway = await startGateway({ environment: { INLET_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  shop = await openShop(gateway)
})

const operator = { operatorRole: 'operator' } as const
const developer = () => ({ merchantId: shop.merchant, role: 'developer' }) as const
const byTest = { personId: null, name: 'test', requestId: null }

/** Browsers read a backslash as a slash, so the second and third are other hosts too. */
const otherSites = [
  '//shop.example/',
  '/\\shop.example/',
  '/\\/shop.example',
  'https://shop.example/',
  '/home/..//shop.example',
]

test('a sign-in leads to no other site, by its form or by its script', async () => {
  const { browser } = await joined(gateway, operator)
  for (const site of otherSites) {
    const asked = `?to=${encodeURIComponent(site)}`
    const { text: signIn } = await new PersonsBrowser(gateway).get(`/sign-in${asked}`)
    const { text: again } = await browser.get(`/sign-in/again${asked}`)
    assert.equal((await browser.get(`/sign-in${asked}`)).location, '/home')
    const leads = [...`${signIn} ${again}`.matchAll(/(?:data-to|name="to" value)="([^"]*)"/g)]
    assert.deepEqual([...new Set(leads.map(([, to]) => to))], ['/home'], site)
    assert.ok(leads.length >= 3)
  }
})

test('an invitation is taken once: a password, then a second factor for the operator’s people', async () => {
  const { token } = await invited(gateway, operator)
  const browser = new PersonsBrowser(gateway)
  assert.equal((await browser.get(`/join/${token}`)).status, 200)
  const short = await browser.post(`/join/${token}`, { password: 'too short' })
  assert.equal(short.status, 422)
  assert.match(short.text, /12 to 200 characters/)
  const russian = { 'accept-language': 'ru' }
  const tooShort = await browser.post(`/join/${token}`, { password: 'too short' }, russian)
  assert.match(tooShort.text, /от 12 до 200 символов/)
  const joining = await browser.post(`/join/${token}`, { password })
  assert.deepEqual([joining.status, joining.location], [303, '/sign-in/set-up'])
  // Half signed in, nothing but the second factor is there.
  assert.equal((await browser.get('/account')).location, '/sign-in/second?to=%2Faccount')
  await setUpCodes(gateway, browser)
  assert.equal((await browser.get('/account')).status, 200)
  for (const again of [
    await browser.get(`/join/${token}`),
    await browser.post(`/join/${token}`, { password }),
  ])
    assert.equal(again.status, 410)
})

test('a merchant’s person signs in with a password, and goes where they work', async () => {
  const { email } = await joined(gateway, developer())
  const browser = new PersonsBrowser(gateway)
  const signedIn = await browser.post('/sign-in', { email: ` ${email.toUpperCase()} `, password })
  assert.deepEqual([signedIn.status, signedIn.location], [303, '/home'])
  assert.equal((await browser.get('/home')).location, `/console/${shop.merchant}/overview`)
})

test('unknown people and wrong passwords get the same answer; a link works once', async () => {
  const { email } = await joined(gateway, developer())
  const client = { network: '203.0.113.5', browser: 'test', mark: null, requestId: null }
  for (const wrong of [
    { email, password: 'wrong password 1' },
    { email: 'nobody@example.com', password },
  ])
    await assert.rejects(signInWithPassword(gateway, { ...wrong, client }), { code: 'sign_in_failed' })
  const { token } = await invited(gateway, developer())
  const accept = () => acceptLink(gateway.db, { token, password, client })
  const both = await Promise.allSettled([accept(), accept()])
  const codes = both.map((outcome) => (outcome.status === 'fulfilled' ? 'in' : outcome.reason.code))
  assert.deepEqual(codes.toSorted(), ['in', 'link_used_up'])
})

test('a role is changed at the desk, and begins with an invitation', async () => {
  const { email } = await joined(gateway, developer())
  const changed = gateway.db.transaction((tx) => changeOperatorRole(tx, email, 'operator', byTest))
  await assert.rejects(changed, { code: 'state_conflict' })
})

test('a password is worth what it is when the session begins, not when it was compared', async () => {
  const another = await hashPassword('another long password')
  /** What happens when somebody takes a link to the desk. */
  const toDesk = (personId: string) => async (tx: Tx) => {
    await lockPerson(tx, personId)
    await removeFactors(tx, personId)
    await endSessions(tx, { personId })
    await setPassword(tx, personId, another)
    await setOperatorRole(tx, personId, 'admin')
  }
  const late = await joined(gateway, developer())
  const thief = new PersonsBrowser(gateway)
  const signedIn = await during(gateway, toDesk(late.person.id), () =>
    thief.post('/sign-in', { email: late.email, password }),
  )
  assert.equal(signedIn.status, 401)

  const again = await joined(gateway, developer())
  const shown = await during(gateway, toDesk(again.person.id), () =>
    again.browser.post('/sign-in/again', { password }),
  )
  assert.equal(shown.status, 401)
  assert.match((await again.browser.get('/operator')).location!, /^\/sign-in\?/)

  const { person, email } = await joined(gateway, developer())
  const old = await during(
    gateway,
    async (tx) => {
      await lockPerson(tx, person.id)
      await setPassword(tx, person.id, another)
    },
    () => new PersonsBrowser(gateway).post('/sign-in', { email, password }),
  )
  assert.equal(old.status, 401)
})

test('a link that was given for a shop does not lead to the desk', async () => {
  const { email, token } = await invited(gateway, developer())
  const invite = { email, name: 'Anna', operatorRole: 'approver', membership: null, actor: byTest } as const
  const { token: next } = await invitePerson(gateway.db, invite)
  assert.equal((await new PersonsBrowser(gateway).post(`/join/${token}`, { password })).status, 410)
  const joining = await new PersonsBrowser(gateway).post(`/join/${next}`, { password })
  assert.equal(joining.location, '/sign-in/set-up')
})

test('a code works once, and a code on paper works once', async () => {
  const { email, secret, browser } = await joined(gateway, operator)
  await gateway.database.shiftClock('10 minutes')
  const codes = [...(await freshCodes(browser, secret!)).matchAll(/<li>([a-z0-9]{5}-[a-z0-9]{5})<\/li>/g)]
  assert.equal(codes.length, 10)
  const code = await codeNow(gateway, secret!, 1n)
  const tries: [code: string, status: number][] = [
    ['000000', 401],
    [code, 303],
    [code, 401],
    [codes[0]![1]!.toUpperCase().replace('-', ' '), 303],
    [codes[0]![1]!, 401],
    ['', 401],
  ]
  for (const [shown, status] of tries) {
    const other = new PersonsBrowser(gateway)
    assert.equal((await other.post('/sign-in', { email, password })).location, '/sign-in/second?to=%2Fhome')
    await other.get('/sign-in/second')
    assert.equal((await other.post('/sign-in/second', { code: shown })).status, status, shown)
  }
})

async function freshCodes(browser: PersonsBrowser, secret: Buffer): Promise<string> {
  await browser.get('/sign-in/again')
  await browser.post('/sign-in/again', { code: await codeNow(gateway, secret) })
  await browser.get('/account')
  return (await browser.post('/account/codes')).text
}

test('a session has a new secret at every step, and is worth nothing after signing out', async () => {
  const { email, browser, secret } = await joined(gateway, operator)
  const before = browser.cookie
  await gateway.database.shiftClock('20 minutes')
  await browser.post('/sign-in', { email, password })
  const half = browser.cookie
  await browser.get('/sign-in/second')
  await browser.post('/sign-in/second', { code: await codeNow(gateway, secret!) })
  const whole = browser.cookie
  assert.equal(new Set([before, half, whole]).size, 3)
  const thief = new PersonsBrowser(gateway)
  thief.cookie = half
  assert.equal((await thief.get('/account')).location, '/sign-in?to=%2Faccount')
  await browser.get('/account')
  await browser.post('/sign-out')
  thief.cookie = whole
  assert.equal((await thief.get('/account')).location, '/sign-in?to=%2Faccount')
})

test('one of the other sessions is ended by its id, all of them without one, and none by nonsense', async () => {
  const { email, browser } = await joined(gateway, developer())
  const [second, third] = [new PersonsBrowser(gateway), new PersonsBrowser(gateway)]
  for (const session of [second, third]) await session.post('/sign-in', { email, password })
  assert.equal((await browser.post('/account/sessions/end', { id: 'x' })).status, 404)
  const agent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
  await gateway.database.owner.query(sql`update sessions set browser = ${agent}`)
  const { text } = await browser.get('/account')
  const ids = [...text.matchAll(/name="id" value="([0-9a-f-]{36})"/g)].map(([, id]) => id!)
  assert.equal(ids.length, 2)
  await browser.post('/account/sessions/end', { id: ids[0]! })
  const left = async () => {
    const pages = await Promise.all([browser, second, third].map((session) => session.get('/account')))
    return pages.filter(({ status }) => status === 200).length
  }
  assert.equal(await left(), 2)
  await browser.post('/account/sessions/end')
  assert.equal(await left(), 1)
  assert.equal((await browser.get('/account')).status, 200)
})

test('a session ends when it is idle, when it is old, and when its person is disabled', async () => {
  const { email, browser } = await joined(gateway, developer())
  assert.equal((await browser.get('/account')).status, 200)
  for (const column of ['seen_at', 'made_at'] as const) {
    const { browser: one } = await joined(gateway, developer())
    await gateway.database.owner.query(
      column === 'seen_at'
        ? sql`update sessions set seen_at = seen_at - interval '61 minutes'`
        : sql`update sessions set ends_at = inlet_now()`,
    )
    assert.equal((await one.get('/account')).status, 303, column)
  }
  const again = new PersonsBrowser(gateway)
  await again.post('/sign-in', { email, password })
  await disablePerson(gateway.db, email, true, byTest)
  assert.equal((await again.get('/account')).status, 303)
  assert.equal((await new PersonsBrowser(gateway).post('/sign-in', { email, password })).status, 401)
})

test('a reset takes the old password and factors away when it is used, not before', async () => {
  const { email, browser } = await joined(gateway, operator)
  const token = await resetPerson(gateway.db, email, byTest)
  assert.equal((await browser.get('/account')).status, 200)
  const other = new PersonsBrowser(gateway)
  const begun = await other.post(`/join/${token}`, { password: 'another long password' })
  assert.equal(begun.location, '/sign-in/set-up')
  assert.equal((await browser.get('/account')).status, 303)
  assert.equal((await new PersonsBrowser(gateway).post('/sign-in', { email, password })).status, 401)
})

test('a password alone cannot put a factor of its own in the place of the owner’s', async () => {
  const { email } = await joined(gateway, operator)
  const thief = new PersonsBrowser(gateway)
  await thief.post('/sign-in', { email, password })
  assert.equal((await thief.get('/sign-in/set-up')).location, '/sign-in/second?to=%2Fhome')
  await thief.get('/sign-in/second')
  for (const path of ['/sign-in/set-up', '/account/password', '/account/codes', '/account/totp/remove'])
    assert.equal(
      (await thief.post(path, { code: '000000', sealed: 'x', password })).location?.split('?')[0],
      '/sign-in/second',
    )
})

test('the last required factor cannot be removed, and the reason is in the person’s language', async () => {
  const { browser } = await joined(gateway, operator)
  const refused = await browser.post('/account/totp/remove')
  assert.equal(refused.status, 403)
  assert.match(refused.text, /Set up another one first/)
  await browser.post('/account/preferences', { language: 'ru', zone: 'UTC' })
  assert.match((await browser.post('/account/totp/remove')).text, /Сначала настройте другой/)
  // What a whole page refuses is said in it too, whatever the browser speaks.
  const forbidden = await browser.post('/operator/settings/approvals')
  assert.equal(forbidden.status, 403)
  assert.match(forbidden.text, /Ваша роль этого не позволяет/)
})

test('1,000 wrong passwords from one network throttle only that network', async () => {
  const { email } = await joined(gateway, developer())
  const wrong = { email, password: 'wrong password 1' }
  const there = { 'x-forwarded-for': '198.51.100.7' }
  const statuses: number[] = []
  for (let round = 0; round < 50; round++) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => new PersonsBrowser(gateway).post('/sign-in', wrong, there)),
    )
    statuses.push(...answers.map(({ status }) => status))
  }
  assert.equal(statuses.filter((status) => status === 401).length <= 40, true, 'few were looked at')
  assert.deepEqual(new Set(statuses), new Set([401, 429]))
  for (const key of throttleKeys(email, { network: '198.51.100.7', mark: null }).own) waitLong(key)
  // The right one from the same place waits too, or the wait would tell which one is right.
  assert.equal((await new PersonsBrowser(gateway).post('/sign-in', { email, password }, there)).status, 429)
  // Its owner elsewhere does not wait, also in a new browser.
  const client = { network: '203.0.113.9', browser: 'test', mark: null, requestId: null }
  assert.equal((await signInWithPassword(gateway, { email, password, client })).strength, 'full')
})

test('many networks guess no faster than one, and where the owner has signed in before, they do not wait', async () => {
  const { email, browser } = await joined(gateway, operator)
  const from = (place: number) => ({ 'x-forwarded-for': `198.51.100.${place}` })
  const signIn = (visitor: PersonsBrowser, place: number, tried = password) =>
    visitor.post('/sign-in', { email, password: tried }, from(place))
  const strangers = (account: string) => throttleKeys(account, { network: '', mark: null }).shared[1]!
  /** As if so many had tried, each from a network of its own: a comparison for each would take its time. */
  const haveTried = (account: string, times: number) => {
    for (let place = 0; place < times; place++)
      gateway.attempts.admit(throttleKeys(account, { network: `192.0.2.${place}`, mark: null }))
  }
  for (const place of [20, 21, 22])
    assert.equal((await signIn(new PersonsBrowser(gateway), place, 'wrong password')).status, 401)
  haveTried(email, 47)
  waitLong(strangers(email))
  const stranger = new PersonsBrowser(gateway)
  assert.equal((await signIn(stranger, 23)).status, 429)
  assert.equal((await signIn(browser, 23)).location, '/sign-in/second?to=%2Fhome')

  // A code is guessed by somebody who has the password: that is counted likewise.
  const second = await joined(gateway, operator)
  await stranger.post('/sign-in', { email: second.email, password }, from(24))
  await stranger.get('/sign-in/second', from(24))
  assert.equal((await stranger.post('/sign-in/second', { code: '000000' }, from(24))).status, 401)
  haveTried(`code ${second.person.id}`, 49)
  waitLong(strangers(`code ${second.person.id}`))
  const code = await codeNow(gateway, second.secret!, 1n)
  assert.equal((await stranger.post('/sign-in/second', { code }, from(25))).status, 429)
  await second.browser.post('/sign-in', { email: second.email, password }, from(25))
  await second.browser.get('/sign-in/second')
  assert.equal((await second.browser.post('/sign-in/second', { code }, from(25))).location, '/home')
  // Its own mistakes make the owner's browser wait all the same.
  const statuses: number[] = []
  while (statuses.length < 20 && statuses.at(-1) !== 429)
    statuses.push((await signIn(browser, 40 + statuses.length, 'wrong password')).status)
  assert.deepEqual([statuses.slice(0, 5), statuses.at(-1)], [Array(5).fill(401), 429])
})

/** Ten more failures, as another process would report them: the wait does not end during the test. */
const waitLong = (key: string) => gateway.attempts.hear({ key, added: 10, isReset: false })

const ask = (path: string, body: unknown, browser?: PersonsBrowser) => postJson(gateway, path, body, browser)
const question = async (path: string, browser?: PersonsBrowser) =>
  (await (await ask(path, {}, browser)).json()) as { challenge: string }

test('a passkey’s answer that no device writes is refused, whatever stands in it', async () => {
  const answer = async (id: unknown, challenge: unknown) => {
    const clientDataJSON = Buffer.from(JSON.stringify({ challenge })).toString('base64url')
    return (await ask('/sign-in/passkey', { id, response: { clientDataJSON } })).status
  }
  assert.equal(await answer('x', 'a\0b'), 401)
  for (const id of ['a\0b', '', 7, null]) {
    const { challenge } = await question('/sign-in/passkey/ask')
    assert.equal(await answer(id, challenge), 401, String(id))
  }
})

test('a passkey’s answer with a field twice is refused', async () => {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const body = '{"id":"a","response":{"clientDataJSON":"e30","clientDataJSON":"e30"}}'
  const { status } = await fetch(`${gateway.url}/sign-in/passkey`, { method: 'POST', headers, body })
  assert.equal(status, 400)
})

test('a passkey may be called whatever a script sends', async () => {
  const { browser } = await joined(gateway, developer())
  const made = new Device(gateway).made(await question('/sign-in/set-up/passkey/ask', browser))
  const added = await ask('/sign-in/set-up/passkey', { ...made, name: 'Key\0 ring' }, browser)
  assert.equal(added.status, 200)
  browser.cookie = added.headers.getSetCookie()[0]!.split(';', 1)[0]!
  assert.match((await browser.get('/account')).text, /Key ring/)
})

test('a passkey replaces a colleague’s half session, but not their full one', async () => {
  const [one, other] = [await joined(gateway, operator), await joined(gateway, operator)]
  const device = new Device(gateway)
  const made = device.made(await question('/sign-in/set-up/passkey/ask', one.browser))
  const added = await ask('/sign-in/set-up/passkey', { ...made, name: 'Key ring' }, one.browser)
  assert.equal(added.status, 200)
  const show = async (browser: PersonsBrowser) =>
    ask('/sign-in/passkey', device.shown(await question('/sign-in/passkey/ask')), browser)

  const shared = new PersonsBrowser(gateway)
  await shared.post('/sign-in', { email: other.email, password })
  const opened = await show(shared)
  assert.equal(opened.status, 200)
  // Nothing of the colleague's beginning is left.
  assert.equal((await shared.get('/sign-in/second')).location, '/sign-in?to=%2Fhome')
  shared.cookie = opened.headers.getSetCookie()[0]!.split(';', 1)[0]!
  assert.match((await shared.get('/account')).text, new RegExp(one.email))
  assert.equal((await show(other.browser)).status, 401)
})

test('after the sign-in people return to the page they wanted, and to no other site', async () => {
  const { email } = await joined(gateway, developer())
  for (const [to, location] of [
    ['/account', '/account'],
    ['https://evil.example/', '/home'],
    ['//evil.example', '/home'],
    ['/\\evil.example', '/home'],
    ['/console/../../x', '/home'],
  ] as const) {
    const signedIn = await new PersonsBrowser(gateway).post('/sign-in', { email, password, to })
    assert.equal(signedIn.location, location, to)
  }
})

test('an easy password is refused, with advice', async () => {
  const { token, email } = await invited(gateway, developer())
  const browser = new PersonsBrowser(gateway)
  for (const easy of ['passwordpassword', `${email} 2026`, 'Test shop 2026', 'localhost1234']) {
    const refused = await browser.post(`/join/${token}`, { password: easy })
    assert.equal(refused.status, 422, easy)
    assert.match(refused.text, /Use several unrelated words/)
  }
  const client = { network: '203.0.113.8', browser: 'test', mark: null, requestId: null }
  await assert.rejects(acceptLink(gateway.db, { token, password: 'qwertyqwerty', client }), {
    code: 'password_easy_to_guess',
  })
  const there = await joined(gateway, developer())
  const changed = await there.browser.post(
    '/account/password',
    { password: '123412341234' },
    { 'accept-language': 'ru' },
  )
  assert.equal(changed.status, 422)
  assert.match(changed.text, /Возьмите несколько несвязанных слов/)
  assert.equal((await browser.post(`/join/${token}`, { password })).status, 303)
})
