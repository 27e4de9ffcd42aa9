import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { bounds } from './bounds.ts'
import { monotonicMs } from './clock.ts'
import { createHttp } from './http.ts'
import { createLog } from './log.ts'
import { createRateLimit } from './rate-limit.ts'
import { takeTurns } from './turns.ts'

let turns!: ReturnType<typeof takeTurns>
const app = createHttp({
  log: createLog('error', () => {}),
  publicUrl: 'http://localhost',
  trustedProxies: [],
  limits: createRateLimit(10, monotonicMs),
  takeTurns(served) {
    turns = takeTurns(served)
  },
})
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
let begun = 0
app.get('/quick', async () => ({ begun: ++begun }))
let lived = 0
const livedFrom: string[] = []
app.get('/health/live', async ({ ip }) => {
  lived++
  livedFrom.push(ip)
  return {}
})
app.get('/api/held', () => new Promise((resolve) => held.push(() => resolve({}))))
app.get('/item/:id', async () => ({}))
app.post('/item/new', async () => ({}))
app.get('/api/create', async () => ({ pages: turns.load }))

const get = (url: string, { from = '192.0.2.1', accept = 'text/html' } = {}) =>
  app.inject({ url, headers: { host: 'localhost', accept }, remoteAddress: from })
/** As many as are made at once, and as many as may wait behind them. */
const flood = async () => {
  const made = Array.from({ length: bounds.turns.atOnce }, () => get('/held'))
  await heard()
  const others = Array.from({ length: bounds.turns.waiting }, () => get('/held'))
  await heard()
  return [...made, ...others]
}
/** What was asked for has come as far as it can by itself. */
const heard = async () => {
  for (let n = 0; n < 2 * bounds.turns.atOnce; n++) await new Promise(setImmediate)
}
const release = async (pages: number, pass: (ms: number) => void) => {
  for (; held.length < pages; await heard()) pass(bounds.turns.turnMs)
  for (const end of held.splice(0)) end()
}

test('few pages are made at once, and all of them are', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => get('/page')))
  assert.ok(answers.every(({ statusCode }) => statusCode === 200))
  assert.ok(most <= bounds.turns.atOnce, `${most} at once`)
  assert.deepEqual(turns.load, { running: 0, waiting: 0 })
})

test('a merchant is answered while pages wait, and pages beyond those that may wait are refused', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { atOnce, waiting } = bounds.turns
  const pages = await flood()
  assert.deepEqual((await get('/api/create')).json().pages, { running: atOnce, waiting })
  const refused = await get('/page')
  assert.equal(refused.statusCode, 503)
  assert.equal(refused.json().code, 'overloaded')
  assert.equal(refused.headers['retry-after'], '1')
  // A request that waits for something other than this thread passes the turn on.
  await release(atOnce + waiting, (ms) => t.mock.timers.tick(ms))
  assert.ok((await Promise.all(pages)).every(({ statusCode }) => statusCode === 200))
})

test('a flooding network delays only itself: another network is served next, also when the queue is full', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { atOnce, waiting, turnMs } = bounds.turns
  const pages = await flood()
  const answer = get('/page', { from: '192.0.2.2' })
  await heard()
  assert.deepEqual(turns.load, { running: atOnce, waiting })
  t.mock.timers.tick(turnMs)
  assert.equal((await answer).statusCode, 200)
  await release(atOnce + waiting - 1, (ms) => t.mock.timers.tick(ms))
  const statuses = (await Promise.all(pages)).map(({ statusCode }) => statusCode)
  assert.equal(statuses.filter((status) => status === 503).length, 1)
})

test('requests for event streams take turns too', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { atOnce, turnMs } = bounds.turns
  const pages = Array.from({ length: atOnce + 1 }, () => get('/held', { accept: 'text/event-stream' }))
  await heard()
  t.mock.timers.tick(turnMs - 1)
  await heard()
  assert.deepEqual(turns.load, { running: atOnce, waiting: 1 })
  await release(atOnce + 1, (ms) => t.mock.timers.tick(ms))
  await Promise.all(pages)
})

test('in one round of the event loop a few begin and one is refused, however many have come', async () => {
  const { waiting, pagesPerRound } = bounds.turns
  const more = 20
  let refused = 0
  const pages = Array.from({ length: waiting + more }, async () => {
    if ((await get('/quick')).statusCode === 503) refused++
  })
  while (begun < waiting) {
    const before = { begun, refused }
    await new Promise(setImmediate)
    assert.ok(begun - before.begun <= pagesPerRound, `${begun - before.begun} begun`)
    assert.ok(refused - before.refused <= 1, `${refused - before.refused} refused`)
  }
  await Promise.all(pages)
  assert.deepEqual([begun, refused], [waiting, more])
})

test('while a merchant waits for an answer, fewer pages begin in a round', async () => {
  const { pagesPerBusyRound } = bounds.turns
  const first = begun
  const create = get('/api/held')
  await heard()
  const pages = Array.from({ length: 30 }, () => get('/quick'))
  for (let before = begun; begun - first < pages.length; before = begun) {
    await new Promise(setImmediate)
    assert.ok(begun - before <= pagesPerBusyRound, `${begun - before} begun`)
  }
  for (const end of held.splice(0)) end()
  await Promise.all([create, ...pages])
})

test('priority requests start a few per round, one network after the other, and none is refused', async () => {
  const { requestsPerRound, waiting } = bounds.turns
  const flood = Array.from({ length: 2 * waiting }, () => get('/health/live'))
  const other = get('/health/live', { from: '192.0.2.2' })
  while (lived < flood.length) {
    const before = lived
    await new Promise(setImmediate)
    assert.ok(lived - before <= requestsPerRound, `${lived - before} begun`)
  }
  const statuses = (await Promise.all([...flood, other])).map(({ statusCode }) => statusCode)
  assert.deepEqual([...new Set(statuses)], [200])
  const place = livedFrom.indexOf('192.0.2.2')
  assert.ok(place < 2 * requestsPerRound, `${place} of the flood came before`)
})

for (const [what, url, status] of [
  ['a slash too many', '/quick/', 308],
  ['a method of another path', '/item/new', 405],
  ['a parameter that is too long', `/item/${'x'.repeat(300)}`, 404],
] as const)
  test(`what no route answers waits for its turn as well: ${what}`, async () => {
    const { pagesPerRound } = bounds.turns
    let answered = 0
    const answers = Array.from({ length: 50 }, async () => {
      assert.equal((await get(url, { from: '192.0.2.3' })).statusCode, status)
      answered++
    })
    while (answered < answers.length) {
      const before = answered
      await new Promise(setImmediate)
      assert.ok(answered - before <= pagesPerRound, `${answered - before} answered`)
    }
    await Promise.all(answers)
  })
