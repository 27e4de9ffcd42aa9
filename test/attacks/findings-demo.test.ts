/**
 * A finding of the audit: people, sessions, links and keys of the demo open nothing once the same data is started as
 * production; and a demo link never enters past a factor. Real starts of the program: in npm run test:attacks.
 */

import assert from 'node:assert/strict'
import { before } from 'node:test'
import { signLiteral } from '../../sdk/signature.ts'
import { invitePerson } from '../../src/domain/people/change-person.ts'
import { cookieName } from '../../src/domain/people/session.ts'
import { findPersonByEmail } from '../../src/domain/people/store.ts'
import { inviteDemoPeople } from '../../src/domain/sandbox/demo-people.ts'
import { refuseDemo, removeDemo } from '../../src/domain/sandbox/remove-demo.ts'
import { staffPath } from '../../src/surfaces/staff/paths.ts'
import { attacksOf, isWhole, type Note } from '../support/attempts.ts'
import { call, openShop, type Shop, startGateway, type TestGateway, textOf } from '../support/gateway.ts'
import { PersonsBrowser, setUpCodes } from '../support/person.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'

const { attack, report } = attacksOf('demo data')

const masterKey = Buffer.alloc(32, 9).toString('base64')
const linksIn = (program: Program) =>
  [...program.output().matchAll(/\/join\/[\w-]{43}/g)].map(([path]) => path)

const stop = async (program: Program) => {
  program.child.kill('SIGTERM')
  await program.ended()
}

/** What the demo handed out: whether any of it still opens something. */
async function tryAll(
  note: Note,
  { url }: { url: string },
  from: { shop: Shop; links: string[]; cookies: string[] },
) {
  const order = from.shop.order({ payment_type: 'any_bank' })
  const created = await call(url, '/api/v1/requests/deposit/create', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-signature': signLiteral(from.shop.secret, 'create', textOf(order)),
    },
    body: JSON.stringify(order),
  })
  note(`the demo key: ${created.status}`, created.status < 400)
  for (const link of from.links) {
    const browser = new PersonsBrowser({ url })
    const answer = await browser.post(link)
    note(`a demo link: ${answer.status}`, answer.status === 303)
  }
  for (const cookie of from.cookies) {
    for (const name of [cookie, cookie.replace(/^[^=]+/, cookieName(true))]) {
      const browser = new PersonsBrowser({ url })
      browser.cookie = name
      note('a demo session', (await browser.get('/account')).status === 200)
    }
  }
}

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ environment: { INLET_DEMO: 'on' } })
  shop = await openShop(gateway)
})

const newLinks = async () => {
  const demo = { base_url: '', merchant: shop.merchant, key_id: '', signing_secret: '', callback_secret: '' }
  return inviteDemoPeople(gateway.db, demo, (token) => staffPath('/join/:token', token))
}

attack('a demo link past a factor that its person has set up', async (note) => {
  for (const who of ['operator', 'merchant'] as const) {
    const home = who === 'operator' ? '/operator/overview' : `/console/${shop.merchant}/overview`
    const first = new PersonsBrowser(gateway)
    await first.post((await newLinks())[who])
    assert.equal((await first.get(home)).status, 200, 'control: without a factor the link opens all')
    await first.get('/account')
    await setUpCodes(gateway, first)
    const browser = new PersonsBrowser(gateway)
    const entered = await browser.post((await newLinks())[who])
    note(`${who}: sent on to ${entered.location}`, entered.location === '/home')
    for (const path of [home, '/account', '/home']) {
      const { status } = await browser.get(path)
      note(`${who}: ${path} answers ${status}`, status === 200)
    }
    // Nor can a factor of one's own be put beside it, or the old one be taken away.
    const { status, text } = await browser.get('/sign-in/set-up')
    note(`${who}: another factor, ${status}`, status === 200 && /name="sealed"/.test(text))
    for (const path of ['/account/totp/remove', '/account/password', '/account/recovery']) {
      const { status: changed } = await browser.post(path, { password: 'seven lamps of a harbour' })
      note(`${who}: ${path} answers ${changed}`, changed === 200)
    }
  }
})

attack('what the demo’s people handed out before the demo was removed', async (note) => {
  const { id } = (await findPersonByEmail(gateway.db, 'operator@demo.example'))!
  const common = { name: 'Guest', actor: { personId: id, name: 'operator@demo.example', requestId: null } }
  const tokens: string[] = []
  for (const operatorRole of ['admin', 'approver', 'operator', 'auditor'] as const) {
    const invite = { ...common, email: `${operatorRole}@guest.example`, operatorRole, membership: null }
    tokens.push((await invitePerson(gateway.db, invite)).token)
  }
  for (const role of ['owner', 'developer', 'viewer'] as const) {
    const membership = { merchantId: shop.merchant, role }
    const invite = { ...common, email: `${role}@guest.example`, operatorRole: null, membership }
    tokens.push((await invitePerson(gateway.db, invite)).token)
  }
  const links = await newLinks()
  const folder = await dataFolder()
  await assert.rejects(refuseDemo(gateway.db, folder), /links that its people handed out: 7/)
  const shown = await new PersonsBrowser(gateway).get(`/join/${tokens[0]}`)
  assert.equal(shown.status, 200, 'control: the link is open before')
  await removeDemo(gateway.db, folder)
  for (const path of [...tokens.map((token) => `/join/${token}`), links.operator, links.merchant]) {
    const browser = new PersonsBrowser(gateway)
    const { status } = await browser.post(path, { password: 'seven lamps of a harbour' })
    note(`a link: ${status}`, status !== 410)
  }
})

attack(
  'a production start on the data of a demo',
  async (note) => {
    const folder = await dataFolder()
    const demo = await startProgram(folder, { INLET_MASTER_KEY: masterKey })
    await demo.ready()
    const shop = await demo.demoShop()
    assert.equal(
      (await shop.create({ payment_type: 'any_bank' })).status,
      201,
      'control: the key works in the demo',
    )
    const links = linksIn(demo)
    assert.ok(links.length >= 2, 'the demo prints its links')
    const browser = new PersonsBrowser(demo)
    assert.equal((await browser.post(links[0]!)).status, 303, 'control: a link works in the demo')
    const cookies = [browser.cookie]
    await stop(demo)
    const production = await startProgram(folder, {
      ...{
        NODE_ENV: 'production',
        INLET_MASTER_KEY: masterKey,
        INLET_PUBLIC_URL: 'https://pay.example',
        INLET_DEMO: 'off',
      },
    })
    const isUp = await Promise.race([
      production.ready().then(
        () => true,
        () => false,
      ),
      production.ended().then(() => false),
    ])
    if (isUp) await tryAll(note, production, { shop, links, cookies })
    else note('refused to start', (await production.ended()) === 0)
  },
  { skip: isWhole ? false : 'in npm run test:attacks' },
)

report()
