/**
 * Backups of the embedded PostgreSQL with real processes: a server that stores WAL, its machine lost with kill -9 under load,
 * and what a restore brings back.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { before, describe, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { cancelDeposit } from '../../src/domain/deposits/change-deposit.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { finishSegment, storeWal, withSession } from '../../src/platform/backup/archived-wal.ts'
import {
  type BackupFolder,
  openBackups,
  store as storeFile,
} from '../../src/platform/backup/backup-folder.ts'
import { fetchCluster } from '../../src/platform/backup/restore-cluster.ts'
import { baseFolder, type Manifest, readBackups } from '../../src/platform/backup/take-backup.ts'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import type { EmbeddedCluster } from '../../src/platform/postgres.ts'
import { postgresFolder, readHome } from '../../src/platform/postgres-home.ts'
import { createVault } from '../../src/platform/vault.ts'
import { atEnd } from '../support/clean-up.ts'
import { inlet, json } from '../support/command.ts'
import { loadCreates, raiseRate, until } from '../support/create-load.ts'
import { signedPost } from '../support/gateway.ts'
import { dataFolder, root, startProgram } from '../support/program.ts'

const newStore = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-store-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}
const store = await newStore()
// Other files of the same process have settings of their own.
atEnd(async () => {
  for (const name of ['INLET_BACKUP_TO', 'INLET_BACKUP_KEEP', 'INLET_DATA_DIR', 'INLET_MASTER_KEY'])
    delete process.env[name]
})
let dataDir: string
let backups: BackupFolder
let first: string
let manifest: Manifest
let firstFive: string[]
let between: Date
const canceled = { order: '' }
/** Each order, and when its answer came. */
const answeredAt = new Map<string, number>()
/** Acknowledged before the segment of that moment was finished. */
let mustBeThere: string[]

const key = async () => Buffer.from(await readFile(join(dataDir, 'master.key'), 'utf8'), 'base64')

async function cluster(): Promise<EmbeddedCluster> {
  const home = (await readHome(dataDir))!
  const address = { host: home.instance, port: 5432, database: 'postgres' }
  return { home, superuser: { ...address, user: 'postgres', password: home.secrets.superuser } }
}

const postmasterPid = async (of: string): Promise<number> =>
  Number((await readFile(join((await readHome(of))!.cluster, 'postmaster.pid'), 'utf8')).split('\n', 1)[0])

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`)

/** A folder that does not exist yet, removed with its PostgreSQL at the end. */
async function newFolder(): Promise<string> {
  const folder = join(await dataFolder(), 'data')
  atEnd(() => rm(postgresFolder(folder), { recursive: true, force: true }))
  return folder
}

const quiet = createLog('error', () => {})

async function inRestored<Result>(
  folder: string,
  work: (restored: Awaited<ReturnType<typeof openFoundation>>) => Promise<Result>,
): Promise<Result> {
  const restored = await openFoundation(readConfig({ INLET_DATA_DIR: folder }), 'command', quiet)
  return work(restored).finally(() => restored.close())
}

const missingIn = (folder: string, orders: string[]) =>
  inRestored(folder, async ({ db }) => {
    const known = await db.query<{ order: string }>(
      sql`select order_id as order from deposits where order_id = any(${orders}::text[])`,
    )
    const there = new Set(known.map(({ order }) => order))
    return orders.filter((order) => !there.has(order))
  })

const storedWal = () => readdir(join(store, manifest.id, 'wal')).catch((): string[] => [])

before(async () => {
  dataDir = await dataFolder()
  const program = await startProgram(dataDir, { INLET_BACKUP_TO: store, INLET_BACKUP_DRILL_EVERY: 'off' })
  await program.ready()
  await raiseRate(program)
  backups = await openBackups(store, createVault(await key()))
  await until('the first full backup', async () => (await readBackups(backups)).manifests.length > 0)
  manifest = (await readBackups(backups)).manifests[0]!
  const shop = await program.demoShop()
  firstFive = await Promise.all([1, 2, 3, 4, 5].map(async () => (await shop.create()).body.external_id))
  between = new Date(Date.now() + 2)
  await until('a later moment', () => Date.now() > between.getTime() + 2)
  const { body } = await shop.create()
  await signedPost(program, shop, `/api/v1/requests/deposit/${body.id}/cancel`)
  canceled.order = body.external_id

  Object.assign(process.env, { INLET_DATA_DIR: dataDir, INLET_BACKUP_TO: store })
  const acknowledged = new Map<string, string>()
  const clients = loadCreates(shop, acknowledged, 4)
  const watch = setInterval(() => {
    for (const order of acknowledged.keys()) if (!answeredAt.has(order)) answeredAt.set(order, Date.now())
  }, 1)
  await until('30 deposits', () => acknowledged.size >= 30)
  // While creates run. The first one stays, for an earlier moment.
  await json('backup')
  first = manifest.name
  manifest = (await readBackups(backups)).manifests[0]!
  mustBeThere = [...answeredAt.keys()]
  const segment = await finishSegment(await cluster())
  await until('its segment in the store', async () => (await storedWal()).includes(segment))
  // The machine is lost.
  process.kill(await postmasterPid(dataDir), 'SIGKILL')
  program.child.kill('SIGKILL')
  await program.ended()
  await clients.stop()
  clearInterval(watch)
})

describe('after the machine is lost', () => {
  test('every deposit whose WAL was finished is restored, and numbers continue far ahead', async () => {
    const into = await newFolder()
    // A time after everything that is stored restores all of it, and says so.
    const { code, stdout, stderr } = await inlet('restore', '--into', into, '--to', '2099-01-01T00:00:00Z')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /Nothing is stored from there up to 2099/)
    assert.match(stdout, /\n1 callbacks wait in it\. .*\n.*\n.*deposit\.canceled/)
    const report = JSON.parse(await readFile(join(into, 'restore-report.json'), 'utf8'))
    assert.deepEqual([report.due.length, report.due[0].order], [1, canceled.order])
    assert.equal((await readdir(into)).includes('restore-unfinished'), false)
    assert.deepEqual(await missingIn(into, mustBeThere), [])
    await inRestored(into, async ({ db }) => {
      const { id, merchant } = await db.one<{ id: string; merchant: string }>(
        sql`select id, merchant_id as merchant from deposits where order_id = ${firstFive[0]}`,
      )
      const context = { db, publicUrl: 'http://localhost', changed() {} }
      await cancelDeposit(context, { merchantId: null, depositId: id, actor: 'merchant' })
      const { newest } = await db.one<{ newest: bigint }>(
        sql`select max(sequence) as newest from events where merchant_id = ${merchant}`,
      )
      assert.equal(newest, 1_000_000_001n)
    })
    process.env.INLET_DATA_DIR = into
    assert.equal((await inlet('doctor', '--all')).code, 0)
    process.env.INLET_DATA_DIR = dataDir
    const again = await inlet('restore', '--into', into)
    assert.match(again.stderr, /is not empty, and a restore overwrites nothing/)
  })

  test('a full backup that was taken while creates ran has every create acknowledged before its end', async () => {
    const { name, endedAt } = manifest
    const before = [...answeredAt].filter(([, at]) => at < Date.parse(endedAt)).map(([order]) => order)
    assert.ok(before.length >= 30)
    const into = await newFolder()
    const words = ['restore', '--into', into, '--backup', name, '--to', endedAt]
    const { code, stderr } = await inlet(...words)
    assert.equal(code, 0, stderr)
    assert.deepEqual(await missingIn(into, before), [])
  })

  test('a restore to a moment between two deposits has the earlier one and not the later one', async () => {
    const into = await newFolder()
    const { code, stderr } = await inlet('restore', '--into', into, '--to', between.toISOString())
    assert.equal(code, 0, stderr)
    assert.deepEqual(await missingIn(into, [...firstFive, canceled.order]), [canceled.order])
  })

  test('a drill restores a copy, measures loss and time, and leaves nothing behind, not even of a killed drill', async () => {
    const scratch = await dataFolder()
    const words = ['backup', 'drill', '--scratch', scratch]
    const killed = spawn(process.execPath, ['bin/inlet.mjs', ...words], {
      cwd: root,
      env: process.env,
      stdio: 'ignore',
    })
    const copy = join(scratch, 'inlet-drill')
    let pid = 0
    await until('its PostgreSQL runs', async () => {
      const isMade = await readFile(join(copy, 'postgres.json')).catch(() => null)
      pid = isMade ? await postmasterPid(copy).catch(() => 0) : 0
      return pid > 0
    })
    killed.kill('SIGKILL')
    await once(killed, 'close')
    assert.ok(isRunning(pid))
    const drill = await json(...words)
    assert.deepEqual([drill.ok, drill.problem, drill.backup], [true, null, manifest.name])
    assert.ok(drill.loss_seconds > 0 && drill.restore_seconds > 0)
    assert.deepEqual(await readdir(scratch), [])
    await assert.rejects(readdir(postgresFolder(copy)), { code: 'ENOENT' })
    // Nobody waited for it: its number is given back when the machine's first process has taken note of its end.
    await until('its PostgreSQL is gone', () => !isRunning(pid))
  })
})

describe('what cannot be restored is refused, and nothing is overwritten', () => {
  const refused = async (sentence: RegExp, ...words: string[]) => {
    const folder = await newFolder()
    const { code, stderr } = await inlet('restore', '--into', folder, ...words)
    assert.equal(code, 1)
    assert.match(stderr, sentence)
    await assert.rejects(readdir(folder), { code: 'ENOENT' })
  }

  test('a damaged file and a missing one by name; a wrong key; a backup without its manifest', async () => {
    const own = await newStore()
    await cp(store, own, { recursive: true })
    await rm(join(own, baseFolder({ ...manifest, name: first })), { recursive: true })
    const file = join(own, baseFolder(manifest), 'cluster')
    const bytes = await readFile(file)
    bytes[bytes.length - 100]! ^= 1
    await writeFile(file, bytes)
    await refused(/cluster is damaged .*; restore from another backup/, '--from', own)
    await rm(file)
    await refused(/cluster is damaged \(it is missing\)/, '--from', own)

    process.env.INLET_MASTER_KEY = Buffer.alloc(32, 9).toString('base64')
    await refused(/was encrypted under another master key; set INLET_MASTER_KEY/, '--from', own)
    delete process.env.INLET_MASTER_KEY
    await rm(join(own, baseFolder(manifest), 'manifest'))
    await refused(/^No complete backup/, '--from', own)
    // Only what was made is removed.
    const folder = await dataFolder()
    await mkdir(join(folder, 'real'))
    await symlink(join(folder, 'real'), join(folder, 'linked'))
    assert.equal((await inlet('restore', '--into', join(folder, 'linked'), '--from', own)).code, 1)
    assert.deepEqual((await readdir(folder)).sort(), ['linked', 'real'])
  })

  test('a time before everything that is stored', () =>
    refused(/No complete backup that fits/, '--to', '2020-01-01T00:00:00Z'))

  test('backups of several installations, unless one is named', async () => {
    const own = await newStore()
    await cp(store, own, { recursive: true })
    const another = Readable.from([Buffer.from(JSON.stringify({ ...manifest, id: 'another' }))])
    await storeFile({ ...backups, root: own }, `another/base/${manifest.name}/manifest`, another)
    await refused(/several installations are stored there\. Name one with --backup/, '--from', own)
    await refused(/No complete backup/, '--from', own, '--backup', '../..')
    assert.equal(
      (await inlet('restore', '--into', await newFolder(), '--from', own, '--backup', first)).code,
      0,
    )
  })

  test('a restore that was killed before its end is served by nobody', async () => {
    const into = await newFolder()
    const stop = new AbortController().signal
    // Everything but what the command does then: numbers that others have seen would be given again.
    await fetchCluster({ backups, manifest, until: null, into, progress() {}, stop })
    const config = readConfig({ INLET_DATA_DIR: into, INLET_MASTER_KEY: (await key()).toString('base64') })
    await assert.rejects(openFoundation(config, 'server', quiet), { message: /did not end/ })
  })
})

test('kill -9 in the middle of a backup leaves the earlier ones, and the next one removes what it left', async () => {
  const base = join(store, manifest.id, 'base')
  const killed = spawn(process.execPath, ['bin/inlet.mjs', 'backup'], {
    cwd: root,
    env: process.env,
    stdio: 'ignore',
    detached: true,
  })
  const half = async () => {
    const name = (await readdir(base)).find((one) => one !== manifest.name && one !== first)
    const left = name ? await readdir(join(base, name)) : []
    return left.some((file) => file.startsWith('.part-'))
  }
  const ended = once(killed, 'close')
  await until('half of a backup', half)
  process.kill(-killed.pid!, 'SIGKILL')
  await ended
  assert.ok(await half())
  assert.deepEqual(
    (await readBackups(backups)).manifests.map(({ name }) => name),
    [manifest.name, first],
  )
  const { name } = await json('backup')
  assert.deepEqual((await readdir(base)).sort(), [first, manifest.name, name].sort())
})

test('a segment that is there already must be the same one, for PostgreSQL and for the server', async () => {
  await inRestored(dataDir, async (foundation) => {
    const live = foundation.cluster!
    const wal = join(live.home.instance, 'wal')
    const segment = await finishSegment(live)
    const kept = `${wal}/../kept`
    await copyFile(join(wal, segment), kept)
    await storeWal(backups, live)
    assert.ok((await storedWal()).includes(segment))
    // As after a server that was killed before it removed what it had stored.
    await copyFile(kept, join(wal, segment))
    await storeWal(backups, live)
    assert.equal((await readdir(wal)).length, 0)
    await writeFile(join(wal, segment), 'of a cluster that was set back')
    await assert.rejects(storeWal(backups, live), /is not what this database wrote.*set back/)
    await rm(join(wal, segment))

    const ask = (text: string) =>
      withSession(live.superuser, async (session) => Object.values((await session.query(text)).rows[0])[0])
    const current = String(await ask('select pg_walfile_name(pg_current_wal_lsn())'))
    await writeFile(join(wal, current), 'another')
    await ask(`select pg_logical_emit_message(true, 'test', 'x')`)
    await ask('select pg_switch_wal()')
    await until(
      'PostgreSQL refuses it',
      async () => Number(await ask('select failed_count from pg_stat_archiver')) > 0,
    )
    assert.equal(await readFile(join(wal, current), 'utf8'), 'another')
    await rm(join(wal, current))
  })
})

test('a folder that is away longer than WAL is kept for: deposits go on, and a full backup follows when it is back', async () => {
  const program = await startProgram(dataDir, { INLET_BACKUP_TO: store, INLET_BACKUP_DRILL_EVERY: 'off' })
  await program.ready()
  await rename(store, `${store}-away`)
  const { home } = await cluster()
  const wal = join(home.instance, 'wal')
  for (let number = 0; number < 257; number++)
    await writeFile(join(wal, `00000009${number.toString(16).toUpperCase().padStart(16, '0')}`), '')
  await until('it is given up', () => /too much WAL waits/.test(program.output()))
  const shop = await program.demoShop()
  assert.equal((await shop.create()).status, 201)
  const { promises } = await json('doctor')
  const found = promises.find(({ name }: { name: string }) => name === 'backup-is-recent')
  assert.match(JSON.stringify(found.offenders), /no full backup.*(does not exist; make it|cannot be used)/)
  await rename(`${store}-away`, store)
  program.child.kill('SIGTERM')
  await program.ended()
  const { manifests: earlier } = await readBackups(backups)
  const next = await startProgram(dataDir, { INLET_BACKUP_TO: store, INLET_BACKUP_DRILL_EVERY: 'off' })
  await next.ready()
  await until('a full backup', async () => (await readBackups(backups)).manifests.length > earlier.length)
  // What was committed last is stored at a stop.
  const { body } = await (await next.demoShop()).create()
  next.child.kill('SIGTERM')
  await next.ended()
  const into = await newFolder()
  assert.equal((await inlet('restore', '--into', into)).code, 0)
  assert.deepEqual(await missingIn(into, [body.external_id]), [])
})

test('after a change of the master key backups go on under the new one; older ones are named, and deleted when enough are kept', async () => {
  const newKey = Buffer.alloc(32, 7).toString('base64')
  Object.assign(process.env, {
    INLET_MASTER_KEY: newKey,
    INLET_OLD_MASTER_KEY: (await key()).toString('base64'),
  })
  assert.equal((await inlet('key', 'reseal')).code, 0)
  delete process.env.INLET_OLD_MASTER_KEY
  const { name } = await json('backup')
  const { backups: listed, problems } = await json('backup', 'list')
  assert.deepEqual(
    listed.map((backup: { name: string }) => backup.name),
    [name],
  )
  assert.match(problems[0], /was encrypted under another master key/)
  // What is kept can be restored without what was deleted.
  process.env.INLET_BACKUP_KEEP = '1'
  const { name: kept } = await json('backup')
  delete process.env.INLET_BACKUP_KEEP
  assert.deepEqual(await readdir(join(store, manifest.id, 'base')), [kept])
  assert.equal((await storedWal()).sort()[0], kept.slice(0, 24))
  const restore = await inlet('restore', '--into', await newFolder())
  assert.equal(restore.code, 0, restore.stderr)
  delete process.env.INLET_MASTER_KEY
})
