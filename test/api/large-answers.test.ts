/** Lists are the largest answers of the API, and one thread makes them all: a page is bounded by its bytes. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { atEnd } from '../support/clean-up.ts'
import { openShop, type Shop, signedPost, startGateway, type TestGateway } from '../support/gateway.ts'

const most = 10_000
const deposits = 12
let gateway: TestGateway
let shop: Shop
before(async () => {
  const { pageBytes } = bounds
  Object.assign(bounds, { pageBytes: most })
  atEnd(async () => void Object.assign(bounds, { pageBytes }))
  gateway = await startGateway({ environment: { INLET_ROLES: 'api' } })
  shop = await openShop(gateway)
  for (let made = 0; made < deposits; made++) {
    const { body } = await shop.create({
      customer: 'я'.repeat(128),
      callback_url: `https://example.com/${'a'.repeat(1_900)}`,
      success_url: `https://example.com/${'b'.repeat(1_900)}`,
    })
    assert.equal((await signedPost(gateway, shop, `/api/v1/requests/deposit/${body.id}/cancel`)).status, 200)
  }
})

for (const [list, next, isNewestFirst] of [
  ['/api/v1/requests/deposits?limit=200', 'after', true],
  ['/api/v1/requests/deposits?limit=200&state=canceled', 'after', true],
  ['/api/v1/events?', 'after', false],
  ['/api/v1/callbacks?', 'before', true],
] as const) {
  test(`${list}: a page ends before it has too many bytes, and the next one goes on`, async () => {
    const seen: string[] = []
    let pages = 0
    for (let place: string | number | null = ''; place !== null && pages < 50; pages++) {
      const { status, body } = await shop.get(`${list}${place === '' ? '' : `&${next}=${place}`}`)
      assert.equal(status, 200, JSON.stringify(body))
      const rows: { id: string }[] = body.deposits ?? body.events ?? body.callbacks
      const bytes = Buffer.byteLength(JSON.stringify(body))
      assert.ok(bytes < most + 200, `${rows.length} rows have ${bytes} bytes`)
      seen.push(...rows.map((row) => row.id))
      place = rows.length === 0 ? null : body[`next_${next}`]
    }
    assert.ok(pages > 1)
    assert.equal(new Set(seen).size, deposits)
    assert.equal(seen.length, deposits)
    assert.deepEqual(seen, isNewestFirst ? seen.toSorted().reverse() : seen.toSorted())
  })
}

test('a row that is larger than a page stands alone on one', async () => {
  Object.assign(bounds, { pageBytes: 10 })
  const { body: page } = await shop.get('/api/v1/requests/deposits')
  const { body: feed } = await shop.get('/api/v1/events')
  const { body: callbacks } = await shop.get('/api/v1/callbacks')
  Object.assign(bounds, { pageBytes: most })
  assert.deepEqual([page.deposits.length, feed.events.length, callbacks.callbacks.length], [1, 1, 1])
  assert.equal(page.next_after, page.deposits[0].id)
  assert.equal(feed.next_after, feed.events[0].sequence)
  assert.equal(callbacks.next_before, callbacks.callbacks[0].sequence)
})

test('numbers that a restore left out are passed in one step, in the feed and in the list of one state', async () => {
  const { last } = await gateway.database.owner.one<{ last: number }>(
    sql`select last_sequence::float8 as last from event_counters where merchant_id = ${shop.merchant}`,
  )
  await gateway.database.owner.run(
    sql`update event_counters set last_sequence = 1000000000 where merchant_id = ${shop.merchant}`,
  )
  const { body } = await shop.create()
  await signedPost(gateway, shop, `/api/v1/requests/deposit/${body.id}/cancel`)
  const { body: feed } = await shop.get(`/api/v1/events?after=${last}`)
  assert.deepEqual(
    feed.events.map(({ sequence }: { sequence: number }) => sequence),
    [1_000_000_001],
  )
  const { body: ahead } = await shop.get('/api/v1/events?after=500000000')
  assert.equal(ahead.next_after, 1_000_000_001)
  const { body: failed } = await shop.get('/api/v1/callbacks?state=failed')
  assert.deepEqual([failed.callbacks, failed.next_before], [[], null])
})
