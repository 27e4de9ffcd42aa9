/** The schema: forward only, safe under several starts, refused when strange, closed to the runtime role. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/platform/clock.ts'
import { type Db, openDatabase, sql, type Tx } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { type Migration, migrate, readMigrations } from '../../src/platform/migrate.ts'
import { createDatabase } from '../support/database.ts'
import { until } from '../support/delivery.ts'

const quiet = createLog('error', () => {})

test('five starts at once on an empty database: each migration runs once', async () => {
  const { login, owner } = await createDatabase('template0')
  const starts = Array.from({ length: 5 }, () => openDatabase(login, { connections: 1 }))
  await Promise.all(starts.map((db) => migrate(db, quiet)))
  await Promise.all(starts.map((db) => db.close()))
  const applied = await owner.query<{ name: string }>(sql`select name from migrations order by name`)
  assert.deepEqual(
    applied.map((row) => row.name),
    readMigrations().map((migration) => migration.name),
  )
})

test('the next version adds its migration to this schema once, and then refuses this version', async () => {
  const { owner } = await createDatabase('template0')
  const known = readMigrations()
  await migrate(owner, quiet, known)
  await owner.run(sql`insert into merchants (id, name, mode) values (${newId()}, 'Before', 'test')`)
  const next = [...known, added("alter table merchants add column note text not null default 'none'")]
  await migrate(owner, quiet, next)
  await migrate(owner, quiet, next)
  assert.deepEqual(await owner.query(sql`select note from merchants`), [{ note: 'none' }])
  await assert.rejects(migrate(owner, quiet, known), {
    name: 'OperatorProblem',
    message: /made by a newer Inlet \(9000-added\.sql\).* Start the newer version/,
  })
})

test('a database whose history differs from the code is refused with a sentence', async () => {
  const { owner } = await createDatabase()
  await owner.query(sql`update migrations set digest = 'x' where name like '0003%'`)
  await assert.rejects(migrate(owner, quiet), /0003-callbacks\.sql .* another version/)
})

test('a server that may lose acknowledged commits is refused with a sentence', async () => {
  const { owner, login } = await createDatabase()
  await owner.script(`alter database ${login.database} set synchronous_commit = off`)
  const db = openDatabase(login, { connections: 1 })
  await assert.rejects(migrate(db, quiet), /synchronous_commit off/)
  await db.close()
})

for (const [what, text] of [
  ['make a table', 'create table mine (id int)'],
  ['make a temporary table', 'create temporary table mine (id int)'],
  ['change a table', 'alter table deposits add column mine int'],
  ['drop a table', 'drop table deposit_history'],
  ['empty a table', 'truncate deposit_slots'],
  ['rewrite history', "update deposit_history set actor = 'nobody'"],
  ['delete history', 'delete from deposit_history'],
  ['delete deposits', 'delete from deposits'],
  ['shift the clock', "update installation set shift = '1 day'"],
  ['forge the list of migrations', "insert into migrations (name, digest) values ('x', 'x')"],
] as const) {
  test(`the runtime role cannot ${what}`, async () => {
    const { login, owner } = await createDatabase()
    await owner.script(`revoke all on database ${login.database} from public`)
    const runtime = openDatabase(login, { role: 'inlet_runtime', connections: 1 })
    await assert.rejects(runtime.script(text), { code: '42501' })
    await runtime.close()
  })
}

test('a login that may make no roles is refused with a sentence that says what it lacks', async () => {
  const { owner, login } = await createDatabase('template0')
  const user = `plain_${newId().replaceAll('-', '')}`
  await owner.script(`
    create role ${user} login password 'plain';
    grant create on database ${login.database} to ${user}`)
  const plain = openDatabase({ ...login, user, password: 'plain' }, { connections: 1 })
  await assert.rejects(migrate(plain, quiet), { name: 'OperatorProblem', message: /give it CREATEROLE/ })
  await plain.close()
})

test('options in the address of a database are added to ours, and replace none of them', async () => {
  const { url } = await createDatabase()
  const address = `${url}&options=-c%20geqo%3Doff%20-c%20search_path%3Dpublic`
  const db = openDatabase({ url: address }, { role: 'inlet_runtime', connections: 1 })
  const [row] = await db.query(sql`
    select current_setting('geqo') as geqo, current_setting('search_path') as path, current_user::text as role`)
  assert.deepEqual(row, { geqo: 'off', path: 'inlet', role: 'inlet_runtime' })
  await db.close()
})

test('a migration that waits for a lock lets the others go first, and goes on when the lock is free', async () => {
  const { owner, login } = await createDatabase()
  const [reader, customer] = [
    openDatabase(login, { connections: 1 }),
    openDatabase(login, { connections: 1 }),
  ]
  const known = [...readMigrations(), added('alter table deposits add column later integer')]
  const { holding: reading, free } = await hold(reader, (tx) => tx.run(sql`select count(*) from deposits`))
  const migrating = migrate(owner, quiet, known)
  // Behind the migration in the queue for the lock, until the migration steps back.
  await until('the migration waits', () =>
    customer.has(sql`select from pg_locks where not granted and mode = 'AccessExclusiveLock'`),
  )
  await customer.transaction((tx) => tx.run(sql`select id from deposits limit 1`), { statementMs: 20_000 })
  free()
  await Promise.all([reading, migrating])
  assert.equal(await owner.has(sql`select later from deposits`), false)
  await Promise.all([reader.close(), customer.close()])
})

/** Does this in a transaction, which stays open until it is freed. */
async function hold(db: Db, work: (tx: Tx) => Promise<void>) {
  const [begun, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = db.transaction(async (tx) => {
    await work(tx)
    begun.resolve()
    await freed.promise
  })
  await begun.promise
  return { holding, free: freed.resolve }
}

const added = (text: string): Migration => ({ name: '9000-added.sql', text })
