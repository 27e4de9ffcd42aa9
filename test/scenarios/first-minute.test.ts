/** The first minute of a newcomer, and the starts that cannot go on: recovery or one clear sentence. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { createMerchant } from '../../src/domain/merchants/create-merchant.ts'
import { rotateKey } from '../../src/domain/merchants/rotate-key.ts'
import { listMerchants } from '../../src/domain/merchants/store.ts'
import { seedDemo } from '../../src/domain/sandbox/demo-data.ts'
import { readDemo, writeDemo } from '../../src/domain/sandbox/demo-file.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { openLog } from '../../src/start.ts'
import type { Terminal } from '../../src/surfaces/command-line/command.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/delivery.ts'
import { Device } from '../support/passkey.ts'
import { PersonsBrowser, postJson } from '../support/person.ts'
import { dataFolder, type Program, root, startProgram } from '../support/program.ts'

const masterKey = Buffer.alloc(32, 7).toString('base64')

let program: Program
/** A start that waits and gets SIGTERM takes ten seconds: it begins first, beside the other tests. */
let waited: Promise<string>
before(async () => {
  waited = stoppedWhileItWaits()
  program = await startProgram(await dataFolder(), { INLET_LOG: '' })
  await program.ready()
})

/** What came of the curl that the start has printed. */
function pasted({ output }: Program) {
  const curl = /^curl [\s\S]*?}'$/m.exec(output())?.[0]
  assert.ok(curl, output())
  return JSON.parse(execFileSync('sh', ['-c', curl], { encoding: 'utf8' }))
}

test('a log is JSON when it is asked for, or in production where the output is no terminal', () => {
  const live = {
    NODE_ENV: 'production',
    INLET_PUBLIC_URL: 'https://pay.example',
    INLET_MASTER_KEY: masterKey,
  }
  for (const [environment, isTTY, form] of [
    [{}, true, 'text'],
    [{}, false, 'text'],
    [live, true, 'text'],
    [live, false, 'json'],
    [{ INLET_LOG: 'json' }, true, 'json'],
    [{ ...live, INLET_LOG: 'text' }, false, 'text'],
  ] as const) {
    let said = ''
    const stdout = { isTTY, on() {}, write: (text: string) => (said += text) }
    const terminal = { stdout, stderr: stdout, on() {}, removeAllListeners() {} } as unknown as Terminal
    openLog(readConfig(environment), terminal).warn('odd')
    assert.match(said, form === 'json' ? /^\{"time":/ : /Z warn {2}odd\n$/)
  }
})

test('a start prints for a person: what it does, one line each, then the welcome', () => {
  assert.match(
    program.output(),
    /^Making a new database in (.+) …\nStarting PostgreSQL …\nPreparing the database …\n\n {2}Inlet is running/,
  )
  const [, cluster] = /in (.+) …/.exec(program.output())!
  // Root's PostgreSQL cannot use the data folder: the welcome says where the data is.
  const isElsewhere = !cluster!.startsWith(program.dataDir)
  assert.equal(program.output().includes(`Database       ${cluster}\n`), isElsewhere)
})

let firstOrder: string
test('the first start prints an address and a signed curl that creates a deposit', async () => {
  const answer = pasted(program)
  assert.deepEqual([answer.state, answer.amount_cents], ['created', 150_000])
  firstOrder = answer.external_id
  assert.match(firstOrder, /^first-deposit-[\w-]{6}$/)
  assert.match(answer.payment_data.number, /^2200\d{12}$/)
})

test('data/demo.json holds what a merchant needs, readable by its owner alone', async () => {
  assert.deepEqual(Object.keys(await program.demo()), [
    'base_url',
    'merchant',
    'key_id',
    'signing_secret',
    'callback_secret',
  ])
  assert.equal((await stat(join(program.dataDir, 'demo.json'))).mode & 0o777, 0o600)
})

test('twenty equal amounts can be tried, in each currency', async () => {
  const shop = await program.demoShop()
  for (const [currency, cents] of [
    ['RUB', 250_000],
    ['UZS', 2_500_000],
    ['KZT', 250_000],
    ['TJS', 250_000],
  ] as const) {
    const answers = await Promise.all(
      Array.from({ length: 21 }, () => shop.create({ payment_type: 'any_bank', currency, cents })),
    )
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [...Array(20).fill(201), 503])
  }
})

test('a taken port or an unknown host is reported in one clear sentence', async () => {
  const server = createServer().listen(0, 'localhost')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const { url: DATABASE_URL } = await createDatabase()
  const environment = { PORT: String(port), DATABASE_URL, INLET_DEMO: 'off', INLET_MASTER_KEY: masterKey }
  await Promise.all(
    Object.entries({
      localhost: `Port ${port} on localhost is taken\\.`,
      'nobody.invalid': `Cannot listen on nobody\\.invalid:${port} \\(\\w+\\)\\.`,
    }).map(async ([HOST, sentence]) => {
      const second = await startProgram(await dataFolder(), { ...environment, HOST })
      assert.equal(await second.ended(), 1)
      assert.match(second.output(), new RegExp(`^${sentence}`, 'm'))
      assert.doesNotMatch(second.output(), / {4}at |"level":"error"/)
    }),
  )
  server.close()
})

test('a data folder that cannot be made, wrong settings, production without secrets: sentences, exit code 1', () => {
  for (const [environment, sentence] of [
    [{ INLET_DATA_DIR: '/proc/inlet' }, /data folder/i],
    [{ PORT: 'x', DATABASE_URL: 'mysql://x' }, /PORT must[\s\S]*DATABASE_URL must/],
    [{ NODE_ENV: 'production' }, /INLET_PUBLIC_URL must be an https[\s\S]*INLET_MASTER_KEY/],
    [{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, /database cannot be reached/],
  ] as const) {
    const { status, stderr, stdout } = inlet(['start'], environment)
    assert.equal(status, 1)
    assert.match(stderr, sentence)
    assert.doesNotMatch(stderr + stdout, / {4}at /)
  }
})

test('warnings of Node are logged; a closed terminal ends it as cleanly as Ctrl-C', {
  skip: process.platform === 'win32',
}, async () => {
  const { url: DATABASE_URL } = await createDatabase()
  const warns = "process.on('SIGUSR2',()=>process.emitWarning('Said_by_Node'))"
  const program = await startProgram(await dataFolder(), {
    ...{ DATABASE_URL, INLET_DEMO: 'off' },
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warns)}`,
  })
  await program.ready()
  program.child.kill('SIGUSR2')
  await until('it is said', async () => program.output().includes('Said_by_Node'))
  program.child.kill('SIGHUP')
  assert.equal(await program.ended(), 0)
  const lines = program.output().trimEnd().split('\n')
  const warnings = lines
    .map((line) => JSON.parse(line))
    .filter(({ error }) => error?.includes('Said_by_Node'))
  assert.deepEqual(
    warnings.map(({ level, message, error }) => [level, message, error]),
    [['warn', 'warning of Node', 'Warning: Said_by_Node']],
  )
})

/** What it has said when it ends: the lock is held until then. */
async function stoppedWhileItWaits(): Promise<string> {
  const { owner, url: DATABASE_URL } = await createDatabase()
  return owner.transaction(async (tx) => {
    await tx.query(sql`set local idle_in_transaction_session_timeout = 0`)
    await tx.query(sql`lock table migrations in exclusive mode`)
    const program = await startProgram(await dataFolder(), { DATABASE_URL, INLET_DEMO: 'off' })
    await until('the start waits', async () => {
      const [row] = await owner.query<{ waits: boolean }>(sql`
        select count(*) > 0 as waits
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
      return row!.waits
    })
    program.child.kill('SIGTERM')
    await program.ended()
    return program.output()
  })
}

test('SIGTERM ends a start that waits for another one', async () => {
  assert.doesNotMatch(await waited, /lock timeout/)
})

test('Ctrl-C ends it cleanly: exit code 0, PostgreSQL stopped; a command then starts and stops its own', async () => {
  program.child.kill('SIGINT')
  assert.equal(await program.ended(), 0)
  assert.match(program.output(), /Ctrl-C stops everything\.\n\n(\d.*\n)*Stopping …\n$/)
  const listed = inlet(['merchant', 'list', '--json'], { INLET_DATA_DIR: program.dataDir })
  assert.equal(JSON.parse(listed.stdout).merchants.length, 1)
  assert.equal(isPostgresOf(program), false)
})

test('the next day the printed curl creates a deposit of its own; a passkey set up puts no warning of Node into the log', async () => {
  const nextDay = await startProgram(program.dataDir)
  await nextDay.ready()
  const { state, external_id: order } = pasted(nextDay)
  assert.equal(state, 'created')
  assert.notEqual(order, firstOrder)
  await setUpPasskey(nextDay)
  nextDay.child.kill('SIGTERM')
  assert.equal(await nextDay.ended(), 0)
  const welcome = /\n\n {2}Inlet is running[\s\S]*Ctrl-C stops everything\.\n\n/
  const lines = nextDay.output().replace(welcome, '\n').trimEnd().split('\n')
  assert.ok(lines.length > 2)
  // A busy machine makes requests slow, and the log says so.
  const rest = lines.map((line) => JSON.parse(line)).filter(({ message }) => message !== 'slow request')
  for (const line of rest) assert.equal(line.level, 'info', JSON.stringify(line))
})

type Question = { challenge: string; pubKeyCredParams: { alg: number }[] }

/** As the demo's owner, who comes by the printed link. */
async function setUpPasskey(at: Program): Promise<void> {
  const browser = new PersonsBrowser(at)
  const [join] = /\/join\/\S+/.exec(at.output())!
  await browser.get(join)
  await browser.post(join)
  await browser.get('/sign-in/set-up')
  const ask = (path: string, body: object) => postJson(at, path, body, browser)
  const question = (await (await ask('/sign-in/set-up/passkey/ask', {})).json()) as Question
  const offered = question.pubKeyCredParams.map(({ alg }) => alg)
  assert.deepEqual(offered, [-8, -7, -257], 'a passkey outlives what is an experiment today')
  const made = { ...new Device(at).made(question), name: 'Key ring' }
  assert.equal((await ask('/sign-in/set-up/passkey', made)).status, 200)
}

test('a command that is broken off stops what it started', {
  skip: process.platform === 'win32',
}, async () => {
  const words = ['bin/inlet.mjs', 'statement', 'mapping', 'bank', '/dev/stdin']
  const env = { PATH: process.env.PATH, INLET_DATA_DIR: program.dataDir }
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  await until('PostgreSQL runs', async () => isPostgresOf(program))
  child.kill('SIGINT')
  assert.deepEqual(await ended, [130, null])
  assert.equal(isPostgresOf(program), false)
})

function isPostgresOf({ dataDir }: Program): boolean {
  const running = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n')
  return running.some((line) => line.includes('postgres') && line.includes(dataDir.split('/').at(-1)!))
}

/** What a start does before it listens, with the demo's part apart. */
async function beginning(database: TestDatabase, dataDir: string, port = '8080') {
  const config = readConfig({
    DATABASE_URL: database.url,
    INLET_DATA_DIR: dataDir,
    INLET_MASTER_KEY: masterKey,
    PORT: port,
  })
  const log = createLog('error', () => {})
  const foundation = await openFoundation(config, 'server', log)
  atEnd(() => foundation.close())
  return { ...foundation, ready: (vault = foundation.vault) => seedDemo(config, { ...foundation, vault }) }
}

test('a first start that is killed among its demo data does not keep the next one from starting', async () => {
  const { ready, vault, db } = await beginning(await createDatabase(), await dataFolder())
  const dying = { ...vault, current: { ...vault.current, seal: () => assert.fail('killed') } }
  await assert.rejects(ready(dying), /killed/)
  const demo = await ready()
  assert.deepEqual(
    (await listMerchants(db, { after: null, limit: 10 })).map(({ id }) => id),
    [demo?.merchant],
  )
})

test('of two first starts on one database one makes the demo, and both go on', async () => {
  const database = await createDatabase()
  const starts = [
    await beginning(database, await dataFolder()),
    await beginning(database, await dataFolder()),
  ]
  const demos = await Promise.all(starts.map(({ ready }) => ready()))
  assert.equal(demos.filter(Boolean).length, 1)
  assert.equal((await listMerchants(starts[0]!.db, { after: null, limit: 10 })).length, 1)
})

test('demo.json names the address of this start, not of the first one', async () => {
  const [database, dataDir] = [await createDatabase(), await dataFolder()]
  const first = await (await beginning(database, dataDir, '8080')).ready()
  const second = await (await beginning(database, dataDir, '8081')).ready()
  assert.deepEqual(second, { ...first, base_url: 'http://localhost:8081' })
  assert.deepEqual(await readDemo(dataDir), second)
})

test('a demo.json whose keys have ended is mended by the next start', async () => {
  const dataDir = await dataFolder()
  const { ready, db, vault } = await beginning(await createDatabase(), dataDir)
  const first = (await ready())!
  const rotation = { merchantId: first.merchant, overlapDays: 0 }
  const request = await rotateKey(db, vault, { ...rotation, purpose: 'request', v2Only: true })
  const callback = await rotateKey(db, vault, { ...rotation, purpose: 'callback' })
  const mended = {
    ...first,
    ...{
      key_id: request.id,
      signing_secret: request.secret,
      callback_secret: callback.secret,
      v2_only: true,
    },
  }
  assert.deepEqual(await ready(), mended)
  assert.deepEqual(await readDemo(dataDir), mended)
  assert.equal((await stat(join(dataDir, 'demo.json'))).mode & 0o777, 0o600)
})

test('a demo.json of another database is ignored, and the start goes on without a demo', async () => {
  const dataDir = await dataFolder()
  const { ready, db, vault } = await beginning(await createDatabase(), dataDir)
  await createMerchant(db, vault, { name: 'Own shop', mode: 'test', callbackUrl: null })
  await writeDemo(dataDir, await program.demo())
  assert.equal(await ready(), undefined)
})

function inlet(words: string[], environment: Record<string, string>) {
  return spawnSync(process.execPath, ['bin/inlet.mjs', ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  })
}
