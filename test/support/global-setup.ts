/**
 * One real PostgreSQL for the whole run, the same embedded one that `npm start` uses, in a folder of its own.
 * A migrated template is made once; every test file clones it (see database.ts).
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabase } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { type EmbeddedPostgres, joinPostgres, postgresFolder } from '../../src/platform/postgres.ts'

let dataDir: string
let postgres: EmbeddedPostgres

export async function globalSetup(): Promise<void> {
  dataDir = await mkdtemp(join(tmpdir(), 'inlet-test-'))
  postgres = await joinPostgres({ dataDir, as: 'server', log: () => {} })
  const { superuser } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))
  const admin = { ...postgres.owner, database: 'postgres', user: 'postgres', password: superuser }
  const client = new pg.Client(admin)
  await client.connect()
  await client.query('alter role inlet_owner createdb')
  await client.query('grant inlet_runtime to inlet_owner')
  await client.end()
  const owner = openDatabase(postgres.owner, { connections: 1 })
  await migrate(
    owner,
    createLog('error', () => {}),
  )
  await owner.close()
  process.env.INLET_TEST_POSTGRES = JSON.stringify(postgres.owner)
}

export async function globalTeardown(): Promise<void> {
  await postgres.stop()
  await rm(postgresFolder(dataDir), { recursive: true, force: true })
  await rm(dataDir, { recursive: true, force: true })
}
