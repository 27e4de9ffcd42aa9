/** A data folder that was there before: closed to others at the start, or a sentence that says what to do. */
import assert from 'node:assert/strict'
import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { tightenDataFolder } from '../../src/platform/data-folder.ts'
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

test('a start closes a folder that others could enter, and the secrets in it', async () => {
  const dataDir = await folder(0o755, {
    ...{ 'master.key': 0o644, 'demo.json': 0o664, 'postgres.json': 0o640, 'uploads/': 0o755 },
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
  assert.equal(await modeOf(dataDir), '700')
  for (const file of ['master.key', 'demo.json', 'postgres.json'])
    assert.equal(await modeOf(dataDir, file), '600')
  assert.equal(await modeOf(dataDir, 'uploads'), '700')
  assert.deepEqual(lines, [])
})

test('a folder that is closed already, a new one and one with half-written files stay without a word', async () => {
  for (const path of [
    await folder(0o700, { 'master.key': 0o600 }),
    await folder(0o777),
    await folder(0o755, { 'postgres.json-aB3_-x': 0o600, 'lost+found/': 0o700, 'postgres/': 0o700 }),
  ]) {
    assert.deepEqual(await tightenDataFolder(path), [])
    assert.equal(await modeOf(path), '700')
  }
})

test('a folder that others share is left as it is, with a sentence; the secrets in it are closed', async () => {
  const path = await folder(0o755, { 'master.key': 0o644, 'somebody-elses.txt': 0o644 })
  const [sentence, ...more] = await tightenDataFolder(path)
  assert.match(
    sentence!,
    /^Other users of this machine can enter the data folder .* \(mode 755\).*not Inlet's/,
  )
  assert.deepEqual(more, [])
  assert.deepEqual([await modeOf(path), await modeOf(path, 'master.key')], ['755', '600'])
  assert.equal(await modeOf(path, 'somebody-elses.txt'), '644')
  // As /tmp is: shared on purpose, even while it is empty.
  const sticky = await folder(0o1777)
  assert.equal((await tightenDataFolder(sticky)).length, 1)
  assert.equal(await modeOf(sticky), '1777')
})

test('a link in place of a secret is not followed', async () => {
  const elsewhere = await folder(0o755, { target: 0o644 })
  const path = await folder(0o700)
  await symlink(join(elsewhere, 'target'), join(path, 'demo.json'))
  await symlink(elsewhere, join(path, 'uploads'))
  assert.deepEqual(await tightenDataFolder(path), [])
  assert.deepEqual([await modeOf(elsewhere), await modeOf(elsewhere, 'target')], ['755', '644'])
})

test('files of another user are reported, with the command that helps', { skip: !isRoot }, async () => {
  const path = await folder(0o777, { 'postgres.json': 0o644 })
  const sentences = await asNobody(() => tightenDataFolder(path))
  assert.deepEqual(
    sentences.map((sentence) => /run "(.*)"\.$/.exec(sentence)?.[1]),
    [
      [path, 700],
      [join(path, 'postgres.json'), 600],
    ].map(([what, mode]) => `chown ${nobody} ${what} && chmod ${mode} ${what}`),
    'closing alone would lock Inlet out of what it may enter by its group',
  )
  assert.equal(await modeOf(path), '777')
  // Root may.
  assert.deepEqual(await tightenDataFolder(path), [])
  assert.deepEqual([await modeOf(path), await modeOf(path, 'postgres.json')], ['700', '600'])
})

test('an ordinary user closes their own', { skip: !isRoot }, async () => {
  const path = await asNobody(() => folder(0o755, { 'master.key': 0o644 }))
  assert.deepEqual(await asNobody(() => tightenDataFolder(path)), [])
  assert.deepEqual([await modeOf(path), await modeOf(path, 'master.key')], ['700', '600'])
})

test('root leaves a folder to the group that works in it, and closes it to all others', {
  skip: !isRoot,
}, async () => {
  const path = await folder(0o775, { 'master.key': 0o644 })
  for (const what of [path, join(path, 'master.key')]) await chown(what, 0, 12_345)
  await chmod(path, 0o2775)
  assert.deepEqual(await tightenDataFolder(path), [])
  assert.deepEqual([await modeOf(path), await modeOf(path, 'master.key')], ['2770', '640'])
  assert.deepEqual(await tightenDataFolder(path), [])
})
