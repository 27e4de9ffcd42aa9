/** The overviews of both consoles: first steps before the first deposit, links that everybody may follow, one mode at a time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop, startGateway } from '../support/gateway.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'

const roles = { environment: { INLET_ROLES: 'api,console' } }

/** The links of the page, without those of its frame. */
const linksIn = (page: string): string[] =>
  [...page.slice(page.indexOf('<main')).matchAll(/<a href="([^"]+)"/g)].map(([, href]) =>
    href!.replaceAll('&amp;', '&'),
  )

async function assertOpen(browser: PersonsBrowser, path: string): Promise<number> {
  const { status, text } = await browser.get(path)
  assert.equal(status, 200, path)
  const links = linksIn(text)
  for (const link of links) assert.equal((await browser.get(link)).status, 200, `${link} of ${path}`)
  return links.length
}

test('without a deposit both show the first steps, tick what is done, and print no figures', async () => {
  const gateway = await startGateway({ demo: false, ...roles })
  const admin = await joined(gateway, { operatorRole: 'admin' })
  const before = (await admin.browser.get('/operator/overview')).text
  assert.match(before, /First steps/)
  assert.equal(before.match(/<li class="done">/g), null)
  assert.doesNotMatch(before, /class="tiles"/)

  const shop = await openShop(gateway)
  assert.equal((await admin.browser.get('/operator/overview')).text.match(/<li class="done">/g)?.length, 1)
  const viewer = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  const { text } = await viewer.browser.get(`/console/${shop.merchant}/overview`)
  assert.match(text, /First steps/)
  assert.doesNotMatch(text, /class="tiles"/)
  const auditor = await joined(gateway, { operatorRole: 'auditor' })
  assert.equal(linksIn((await auditor.browser.get('/operator/overview')).text).length, 0)
  await assertOpen(viewer.browser, `/console/${shop.merchant}/overview`)
})

test('people with read-only access can follow every link of an overview', async () => {
  const gateway = await startGateway(roles)
  const shop = await openShop(gateway)
  await shop.create({ cents: 150_000 })
  const auditor = await joined(gateway, { operatorRole: 'auditor' })
  const viewer = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  assert.ok((await assertOpen(auditor.browser, '/operator/overview')) >= 10)
  assert.ok((await assertOpen(viewer.browser, `/console/${shop.merchant}/overview`)) >= 10)
})

test('deposits of tests and of live merchants are never counted together', async () => {
  const gateway = await startGateway(roles)
  const tested = await openShop(gateway)
  const { browser } = await joined(gateway, { operatorRole: 'admin' })
  await tested.create({ cents: 150_000 })
  await tested.create({ cents: 160_000 })
  const created = async (query: string) =>
    /Deposits created today<\/dt><dd><a[^>]*>(\d+)/.exec(
      (await browser.get(`/operator/overview${query}`)).text,
    )?.[1]
  assert.equal(await created(''), '2')
  await openShop(gateway, { mode: 'live' })
  // As soon as there is a live merchant, live mode is the default.
  assert.deepEqual(
    [await created(''), await created('?mode=test'), await created('?mode=live')],
    ['0', '2', '0'],
  )
})

test('sign-in and the logo lead to the overview', async () => {
  const gateway = await startGateway(roles)
  const shop = await openShop(gateway)
  const operator = await joined(gateway, { operatorRole: 'operator' })
  const owner = await joined(gateway, { merchantId: shop.merchant, role: 'owner' })
  assert.equal((await operator.browser.get('/home')).location, '/operator/overview')
  assert.equal((await owner.browser.get('/home')).location, `/console/${shop.merchant}/overview`)
  assert.match((await operator.browser.get('/operator')).text, /class="brand" href="\/operator\/overview"/)
})
