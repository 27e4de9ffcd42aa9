/**
 * Forms of other sites (CSRF) on the consoles, the payment page and the demo shop. That every route of the consoles
 * checks its form is in people/permissions.test.ts.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { startGateway as startRealGateway } from '../../src/gateway.ts'
import { createLog } from '../../src/platform/log.ts'
import { attacksOf, behindProxy, fromAnywhere, inTurns, isWhole } from '../support/attempts.ts'
import { atEnd } from '../support/clean-up.ts'
import { freePort, openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { accessFor, visitors } from '../support/permissions.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'
import { tableDigests } from '../support/table-digests.ts'

const { attack, report } = attacksOf('cross-site forms (CSRF)')

let gateway: TestGateway
let shop: Shop
let deposit: { id: string; payment_data: { url: string } }
/** For each kind of visitor two people: one is attacked, the token of the other is tried. */
const people = new Map<string, { victim: PersonsBrowser; colleague: PersonsBrowser }>()
before(async () => {
  gateway = await startGateway({ environment: behindProxy })
  shop = await openShop(gateway)
  for (const name of ['owner', 'admin', 'operator', 'approver']) {
    const { operatorRole, role = 'owner' } = visitors[name]!
    const place = operatorRole ? { operatorRole } : { merchantId: shop.merchant, role }
    const [victim, colleague] = [await joined(gateway, place), await joined(gateway, place)]
    people.set(name, { victim: victim.browser, colleague: colleague.browser })
  }
  deposit = (await shop.create()).body
})

const addressOf = (path: string) =>
  path
    .replace(':merchant', shop.merchant)
    .replace('deposits/:id', `deposits/${deposit.id}`)
    .replace(/:\w+/g, deposit.id)

type Way = { name: string; headers: Record<string, string>; token?: 'colleague' | 'none'; in?: 'query' }

const ours = () => new URL(gateway.url).origin
/** What our own page would have to send wrongly; what a browser says of another site is in same-site.test.ts. */
const ways: Way[] = [
  { name: 'no token', headers: {}, token: 'none' },
  { name: 'the token of a colleague', headers: {}, token: 'colleague' },
  { name: 'the token in the query', headers: {}, in: 'query' },
  { name: 'a form as plain text', headers: { 'content-type': 'text/plain' } },
  { name: 'JSON without a token', headers: { 'content-type': 'application/json' }, token: 'none' },
]

/** Somebody who is let in, of the people above. */
const visitorFor = (policy: TestGateway['policies'][number]['policy']): string | undefined =>
  [...people.keys()].find((name) => accessFor(policy, name).is === 'allowed')

attack('a form with the token of somebody else, without one, or with it elsewhere', async (note) => {
  const { victim, colleague } = people.get('owner')!
  const before = await tableDigests(gateway.database.owner)
  for (const way of ways) {
    const token = way.token === 'none' ? '' : way.token ? colleague.csrf : victim.csrf
    const query = way.in ? `?${new URLSearchParams({ csrf: token })}` : ''
    const fields = { language: 'en', zone: 'Europe/Moscow', ...(!way.in && { csrf: token }) }
    const { status } = await fetch(`${gateway.url}/account/preferences${query}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...fromAnywhere(),
        ...way.headers,
        cookie: victim.cookie,
      },
      body: String(new URLSearchParams(fields)),
    })
    note(`${way.name} (${status})`, status !== 403 && status !== 415)
  }
  assert.deepEqual(await tableDigests(gateway.database.owner), before, 'nothing was changed')
})

attack('a form sent as a question: GET, HEAD and methods in headers', async (note) => {
  const posts = gateway.policies.filter(({ method }) => method === 'POST')
  const gets = new Set(gateway.policies.filter(({ method }) => method === 'GET').map(({ path }) => path))
  const before = await tableDigests(gateway.database.owner)
  const jobs = posts.filter(({ path }, place) => !gets.has(path) && (isWhole || place % 12 === 0))
  await inTurns(jobs, async ({ path, policy }) => {
    const name = visitorFor(policy) ?? 'owner'
    const { cookie, csrf } = people.get(name)!.victim
    for (const [method, more] of [
      ['GET', {}],
      ['GET', { 'x-http-method-override': 'POST', 'x-http-method': 'POST', 'x-method-override': 'POST' }],
      ['HEAD', {}],
      ['PUT', {}],
    ] as const) {
      const query = new URLSearchParams({ csrf, reason: 'x', _method: 'POST' })
      const headers = { ...fromAnywhere(), ...more, cookie, 'sec-fetch-site': 'same-origin' }
      const response = await fetch(`${gateway.url}${addressOf(path)}?${query}`, {
        method,
        headers,
        redirect: 'manual',
      })
      await response.body?.cancel()
      note(
        `${method} ${path}: ${response.status}`,
        response.status < 400 && !gets.has(path) && !isShown(path),
      )
    }
  })
  assert.deepEqual(await tableDigests(gateway.database.owner), before, 'nothing was changed')
})

/** An address with a name in it is another page's: /callbacks/test is also /callbacks/:number. */
const isShown = (path: string) =>
  gateway.policies.some(
    ({ method, path: shown }) =>
      method === 'GET' && new RegExp(`^${shown.replace(/:\w+/g, '[^/]+')}$`).test(path) && shown !== path,
  )

test('control: the same forms, sent by their own pages, are taken', async () => {
  const { victim: owner } = people.get('owner')!
  const saved = await owner.post('/account/preferences', { language: 'en', zone: 'Europe/Moscow' })
  assert.equal(saved.location, '/account?notice=saved')
  const { victim: admin } = people.get('admin')!
  assert.equal((await admin.post(`/operator/deposits/${deposit.id}/take`)).status, 303)
  const byOrigin = await fetch(`${gateway.url}/account/preferences`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: ours(), cookie: owner.cookie },
    body: new URLSearchParams({ csrf: owner.csrf, language: 'en', zone: 'Europe/Moscow' }),
  })
  assert.equal(byOrigin.status, 303)
})

/** The payment page's address is a secret; still no other site's form acts on it. */
const foreignForms: Way[] = [
  { name: 'cross-site', headers: { 'sec-fetch-site': 'cross-site' } },
  { name: 'same-site', headers: { 'sec-fetch-site': 'same-site' } },
  { name: 'typed by hand', headers: { 'sec-fetch-site': 'none' } },
  { name: 'Origin of another site', headers: { origin: 'https://evil.example' } },
  { name: 'Origin on another port', headers: { origin: 'http://localhost:1' } },
  { name: 'cross-site with Origin null', headers: { 'sec-fetch-site': 'cross-site', origin: 'null' } },
]

attack('the payment page and the demo shop', async (note) => {
  const port = await freePort()
  const config = readConfig({
    ...{ PORT: String(port), DATABASE_URL: gateway.database.url, INLET_DATA_DIR: gateway.config.dataDir },
    ...{
      INLET_MASTER_KEY: gateway.config.masterKey!.toString('base64'),
      INLET_METRICS_PORT: 'off',
      ...behindProxy,
    },
  })
  const keys = {
    key_id: shop.keyId,
    signing_secret: shop.secret,
    callback_secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
  }
  const demo = { merchant: shop.merchant, ...keys } as Parameters<typeof startRealGateway>[3]
  const withShop = await startRealGateway(
    config,
    gateway,
    createLog('error', () => {}),
    demo,
  )
  atEnd(() => withShop.close())
  const url = `http://localhost:${port}`
  const page = new URL(deposit.payment_data.url).pathname
  const acts: [string, Record<string, string>][] = [
    [`${page}/claim`, {}],
    [`${page}/give-up`, {}],
    [`${page}/play`, { play: 'exact' }],
    [`${page}/choose`, { method: 'sbp' }],
    ['/demo/orders', { product: 'notebook', quantity: '1', currency: 'RUB', way: 'card' }],
  ]
  const before = await tableDigests(gateway.database.owner)
  const post = async (path: string, fields: Record<string, string>, headers: Record<string, string>) => {
    const body = new URLSearchParams(fields)
    const response = await fetch(url + path, {
      method: 'POST',
      redirect: 'manual',
      body,
      headers: { ...fromAnywhere(), ...headers },
    })
    await response.body?.cancel()
    return response.status
  }
  for (const [path, fields] of acts)
    for (const { name, headers } of foreignForms) {
      const status = await post(path, fields, headers)
      note(`${path.replace(page, '/pay/…')}: ${name} (${status})`, status < 400)
    }
  assert.deepEqual(await tableDigests(gateway.database.owner), before, 'nothing was changed')
  for (const [path, fields] of [acts[4]!, acts[0]!])
    assert.equal(await post(path, fields, { 'sec-fetch-site': 'same-origin' }), 303, `control: ${path}`)
})

report()
