/**
 * Every route of the consoles over HTTP, as a visitor of each answer it gives; and the document that says so.
 *
 *   npm run permissions    prints docs/permissions.md
 */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { consolePath } from '../../src/surfaces/console/paths.ts'
import { deskPath } from '../../src/surfaces/desk/paths.ts'
import { staffPath } from '../../src/surfaces/staff/paths.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { declaredRoutes } from '../support/office.ts'
import { accessFor, permissionsDocument, visitors } from '../support/permissions.ts'
import { joined, PersonsBrowser, password } from '../support/person.ts'

const file = new URL('../../docs/permissions.md', import.meta.url)

let gateway: TestGateway
let shop: Shop
const browsers = new Map<string, PersonsBrowser>()
before(async () => {
  // Everybody comes from an address of their own: how many may come from one is tested elsewhere.
  gateway = await startGateway({ environment: { INLET_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  shop = await openShop(gateway)
  const other = await openShop(gateway)
  browsers.set('nobody', new PersonsBrowser(gateway))
  for (const name of Object.keys(visitors)) {
    const kind = visitors[name]
    if (!kind || kind.strength === 'password') continue
    const { operatorRole, role = 'viewer', isElsewhere } = kind
    const merchantId = isElsewhere ? other.merchant : shop.merchant
    const { browser } = await joined(gateway, operatorRole ? { operatorRole } : { merchantId, role })
    browsers.set(name, browser)
  }
  const { email } = await joined(gateway, { operatorRole: 'admin' })
  const half = new PersonsBrowser(gateway)
  await half.post('/sign-in', { email, password })
  await half.get('/sign-in/second')
  browsers.set('password only', half)
  await gateway.database.owner.query(sql`
    update sessions s
    set proved_at = inlet_now() - interval '1 hour'
    from people p
    where p.id = s.person_id and p.email = any(${await staleEmails()}::text[])`)
})

/** Those whose last proof is to be an hour old. */
async function staleEmails(): Promise<string[]> {
  const stale = Object.keys(visitors).filter((name) => visitors[name]?.isStale)
  const emails: string[] = []
  for (const name of stale) {
    const { text } = await browsers.get(name)!.get('/account')
    emails.push(/person-\d+@example\.com/.exec(text)![0])
  }
  return emails
}

test('docs/permissions.md is what the router says', async () => {
  const document = permissionsDocument(gateway.policies)
  if (process.env.INLET_PRINT === 'permissions') await writeFile(file, document)
  assert.equal(await readFile(file, 'utf8'), document, 'Print it with "npm run permissions".')
})

test('every address that a link can be made to is a route, and every route is on a list', () => {
  const listed = new Set<string>([
    ...staffPath.routes,
    ...consolePath.routes,
    ...deskPath.routes,
    ...declaredRoutes,
  ])
  const served = new Set(gateway.policies.map(({ path }) => path))
  const unserved = [...listed.difference(served)]
  assert.deepEqual(
    unserved,
    [],
    'In paths.ts or declared, but no route: is its function called in desk/routes.ts or console/routes.ts?',
  )
  assert.deepEqual([...served.difference(listed)], [], 'A route, but not in paths.ts.')
})

let addresses = 0
const from = () => ({
  'x-forwarded-for': `10.${++addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`,
})

/** An address of this route that nothing answers to but the merchant; what is there is tested elsewhere. */
const addressOf = (path: string) =>
  path.replace(':merchant', shop.merchant).replace(/:\w+/g, '00000000-0000-4000-8000-000000000000')

test('over HTTP every route gives each answer that the document has for it', async () => {
  // Signing out ends what the others need.
  const routes = gateway.policies.filter(
    ({ path }) => path !== '/sign-out' && path !== '/account/sessions/end',
  )
  const wrong: string[] = []
  for (const { method, path, policy } of routes) {
    // One visitor of each answer: which roles get it is decided by one function, from which the document is printed.
    const answers = new Map(
      Object.keys(visitors).map((name) => {
        const access = accessFor(policy, name)
        return [access.is === 'refused' ? access.because : access.is, name]
      }),
    )
    for (const name of answers.values()) {
      const browser = new PersonsBrowser(gateway)
      const known = browsers.get(name)!
      browser.cookie = known.cookie
      browser.csrf = known.csrf
      const access = accessFor(policy, name)
      // An allowed request does not act either: a form without its token is refused by the last check.
      const answer =
        method === 'GET'
          ? await browser.get(addressOf(path), from())
          : await browser.post(addressOf(path), { csrf: 'not the token' }, from())
      const outcome = seen(answer)
      const expected =
        access.is === 'refused'
          ? access.because
          : method === 'POST' && policy.for !== 'anyone'
            ? 'forged'
            : 'open'
      if (outcome !== expected && !(expected === 'open' && outcome === 'not_found'))
        wrong.push(`${method} ${path} as ${name}: ${outcome}, not ${expected}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('a form of another site, or without its token, is refused on every route, also from people who may use it', async () => {
  const wrong: string[] = []
  for (const { method, path, policy } of gateway.policies) {
    if (method !== 'POST') continue
    const name = Object.keys(visitors).find((key) => accessFor(policy, key).is !== 'refused')!
    const { cookie, csrf } = browsers.get(name)!
    const ways = [
      // What else a browser may say of another site: same-site.test.ts.
      { csrf, headers: { 'sec-fetch-site': 'cross-site' } },
      ...(policy.for === 'anyone' ? [] : [{ csrf: '', headers: {} }]),
    ]
    for (const way of ways) {
      const browser = new PersonsBrowser(gateway)
      browser.cookie = cookie
      const answer = await browser.post(addressOf(path), { csrf: way.csrf }, { ...from(), ...way.headers })
      if (seen(answer) !== 'forged') wrong.push(`${path} as ${name}: ${answer.status}`)
    }
  }
  assert.deepEqual(wrong, [])
})

function seen({ status, location, text }: { status: number; location: string | null; text: string }): string {
  if (status === 303 && location?.startsWith('/sign-in?')) return 'login_required'
  if (status === 303 && location?.startsWith('/sign-in/second?')) return 'second_factor_required'
  if (status === 303 && location?.startsWith('/sign-in/again?')) return 'step_up_required'
  if (status === 403) return text.includes('Your role does not allow this') ? 'forbidden' : 'forged'
  // A form that should have brought a file is refused by the same check.
  if (status === 415) return 'forged'
  if (status === 404) return 'not_found'
  return status < 500 && status !== 429 ? 'open' : `fault ${status}`
}
