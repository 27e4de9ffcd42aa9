/** The description is made from the same schemas as the answers, and is what the gateway serves. */

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { LimitAnswer } from '../src/domain/catalogue/limit.ts'
import { DepositPage, DepositRecord, Problem } from '../src/domain/deposits/record.ts'
import { refusals } from '../src/platform/refusals.ts'
import type { Schema } from '../src/platform/schema.ts'
import {
  CallbackPage,
  CallbackPayload,
  CallbackRecord,
  EventPage,
  ReplayAnswer,
} from '../src/surfaces/api/callbacks/records.ts'
import { guides } from '../src/surfaces/api/manual/guide.ts'
import { openApiDocument } from '../src/surfaces/api/manual/openapi.ts'
import { payScript } from '../src/surfaces/pay/assets.ts'
import { assertDescribed } from './support/described.ts'
import {
  type Answer,
  call,
  openShop,
  type Shop,
  signedPost,
  startGateway,
  type TestGateway,
} from './support/gateway.ts'

let gateway: TestGateway
let shop: Shop
before(async () => {
  gateway = await startGateway()
  shop = await openShop(gateway)
})

type Named = Schema<object> & { properties: object }

/** The answer holds what the schema says, and nothing that the schema does not name. */
function assertAnswer(schema: Named, { body }: Answer) {
  assertDescribed(schema, body)
  assertNamed(schema, body)
}

function assertNamed(schema: Named, body: object) {
  const named = Object.keys(schema.properties)
  assert.deepEqual(
    Object.keys(body).filter((name) => !named.includes(name)),
    [],
  )
}

test('9 every operation lives under /api/v1/, and every described one exists', async () => {
  const { body } = await call(gateway.url, '/openapi.json')
  assert.equal(body.openapi, '3.1.1')
  const paths = Object.entries(body.paths as Record<string, object>)
  for (const [path, operations] of paths.filter(([path]) => !path.startsWith('/health'))) {
    assert.match(path, /^\/api\/v1\//)
    for (const method of Object.keys(operations)) {
      const real = path.replace('{id}', '00000000-0000-7000-8000-000000000000')
      const { status } = await call(gateway.url, real, { method: method.toUpperCase() })
      assert.ok(![404, 405].includes(status), `${method} ${path}: ${status}`)
    }
  }
})

test('an operation takes the parameters that are described, and no others', async () => {
  const { paths } = openApiDocument({ publicUrl: gateway.url })
  const reads = Object.entries(paths)
    .filter(([path, { get }]) => get && path.startsWith('/api/'))
    .map(([path, { get }]) => ({
      path: path.replace('{id}', '00000000-0000-7000-8000-000000000000'),
      takes: get!.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    }))
  const names = new Set(reads.flatMap(({ takes }) => takes))
  for (const { path, takes } of reads) {
    for (const name of names) {
      const { body } = await shop.get(`${path}?${name}=x`)
      assert.equal(body.code !== 'unknown_field', takes.includes(name), `${path}?${name}: ${body.code}`)
    }
  }
})

test('real answers are what the description says', async () => {
  const created = await shop.create()
  assertAnswer(DepositRecord, created)
  assertAnswer(DepositRecord, await shop.create({ payment_type: 'any_bank', cents: 191_900 }))
  assertAnswer(DepositRecord, await shop.get(`/api/v1/requests/deposit/${created.body.id}`))
  assertAnswer(DepositPage, await shop.get('/api/v1/requests/deposits'))
  assertAnswer(LimitAnswer, await call(gateway.url, '/api/v1/requests/limit'))

  const canceled = await signedPost(gateway, shop, `/api/v1/requests/deposit/${created.body.id}/cancel`)
  assertAnswer(DepositRecord, canceled)
  const events = await shop.get('/api/v1/events?after=0')
  assertAnswer(EventPage, events)
  const [event] = events.body.events
  assertNamed(CallbackPayload, event)
  assertNamed(DepositRecord, event.data)
  assert.equal(event.data.id, created.body.id)
  const callbacks = await shop.get('/api/v1/callbacks?state=pending')
  assertAnswer(CallbackPage, callbacks)
  assertNamed(CallbackRecord, callbacks.body.callbacks[0])
  const replayed = await signedPost(gateway, shop, `/api/v1/callbacks/${event.id}/replay`)
  assert.equal(replayed.status, 202)
  assertAnswer(ReplayAnswer, replayed)

  assertAnswer(Problem, await shop.create({ customer: '' }))
  assertAnswer(Problem, await call(gateway.url, '/nowhere'))
})

test('every refusal links to its own words', async () => {
  const { body } = await call(gateway.url, '/docs/errors')
  for (const code of Object.keys(refusals)) assert.ok(body.includes(`id="${code}"`), code)
  const refused = await shop.create({ cents: 1 })
  assert.equal(refused.body.type, `${gateway.url}/docs/errors#amount_out_of_range`)
})

/** As a browser reads it. */
async function read(path: string) {
  const response = await fetch(gateway.url + path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

for (const name of guides) {
  test(`the guide for ${name} is a page whose pictures are all there`, async () => {
    const { status, text, headers } = await read(`/docs/guides/${name}`)
    assert.equal(status, 200)
    assert.match(headers.get('content-security-policy')!, /default-src 'none'/)
    // Markdown that was not understood would be shown as it is written.
    assert.doesNotMatch(text, /\*\*|`|!\[|\]\(|###|\|--|undefined/)
    const pictures = [...text.matchAll(/<img src="([^"]+)" alt="([^"]+)"/g)]
    assert.ok(pictures.length >= 5)
    for (const [, picture] of pictures) {
      const { status, headers } = await read(picture!)
      const sent = [status, headers.get('content-type'), headers.get('content-encoding')]
      // Compressed as it is: packing it again takes a tenth of a second and saves nothing.
      assert.deepEqual(sent, [200, 'image/webp', null], picture)
    }
  })
}

test('beside the pictures of the guides nothing of the folder is given out', async () => {
  for (const path of [
    'none.webp',
    'pay-card-phone.webp',
    '../operate.md',
    '..%2foperate.md',
    'take-screenshots.ts',
  ])
    assert.equal((await read(`/docs/screenshots/${path}`)).status, 404, path)
})

const statics = [
  '/openapi.json',
  '/docs',
  '/docs/errors',
  ...guides.map((name) => `/docs/guides/${name}`),
  `/assets/${payScript.name}`,
  '/docs/screenshots/desk-queue-desk.webp',
]
for (const path of statics) {
  test(`${path.replace(/-[\w-]{16}\./, '-….')} is kept ready, and not sent again to a browser that has it`, async () => {
    const ask = (headers: Record<string, string>) => fetch(gateway.url + path, { headers })
    const plain = await ask({ 'accept-encoding': 'identity' })
    const bytes = Buffer.from(await plain.arrayBuffer())
    assert.deepEqual([plain.status, plain.headers.get('content-encoding')], [200, null])
    const isPicture = path.endsWith('.webp')
    for (const encoding of isPicture ? [] : ['br', 'gzip']) {
      // Node's fetch unpacks what it gets.
      const packed = await ask({ 'accept-encoding': encoding })
      assert.equal(packed.headers.get('content-encoding'), encoding)
      assert.ok(Number(packed.headers.get('content-length')) < bytes.length / 2)
      assert.deepEqual(Buffer.from(await packed.arrayBuffer()), bytes)
      assert.notEqual(packed.headers.get('etag'), plain.headers.get('etag'))
      assert.equal(packed.headers.get('vary'), 'accept-encoding')
    }
    const tag = plain.headers.get('etag')!
    for (const known of [tag, `"other", W/${tag}`, '*']) {
      const again = await ask({ 'accept-encoding': 'identity', 'if-none-match': known })
      assert.deepEqual([again.status, await again.text()], [304, ''], known)
      for (const name of ['etag', 'cache-control', 'content-security-policy'])
        assert.equal(again.headers.get(name), plain.headers.get(name), name)
    }
    assert.equal((await ask({ 'if-none-match': '"other"' })).status, 200)
    const head = await fetch(gateway.url + path, {
      method: 'HEAD',
      headers: { 'accept-encoding': 'identity' },
    })
    assert.equal(head.headers.get('content-length'), String(bytes.length))
  })
}
