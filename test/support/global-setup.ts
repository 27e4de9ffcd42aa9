/**
 * One real PostgreSQL for the whole run, the same embedded one that `npm start` uses, in a folder of its own.
 * A migrated template is made once; every test file clones it (see database.ts).
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { keepCallbackPartitions } from '../../src/domain/callbacks/keep-partitions.ts'
import { addDemoRequisites } from '../../src/domain/sandbox/demo-data.ts'
import { openDatabase } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { migrate } from '../../src/platform/migrate.ts'
import { type EmbeddedPostgres, joinPostgres } from '../../src/platform/postgres.ts'
import { postgresFolder } from '../../src/platform/postgres-home.ts'

let dataDir: string
let postgres: EmbeddedPostgres

export async function globalSetup(): Promise<void> {
  // Compiled once, before anybody starts: programs that a test kills keep nothing of what they compiled.
  await Promise.all([import('../../src/start.ts'), import('../../src/gateway.ts')])
  flushCompileCache()
  dataDir = await mkdtemp(join(tmpdir(), 'inlet-test-'))
  postgres = await joinPostgres({ dataDir, as: 'server', log: () => {} })
  process.env.INLET_TEST_POSTGRES = await prepareTemplate(postgres, dataDir)
  // A run logs in thousands of times, and each login computes as many rounds as the password was kept with.
  const owner = openDatabase(postgres.owner, { connections: 1 })
  await owner.script(`set scram_iterations = 1; alter role inlet_owner password '${postgres.owner.password}'`)
  await owner.close()
}

export async function globalTeardown(): Promise<void> {
  await postgres.stop()
  await rm(postgresFolder(dataDir), { recursive: true, force: true })
  await rm(dataDir, { recursive: true, force: true })
}

/** Migrates the templates, without and with the demo's requisites, and lets the owner clone them; returns the owner's login for the test files. */
export async function prepareTemplate({ owner }: EmbeddedPostgres, folder: string): Promise<string> {
  const { superuser } = JSON.parse(await readFile(join(folder, 'postgres.json'), 'utf8'))
  const admin = new pg.Client({ ...owner, database: 'postgres', user: 'postgres', password: superuser })
  await admin.connect()
  await admin.query('alter role inlet_owner createdb')
  await admin.query('grant inlet_runtime to inlet_owner')
  // A run has a hundred databases, each for seconds: but for the long runs nothing in them is ever vacuumed.
  if (process.env.INLET_FAULTS !== 'long') {
    await admin.query("alter system set autovacuum_naptime = '1h'")
    await admin.query('select pg_reload_conf()')
  }
  await admin.end()
  const db = openDatabase(owner, { connections: 1 })
  await migrate(
    db,
    createLog('error', () => {}),
  )
  await keepCallbackPartitions(db)
  await db.script('create database demo template inlet')
  await db.close()
  const demo = openDatabase({ ...owner, database: 'demo' }, { connections: 1 })
  await addDemoRequisites(demo)
  await demo.close()
  return JSON.stringify(owner)
}
