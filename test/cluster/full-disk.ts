/** PostgreSQL on a real disk that runs full: a file system of its own in memory, which only root may make. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { atEnd } from '../support/clean-up.ts'
import { dataFolder, startProgram } from '../support/program.ts'
import { absence, makeFolder, runAsPostgres, within } from './machines.ts'

const port = 5_480
const skip = absence || (process.getuid?.() !== 0 && 'only root may mount a file system')

test('on a full disk Inlet is not ready; with space it is again, and creates', { skip }, async () => {
  const disk = join(tmpdir(), 'inlet-full-disk')
  await makeFolder(disk)
  mount('mount', '-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', disk)
  atEnd(async () => mount('umount', disk))
  await makeFolder(disk)
  const cluster = join(disk, 'cluster')
  runAsPostgres('initdb', ['-D', cluster, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'])
  const options = `-p ${port} -k ${disk} -c listen_addresses=127.0.0.1 -c max_wal_size=64MB -c min_wal_size=32MB`
  runAsPostgres('pg_ctl', ['-D', cluster, '-w', '-l', join(disk, 'log'), '-o', options, 'start'])
  atEnd(async () => runAsPostgres('pg_ctl', ['-D', cluster, '-m', 'immediate', 'stop']))
  const sql = 'create database inlet'
  runAsPostgres('psql', ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-qc', sql])

  const program = await startProgram(await dataFolder(), {
    DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/inlet`,
  })
  await program.ready()
  const shop = await program.demoShop()
  const ready = async () => {
    const response = await fetch(`${program.url}/health/ready`)
    return { status: response.status, ...((await response.json()) as { database: string }) }
  }
  assert.equal((await shop.create()).status, 201)
  assert.equal((await ready()).status, 200)

  const ballast = join(disk, 'ballast')
  await assert.rejects(writeFile(ballast, Buffer.alloc(2 ** 29)), { code: 'ENOSPC' })
  await within(120, 'creates are refused', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.create()))
    return answers.some(({ status }) => status === 503)
  })
  const full = await ready()
  console.log(`full disk: ${JSON.stringify(full)}`)
  assert.equal(full.status, 503)

  await rm(ballast)
  await within(60, 'ready again', async () => (await ready()).status === 200)
  assert.equal((await shop.create()).status, 201)
  program.child.kill('SIGTERM')
  await program.ended()
})

function mount(...[program, ...words]: [string, ...string[]]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}
