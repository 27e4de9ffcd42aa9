/** `inlet upgrade rehearse`: the migrations of this version on a copy, with their times and locks, and never elsewhere. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { before, test } from 'node:test'
import { type Db, type Login, openDatabase, sql } from '../src/platform/db.ts'
import { createLog } from '../src/platform/log.ts'
import { migrate, readMigrations } from '../src/platform/migrate.ts'
import { migrationOf } from '../src/platform/migration-file.ts'
import { joinPostgres } from '../src/platform/postgres.ts'
import { rehearse } from '../src/platform/rehearse.ts'
import { commandsOn, inlet, json } from './support/command.ts'
import { createDatabase } from './support/database.ts'
import { freePort, startGateway, type TestGateway } from './support/gateway.ts'
import { dataFolder } from './support/program.ts'

const known = readMigrations()
const quiet = createLog('error', () => {})
const added = (number: number, text: string) =>
  migrationOf(`${number}-added.sql`, `-- Serves builds from: 0066\n${text};\n`)

let gateway: TestGateway
let ownFolder: string
before(async () => {
  gateway = await startGateway({ demo: false, environment: { INLET_ROLES: 'api' } })
  ownFolder = (await commandsOn(gateway)).INLET_DATA_DIR
})

/** As a version left it that did not know the newest migration. */
const migrateOlder = (owner: Db) => migrate(owner, quiet, known.slice(0, -1))

/** A temporary connection: a database with connections is not accepted as a copy. */
async function onCopy<Result>(login: Login, work: (owner: Db) => Promise<Result>): Promise<Result> {
  const owner = openDatabase(login, { connections: 1 })
  return work(owner).finally(() => owner.close())
}

const refused = async (...words: string[]) => {
  const { code, stdout, stderr } = await inlet('upgrade', 'rehearse', ...words)
  assert.deepEqual([code, stdout], [1, ''])
  return stderr
}

test('each missing migration is run, with its time and its longest lock; then nothing is left', async () => {
  const { url, login } = await createDatabase('template0')
  await onCopy(login, migrateOlder)
  const { migrations } = await json('upgrade', 'rehearse', '--database', url)
  assert.deepEqual(
    migrations.map(({ migration }: { migration: string }) => migration),
    [known.at(-1)!.name],
  )
  assert.ok(migrations[0].seconds >= 0)
  const newest = sql`select from migrations where name = ${known.at(-1)!.name}`
  assert.equal(await onCopy(login, (owner) => owner.has(newest)), true)
  const { stdout } = await inlet('upgrade', 'rehearse', '--database', url)
  assert.equal(stdout, 'The copy has every migration of this version: nothing to rehearse.\n')
})

test('a migration that holds a lock is found with its table, and one that holds none is not', async () => {
  const { login } = await createDatabase()
  const [locking, building, making] = await rehearse(login, null, [
    ...known,
    added(9000, 'alter table deposits add column note text;\nselect pg_sleep(3)'),
    added(9001, 'create index concurrently if not exists deposits_by_note on deposits (note)'),
    added(9002, 'create table notes (id bigint primary key);\nselect pg_sleep(1)'),
  ])
  assert.deepEqual([locking!.lock!.table, locking!.lock!.mode], ['deposits', 'AccessExclusiveLock'])
  assert.ok(
    locking!.lock!.ms > 0 && locking!.lock!.ms <= locking!.ms,
    `${locking!.lock!.ms} of ${locking!.ms}`,
  )
  assert.deepEqual([building!.lock, making!.lock], [null, null])
})

test('a migration that fails on the copy is named, without any content of rows', async () => {
  const { login } = await createDatabase()
  await onCopy(login, (owner) =>
    owner.script(`insert into merchants (id, name, mode) values (gen_random_uuid(), 'Secret name', 'test')`),
  )
  const failing = added(9000, `alter table merchants add constraint merchant_x check (name = 'x')`)
  await assert.rejects(rehearse(login, null, [...known, failing]), (error: Error) => {
    assert.match(error.message, /^Migration 9000-added\.sql fails on this copy \(23514, merchant_x\)/)
    return !error.message.includes('Secret')
  })
})

test('a restored data folder is migrated in its own PostgreSQL, which is stopped again', async () => {
  const folder = await dataFolder()
  const postgres = await joinPostgres({ dataDir: folder, as: 'command', log: () => {} })
  await onCopy(postgres.owner, migrateOlder)
  // A folder that another process uses is not accepted as a copy.
  const server = await joinPostgres({ dataDir: folder, as: 'server', log: () => {} })
  assert.match(await refused('--data', folder), /Another Inlet is already running/)
  await postgres.stop()
  await server.stop()
  const { code, stdout } = await inlet('upgrade', 'rehearse', '--data', folder)
  assert.equal(code, 0)
  assert.match(stdout, new RegExp(`${known.at(-1)!.name} +\\d+\\.\\d\\d s`))
})

test('the database of Inlet itself is refused, and so is one that another Inlet works on', async () => {
  assert.match(await refused('--database', gateway.database.url), /^An Inlet is connected to this database/)
  const { url } = await createDatabase()
  process.env.DATABASE_URL = `${url}&application_name=other`
  assert.match(await refused('--database', url), /^This is the database of DATABASE_URL itself/)
  process.env.DATABASE_URL = gateway.database.url
})

test('a copy is refused where nobody can check that it is not the database of DATABASE_URL', async () => {
  const { url } = await createDatabase()
  const rude = createServer((socket) => socket.destroy())
    .listen(0, '127.0.0.1')
    .unref()
  await once(rude, 'listening')
  const rudeHost = `127.0.0.1:${(rude.address() as { port: number }).port}`
  const nobody = `127.0.0.1:${await freePort()}`
  for (const [production, reason] of [
    [url.replace(/:[^:@]+@/, ':wrong@'), '28P01'],
    [`postgres://inlet:secret@${rudeHost}/inlet`, 'Connection terminated unexpectedly'],
    [`postgres://inlet:secret@${rudeHost},${nobody}/inlet`, 'Connection terminated unexpectedly'],
  ] as const) {
    process.env.DATABASE_URL = production
    assert.equal(
      (await refused('--database', url)).split('\n', 1)[0],
      `Inlet cannot check that this is not the database of DATABASE_URL, because it cannot connect to that one (${reason}). Correct DATABASE_URL, or try again later.`,
    )
  }
  rude.close()
  // If no server answers at DATABASE_URL, it is another server.
  process.env.DATABASE_URL = `postgres://inlet:secret@${nobody}/inlet`
  assert.equal((await inlet('upgrade', 'rehearse', '--database', url)).code, 0)
  process.env.DATABASE_URL = gateway.database.url
})

test('a database that is no copy is refused with a sentence', async () => {
  const { url } = await createDatabase('template0')
  for (const [words, sentence] of [
    [['--database', url], 'This database has no tables of Inlet. Name a restored copy.'],
    [['--data', ownFolder], 'This is the data folder of Inlet itself. Restore a backup into another one.'],
    [
      ['--data', '/nowhere/at/all'],
      '/nowhere/at/all is no data folder of Inlet: restore a backup there first.',
    ],
    [[], 'Name one copy: --database or --data.'],
    [['--database', url, '--data', ownFolder], 'Name one copy: --database or --data.'],
    [['--database', 'copy'], '--database is an address such as postgres://user:password@host:5432/copy.'],
  ] as const)
    assert.equal((await refused(...words)).split('\n', 1)[0], sentence)
})
