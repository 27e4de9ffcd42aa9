/**
 * A primary and its standby behind one address: Inlet works with the one that can be written to, and goes with it. Two
 * clusters cost five seconds, so this is one of the long runs.
 */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { addDemoRequisites } from '../../src/domain/sandbox/demo-data.ts'
import { type Login, sql } from '../../src/platform/db.ts'
import { type EmbeddedPostgres, joinPostgres } from '../../src/platform/postgres.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { atEnd } from '../support/clean-up.ts'
import { openShop, startGateway } from '../support/gateway.ts'
import { dataFolder } from '../support/program.ts'
import { isLong } from './measure.ts'

const skip = isLong ? false : 'in npm run test:faults'

test('when the primary is lost and its standby takes over, nothing acknowledged is lost', {
  skip,
}, async () => {
  const [first, second] = [await dataFolder(), await dataFolder()]
  await (await start(first)).stop()
  await copyAsStandby(first, second)
  const primary = await start(first)
  const standby = await start(second)
  await asAdmin(primary, first, async (admin) => {
    await admin.query("alter system set synchronous_standby_names = '*'")
    await admin.query('select pg_reload_conf()')
  })

  // The standby is named first: it answers, and is not taken.
  const hosts = [standby, primary].map(({ owner: { host, port } }) => `${encodeURIComponent(host)}:${port}`)
  const url = ({ user, password }: Login) => `postgres://${user}:${password}@${hosts}/inlet`
  const gateway = await startGateway({
    environment: { DATABASE_URL: url(primary.runtime), INLET_OWNER_DATABASE_URL: url(primary.owner) },
  })
  await gateway.db.transaction(addDemoRequisites)
  const shop = await openShop(gateway)
  const acknowledged: string[] = []
  const create = async () => {
    const { status, body, headers } = await shop.create()
    if (status === 201) acknowledged.push(body.id)
    else assert.deepEqual([status, headers.has('retry-after')], [503, true], JSON.stringify(body))
    return status
  }
  const readiness = async () => (await fetch(`${gateway.url}/health/ready`)).status
  assert.deepEqual([await create(), await readiness()], [201, 200])

  const [pid] = (await readFile(join(await clusterOf(first), 'postmaster.pid'), 'utf8')).split('\n')
  let isOver = false
  const traffic = Array.from({ length: 4 }, async () => {
    while (!isOver) await create()
  })
  process.kill(Number(pid), 'SIGKILL')
  while ((await create()) !== 503);
  assert.equal(await readiness(), 503)
  await asAdmin(standby, second, (admin) => admin.query('select pg_promote()'))
  while ((await create()) !== 201);
  isOver = true
  await Promise.all(traffic)
  assert.equal(await readiness(), 200)
  const kept = await gateway.db.query<{ id: string }>(sql`
    select id
    from deposits
    where id = any(${acknowledged}::uuid[])`)
  assert.equal(kept.length, acknowledged.length)
  await gateway.stop()
})

/** Watched over by nobody: it stays away when it is killed. */
async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await joinPostgres({ dataDir, as: 'command', log: () => {} })
  atEnd(() => postgres.stop())
  return postgres
}

const secretsOf = async (dataDir: string) =>
  JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8')) as { id: string; superuser: string }

const clusterOf = async (dataDir: string) =>
  join(postgresFolder(dataDir), (await secretsOf(dataDir)).id, 'cluster')

async function asAdmin(
  { owner: { host, port } }: EmbeddedPostgres,
  dataDir: string,
  work: (admin: pg.Client) => Promise<unknown>,
): Promise<void> {
  const { superuser: password } = await secretsOf(dataDir)
  const admin = new pg.Client({ host, port, database: 'postgres', user: 'postgres', password })
  await admin.connect()
  await work(admin).finally(() => admin.end())
}

/** What pg_basebackup would do: the files of the one that is stopped, and where to read on. */
async function copyAsStandby(from: string, to: string): Promise<void> {
  const secrets = await secretsOf(from)
  const { id, superuser } = secrets
  const source = join(postgresFolder(from), id)
  const cluster = join(postgresFolder(to), id, 'cluster')
  const run = promisify(execFile)
  await run('cp', ['-a', postgresFolder(from), postgresFolder(to)])
  await run('cp', ['-a', join(cluster, 'PG_VERSION'), join(cluster, 'standby.signal')])
  await appendFile(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${source} user=postgres password=${superuser}'\n`,
  )
  await writeFile(join(to, 'postgres.json'), JSON.stringify({ ...secrets, cluster }), { mode: 0o600 })
}
