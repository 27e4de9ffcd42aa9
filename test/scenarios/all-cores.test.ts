/** Several processes on one port: they answer as one, whatever happens to one of them. Real processes, real kill -9. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { atEnd } from '../support/clean-up.ts'
import { type Acknowledged, assertKept, loadCreates, raiseRate, until } from '../support/create-load.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Answer, freePort, type Shop } from '../support/gateway.ts'
import { dataFolder, type Program, startProgram } from '../support/program.ts'

let program: Program
let shop: Shop
let metricsPort: number
const keys = [8, 9].map((byte) => Buffer.alloc(32, byte).toString('base64'))

before(async () => {
  metricsPort = await freePort()
  // One key from a file; the other from the environment, where it no longer is when processes are replaced later.
  const file = join(await mkdtemp(join(tmpdir(), 'inlet-key-')), 'key')
  atEnd(() => rm(dirname(file), { recursive: true }))
  await writeFile(file, keys[0]!)
  program = await startProgram(await dataFolder(), {
    INLET_MASTER_KEY_FILE: file,
    INLET_OLD_MASTER_KEY: keys[1]!,
    INLET_PROCESSES: '2',
    INLET_METRICS_PORT: String(metricsPort),
    INLET_LOG_LEVEL: 'debug',
  })
  await program.ready()
  shop = await program.demoShop()
  await raiseRate(program, undefined, { INLET_MASTER_KEY: keys[0]! })
})

type Line = { message: string; process?: number; pid?: number; route?: string; sqlstate?: string }
const read = new WeakMap<Program, { lines: Line[]; letters: number }>()
/** What a program has logged so far. It is asked for again and again while it grows: each line is read once. */
function lines(of = program): Line[] {
  const known = read.get(of) ?? { lines: [], letters: 0 }
  const added = of.output().slice(known.letters)
  const whole = added.slice(0, added.lastIndexOf('\n') + 1)
  for (const line of whole.split('\n')) if (line.startsWith('{')) known.lines.push(JSON.parse(line))
  known.letters += whole.length
  read.set(of, known)
  return known.lines
}

/** Process ids in the order of their starts. */
const started = (of = program) =>
  lines(of).flatMap(({ message, pid }) => (message === 'a process is ready' ? [pid!] : []))

async function metric(row: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const line = text.split('\n').find((line) => line.startsWith(`${row} `))
  assert.ok(line, `${row} is missing in:\n${text}`)
  return Number(line.slice(row.length))
}

/** If the machine pauses for a second while a request has a lock, another is refused. Each refusal must be such a one in the log. */
async function assertServed(answers: readonly Answer[], logged: number): Promise<void> {
  const others = answers.filter(({ status }) => status !== 201).map(({ body }) => [body.code, body.retryable])
  const contended = () =>
    lines()
      .slice(logged)
      .filter(({ message, sqlstate }) => message === 'overloaded' && sqlstate === '55P03').length
  for (let tries = 0; tries < 100 && contended() < others.length; tries++) await sleep(50)
  assert.deepEqual(others, Array(contended()).fill(['overloaded', true]))
}

test('both processes answer, and their metrics are one answer', async () => {
  const acknowledged: Acknowledged = new Map()
  const clients = loadCreates(shop, acknowledged, 8)
  await until('60 deposits', () => acknowledged.size >= 60)
  await clients.stop()
  const answered = lines().filter(({ route }) => route?.endsWith('/deposit/create'))
  assert.deepEqual([...new Set(answered.map((line) => line.process))].sort(), [1, 2])
  assert.equal(await metric('inlet_deposits_total{state="created"}'), acknowledged.size)
  assert.equal(await metric('inlet_create_duration_seconds_count{outcome="created"}'), acknowledged.size)
  assert.deepEqual([await metric('inlet_processes'), await metric('inlet_process_restarts_total')], [2, 0])
})

test('no process that the first one starts has a master key in its environment or its arguments', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async () => {
  const family = await descendantsOf(program.child.pid!)
  // PostgreSQL with its own, and the two.
  assert.ok(family.length >= 3, `${family.length} processes`)
  assert.equal(started().filter((pid) => family.includes(pid)).length, 2)
  for (const pid of family)
    for (const file of ['environ', 'cmdline']) {
      const text = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
      assert.ok(!keys.some((key) => text.includes(key)), `${file} of ${pid}`)
    }
  assert.ok(!keys.some((key) => program.output().includes(key)))
})

test('a process that is killed with -9 is started again; no acknowledged deposit is lost, no counter goes back', async () => {
  const counted = await metric('inlet_deposits_total{state="created"}')
  const acknowledged: Acknowledged = new Map()
  const logged = lines().length
  const clients = loadCreates(shop, acknowledged, 8)
  await until('60 deposits', () => acknowledged.size >= 60)
  const before = await metric('inlet_deposits_total{state="created"}')
  const [first] = started()
  process.kill(first!, 'SIGKILL')
  await until('a third start', () => started().length === 3)
  const soFar = acknowledged.size
  await until('60 more', () => acknowledged.size >= soFar + 60)
  await clients.stop()
  assert.ok(clients.unanswered.length <= 8, `${clients.unanswered.length} without an answer`)
  await assertServed(clients.answers, logged)
  await assertKept(shop, acknowledged)
  const after = await metric('inlet_deposits_total{state="created"}')
  assert.ok(before > counted && after >= before + 60, `${counted}, ${before}, ${after}`)
  assert.deepEqual([await metric('inlet_processes'), await metric('inlet_process_restarts_total')], [2, 1])
})

test('SIGHUP under load replaces every process, and no request is refused', async () => {
  const known = started()
  const acknowledged: Acknowledged = new Map()
  const logged = lines().length
  const clients = loadCreates(shop, acknowledged, 8)
  await until('30 deposits', () => acknowledged.size >= 30)
  program.child.kill('SIGHUP')
  await until('all replaced', () => lines().some(({ message }) => message === 'every process was replaced'))
  const soFar = acknowledged.size
  await until('30 more', () => acknowledged.size >= soFar + 30)
  await clients.stop()
  assert.equal(started().length, known.length + 2)
  assert.deepEqual(clients.unanswered, [])
  await assertServed(clients.answers, logged)
  for (const pid of known) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  await assertKept(shop, acknowledged)
})

test('a merchant’s rate limit holds for all processes together', async () => {
  const rate = 20
  await raiseRate(program, rate, { INLET_MASTER_KEY: keys[0]! })
  await sleep(1_100)
  const began = performance.now()
  const acknowledged: Acknowledged = new Map()
  const clients = loadCreates(shop, acknowledged, 8)
  await until('four times the burst', () => acknowledged.size >= 4 * rate)
  await clients.stop()
  const allowed = rate + (rate * (performance.now() - began)) / 1000
  // What is allowed while the processes tell each other comes on top, a burst at the most.
  assert.ok(acknowledged.size <= allowed * 1.1 + rate, `${acknowledged.size} of ${allowed}`)
  const answered = lines().filter(({ route }) => route?.endsWith('/deposit/create'))
  assert.equal(new Set(answered.slice(-20).map((line) => line.process)).size, 2)
})

test('wrong passwords are counted by all processes together', async () => {
  const tries: number[] = []
  // The first wait is one second, and may be over before the next try. Each further wait is twice as long.
  while (tries.length < 9 && tries.at(-1) !== 429) {
    const { status } = await fetch(`${program.url}/sign-in`, {
      method: 'POST',
      // A connection of its own each time: the next process answers.
      headers: {
        connection: 'close',
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: program.url,
      },
      body: 'email=nobody%40example.com&password=wrong-password-1',
    })
    tries.push(status)
  }
  assert.deepEqual([tries.slice(0, 5), tries.at(-1)], [Array(5).fill(401), 429])
  const answered = lines().filter(({ route }) => route === '/sign-in')
  assert.equal(new Set(answered.map((line) => line.process)).size, 2)
})

test('SIGTERM ends all of them in order', async () => {
  const pids = started()
  program.child.kill('SIGTERM')
  assert.equal(await program.ended(), 0)
  assert.match(program.output(), /PostgreSQL stopped/)
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
})

test('when no process can start any more, the parent says so and ends', async () => {
  const database = await createDatabase()
  const lost = await startTwo(database)
  await lost.ready()
  const admin = new pg.Client({ ...database.login, database: 'postgres' })
  await admin.connect()
  await admin.query(`alter database ${database.login.database} allow_connections false`)
  await admin.end()
  // A rolling restart that cannot begin leaves the old processes at work.
  lost.child.kill('SIGHUP')
  await until('the refused restart', () =>
    lost.output().includes('the rolling restart could not begin; the old processes keep running'),
  )
  assert.equal((await fetch(`${lost.url}/health/ready`)).status, 200)
  const pids = started(lost)
  assert.equal(pids.length, 2)
  for (const pid of pids) process.kill(pid, 'SIGKILL')
  assert.equal(await lost.ended(), 1)
  assert.match(lost.output(), /No process of Inlet can start/)
  const failed = lines(lost).filter(({ message }) => message === 'a process could not be started again')
  assert.ok(failed.length >= 4, `${failed.length} failures`)
})

test('a port that is taken is said once, and nothing keeps running', async () => {
  const taken = createServer().listen(0)
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const second = await startTwo(await createDatabase(), {
    ...{ PORT: String(port), NODE_ENV: 'production', INLET_PUBLIC_URL: 'https://pay.example' },
  })
  assert.equal(await second.ended(), 1)
  taken.close()
  assert.equal(second.output().match(/is taken/g)?.length, 1)
})

/** Children, and theirs. */
async function descendantsOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const children = text.split(' ').filter(Boolean).map(Number)
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()]
}

async function startTwo(database: TestDatabase, more: Record<string, string> = {}): Promise<Program> {
  return startProgram(await dataFolder(), {
    INLET_PROCESSES: '2',
    INLET_DEMO: 'off',
    DATABASE_URL: database.url,
    INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...more,
  })
}
