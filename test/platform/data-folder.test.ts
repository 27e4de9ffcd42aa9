/** Secrets in a data folder that was there before: closed to others at the start, or a sentence that says what to do. */
import assert from 'node:assert/strict'
import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { closeSecrets } from '../../src/platform/data-folder.ts'
import { createLog } from '../../src/platform/log.ts'
import { atEnd } from '../support/clean-up.ts'
import { createDatabase } from '../support/database.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534

async function folder(mode: number, files: Record<string, number> = {}): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'inlet-folder-'))
  atEnd(() => rm(path, { recursive: true, force: true }))
  for (const [name, fileMode] of Object.entries(files)) {
    if (name.endsWith('/')) await mkdir(join(path, name))
    else await writeFile(join(path, name), 'secret')
    await chmod(join(path, name), fileMode)
  }
  await chmod(path, mode)
  return path
}

const modeOf = async (...path: string[]) => ((await stat(join(...path))).mode & 0o7777).toString(8)

/** As a user who owns nothing here; only root can become one. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  process.seteuid!(nobody)
  try {
    return await work()
  } finally {
    process.seteuid!(0)
  }
}

test('a start closes the secrets in a folder that others can enter', async () => {
  const dataDir = await folder(0o755, {
    ...{ 'master.key': 0o644, 'demo.json': 0o664, 'postgres.json': 0o640 },
  })
  const { url } = await createDatabase()
  const lines: string[] = []
  const config = readConfig({
    ...{ DATABASE_URL: url, INLET_DATA_DIR: dataDir, INLET_DEMO: 'off' },
    INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  const foundation = await openFoundation(
    config,
    'server',
    createLog('warn', (line) => lines.push(line)),
  )
  await foundation.close()
  assert.equal(await modeOf(dataDir), '755')
  for (const file of ['master.key', 'demo.json', 'postgres.json'])
    assert.equal(await modeOf(dataDir, file), '600')
  assert.deepEqual(lines, [])
})

test('a folder in which everybody can replace files is said, unless it is shared on purpose, as /tmp is', async () => {
  const path = await folder(0o777)
  assert.deepEqual(await closeSecrets(path), [
    `Every user of this machine can replace the files in the data folder ${path}: run "chmod o-w ${path}".`,
  ])
  assert.deepEqual(await closeSecrets(await folder(0o1777)), [])
})

test('a link in place of a secret is not followed', async () => {
  const elsewhere = await folder(0o755, { target: 0o644 })
  const path = await folder(0o700)
  await symlink(join(elsewhere, 'target'), join(path, 'demo.json'))
  assert.deepEqual(await closeSecrets(path), [])
  assert.equal(await modeOf(elsewhere, 'target'), '644')
})

test('files of another user are reported, with the command that helps', { skip: !isRoot }, async () => {
  const path = await folder(0o755, { 'postgres.json': 0o644 })
  const [sentence] = await asNobody(() => closeSecrets(path))
  const file = join(path, 'postgres.json')
  assert.match(sentence!, new RegExp(`run "chown ${nobody} ${file} && chmod 600 ${file}"\\.$`))
  // Root may.
  assert.deepEqual(await closeSecrets(path), [])
  assert.equal(await modeOf(file), '600')
})

test('an ordinary user closes their own', { skip: !isRoot }, async () => {
  const path = await asNobody(() => folder(0o755, { 'master.key': 0o644 }))
  assert.deepEqual(await asNobody(() => closeSecrets(path)), [])
  assert.equal(await modeOf(path, 'master.key'), '600')
})

test('root leaves secrets to the group that works with them, and closes them to all others', {
  skip: !isRoot,
}, async () => {
  const path = await folder(0o775, { 'master.key': 0o644 })
  await chown(join(path, 'master.key'), 0, 12_345)
  assert.deepEqual(await closeSecrets(path), [])
  assert.equal(await modeOf(path, 'master.key'), '640')
})
