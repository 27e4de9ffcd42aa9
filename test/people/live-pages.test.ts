/** Live pages: they are updated for as long as their person may see them, and no longer. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { endMember } from '../../src/domain/people/change-members.ts'
import { bounds } from '../../src/platform/bounds.ts'
import { sql } from '../../src/platform/db.ts'
import { atEnd } from '../support/clean-up.ts'
import { openShop, type Shop, startGateway, type TestGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'

type Member = Awaited<ReturnType<typeof joined>>

let gateway: TestGateway
let shop: Shop
let viewer: Member
before(async () => {
  const { livePageMs, livePageGapMs, livePageShare } = bounds
  Object.assign(bounds, { livePageMs: 100, livePageGapMs: 50, livePageShare: 1 })
  atEnd(async () => void Object.assign(bounds, { livePageMs, livePageGapMs, livePageShare }))
  gateway = await startGateway({ environment: { INLET_TRUSTED_PROXIES: '127.0.0.1,::1' } })
  shop = await openShop(gateway)
  viewer = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
})

const list = () => `/console/${shop.merchant}/deposits`

/** Opens a stream of pages; `next` returns undefined at its end. */
async function listen(path: string, cookie: string, { url } = gateway, address = '198.51.100.1') {
  const answer = await fetch(url + path, {
    redirect: 'manual',
    headers: { accept: 'text/event-stream', cookie, 'accept-language': 'en', 'x-forwarded-for': address },
  })
  const reader = (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  if (answer.status !== 200) await reader.cancel()
  let text = ''
  let mark = ''
  return {
    answer,
    /** The mark of the last page. */
    mark: () => mark,
    leave: () => reader.cancel(),
    async next(): Promise<string | undefined> {
      for (;;) {
        const [, data, rest] = /data: (.*)\n\n([\s\S]*)/.exec(text) ?? []
        if (data !== undefined) {
          text = rest!
          const sent = JSON.parse(data) as { page: string; mark: string }
          mark = sent.mark
          return sent.page
        }
        const { done, value } = await reader.read()
        if (done) return undefined
        text += value
      }
    },
  }
}

test('a stream sends the page immediately, and again when a deposit is created', async () => {
  const stream = await listen(list(), viewer.browser.cookie)
  assert.equal(stream.answer.status, 200)
  assert.equal(stream.answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const first = await stream.next()
  assert.equal(first, (await viewer.browser.get(list())).text)
  await shop.create({ order_id: 'LIVE-1' })
  assert.match((await stream.next())!, /LIVE-1/)
  await stream.leave()
})

test('a loaded page and the stream have the same mark for the same text, so that the script does not replace it', async () => {
  const headers = { cookie: viewer.browser.cookie, 'accept-encoding': 'gzip', 'accept-language': 'en' }
  const loaded = await fetch(gateway.url + list(), { headers })
  const stream = await listen(list(), viewer.browser.cookie)
  assert.equal(await stream.next(), await loaded.text())
  assert.equal(loaded.headers.get('server-timing'), `page;desc="${stream.mark()}"`)
  await shop.create({ order_id: 'LIVE-0' })
  assert.match((await stream.next())!, /LIVE-0/)
  assert.notEqual(loaded.headers.get('server-timing'), `page;desc="${stream.mark()}"`)
  await stream.leave()
})

test('filters of the list apply to its live updates', async () => {
  const stream = await listen(`${list()}?q=LIVE-2`, viewer.browser.cookie)
  await stream.next()
  await shop.create({ order_id: 'LIVE-3' })
  await shop.create({ order_id: 'LIVE-2' })
  const page = (await stream.next())!
  assert.match(page, /<bdi>LIVE-2<\/bdi>/)
  assert.doesNotMatch(page, /LIVE-3/)
  await stream.leave()
})

test('a stream does not count as activity of a session; a request of the person does', async () => {
  const { browser, email } = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  const ages = async () => {
    const [row] = await gateway.db.query<{ isOld: boolean }>(sql`
      select bool_and(s.seen_at < inlet_now() - interval '9 minutes') as "isOld"
      from sessions s
      join people p on p.id = s.person_id
      where p.email = ${email} and s.ended_at is null`)
    return row!.isOld
  }
  await gateway.database.owner.query(sql`
    update sessions set seen_at = inlet_now() - interval '10 minutes'
    where person_id = (select id from people where email = ${email})`)
  const stream = await listen(list(), browser.cookie)
  await stream.next()
  await shop.create()
  await stream.next()
  assert.equal(await ages(), true)
  await browser.get(list())
  assert.equal(await ages(), false)
  await stream.leave()
})

test('a live page ends with the session, and with the membership', async () => {
  for (const end of ['session', 'membership']) {
    const { browser, email } = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
    const stream = await listen(list(), browser.cookie)
    await stream.next()
    if (end === 'session') await browser.post('/sign-out')
    else {
      const actor = { personId: null, name: 'test', requestId: null }
      await gateway.db.transaction((tx) => endMember(tx, { merchantId: shop.merchant, email, actor }))
    }
    let page = await stream.next()
    while (page !== undefined) page = await stream.next()
    assert.equal((await listen(list(), browser.cookie)).answer.status, 204)
  }
})

test('live pages refuse strangers, people of another merchant, and roles without the right', async () => {
  // 204 is how a server tells an EventSource to stop asking.
  assert.equal((await listen(list(), '')).answer.status, 204)
  const stranger = await joined(gateway, { merchantId: (await openShop(gateway)).merchant, role: 'owner' })
  assert.equal((await listen(list(), stranger.browser.cookie)).answer.status, 204)
  assert.equal((await listen('/operator', viewer.browser.cookie)).answer.status, 204)
})

test('beyond the limit of live pages the oldest one of a person ends', async () => {
  const { browser } = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
  const streams = []
  for (let count = 0; count <= bounds.livePagesPerPerson; count++) {
    streams.push(await listen(list(), browser.cookie))
    await streams[count]!.next()
  }
  assert.equal(await streams.shift()!.next(), undefined)
  await shop.create()
  for (const stream of streams) assert.ok(await stream.next())
  for (const stream of streams) await stream.leave()
})

test('when there are too many live pages, the merchant with most loses its oldest to one with fewer', async () => {
  const { livePages } = bounds
  Object.assign(bounds, { livePages: 4 })
  try {
    const many = []
    for (let count = 0; count < 4; count++) {
      // Each is another person's: one person may not have so many.
      const { browser } = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
      many.push(await listen(list(), browser.cookie))
      await many[count]!.next()
    }
    const fifth = await joined(gateway, { merchantId: shop.merchant, role: 'viewer' })
    assert.equal((await listen(list(), fifth.browser.cookie)).answer.status, 503)
    const place = await openShop(gateway)
    const owner = await joined(gateway, { merchantId: place.merchant, role: 'owner' })
    const few = []
    for (let count = 0; count < 2; count++) {
      few.push(await listen(`/console/${place.merchant}/deposits`, owner.browser.cookie))
      assert.equal(few[count]!.answer.status, 200)
      let page = await many.shift()!.next()
      while (page !== undefined) page = await many.shift()?.next()
    }
    assert.equal(many.length, 2)
    assert.equal(
      (await listen(`/console/${place.merchant}/deposits`, owner.browser.cookie)).answer.status,
      503,
    )
    for (const stream of [...many, ...few]) await stream.leave()
  } finally {
    Object.assign(bounds, { livePages })
  }
})

test('an unknown page has no stream, and a page that fails to render is logged', async () => {
  const nowhere = `${list()}/00000000-0000-4000-8000-000000000000`
  assert.equal((await listen(nowhere, viewer.browser.cookie)).answer.status, 204)
  const stream = await listen(`/console/${shop.merchant}/callbacks`, viewer.browser.cookie)
  await stream.next()
  await gateway.database.owner.script('alter table events rename to elsewhere')
  assert.equal(await stream.next(), undefined)
  await gateway.database.owner.script('alter table elsewhere rename to events')
  assert.ok(gateway.logged.some((line) => line.includes('a live page was not made')))
})

test('the desk gets changes of the queue, also from another process; stopping the program ends every stream', async () => {
  const { browser } = await joined(gateway, { operatorRole: 'auditor' })
  const beside = await startGateway({ beside: gateway })
  const stream = await listen('/operator', browser.cookie, beside)
  assert.doesNotMatch((await stream.next())!, /LIVE-4/)
  const { body } = await shop.create({ order_id: 'LIVE-4' })
  await gateway.database.owner.query(
    sql`update deposits set claimed_at = inlet_now() where id = ${body.id}::uuid`,
  )
  let page = await stream.next()
  while (page && !page.includes('LIVE-4')) page = await stream.next()
  assert.ok(page)
  const stopping = beside.stop()
  while (page !== undefined) page = await stream.next()
  await stopping
})
