import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bounds } from '../bounds.ts'
import { monotonicMs, sleep } from './clock.ts'
import { createHttp } from './http.ts'
import { createLog } from './log.ts'
import { createRateLimit } from './rate-limit.ts'
import { takeTurns } from './turns.ts'

const app = createHttp({
  log: createLog('error', () => {}),
  publicUrl: 'http://localhost',
  trustedProxies: [],
  limits: createRateLimit(10, monotonicMs),
})
const turns = takeTurns(app)
after(() => app.close())

let running = 0
let most = 0
app.get('/page', async () => {
  most = Math.max(most, ++running)
  await new Promise(setImmediate)
  running--
  return {}
})
const held: (() => void)[] = []
app.get('/held', () => new Promise((resolve) => held.push(() => resolve({}))))
let finishCreate: (() => void) | undefined
app.get(
  '/api/slow',
  () =>
    new Promise((resolve) => {
      finishCreate = () => resolve({})
    }),
)
app.get('/api/create', async () => ({ pages: turns.load }))

const get = (url: string) => app.inject({ url, headers: { host: 'localhost' } })

test('few pages are made at once, and all of them are', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => get('/page')))
  assert.ok(answers.every(({ statusCode }) => statusCode === 200))
  assert.ok(most <= bounds.turns.atOnce, `${most} at once`)
  assert.deepEqual(turns.load, { running: 0, waiting: 0 })
})

test('a merchant is answered while pages wait, and pages beyond those that may wait are refused', async () => {
  const { atOnce, waiting } = bounds.turns
  const pages = Array.from({ length: atOnce + waiting }, () => get('/held'))
  await sleep(0)
  assert.deepEqual((await get('/api/create')).json().pages, { running: atOnce, waiting })
  const refused = await get('/page')
  assert.equal(refused.statusCode, 503)
  assert.equal(refused.json().code, 'overloaded')
  assert.equal(refused.headers['retry-after'], '1')
  // Whoever waits for something else than this thread gives the turn to the next.
  while (held.length < atOnce + waiting) await sleep(bounds.turns.turnMs)
  for (const release of held) release()
  assert.ok((await Promise.all(pages)).every(({ statusCode }) => statusCode === 200))
})

test('while a merchant waits for an answer, pages are fewer', async () => {
  most = 0
  // Begun by the waiting for it.
  const create = get('/api/slow').then(({ statusCode }) => statusCode)
  while (!finishCreate) await sleep(1)
  const pages = Array.from({ length: 50 }, () => get('/page'))
  await Promise.all(pages)
  assert.equal(most, bounds.turns.besideMerchants)
  finishCreate()
  assert.equal(await create, 200)
})
