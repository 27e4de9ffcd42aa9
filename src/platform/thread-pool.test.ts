import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sleep } from './clock.ts'
import { createThreadPool, type JobOwner, type ThreadPoolOptions } from './thread-pool.ts'

/** Answers with its thread's number; asked to throw it throws, asked to hang it hangs. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads'
    parentPort.on('message', (input) => {
      if (input === 'throw') throw new Error('broken')
      if (input === 'hang') return
      parentPort.postMessage(threadId)
    })`)}`,
)

const stranger: JobOwner = { name: '192.0.2.1', isKnown: false }
const pools: { close(): Promise<void> }[] = []
after(() => Promise.all(pools.map((pool) => pool.close())))
function open(changes: Partial<ThreadPoolOptions> = {}) {
  const pool = createThreadPool<string, number>({
    threads: 1,
    queue: 2,
    deadlineMs: 10_000,
    idleMs: 10_000,
    heapMb: 16,
    script,
    failure: 'It was not done',
    refusal: { code: 'rate_limited', retryAfterSeconds: 3 },
    ...changes,
  })
  pools.push(pool)
  return Object.assign(Object.create(pool) as typeof pool, {
    run: (input: string, owner = stranger) => pool.run(input, owner),
  })
}

test('so many are under way, so many wait, and the next is refused at once', async () => {
  const pool = open({ threads: 2 })
  const asked = Array.from({ length: 4 }, () => pool.run('work'))
  assert.deepEqual(pool.load, { running: 2, waiting: 2, threads: 2 })
  assert.throws(() => pool.refuseWhenFull(stranger), { code: 'rate_limited' })
  assert.throws(() => pool.run('work'), { code: 'rate_limited', details: { retryAfterSeconds: 3 } })
  assert.equal(new Set(await Promise.all(asked)).size, 2)
  pool.refuseWhenFull(stranger)
})

test('a job that fails fails alone; the next gets a new thread', async () => {
  const pool = open()
  const first = await pool.run('work')
  await assert.rejects(pool.run('throw'), /It was not done: its thread failed/)
  assert.notEqual(await pool.run('work'), first)
})

test('a thread that cannot begin fails the jobs that wait for it, also when it comes in the place of another', async () => {
  let isOut = true
  const href = { get: () => (isOut ? assert.fail('no thread left') : script.href) }
  const pool = open({ script: Object.defineProperty(new URL(script), 'href', href) })
  await assert.rejects(pool.run('work'), /It was not done: its thread could not begin/)
  isOut = false
  const asked = [pool.run('throw'), pool.run('work')]
  isOut = true
  for (const job of asked) await assert.rejects(job, /It was not done/)
  isOut = false
  assert.ok(await pool.run('work'))
})

test('a job that hangs is given up, and its thread with it', async () => {
  const pool = open({ deadlineMs: 20 })
  await assert.rejects(pool.run('hang'), { code: 'overloaded' })
  assert.deepEqual(pool.load, { running: 0, waiting: 0, threads: 0 })
})

test('a thread that has nothing to do ends', async () => {
  const pool = open({ idleMs: 20 })
  await pool.run('work')
  while (pool.load.threads > 0) await sleep(5)
  assert.ok(await pool.run('work'))
})

test('an owner with many waiting jobs loses one to an owner with fewer', async () => {
  const pool = open()
  const [, second, third] = Array.from({ length: 3 }, () => pool.run('work'))
  const lost = assert.rejects(third!, { code: 'rate_limited' })
  const other: JobOwner = { name: '192.0.2.2', isKnown: false }
  pool.refuseWhenFull(other)
  assert.ok(await pool.run('work', other))
  await lost
  assert.ok(await second)
})

test('known people have a queue that unknown clients cannot fill, and are served in turn', async () => {
  const pool = open()
  const order: string[] = []
  const run = (name: string, isKnown: boolean) =>
    pool.run('work', { name, isKnown }).then(() => order.push(name))
  const asked = [run('first', false), run('a', false), run('b', false)]
  assert.throws(() => pool.refuseWhenFull({ name: 'c', isKnown: false }), { code: 'rate_limited' })
  asked.push(run('owner', true), run('other owner', true))
  assert.throws(() => pool.refuseWhenFull({ name: 'third owner', isKnown: true }), { code: 'rate_limited' })
  await Promise.all(asked)
  assert.ok(order.indexOf('owner') < order.indexOf('b'), order.join())
})

test('pools with the same turn run one job at a time, in turn, and one that hangs passes the turn on', async () => {
  const turn = { isTaken: false, waiting: new Set<() => void>() }
  const [one, other, hanging] = [open({ turn }), open({ turn }), open({ turn, deadlineMs: 20 })]
  const order: string[] = []
  const note = (name: string) => () => void order.push(name)
  const jobs = [
    one.run('work').then(note('one')),
    other.run('work').then(note('other')),
    one.run('work').then(note('one')),
    other.run('work').then(note('other')),
    one.run('work').then(note('one')),
  ]
  assert.deepEqual([one.load.running, other.load.running], [1, 0])
  await Promise.all(jobs)
  assert.deepEqual(order, ['one', 'other', 'one', 'other', 'one'])

  const hung = hanging.run('hang')
  const next = other.run('work')
  assert.deepEqual([hanging.load.running, other.load.running], [1, 0])
  await assert.rejects(hung, { code: 'overloaded' })
  await next
  assert.equal(turn.isTaken, false)
})

test('the time limit of a job that had waited for the turn ends with it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const pool = open({ turn: { isTaken: false, waiting: new Set() }, deadlineMs: 200 })
  await Promise.all([pool.run('work'), pool.run('work')])
  t.mock.timers.tick(300)
  assert.equal(pool.load.threads, 1)
})
