/** A person who tries routes leaves a line in the log: when, where, from which address, and who it was if that is known. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bounds } from '../src/platform/bounds.ts'
import { call, openShop, type Shop, startGateway, type TestGateway } from './support/gateway.ts'
import { joined, PersonsBrowser, password } from './support/person.ts'

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway({ environment: { INLET_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  shop = await openShop(gateway)
})

type Line = {
  message: string
  status: number
  code?: string
  route?: string
  address?: string
  person?: string
}
const refusedFrom = (address: string): Line[] =>
  gateway.logged.map((line) => JSON.parse(line)).filter((line) => line.address === address)
const from = (address: string) => ({ 'x-forwarded-for': address })

test('a wrong password, signature, bank token and foreign form are logged, without a name or a value', async () => {
  const address = '203.0.113.40'
  const { email } = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  const browser = new PersonsBrowser(gateway)
  await browser.post('/sign-in', { email, password: 'wrong password canary' }, from(address))
  await browser.post('/sign-in', { email, password }, { ...from(address), 'sec-fetch-site': 'cross-site' })
  const bodies = { 'content-type': 'application/json', ...from(address) }
  await call(gateway.url, '/api/v1/requests/deposit/create', {
    method: 'POST',
    headers: { ...bodies, 'x-signature': 'canary' },
    body: JSON.stringify(shop.order({ customer: 'canary' })),
  })
  await call(gateway.url, '/api/v1/bank/transfers', {
    method: 'POST',
    headers: { ...bodies, authorization: 'Bearer canary' },
    body: '{}',
  })

  const lines = refusedFrom(address)
  assert.deepEqual(
    lines.map(({ message, status, route, code }) => [message, status, route, code]),
    [
      // The form answers by itself, with what its person can do.
      ['refused', 401, '/sign-in', undefined],
      ['refused', 403, '/sign-in', 'cross_site_request'],
      ['refused', 401, '/api/v1/requests/deposit/create', 'signature_invalid'],
      ['refused', 401, '/api/v1/bank/transfers', 'bank_token_invalid'],
    ],
  )
  const text = JSON.stringify(lines)
  for (const value of ['canary', email, password]) assert.ok(!text.includes(value), value)
})

test('a person who is refused a page, also one that seems not to exist, is logged by id', async () => {
  const address = '203.0.113.41'
  const { browser, person } = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  const other = await openShop(gateway)
  assert.equal((await browser.get(`/console/${shop.merchant}/keys/rotate`, from(address))).status, 403)
  assert.equal((await browser.get(`/console/${other.merchant}`, from(address))).status, 404)
  assert.equal((await browser.get('/operator', from(address))).status, 404)
  assert.deepEqual(
    refusedFrom(address).map((line) => [line.code, line.route, line.person]),
    [
      ['forbidden', '/console/:merchant/keys/rotate', person.id],
      ['not_found', '/console/:merchant', person.id],
      ['not_found', '/operator', person.id],
    ],
  )
})

test('a missing page or a required sign-in is not logged as a denial', async () => {
  const address = '203.0.113.42'
  await call(gateway.url, '/nothing-here', { headers: from(address) })
  await new PersonsBrowser(gateway).get(`/console/${shop.merchant}`, from(address))
  assert.deepEqual(refusedFrom(address), [])
})

test('the many networks of one IPv6 site cannot fill the log', async () => {
  const addresses = Array.from({ length: 700 }, (_, place) => `2001:db8:7:${(place + 1).toString(16)}::1`)
  for (const address of addresses)
    await new PersonsBrowser(gateway).post(
      '/sign-in',
      {},
      { ...from(address), 'sec-fetch-site': 'cross-site' },
    )
  const lines = addresses.flatMap(refusedFrom).length
  const most = bounds.refusedLogRate.burst
  assert.ok(lines >= most && lines < addresses.length, String(lines))
})
