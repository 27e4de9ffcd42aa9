/** The signing rules of a key in the console: which were used, "v2 only" where nothing needs the literal rule, and back. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { usesV2Alone } from '../../src/domain/merchants/api-key.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined, type PersonsBrowser } from '../support/person.ts'

let gateway: TestGateway
let shop: Shop
let developer: PersonsBrowser
let viewer: PersonsBrowser
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  shop = await openShop(gateway)
  const place = { merchantId: shop.merchant }
  developer = (await joined(gateway, { ...place, role: 'developer' })).browser
  viewer = (await joined(gateway, { ...place, role: 'viewer' })).browser
})

const now = new Date('2026-11-16T12:00:00Z')
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
for (const [literalUsedAt, v2UsedAt, expected] of [
  [null, null, false],
  [null, ago(1), true],
  [null, ago(8), false],
  [ago(1), ago(1), false],
  [ago(1), null, false],
  [ago(8), ago(1), true],
  [ago(7), ago(1), false],
  [ago(8), ago(8), false],
] as const) {
  const ageText = (at: Date | null) =>
    at ? `${(now.getTime() - at.getTime()) / 86_400_000} days ago` : 'never'
  test(`literal ${ageText(literalUsedAt)}, v2 ${ageText(v2UsedAt)}: v2 alone is ${expected ? '' : 'not '}offered`, () => {
    assert.equal(usesV2Alone({ literalUsedAt, v2UsedAt }, now), expected)
  })
}

const used = (literal: string | null, v2: string | null) =>
  gateway.db.query(sql`
    update api_keys
    set literal_used_at = inlet_now() - ${literal}::interval, v2_used_at = inlet_now() - ${v2}::interval
    where id = ${shop.keyId}`)
const path = () => `/console/${shop.merchant}/keys`
const page = async (browser: PersonsBrowser) => (await browser.get(path())).text
const offered = /All requests with key_\S+ in the last 7 days/
const press = (act: 'v2' | 'both') => developer.post(`${path()}/${shop.keyId}/${act}`)
const isV2Only = async () => {
  const [row] = await gateway.db.query<{ v2: boolean }>(
    sql`select v2_only as v2 from api_keys where id = ${shop.keyId}`,
  )
  return row!.v2
}

test('the page shows both signing rules, and offers "v2 only" to people who may change keys', async () => {
  await used('1 hour', '2 hours')
  assert.match(await page(viewer), /v2 last used[\s\S]*<time[\s\S]*<time/)
  assert.doesNotMatch(await page(developer), offered)
  await used('8 days', '2 hours')
  assert.match(await page(developer), offered)
})

test('one click accepts v2 only, another accepts both rules again; both are audited', async () => {
  await used(null, '1 minute')
  assert.equal((await press('v2')).status, 303)
  assert.equal(await isV2Only(), true)
  assert.deepEqual((await shop.create()).body.code, 'scheme_too_weak')
  assert.equal((await shop.createV2(shop.order())).status, 201)
  const text = await page(developer)
  assert.doesNotMatch(text, offered)
  assert.match((await developer.get(`${path()}/${shop.keyId}`)).text, /Accept both/)
  assert.equal((await press('both')).status, 303)
  assert.equal((await shop.create()).status, 201)
  const lines = await gateway.db.query<{ after: string }>(
    sql`select after from audit_entries where act = 'key_mark' order by place`,
  )
  assert.deepEqual(
    lines.map(({ after }) => after),
    ['{"v2Only":true}', '{"v2Only":false}'],
  )
})

test('a viewer cannot change the rules of a key', async () => {
  assert.equal((await viewer.post(`${path()}/${shop.keyId}/both`)).status, 403)
})

test('a new key is v2 only if the merchant’s keys are, or if that is chosen', async () => {
  const own = await openShop(gateway)
  const owner = (await joined(gateway, { merchantId: own.merchant, role: 'developer' })).browser
  const keys = `/console/${own.merchant}/keys`
  const newest = async () =>
    (
      await gateway.db.one<{ v2: boolean }>(sql`
        select v2_only as v2 from api_keys
        where merchant_id = ${own.merchant} and purpose = 'request' order by created_at desc, id desc limit 1`)
    ).v2
  await owner.get(keys)
  assert.equal((await owner.post(`${keys}/rotate`, { days: '0' })).status, 200)
  assert.equal(await newest(), false)
  assert.equal((await owner.post(`${keys}/rotate`, { days: '0', v2Only: 'on' })).status, 200)
  assert.equal(await newest(), true)
  assert.equal((await owner.post(`${keys}/rotate`, { days: '0' })).status, 200)
  assert.equal(await newest(), true)
})

test('a change of one merchant’s keys counts at once, and makes nobody read the other merchants again', async () => {
  const { merchantCacheMs } = bounds
  const other = await openShop(gateway)
  Object.assign(bounds, { merchantCacheMs: 60_000 })
  try {
    assert.equal((await other.create()).status, 201)
    assert.equal((await shop.create()).status, 201)
    // The cache has an outdated copy of the other merchant now.
    await gateway.database.owner.query(sql`update merchants set enabled = false where id = ${other.merchant}`)
    assert.equal((await press('v2')).status, 303)
    assert.equal((await shop.create()).body.code, 'scheme_too_weak')
    assert.equal((await other.create()).status, 201)
  } finally {
    Object.assign(bounds, { merchantCacheMs })
    await press('both')
  }
})
