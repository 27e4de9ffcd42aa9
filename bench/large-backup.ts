/**
 * Backup, check, drill and restore of a database of gigabytes: time, sizes, and the most memory that Inlet's process had.
 *
 *   node bin/node.mjs bench/large-backup.ts --deposits 2000000
 *
 * Needs room for about three times the database in the system's folder for temporary files; removes everything it made.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { openFoundation } from '../src/open-foundation.ts'
import { monotonicMs, sleep } from '../src/platform/clock.ts'
import { createLog } from '../src/platform/log.ts'
import { postgresFolder } from '../src/platform/postgres-home.ts'
import { fillOldDeposits } from './old-deposits.ts'
import { masterKey, peakRssOf, root, seed } from './world.ts'

const { values } = parseArgs({ options: { deposits: { type: 'string', default: '2000000' } } })
const folder = await mkdtemp(join(tmpdir(), 'inlet-large-'))
const [dataDir, store, restored] = ['data', 'store', 'restored'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]
const environment = {
  PATH: process.env.PATH,
  INLET_DATA_DIR: dataDir,
  INLET_MASTER_KEY: masterKey.toString('base64'),
}

try {
  await mkdir(store)
  await fill(Number(values.deposits))
  console.log(`cluster: ${megabytes(await bytesIn(postgresFolder(dataDir)))} on disk`)
  await measure('backup', '--to', store)
  console.log(`stored: ${megabytes(await bytesIn(store))}`)
  await measure('backup', 'check', '--from', store)
  await measure('backup', 'drill', '--from', store, '--scratch', folder)
  await measure('restore', '--from', store, '--into', restored)
} finally {
  for (const data of [dataDir, restored]) await rm(postgresFolder(data), { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}

async function fill(rows: number): Promise<void> {
  const foundation = await openFoundation(
    readConfig(environment),
    'command',
    createLog('error', () => {}),
  )
  try {
    const { superuser } = foundation.cluster!
    const made = await seed(foundation.postgres!.runtime)
    const world = {
      ...made,
      status: (text: string) => console.error(text),
      superuser: () => ({ ...superuser, database: 'inlet' }),
    }
    await fillOldDeposits(world, 'inlet', { rows, days: { oldest: 1_095, newest: 0.1 } })
  } finally {
    await foundation.close()
  }
}

/** Runs a command as an operator would. */
async function measure(...words: string[]): Promise<void> {
  const began = monotonicMs()
  const child = spawn(process.execPath, ['bin/inlet.mjs', ...words, '--json'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, complaint] = ['', '']
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (complaint = `${complaint}${chunk}`.slice(-2_000)))
  const ended = once(child, 'close')
  let peak = 0
  for (let isOver = false; !isOver; ) {
    isOver = await Promise.race([ended.then(() => true), sleep(100).then(() => false)])
    peak = Math.max(peak, await peakRssOf(child.pid!))
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`inlet ${words.join(' ')} ended with ${code}: ${complaint}${output}`)
  const name = words.filter((word) => !word.startsWith('-') && !word.startsWith('/')).join(' ')
  const seconds = ((monotonicMs() - began) / 1000).toFixed(0)
  console.log(`inlet ${name}: ${seconds} s, at most ${megabytes(peak)} of memory`)
  if (name === 'backup drill') console.log(output)
}

async function bytesIn(path: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en')} MB`
}
