/** The signing rules of a key in the console: which were used, "v2 only" where nothing needs the literal rule, and back. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { usesV2Alone } from '../../src/domain/merchants/api-key.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { commandsOn, inlet, json } from '../support/command.ts'
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
const press = (fields: Record<string, string>) => developer.post(`${path()}/${shop.keyId}`, fields)
const isV2Only = async () => {
  const [row] = await gateway.db.query<{ v2: boolean }>(
    sql`select v2_only as v2 from api_keys where id = ${shop.keyId}`,
  )
  return row!.v2
}

test('the page shows both signing rules, and offers "v2 only" to people who may change keys', async () => {
  await used('1 hour', '2 hours')
  assert.match(await page(viewer), /Last used[\s\S]*literal: <time[\s\S]*<br>v2: <time/)
  assert.doesNotMatch(await page(developer), offered)
  await used('8 days', '2 hours')
  assert.match(await page(developer), offered)
  assert.doesNotMatch(await page(viewer), offered)
})

test('one click accepts v2 only, another accepts both rules again; both are audited', async () => {
  await used(null, '1 minute')
  assert.equal((await press({ v2: 'on', offer: 'yes' })).status, 303)
  assert.equal(await isV2Only(), true)
  assert.deepEqual((await shop.create()).body.code, 'scheme_too_weak')
  assert.equal((await shop.createV2(shop.order())).status, 201)
  const text = await page(developer)
  assert.doesNotMatch(text, offered)
  assert.match(text, /name="v2" value="off"[\s\S]{0,200}Accept both/)
  assert.equal((await press({ v2: 'off' })).status, 303)
  assert.equal((await shop.create()).status, 201)
  const lines = await gateway.db.query<{ after: string }>(
    sql`select after from audit_entries where act = 'key_mark' order by place`,
  )
  assert.deepEqual(
    lines.map(({ after }) => after),
    ['{"v2Only":true}', '{"v2Only":false}'],
  )
})

test('an offer that is no longer true is refused: a request came by the literal rule meanwhile', async () => {
  await used('1 second', '1 minute')
  const { status, text } = await press({ v2: 'on', offer: 'yes' })
  assert.equal(status, 409)
  assert.match(text, /A request with a literal signature has arrived since/)
  assert.equal(await isV2Only(), false)
  // From the key's own page, which shows a warning, it is accepted.
  assert.equal((await press({ v2: 'on' })).status, 303)
  assert.equal(await isV2Only(), true)
})

test('a viewer cannot change the rules of a key', async () => {
  assert.equal((await viewer.post(`${path()}/${shop.keyId}`, { v2: 'off' })).status, 403)
})

test('the command line shows and sets the same, with an audit entry', async () => {
  await commandsOn(gateway)
  await used('2 days', '1 day')
  const { keys } = await json('key', 'list', shop.merchant)
  assert.deepEqual([keys[0].v2_only, keys[0].literal_used_at < keys[0].v2_used_at], [true, true])
  assert.deepEqual(await json('key', 'set', shop.merchant, shop.keyId, '--v2-only', 'off'), {
    key_id: shop.keyId,
    v2_only: false,
  })
  assert.equal(await isV2Only(), false)
  const [line] = await gateway.db.query(
    sql`select actor, subject from audit_entries where act = 'key_mark' order by place desc limit 1`,
  )
  assert.deepEqual(line, { actor: 'command line', subject: `key:${shop.keyId}` })
  const wrong = await inlet('key', 'set', shop.merchant, 'key_none', '--v2-only', 'on')
  assert.match(wrong.stderr, /^not_found: The merchant has no active key with this id/)
  assert.match((await inlet('key', 'set', shop.merchant, shop.keyId)).stderr, /^--v2-only is required/)
})

test('the audit entry of a key that is set to what it already was says so: before and after are the same', async () => {
  await commandsOn(gateway)
  const newest = async () =>
    (
      await gateway.db.query<{ before: string; after: string }>(
        sql`select before, after from audit_entries where act = 'key_mark' order by place desc limit 1`,
      )
    )[0]
  for (const v2Only of [true, true, false, false]) {
    const wasV2Only = await isV2Only()
    await json('key', 'set', shop.keyId, '--merchant', shop.merchant, '--v2-only', v2Only ? 'on' : 'off')
    assert.deepEqual(await newest(), { before: `{"v2Only":${wasV2Only}}`, after: `{"v2Only":${v2Only}}` })
  }
  for (const v2Only of [true, true, false]) {
    const wasV2Only = await isV2Only()
    assert.equal((await press({ v2: v2Only ? 'on' : 'off' })).status, 303)
    assert.deepEqual(await newest(), { before: `{"v2Only":${wasV2Only}}`, after: `{"v2Only":${v2Only}}` })
  }
})

test('a new key is v2 only if the merchant’s keys are, unless chosen otherwise', async () => {
  const own = await openShop(gateway)
  await commandsOn(gateway)
  const owner = (await joined(gateway, { merchantId: own.merchant, role: 'developer' })).browser
  const isTicked = async () =>
    /<input[^>]*name="v2"[^>]*\schecked/.test((await owner.get(`/console/${own.merchant}/keys/rotate`)).text)
  const newest = async () => (await json('key', 'list', own.merchant)).keys[0]
  assert.equal(await isTicked(), false)
  await json('key', 'set', own.merchant, own.keyId, '--v2-only', 'on')
  assert.equal(await isTicked(), true)
  const { key_id } = await json('key', 'rotate', own.merchant)
  assert.deepEqual([(await newest()).key_id, (await newest()).v2_only], [key_id, true])
  const [line] = await gateway.db.query(
    sql`select actor, act, after from audit_entries where merchant_id = ${own.merchant} order by place desc limit 1`,
  )
  assert.deepEqual(line, {
    actor: 'command line',
    act: 'request_key_rotate',
    after: JSON.stringify({ key: key_id, overlapDays: 7, v2Only: true }),
  })
  // Sent with the box unticked.
  assert.equal((await owner.post(`/console/${own.merchant}/keys/rotate`, { days: '7' })).status, 200)
  assert.equal((await newest()).v2_only, false)
  assert.equal(await isTicked(), false)
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
    assert.equal((await press({ v2: 'on' })).status, 303)
    assert.equal((await shop.create()).body.code, 'scheme_too_weak')
    assert.equal((await other.create()).status, 201)
  } finally {
    Object.assign(bounds, { merchantCacheMs })
    await press({})
  }
})
