/** Files of archived months, which belong to the database and are not in it. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { readBackupState } from '../../src/domain/backups/store.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { beginArchiving, finishSegment, storeWal } from '../../src/platform/backup/archived-wal.ts'
import { openBackups } from '../../src/platform/backup/backup-folder.ts'
import type { Foundation } from '../../src/platform/foundation.ts'
import { createLog } from '../../src/platform/log.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { atEnd } from '../support/clean-up.ts'
import { inlet, json } from '../support/command.ts'
import { dataFolder } from '../support/program.ts'

const key = Buffer.alloc(32, 'k').toString('base64')
const folder = await mkdtemp(join(tmpdir(), 'inlet-beside-'))
atEnd(() => rm(folder, { recursive: true, force: true }))
const [files, archive] = [join(folder, 'files'), join(folder, 'archive')]
let dataDir: string
let foundation: Foundation
const settings = ['INLET_BACKUP_TO', 'INLET_BACKUP_KEEP', 'INLET_DATA_DIR', 'INLET_MASTER_KEY']
atEnd(async () => {
  for (const name of settings) delete process.env[name]
})

const open = (of: string) =>
  openFoundation(
    readConfig({ INLET_DATA_DIR: of, INLET_MASTER_KEY: key }),
    'command',
    createLog('error', () => {}),
  )

before(async () => {
  await mkdir(files)
  dataDir = await dataFolder()
  foundation = await open(dataDir)
  Object.assign(process.env, {
    INLET_BACKUP_TO: files,
    INLET_BACKUP_KEEP: '1',
    INLET_DATA_DIR: dataDir,
    INLET_MASTER_KEY: key,
  })
})
after(() => foundation?.close())

/** A month of details, as old deposits leave it. */
const addMonth = (month: number) =>
  foundation.asOwner((owner) =>
    owner.script(`
      create table deposit_details_${month} partition of deposit_details
      for values from (${month}0000000000) to (${month + 1}0000000000);
      insert into deposit_details (chunk, details)
      select ${month}0000000001, jsonb_object_agg(gen_random_uuid(), jsonb_build_object('shown', null, 'history', '[]'::jsonb))
      from generate_series(1, 20)`),
  )

const warnings = async () => {
  const { promises } = await json('doctor')
  return promises
    .filter(({ verdict }: { verdict: string }) => verdict === 'warning')
    .flatMap(({ name, offenders }: { name: string; offenders: { id: string; detail: string }[] }) =>
      offenders.map(({ id, detail }) => `${name}: ${id} ${detail}`),
    )
    .filter((line: string) => /^(backup|archive)/.test(line))
}

const archiveNames = async () =>
  (await readdir(join(files, foundation.cluster!.home.secrets.id, 'archive')).catch(() => [])).sort()

test('if an archive file is missing, a backup still succeeds, with a warning until the file is back', async () => {
  const { name: first } = await json('backup')
  await addMonth(202501)
  await archiveWithoutBackups('2025-02')
  await rename(join(archive, 'deposits-2025-01.jsonl.gz'), join(folder, 'away'))
  const { code, stdout, stderr } = await inlet('backup')
  assert.equal(code, 0, stderr)
  const sentence = /missing or damaged are not stored: .*archive\/deposits-2025-01\.jsonl\.gz\./
  assert.match(stdout, sentence)
  const state = await readBackupState(foundation.db)
  assert.match(state.warning!, sentence)
  assert.deepEqual([state.full_age_seconds !== null, await archiveNames()], [true, []])

  await rename(join(folder, 'away'), join(archive, 'deposits-2025-01.jsonl.gz'))
  await json('backup')
  assert.equal((await readBackupState(foundation.db)).warning, null)
  assert.equal((await archiveNames()).length, 1)
  const { backups } = await json('backup', 'list')
  assert.equal(backups.length, 1)
  assert.notEqual(backups[0].name, first)
})

async function archiveWithoutBackups(month: string): Promise<void> {
  const to = process.env.INLET_BACKUP_TO!
  delete process.env.INLET_BACKUP_TO
  await json('archive', '--before', month, '--to', archive)
  process.env.INLET_BACKUP_TO = to
}

test('a month is in the store before it leaves the database: archived after the last backup, it is restored', async () => {
  await addMonth(202502)
  await beginArchiving(foundation.cluster!)
  const { archives } = await json('archive', '--before', '2025-03', '--to', archive)
  assert.ok((await archiveNames()).includes(`${archives[0].sha256}.${foundation.vault.current.id}`))
  assert.equal((await archiveNames()).length, 2)
  const bytes = await readFile(join(archive, archives[0].file))
  // As a server does all the time.
  await finishSegment(foundation.cluster!)
  await storeWal(await openBackups(files, foundation.vault), foundation.cluster!)
  await rm(archive, { recursive: true })
  assert.deepEqual(
    await warnings(),
    [1, 2].map(
      (month) =>
        `archives-are-there: deposits-2025-0${month}.jsonl.gz is not in ${archive}, with 20 deposits`,
    ),
  )

  const into = join(await dataFolder(), 'data')
  atEnd(() => rm(postgresFolder(into), { recursive: true, force: true }))
  const { missing_archives: missing } = await json('restore', '--into', into)
  assert.deepEqual(missing, [])
  assert.deepEqual(await readFile(join(into, 'archive', archives[0].file)), bytes)
  process.env.INLET_DATA_DIR = into
  assert.deepEqual(await warnings(), [])
  process.env.INLET_DATA_DIR = dataDir
})

test('a stored archive file that is damaged or gone is found: by a check, and by a drill', async () => {
  const [first, second] = (await archiveNames()).map((name) =>
    join(files, foundation.cluster!.home.secrets.id, 'archive', name),
  )
  const bytes = await readFile(first!)
  await writeFile(first!, bytes.fill(1, 100, 110))
  const check = await inlet('backup', 'check')
  assert.equal(check.code, 1)
  assert.match(check.stdout, /archive\/.* is damaged/)
  await rm(first!)
  await rm(second!)
  const drill = await inlet('backup', 'drill', '--scratch', folder)
  assert.equal(drill.code, 1)
  assert.match(drill.stdout, /the archive file .*deposits-2025-01\.jsonl\.gz is in no backup/)
})
