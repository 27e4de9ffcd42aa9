/**
 * What could leave backups that nobody can restore: a key that only the environment has, a key that was changed, WAL that
 * PostgreSQL removed, a file that is half stored, a cluster set back to an earlier day, and a restore that fails.
 */
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { noteWal, readBackupState } from '../../src/domain/backups/store.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { type BackupPlace, readManifests, walFolder } from '../../src/platform/backup/backup-set.ts'
import { createWalCopy, endWalCopy } from '../../src/platform/backup/copy-wal.ts'
import { type Destination, openDestination } from '../../src/platform/backup/destination.ts'
import { restoreCluster } from '../../src/platform/backup/restore-cluster.ts'
import { opened } from '../../src/platform/backup/sealed-stream.ts'
import { storedWal } from '../../src/platform/backup/stored-wal.ts'
import {
  type EmbeddedCluster,
  openSession,
  readFlushed,
  takeBackup,
} from '../../src/platform/backup/take-backup.ts'
import { partName, positionOf, segmentAt, segmentName } from '../../src/platform/backup/wal-position.ts'
import type { Foundation } from '../../src/platform/foundation.ts'
import { createLog } from '../../src/platform/log.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { createVault } from '../../src/platform/vault.ts'
import { chooseBackup } from '../../src/surfaces/command-line/choose-backup.ts'
import { atEnd } from '../support/clean-up.ts'
import { inlet } from '../support/command.ts'
import { until } from '../support/create-load.ts'
import { dataFolder, startProgram } from '../support/program.ts'

const key = Buffer.alloc(32, 'k')
const store = await mkdtemp(join(tmpdir(), 'inlet-attacked-'))
atEnd(() => rm(store, { recursive: true, force: true }))
const files = join(store, 'files')
const script = join(store, 'program.sh')
const line = { timeline: 1, segmentBytes: 16n * 1024n * 1024n }
let foundation: Foundation
let cluster: EmbeddedCluster

before(async () => {
  await mkdir(files)
  const example = join(import.meta.dirname, '../../deploy/backup-store.sh')
  await writeFile(script, `#!/bin/sh\nenv > ${store}/environment\nexec ${example} ${files} "$@"\n`)
  await chmod(script, 0o700)
  const dataDir = await dataFolder()
  const program = await startProgram(dataDir, {
    INLET_MASTER_KEY: key.toString('base64'),
    INLET_BACKUP_TO: `command:${script}`,
    INLET_BACKUP_DRILL_EVERY: 'off',
    STORE_LOGIN: 'of the store',
  })
  await program.ready()
  await until('a first full backup, or that it failed', async () =>
    /inlet backup (is done|failed)/.test(program.output()),
  )
  assert.match(program.output().trim().split('\n').at(-1)!, /inlet backup is done/)
  program.child.kill('SIGTERM')
  await program.ended()
  const config = readConfig({ INLET_DATA_DIR: dataDir, INLET_MASTER_KEY: key.toString('base64') })
  foundation = await openFoundation(
    config,
    'command',
    createLog('error', () => {}),
  )
  cluster = foundation.cluster!
})
after(() => foundation?.close())

const placeOf = async (masterKey = key): Promise<BackupPlace> => ({
  destination: await openDestination(files),
  vault: createVault(masterKey),
})
const back = (place: BackupPlace, keep?: number) =>
  takeBackup({ place, cluster, inlet: '1', migration: '1', ...(keep && { keep }) })
const current = async () => segmentName(segmentAt(positionOf(await readFlushed(cluster)), line), line)

/** Ends the segment that is being written, and answers its name. */
async function switchSegment(): Promise<string> {
  const session = await openSession(cluster.superuser)
  await session.query('select pg_logical_emit_message(false, $1, $2)', ['test', 'x'])
  const segment = await current()
  await session.query('select pg_switch_wal()')
  await session.end()
  return segment
}

/** This destination, with one of its verbs changed. */
const changed = (place: BackupPlace, verbs: (real: Destination) => Partial<Destination>): BackupPlace => ({
  ...place,
  destination: { ...place.destination, ...verbs(place.destination) },
})

test('the program of the store gets its own settings, and none of ours', async () => {
  const environment = await readFile(join(store, 'environment'), 'utf8')
  assert.match(environment, /^STORE_LOGIN=of the store$/m)
  assert.doesNotMatch(environment, /^(INLET_|DATABASE_URL)/m)
})

test('backups under a key that is no longer given, or with a damaged manifest, hide none of the others', async () => {
  const place = await placeOf(Buffer.alloc(32, 'n'))
  assert.deepEqual(await readManifests(place, cluster.id), [])
  const { manifest } = await back(place, 7)
  assert.deepEqual(
    (await readManifests(place)).map(({ name }) => name),
    [manifest.name],
  )
  const stored = await place.destination.list(`${cluster.id}/base/`)
  assert.equal(stored.filter((name) => name.endsWith('/manifest')).length, 2)
  assert.equal((await readManifests(await placeOf())).length, 1)
})

test('WAL that is copied well does not hide that full backups fail', async () => {
  const { db } = foundation
  await noteWal(db, new Date(), 'The full backup failed: the disk is full')
  assert.equal((await readBackupState(db)).problem, 'The full backup failed: the disk is full')
  await noteWal(db, new Date(), null)
  assert.equal((await readBackupState(db)).problem, null)
})

test('no other backup begins before the old ones are deleted', async () => {
  const place = await placeOf()
  let refusal: unknown
  const busy = changed(place, (real) => ({
    async list(prefix) {
      refusal ??= await back(place).catch((error) => error)
      return real.list(prefix)
    },
  }))
  await back(busy, 7)
  assert.match(String(refusal), /Another backup is under way/)
})

test('a part of WAL that was half stored is stored again', async () => {
  const place = await placeOf()
  const copy = createWalCopy(place, cluster)
  await copy.round()
  await copy.close()
  const segment = await current()
  const half = `${walFolder(cluster.id)}${segment}`
  await writeFile(join(files, half), 'INLETBK1 and not all of it')
  assert.equal(await switchSegment(), segment)
  const next = createWalCopy(place, cluster)
  await next.round()
  await next.close()
  const parts = (await storedWal(place, cluster.id)).get(segment)!
  for (const part of parts) {
    const name = walFolder(cluster.id) + partName(part)
    for await (const _chunk of opened(place.vault, name, place.destination.get(name)));
  }
})

test('WAL of a cluster that was set back to an earlier day is not mixed with what it had written before', async () => {
  const place = await placeOf()
  const ahead = segmentAt(positionOf(await readFlushed(cluster)), line) + 2n
  const name = join(files, walFolder(cluster.id), segmentName(ahead, line))
  await writeFile(name, '')
  const copy = createWalCopy(place, cluster)
  await assert.rejects(copy.round(), { name: 'OperatorProblem', message: /set back/ })
  await copy.close()
  await rm(name)
})

test('WAL that was dropped while the store was away is reported when the store is back', async () => {
  const place = await placeOf()
  let isAway = false
  const copy = createWalCopy(
    changed(place, (real) => ({
      put: (name, bytes) => (isAway ? Promise.reject(new Error('the store is away')) : real.put(name, bytes)),
    })),
    cluster,
  )
  await copy.round()
  assert.equal((await copy.round()).hasRestarted, false)
  isAway = true
  await endWalCopy(cluster)
  await switchSegment()
  // The new slot begins with the last checkpoint.
  const session = await openSession(cluster.superuser)
  await session.query('checkpoint')
  await session.end()
  for (let tries = 0; tries < 2; tries++) {
    await switchSegment()
    await assert.rejects(copy.round(), { message: 'the store is away' })
  }
  isAway = false
  assert.equal((await copy.round()).hasRestarted, true)
  assert.equal((await copy.round()).hasRestarted, false)
  const [newest] = await readManifests(place)
  assert.equal(await copy.followsOn(newest!), false)
  await copy.close()
})

test('a restore that fails removes what it made, and nothing else', async (t) => {
  const folder = await dataFolder()
  const [manifest] = await readManifests(await placeOf())
  const stop = AbortSignal.abort(new Error('stopped'))
  const restore = async (into: string) => {
    const place = await placeOf()
    await assert.rejects(restoreCluster({ place, manifest: manifest!, until: null, into, stop }), /stopped/)
  }
  await mkdir(join(folder, 'real'))
  await symlink(join(folder, 'real'), join(folder, 'linked'))
  await restore(join(folder, 'linked'))
  assert.deepEqual(await readdir(join(folder, 'real')), [])
  assert.deepEqual(await readdir(folder), ['linked', 'real'])
  if (process.getuid?.() !== 0) return t.skip('only as root a cluster lies outside of its data folder')
  // The data folder was moved aside, and is restored in its old place.
  const into = join(folder, 'data')
  const old = join(postgresFolder(into), 'old-id', 'cluster', 'PG_VERSION')
  await mkdir(dirname(old), { recursive: true })
  await writeFile(old, '18')
  atEnd(() => rm(postgresFolder(into), { recursive: true, force: true }))
  await restore(into)
  assert.equal(await readFile(old, 'utf8'), '18')
})

test('a restore never chooses between installations by itself, and takes only backups of the one that was named', async () => {
  const own = await mkdtemp(join(tmpdir(), 'inlet-shared-'))
  atEnd(() => rm(own, { recursive: true, force: true }))
  const place = { ...(await placeOf()), destination: await openDestination(own) }
  const { manifest: ours } = await back(place)
  // Its id is all that a store knows of an installation.
  const take = { place, inlet: '1', migration: '1', cluster: { ...cluster, id: 'of-another' } }
  const { manifest: newer } = await takeBackup(take)
  const locked = { ...place, vault: createVault(Buffer.alloc(32, 'l')) }
  await takeBackup({ ...take, place: locked, cluster: { ...cluster, id: 'of-a-third' } })
  process.env.INLET_MASTER_KEY = key.toString('base64')
  atEnd(async () => {
    delete process.env.INLET_MASTER_KEY
  })
  const into = join(await dataFolder(), 'data')
  for (const words of [
    ['restore', '--into', into],
    ['backup', 'drill'],
  ]) {
    const { code, stderr } = await inlet(...words, '--from', own)
    assert.equal(code, 1)
    assert.equal(
      stderr.trimEnd().split('\n').sort().join('\n'),
      [
        'Backups of several installations are stored there; name one with --installation ID:',
        `  ${cluster.id}: 1 backup, the newest of ${ours.endedAt}`,
        '  of-a-third: 1 backup, none that the given master key opens',
        `  of-another: 1 backup, the newest of ${newer.endedAt}`,
      ]
        .sort()
        .join('\n'),
    )
  }
  const chosen = async (wish: Partial<Parameters<typeof chooseBackup>[1]>) =>
    (await chooseBackup(place, { installation: null, backup: null, until: null, ...wish })).name
  assert.equal(await chosen({ installation: cluster.id }), ours.name)
  assert.equal(await chosen({ installation: 'of-another' }), newer.name)
  assert.equal(await chosen({ backup: ours.name }), ours.name)
  await assert.rejects(chosen({ installation: 'of-another', backup: ours.name }), /No backup .* is called/)
  await assert.rejects(chosen({ installation: 'of-a-third' }), /another master key/)
  await assert.rejects(chosen({ installation: 'unknown' }), /No complete backup of the installation unknown/)
  await assert.rejects(chosen({ installation: '../..' }), /No complete backup of the installation/)
})

test('no server starts on a restore that was killed before its end', async () => {
  const into = join(await dataFolder(), 'data')
  atEnd(() => rm(postgresFolder(into), { recursive: true, force: true }))
  const place = await placeOf()
  const [manifest] = await readManifests(place)
  // Everything but what the command does then: numbers that others have seen would be given again.
  await restoreCluster({ place, manifest: manifest!, until: null, into })
  const config = readConfig({ INLET_DATA_DIR: into, INLET_MASTER_KEY: key.toString('base64') })
  const quiet = createLog('error', () => {})
  await assert.rejects(openFoundation(config, 'server', quiet), {
    name: 'OperatorProblem',
    message: /did not end/,
  })
})

test('a store that refuses a piece before it has read it ends the backup', async () => {
  const place = changed(await placeOf(), () => ({ put: () => Promise.reject(new Error('the disk is full')) }))
  await assert.rejects(back(place), { message: 'the disk is full' })
})

test('a backup whose WAL PostgreSQL has removed fails', async () => {
  const place = changed(await placeOf(), (real) => ({
    async put(name, bytes) {
      if (name.endsWith('/000001')) await rm(join(cluster.folder, 'pg_wal', await switchSegment()))
      return real.put(name, bytes)
    },
  }))
  await assert.rejects(back(place), { name: 'OperatorProblem', message: /WAL/ })
  const copy = createWalCopy(await placeOf(), cluster)
  await assert.rejects(copy.round(), {
    name: 'OperatorProblem',
    message: /^PostgreSQL's WAL .* cannot be read/,
  })
  await copy.close()
})
