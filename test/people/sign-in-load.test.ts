/** What a flood of strangers at the sign-in costs, and whom: bounds, never times. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import { throttleKeys } from '../../src/domain/people/login-attempts.ts'
import {
  hashPassword,
  isPassword,
  passwordCost,
  refuseWhenHashingIsFull,
} from '../../src/domain/people/password.ts'
import { signInWithPassword } from '../../src/domain/people/sign-in.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sleep } from '../../src/platform/clock.ts'
import { sql } from '../../src/platform/db.ts'
import type { WorkOwner } from '../../src/platform/heavy-work.ts'
import { atEnd } from '../support/clean-up.ts'
import {
  openShop,
  productionTimeouts,
  type Shop,
  startGateway,
  type TestGateway,
} from '../support/gateway.ts'
import { Device } from '../support/passkey.ts'
import { invited, joined, PersonsBrowser, password, postJson } from '../support/person.ts'

let gateway: TestGateway
let shop: Shop
before(async () => {
  // Nearly the cost of production: the queue is to be full.
  const cheap = { ...passwordCost }
  Object.assign(passwordCost, { memory: 19_456, passes: 1 })
  atEnd(async () => void Object.assign(passwordCost, cheap))
  gateway = await startGateway({
    environment: { INLET_TRUSTED_PROXIES: '127.0.0.1,::1' },
    timeouts: productionTimeouts,
  })
  shop = await openShop(gateway)
})

const developer = () => ({ merchantId: shop.merchant, role: 'developer' }) as const
const from = (place: number) => ({ 'x-forwarded-for': `198.51.100.${place}` })
/** Whether the password of one more would be refused. */
const isFull = (owner: WorkOwner): boolean => {
  try {
    refuseWhenHashingIsFull(owner)
    return false
  } catch {
    return true
  }
}
const merchantsPeople = (): WorkOwner => ({ name: 'another', isKnown: true, group: shop.merchant })
const stranger = (place: number) =>
  new PersonsBrowser(gateway).post('/sign-in', { email: `s${place}@example.com`, password }, from(place))

test('of many concurrent sign-ins one is checked, a few wait, the rest are refused, and creates are answered', async () => {
  const tried = Array.from({ length: 120 }, (_, place) => stranger(place))
  let isOver = false
  const all = Promise.all(tried).finally(() => {
    isOver = true
  })
  let created = 0
  while (!isOver) {
    if (isFull({ name: 'somebody else', isKnown: false }))
      created += Number((await shop.create()).status === 201)
    else await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const answers = await all
  assert.ok(created > 0, 'a create was answered while no more could wait')
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0)
  assert.ok(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0))
  assert.match(refused[0]!.text, /Too many people are signing in right now\. Try again in \d+ seconds\./)
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].toSorted(), [401, 429])
})

const allPlaces = 1 + bounds.passwordsWaiting
const hashFor = (place: number) => isPassword(password, null, { name: `203.0.113.${place}`, isKnown: false })

test('while unknown clients fill the hashing queue, a known browser can sign in', async () => {
  const { email, browser } = await joined(gateway, developer())
  let isOver = false
  const flood = Array.from({ length: 2 * allPlaces }, async (_, place) => {
    while (!isOver) await hashFor(place).catch(() => sleep(1))
  })
  try {
    while (!isFull({ name: 'somebody else', isKnown: false })) await sleep(1)
    const again = new PersonsBrowser(gateway)
    again.mark = browser.mark
    for (let n = 0; n < 3; n++)
      assert.equal((await again.post('/sign-in', { email, password }, from(202))).status, 303)
  } finally {
    isOver = true
    await Promise.all(flood)
  }
})

test('while an IPv6 /48 fills the hashing queue from many of its networks, a person elsewhere can sign in', async () => {
  let isOver = false
  const flood = Array.from({ length: 2 * allPlaces }, async (_, place) => {
    while (!isOver) {
      const { status } = await new PersonsBrowser(gateway).post(
        '/sign-in',
        { email: `v${place}@example.com`, password },
        { 'x-forwarded-for': `2001:db8:7:${(place + 1).toString(16)}::1` },
      )
      if (status === 429) await sleep(20)
    }
  })
  try {
    while (!isFull({ name: '2001:db8:7::/48', isKnown: false })) await sleep(1)
    for (let n = 0; n < 3; n++) assert.equal((await stranger(206 + n)).status, 401)
  } finally {
    isOver = true
    await Promise.all(flood)
  }
})

test('people whom one merchant invited, each at an address of its own, keep nobody else from signing in or joining', async () => {
  const { email, browser } = await joined(gateway, { operatorRole: 'operator' })
  const newcomer = await invited(gateway, { operatorRole: 'operator' })
  const viewer = { merchantId: shop.merchant, role: 'viewer' } as const
  const puppets = await Promise.all(Array.from({ length: allPlaces + 3 }, () => joined(gateway, viewer)))
  const signIn = (who: { email: string; browser: PersonsBrowser }, place: number) => {
    const again = new PersonsBrowser(gateway)
    again.mark = who.browser.mark
    return again.post('/sign-in', { email: who.email, password }, from(place))
  }
  let isOver = false
  const flood = puppets.map(async (puppet, place) => {
    while (!isOver) if ((await signIn(puppet, 20 + place)).status === 429) await sleep(20)
  })
  try {
    while (!isFull(merchantsPeople())) await sleep(1)
    for (let n = 0; n < 3; n++) assert.equal((await signIn({ email, browser }, 207)).status, 303)
    const joining = { password: 'marmalade giraffe window 71' }
    const { status } = await new PersonsBrowser(gateway).post(`/join/${newcomer.token}`, joining, from(208))
    assert.equal(status, 303)
  } finally {
    isOver = true
    await Promise.all(flood)
  }
})

test('a try that we were too busy to look at is not counted as a mistake', async () => {
  const { email } = await joined(gateway, developer())
  const network = '198.51.100.203'
  const keys = throttleKeys(email, { network, mark: null })
  for (let n = 0; n < 4; n++) gateway.attempts.admit(keys)
  let flood: Promise<unknown>[] = []
  const attempts: typeof gateway.attempts = {
    ...gateway.attempts,
    admit(tried) {
      gateway.attempts.admit(tried)
      flood = Array.from({ length: allPlaces }, (_, place) => hashFor(place))
    },
  }
  const client = { network, browser: 'test', mark: null, requestId: null }
  await assert.rejects(signInWithPassword({ db: gateway.peopleDb, attempts }, { email, password, client }), {
    code: 'rate_limited',
  })
  await Promise.all(flood)
  const { status } = await new PersonsBrowser(gateway).post('/sign-in', { email, password }, from(203))
  assert.equal(status, 303)
})

test('no password is hashed while a transaction is open', async () => {
  await assert.rejects(
    gateway.db.transaction(() => hashPassword(password)),
    /outside of transactions/,
  )
})

test('with every connection of the consoles in use creates and pages are answered, and the consoles say that they are busy', async () => {
  const { browser } = await joined(gateway, developer())
  const release = await holdPeople(bounds.databaseConnections.people)
  try {
    const created = await shop.create()
    assert.equal(created.status, 201)
    const page = await fetch(created.body.payment_bill_url.replace('.png', '.svg'))
    assert.equal(page.status, 200)
    const busy = await browser.get('/account')
    assert.deepEqual([busy.status, busy.headers.get('retry-after')], [503, '1'])
  } finally {
    await release()
  }
  assert.equal((await browser.get('/account')).status, 200)
})

test('a process starts on a PostgreSQL that has fewer connections left than it keeps open, and says so', async () => {
  const { owner } = gateway.database
  const [open] = await owner.query<{ name: string; n: number }>(
    sql`select current_database() as name, count(*)::int as n from pg_stat_activity where datname = current_database()`,
  )
  const limit = (most: number) => owner.script(`alter database "${open!.name}" connection limit ${most}`)
  await limit(open!.n + 4)
  try {
    const tight = await startGateway({ beside: gateway, keptOpen: bounds.databaseKeptOpen })
    assert.equal((await fetch(`${tight.url}/health/live`)).status, 200)
    assert.match(tight.logged.join(), /too few connections left/)
    await tight.stop()
  } finally {
    await limit(-1)
  }
})

test('a lock that is not given in time is a 503, never a 500', async () => {
  const { email, person, browser } = await joined(gateway, developer())
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = gateway.database.owner.transaction(async (tx) => {
    await tx.query(sql`select id from people where id = ${person.id} for update`)
    locked.resolve()
    await held.promise
  })
  await locked.promise
  try {
    const answers = await Promise.all([
      new PersonsBrowser(gateway).post('/sign-in', { email, password }, from(201)),
      browser.post('/account/preferences', { language: 'en', zone: 'UTC' }),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503],
    )
  } finally {
    held.resolve()
    await holding
  }
})

const ask = (path: string, body: unknown, browser?: PersonsBrowser) => postJson(gateway, path, body, browser)
const question = async (path: string, browser?: PersonsBrowser) =>
  (await (await ask(path, {}, browser)).json()) as { challenge: string }

test('a passkey challenge writes nothing; a right answer is stored and accepted once', async () => {
  const answered = async () =>
    (await gateway.database.owner.query<{ n: number }>(sql`select count(*)::int as n from used_once`))[0]!.n
  const { browser } = await joined(gateway, developer())
  const device = new Device(gateway)
  const made = device.made(await question('/sign-in/set-up/passkey/ask', browser))
  assert.equal((await ask('/sign-in/set-up/passkey', { ...made, name: 'Key' }, browser)).status, 200)
  const before = await answered()
  const asked = await question('/sign-in/passkey/ask')
  assert.notEqual(asked.challenge, (await question('/sign-in/passkey/ask')).challenge)
  const shown = device.shown(asked)
  const forged = { ...shown, response: { ...shown.response, signature: shown.response.authenticatorData } }
  assert.equal((await ask('/sign-in/passkey', forged)).status, 401)
  assert.equal(await answered(), before)
  assert.equal((await ask('/sign-in/passkey', shown)).status, 200)
  assert.equal(await answered(), before + 1)
  assert.equal((await ask('/sign-in/passkey', shown)).status, 401)
  assert.equal(await answered(), before + 1)
})

test('a passkey challenge that is forged, of another person, or too old is refused', async () => {
  const { browser } = await joined(gateway, developer())
  const other = await joined(gateway, developer())
  const device = new Device(gateway)
  const add = async (challenge: string) =>
    (await ask('/sign-in/set-up/passkey', { ...device.made({ challenge }), name: 'Key' }, browser)).status
  const theirs = await question('/sign-in/set-up/passkey/ask', other.browser)
  const anybodys = await question('/sign-in/passkey/ask')
  const bytes = Buffer.from((await question('/sign-in/set-up/passkey/ask', browser)).challenge, 'base64url')
  bytes[0]! ^= 1
  for (const challenge of [
    theirs.challenge,
    anybodys.challenge,
    bytes.toString('base64url'),
    Buffer.alloc(bytes.length).toString('base64url'),
    'AAAA',
  ])
    assert.equal(await add(challenge), 401, challenge)
  const old = await question('/sign-in/set-up/passkey/ask', browser)
  await gateway.database.shiftClock('6 minutes')
  assert.equal(await add(old.challenge), 401)
})

test('a file without a session is refused before a byte of it is read', async () => {
  const socket = connect(gateway.config.port, 'localhost')
  socket.write(
    [
      'POST /operator/statements/upload HTTP/1.1',
      'Host: localhost',
      'Sec-Fetch-Site: same-origin',
      'Content-Type: multipart/form-data; boundary=b',
      `Content-Length: ${bounds.uploadBytes}`,
      '',
      '',
    ].join('\r\n'),
  )
  let text = ''
  for await (const piece of socket) text += piece
  assert.match(text, /^HTTP\/1\.1 303 /)
  assert.match(text, /location: \/sign-in/)
})

/** Takes so many of the consoles' connections, until the returned function is called. */
async function holdPeople(count: number): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const begun = Array.from({ length: count }, () => Promise.withResolvers<void>())
  const holding = begun.map(({ resolve }) =>
    gateway.peopleDb.transaction(async (tx) => {
      await tx.run(sql`set local idle_in_transaction_session_timeout = 0`)
      resolve()
      await held.promise
    }),
  )
  await Promise.all(begun.map(({ promise }) => promise))
  return async () => {
    held.resolve()
    await Promise.all(holding)
  }
}
