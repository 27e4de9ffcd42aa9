/**
 * Backups of the embedded PostgreSQL with real processes: a server that copies WAL, its machine lost with kill -9 under load,
 * and what a restore brings back.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { cancelDeposit } from '../../src/domain/deposits/change-deposit.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { type BackupPlace, type Manifest, readManifests } from '../../src/platform/backup/backup-set.ts'
import { openDestination } from '../../src/platform/backup/destination.ts'
import { storedUntil } from '../../src/platform/backup/stored-wal.ts'
import { type EmbeddedCluster, readFlushed } from '../../src/platform/backup/take-backup.ts'
import { positionOf } from '../../src/platform/backup/wal-position.ts'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { isRunning, postgresFolder } from '../../src/platform/postgres-home.ts'
import { createVault } from '../../src/platform/vault.ts'
import { atEnd } from '../support/clean-up.ts'
import { inlet, json } from '../support/command.ts'
import { type Acknowledged, loadCreates, raiseRate, until } from '../support/create-load.ts'
import { signedPost } from '../support/gateway.ts'
import { dataFolder, root, startProgram } from '../support/program.ts'

const store = await mkdtemp(join(tmpdir(), 'inlet-store-'))
atEnd(() => rm(store, { recursive: true, force: true }))
// Other files of the same process have settings of their own.
atEnd(async () => {
  for (const name of ['INLET_BACKUP_TO', 'INLET_DATA_DIR', 'INLET_MASTER_KEY']) delete process.env[name]
})
let dataDir: string
let place: BackupPlace
let manifest: Manifest
let firstFive: string[]
let between: Date
const canceled = { order: '', feed: '' }
/** Acknowledged before the WAL of that moment was seen in the store. */
const mustBeThere: Acknowledged = new Map()

before(async () => {
  dataDir = await dataFolder()
  const program = await startProgram(dataDir, { INLET_BACKUP_TO: store, INLET_BACKUP_DRILL_EVERY: 'off' })
  await program.ready()
  await raiseRate(program)
  place = { destination: await openDestination(store), vault: createVault(await masterKey()) }
  await until('the first full backup', async () => (await readManifests(place)).length > 0)
  manifest = (await readManifests(place))[0]!
  const shop = await program.demoShop()
  firstFive = await Promise.all([1, 2, 3, 4, 5].map(async () => (await shop.create()).body.external_id))
  await sleep(50)
  between = new Date()
  await sleep(50)
  const { body } = await shop.create()
  await signedPost(program, shop, `/api/v1/requests/deposit/${body.id}/cancel`)
  canceled.order = body.external_id
  canceled.feed = JSON.stringify((await shop.get('/api/v1/events?after=0')).body)
  const acknowledged: Acknowledged = new Map()
  const clients = loadCreates(shop, acknowledged, 4)
  await until('30 deposits', () => acknowledged.size >= 30)
  for (const [order, id] of acknowledged) mustBeThere.set(order, id)
  const position = positionOf(await readFlushed(await cluster()))
  await until('their WAL in the store', async () => (await storedUntil(place, manifest)) >= position)
  // The machine is lost.
  const pid = await postmasterPid()
  process.kill(pid, 'SIGKILL')
  program.child.kill('SIGKILL')
  await program.ended()
  await clients.stop()
  Object.assign(process.env, { INLET_DATA_DIR: dataDir, INLET_BACKUP_TO: store })
})

const masterKey = async () => Buffer.from(await readFile(join(dataDir, 'master.key'), 'utf8'), 'base64')

async function instance() {
  const secrets = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  return { secrets, folder: join(postgresFolder(dataDir), secrets.id) }
}

async function postmasterPid(): Promise<number> {
  const { folder } = await instance()
  return Number((await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
}

async function cluster(): Promise<EmbeddedCluster> {
  const { secrets, folder } = await instance()
  const login = {
    host: folder,
    port: 5432,
    database: 'postgres',
    user: 'postgres',
    password: secrets.superuser,
  }
  return { id: secrets.id, folder: join(folder, 'cluster'), major: 18, superuser: login, passwords: secrets }
}

/** A folder that does not exist yet, removed with its PostgreSQL at the end. */
async function newFolder(): Promise<string> {
  const folder = join(await dataFolder(), 'data')
  atEnd(() => rm(postgresFolder(folder), { recursive: true, force: true }))
  return folder
}

const openRestored = (folder: string) =>
  openFoundation(
    readConfig({ INLET_DATA_DIR: folder }),
    'command',
    createLog('error', () => {}),
  )

describe('after the machine is lost', () => {
  test('every deposit whose WAL was stored is restored, and numbers continue far ahead', async () => {
    const into = await newFolder()
    const feed = join(dirname(into), 'feed.jsonl')
    const lost = { ...JSON.parse(canceled.feed).events.at(-1), id: '01890a5d-ac96-774b-bcce-b302099a8057' }
    lost.data = { ...lost.data, id: '01890a5d-ac96-774b-bcce-b302099a8058', external_id: 'order-of-tomorrow' }
    await writeFile(feed, `${canceled.feed}\n${JSON.stringify(lost)}\n`)
    const { code, stdout, stderr } = await inlet('restore', '--into', into, '--feed', feed)
    assert.equal(code, 0, stderr)
    assert.match(
      stdout,
      /\n1 events of the copy of the feed are not in the database:\n.*\norder-of-tomorrow .*\(lost\)/,
    )
    assert.match(stdout, /\n1 callbacks wait in it\. .*\n.*\n.*deposit\.canceled/)
    const report = JSON.parse(await readFile(join(into, 'restore-report.json'), 'utf8'))
    assert.equal(report.due[0].order, canceled.order)
    assert.equal(report.due_in_all, 1)
    assert.equal(report.lost[0].is_deposit_lost, true)
    assert.equal((await readdir(into)).includes('restore-unfinished'), false)

    const restored = await openRestored(into)
    try {
      const known = await restored.db.query<{ order: string; id: string }>(
        sql`select order_id as order, id from deposits where order_id = any(${[...mustBeThere.keys()]}::text[])`,
      )
      assert.deepEqual(new Map(known.map(({ order, id }) => [order, id])), mustBeThere)
      const [{ id, merchant }] = (await restored.db.query<{ id: string; merchant: string }>(
        sql`select id, merchant_id as merchant from deposits where order_id = ${firstFive[0]}`,
      )) as [{ id: string; merchant: string }]
      const context = { db: restored.db, publicUrl: 'http://localhost', changed() {} }
      await cancelDeposit(context, { merchantId: null, depositId: id, actor: 'merchant' })
      const { newest } = await restored.db.one<{ newest: bigint }>(
        sql`select max(sequence) as newest from callbacks where merchant_id = ${merchant}`,
      )
      assert.equal(newest, 1_000_000_001n)
    } finally {
      await restored.close()
    }
    process.env.INLET_DATA_DIR = into
    assert.equal((await inlet('doctor', '--all')).code, 0)
    process.env.INLET_DATA_DIR = dataDir
  })

  test('a restore to a moment between two deposits has the earlier one and not the later one', async () => {
    const into = await newFolder()
    const { code, stderr } = await inlet('restore', '--into', into, '--to', between.toISOString())
    assert.equal(code, 0, stderr)
    const restored = await openRestored(into)
    try {
      const orders = await restored.db.query<{ order: string }>(
        sql`select order_id as order from deposits where order_id = any(${[...firstFive, canceled.order]}::text[])`,
      )
      assert.deepEqual(orders.map(({ order }) => order).sort(), firstFive.sort())
    } finally {
      await restored.close()
    }
    const again = await inlet('restore', '--into', into)
    assert.match(again.stderr, /is not empty, and a restore overwrites nothing/)
    // A copy of the feed that cannot be read is found before hours of work.
    const other = await newFolder()
    const wrong = join(dirname(other), 'wrong.jsonl')
    await writeFile(wrong, 'no event')
    assert.match((await inlet('restore', '--into', other, '--feed', wrong)).stderr, /:1 is no event/)
    await assert.rejects(readdir(other), { code: 'ENOENT' })
  })

  test('a drill restores a copy, measures loss and time, and leaves nothing behind, not even of a killed drill', async () => {
    const scratch = await dataFolder()
    // The next drill takes this folder for somebody else's.
    await mkdir(join(scratch, 'inlet-drill-1-other', 'data'), { recursive: true, mode: 0o755 })
    const words = ['bin/inlet.mjs', 'backup', 'drill', '--from', store, '--scratch', scratch]
    const killed = spawn(process.execPath, words, { cwd: root, env: process.env, stdio: 'ignore' })
    const left = async () => (await readdir(scratch)).filter((name) => name !== 'inlet-drill-1-other')
    const pidOf = async (): Promise<number> => {
      const [name = ''] = await left()
      const data = join(scratch, name, 'data')
      const { id } = JSON.parse(await readFile(join(data, 'postgres.json'), 'utf8'))
      copy = postgresFolder(data)
      return Number((await readFile(join(copy, id, 'cluster', 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
    }
    let copy = ''
    let pid = 0
    await until('its PostgreSQL runs', async () => {
      pid = await pidOf().catch(() => 0)
      return pid > 0
    })
    killed.kill('SIGKILL')
    await once(killed, 'close')
    assert.equal((await left()).length, 1)
    assert.ok(isRunning(pid))
    const drill = await json('backup', 'drill', '--from', store, '--scratch', scratch)
    assert.deepEqual([drill.ok, drill.problem, drill.backup], [true, null, manifest.name])
    assert.ok(drill.loss_seconds > 0 && drill.restore_seconds > 0 && drill.checks > 25)
    assert.deepEqual(await readdir(scratch), ['inlet-drill-1-other'])
    await assert.rejects(readdir(copy), { code: 'ENOENT' })
    // Nobody waited for it: its number is given back when the machine's first process has taken note of its end.
    await until('its PostgreSQL is gone', () => !isRunning(pid))
  })

  test('a restore and a drill ask for the master key once, before they copy anything', async () => {
    const folder = await dataFolder()
    const [program, asked] = [join(folder, 'key-program'), join(folder, 'asked')]
    // The program answers only once, like one that a person has to confirm.
    const lines = ['#!/bin/sh', `test ! -e ${asked} || exit 1`, `touch ${asked}`, `cat ${dataDir}/master.key`]
    await writeFile(program, lines.join('\n'), { mode: 0o700 })
    process.env.INLET_MASTER_KEY_COMMAND = program
    try {
      for (const words of [
        ['restore', '--into', await newFolder()],
        ['backup', 'drill', '--scratch', folder],
      ]) {
        await rm(asked, { force: true })
        const { code, stdout, stderr } = await inlet(...words, '--from', store)
        assert.equal(code, 0, `${words[0]}: ${stdout} ${stderr}`)
      }
    } finally {
      delete process.env.INLET_MASTER_KEY_COMMAND
    }
  })
})

test('what is stored is listed and checked; a damaged piece, a missing manifest and a wrong key are refused', async () => {
  const { backups } = await json('backup', 'list')
  assert.deepEqual(
    backups.map(({ name }: { name: string }) => name),
    [manifest.name],
  )
  assert.equal((await json('backup', 'check')).healthy, true)
  const into = await newFolder()
  const refused = async (sentence: RegExp) => {
    const { code, stderr } = await inlet('restore', '--into', into)
    assert.equal(code, 1)
    assert.match(stderr, sentence)
  }
  const piece = join(store, manifest.pieces[0]!.name)
  await copyFile(piece, `${store}/kept`)
  const file = await open(piece, 'r+')
  await file.write(Buffer.from('x'), 0, 1, manifest.pieces[0]!.bytes - 100)
  await file.close()
  const check = await inlet('backup', 'check')
  assert.deepEqual([check.code, /is not what was stored/.test(check.stdout)], [1, true])
  await refused(/is not what was stored .*restore from another backup/)
  await copyFile(`${store}/kept`, piece)

  process.env.INLET_MASTER_KEY = Buffer.alloc(32, 9).toString('base64')
  await refused(/was encrypted under another master key; set INLET_MASTER_KEY/)
  delete process.env.INLET_MASTER_KEY

  await rm(join(store, manifest.id, 'base', manifest.name, 'manifest'))
  await refused(/^No complete backup is stored there\.\n$/)
})

test('after a change of the master key backups go on under the new one; older ones stay, and are named', async () => {
  const own = await mkdtemp(join(tmpdir(), 'inlet-store-'))
  atEnd(() => rm(own, { recursive: true, force: true }))
  process.env.INLET_BACKUP_TO = own
  const { name: older } = await json('backup')
  const [oldKey, newKey] = [(await masterKey()).toString('base64'), Buffer.alloc(32, 7).toString('base64')]
  Object.assign(process.env, { INLET_MASTER_KEY: newKey, INLET_OLD_MASTER_KEY: oldKey })
  assert.equal((await inlet('key', 'reseal')).code, 0)
  delete process.env.INLET_OLD_MASTER_KEY

  const settings = { INLET_MASTER_KEY: newKey, INLET_BACKUP_TO: own, INLET_BACKUP_DRILL_EVERY: 'off' }
  const program = await startProgram(dataDir, settings)
  try {
    await program.ready()
    const listed = () => json('backup', 'list')
    // To list them is a command, with a look into each.
    await until('a full backup', async () => {
      await sleep(450)
      return (await listed()).backups.length > 0
    })
    const { unreadable } = await listed()
    assert.deepEqual(
      unreadable.map((backup: { name: string; locked: boolean }) => [backup.name, backup.locked]),
      [[older, true]],
    )
    const check = await inlet('backup', 'check')
    assert.equal(check.code, 0)
    assert.match(check.stdout, new RegExp(`${older} .*another master key`))
  } finally {
    program.child.kill('SIGTERM')
    await program.ended()
  }
  const restore = await inlet('restore', '--into', await newFolder())
  assert.equal(restore.code, 0, restore.stderr)
  delete process.env.INLET_MASTER_KEY
})
