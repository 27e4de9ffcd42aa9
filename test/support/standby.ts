/** Two embedded PostgreSQL, the second a standby of the first. */

import { execFile } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type EmbeddedPostgres, joinPostgres } from '../../src/platform/postgres.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'
import { atEnd } from './clean-up.ts'
import { dataFolder } from './program.ts'

export type Node = EmbeddedPostgres & {
  asAdmin<Result>(work: (admin: pg.Client) => Promise<Result>): Promise<Result>
  /** A client of PostgreSQL's superuser that is not connected yet. */
  adminClient(more?: pg.ClientConfig): pg.Client
  /** The process to kill. */
  pid(): Promise<number>
}

export async function startPrimaryAndStandby(): Promise<{ primary: Node; standby: Node }> {
  const [first, second] = [await dataFolder(), await dataFolder()]
  await (await start(first)).stop()
  await copyAsStandby(first, second)
  return { primary: await start(first), standby: await start(second) }
}

/** Nothing restarts it: it stays down when it is killed. */
async function start(dataDir: string): Promise<Node> {
  const postgres = await joinPostgres({ dataDir, as: 'command', log: () => {} })
  atEnd(() => postgres.stop())
  const { id, superuser: password } = await secretsOf(dataDir)
  const { host, port } = postgres.owner
  const adminClient = (more: pg.ClientConfig = {}) =>
    new pg.Client({ host, port, database: 'postgres', user: 'postgres', password, ...more })
  return {
    ...postgres,
    adminClient,
    async asAdmin(work) {
      const admin = adminClient()
      await admin.connect()
      return work(admin).finally(() => admin.end())
    },
    async pid() {
      const file = join(postgresFolder(dataDir), id, 'cluster', 'postmaster.pid')
      return Number((await readFile(file, 'utf8')).split('\n')[0])
    },
  }
}

const secretsOf = async (dataDir: string) =>
  JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8')) as { id: string; superuser: string }

/** Does what pg_basebackup would do: copies the files of the stopped server, and sets where to continue reading. */
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
