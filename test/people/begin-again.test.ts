/**
 * A new beginning takes an account away from a person who holds it wrongly. What they had under way at that moment must not
 * be done to the account afterwards: a factor or password of theirs would give it back to them.
 */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { resetPerson } from '../../src/domain/people/change-person.ts'
import { acceptLink } from '../../src/domain/people/links/accept-link.ts'
import { hasSecondFactor } from '../../src/domain/people/person.ts'
import { endSessions } from '../../src/domain/people/session-store.ts'
import { findPerson, lockPerson } from '../../src/domain/people/store.ts'
import type { Db } from '../../src/platform/db.ts'
import { during } from '../support/during.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { Device } from '../support/passkey.ts'
import {
  codeNow,
  fromBase32,
  joined,
  PersonsBrowser,
  postJson,
  password as thiefsPassword,
} from '../support/person.ts'

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
})

let thief: Awaited<ReturnType<typeof joined>>
beforeEach(async () => {
  thief = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
})

const byTest = { personId: null, name: 'test', requestId: null }
const client = { network: '203.0.113.7', browser: 'test', mark: null, requestId: null }
const ownersPassword = 'seven green kettles on a roof'

/** What the thief sends arrives before the owner has taken the link, and is done after it. */
async function whileOwnerBegins<Result>(send: () => Promise<Result>): Promise<Result> {
  const token = await resetPerson(gateway.db, thief.email, byTest)
  let sent: Result
  const transaction: Db['transaction'] = async (work) => {
    const done: Awaited<ReturnType<typeof work>>[] = []
    sent = await during(gateway, async (tx) => done.push(await work(tx)), send)
    return done[0]!
  }
  await acceptLink({ ...gateway.db, transaction }, { token, password: ownersPassword, client })
  return sent!
}

async function assertOwners() {
  const person = (await findPerson(gateway.db, thief.person.id))!
  assert.equal(hasSecondFactor(person), false, 'no factor of the thief')
  assert.notEqual((await thief.browser.get('/account')).status, 200, 'no session of the thief')
  const signedIn = await new PersonsBrowser(gateway).post('/sign-in', {
    email: thief.email,
    password: ownersPassword,
  })
  assert.equal(signedIn.location, '/home', 'the password of the owner')
}

test('a password that is changed while its account begins again', async () => {
  const password = 'nine yellow spoons in a drawer'
  const sent = await whileOwnerBegins(() => thief.browser.post('/account/password', { password }))
  assert.match(sent.location!, /^\/sign-in/)
  await assertOwners()
})

test('an authenticator that is set up while its account begins again', async () => {
  const { text } = await thief.browser.get('/sign-in/set-up')
  const secret = fromBase32(/translate="no">([A-Z2-7 ]+)</.exec(text)![1]!)
  const sealed = /name="sealed" value="([^"]+)"/.exec(text)![1]!
  const code = await codeNow(gateway, secret)
  await whileOwnerBegins(() => thief.browser.post('/sign-in/set-up', { sealed, code }))
  await assertOwners()
})

test('a passkey that is added while its account begins again', async () => {
  const { browser } = thief
  const ask = (path: string, body: unknown) => postJson(gateway, path, body, browser)
  const question = (await (await ask('/sign-in/set-up/passkey/ask', {})).json()) as { challenge: string }
  const answer = new Device(gateway).made(question)
  const added = await whileOwnerBegins(() => ask('/sign-in/set-up/passkey', { ...answer, name: 'Key' }))
  assert.equal(added.status, 401)
  browser.keep(added.headers.getSetCookie())
  await assertOwners()
})

/** What is sent while every session of the person is being ended: it waits for the end. */
const whileSessionsEnd = (personId: string, send: () => Promise<unknown>) =>
  during(
    gateway,
    async (tx) => {
      await lockPerson(tx, personId)
      await endSessions(tx, { personId })
    },
    send,
  )

test('a second factor that is used while all sessions are being ended opens none', async () => {
  const owner = await joined(gateway, { operatorRole: 'operator' })
  const half = new PersonsBrowser(gateway)
  await half.post('/sign-in', { email: owner.email, password: thiefsPassword })
  await half.get('/sign-in/second')
  await gateway.database.shiftClock('31 seconds')
  const code = await codeNow(gateway, owner.secret!)
  await whileSessionsEnd(owner.person.id, () => half.post('/sign-in/second', { code }))
  await gateway.database.shiftClock('0')
  assert.notEqual((await half.get('/account')).status, 200)
})

test('a password that is confirmed while all sessions are being ended opens none', async () => {
  await whileSessionsEnd(thief.person.id, () =>
    thief.browser.post('/sign-in/again', { password: thiefsPassword }),
  )
  assert.notEqual((await thief.browser.get('/account')).status, 200)
})
