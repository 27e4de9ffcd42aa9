/**
 * A finding of the audit: people, sessions, links and keys of the demo open nothing once the same data is started as
 * production; and a demo link never enters past a factor. Real starts of the program: in npm run test:attacks.
 */
import assert from 'node:assert/strict'
import { signLiteral } from '../../sdk/signature.ts'
import { cookieName } from '../../src/people/session.ts'
import { attacksOf, isWhole, type Note } from '../support/attempts.ts'
import { call, type Shop, textOf } from '../support/gateway.ts'
import { PersonsBrowser } from '../support/person.ts'
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
