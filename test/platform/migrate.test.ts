/** The schema: forward only, safe under several starts, refused when strange, closed to the runtime role. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, isPassword } from '../../src/people/password.ts'
import { newId } from '../../src/platform/clock.ts'
import { openDatabase, sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { migrate, readMigrations } from '../../src/platform/migrate.ts'
import { createDatabase } from '../support/database.ts'

const quiet = createLog('error', () => {})

test('five starts at once on an empty database: each migration runs once', async () => {
  const { login, owner } = await createDatabase('template0')
  const starts = Array.from({ length: 5 }, () => openDatabase(login, { connections: 1 }))
  await Promise.all(starts.map((db) => migrate(db, quiet)))
  await Promise.all(starts.map((db) => db.close()))
  const applied = await owner.query<{ name: string }>(sql`select name from migrations order by name`)
  assert.deepEqual(
    applied.map((row) => row.name),
    (await readMigrations()).map((migration) => migration.name),
  )
})

test('a database made by newer code is refused with a sentence', async () => {
  const { owner } = await createDatabase()
  await owner.query(sql`insert into migrations (name, digest) values ('9999-later.sql', 'x')`)
  await assert.rejects(migrate(owner, quiet), /made by a newer Inlet \(9999-later\.sql\)/)
})

test('a database whose history differs from the code is refused with a sentence', async () => {
  const { owner } = await createDatabase()
  await owner.query(sql`update migrations set digest = 'x' where name like '0003%'`)
  await assert.rejects(migrate(owner, quiet), /0003-requisites\.sql .* another version/)
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
  ['shift the clock', "update clock set shift = '1 day'"],
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

test('payments of before the channels were noted know theirs, and the entry that they are a part of', async () => {
  const { owner } = await createDatabase('template0')
  await owner.script(`
    create schema inlet;
    create table inlet.migrations (
      name text primary key, digest text not null, applied_at timestamptz not null default now())`)
  const before = (await readMigrations()).filter(({ name }) => name < '0024')
  for (const { name, text, digest } of before) {
    await owner.script(text)
    await owner.query(sql`insert into migrations (name, digest) values (${name}, ${digest})`)
  }
  await owner.script(`
    insert into receiving_accounts
      (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by)
    values ('00000000-0000-7000-8000-000000000001', 'test', 'RUB', 'a', 'o', 'o', '7700000009', 'x', 'x');
    insert into bank_sources (id, name, mode, kind, token_digest) values
      ('00000000-0000-7000-8000-000000000002', 'files', 'test', 'statement', null),
      ('00000000-0000-7000-8000-000000000003', 'push', 'test', 'push', '\\x01');
    insert into statements (id, mode, digest, file_name, format, taken_by)
    values ('00000000-0000-7000-8000-000000000004', 'test', '\\x02', 'f', 'camt', 'x');
    insert into transfers
      (id, source_id, account_id, direction, cents, currency, booked_on, document_number, payer_name, payer_account,
       payer_tax_id, payer_bank, purpose, bank_id, fingerprint, occurrence, statement_id, raw, taken_at, state, open_cents)
    select gen_random_uuid(), s.source, '00000000-0000-7000-8000-000000000001', 'credit', s.cents, 'RUB', '2026-11-01', '',
      '', '', '', '', s.id, s.id, '\\x03', 1, s.file, '', now(), 'unmatched', s.cents
    from (values
      ('X/1', 100, uuid '00000000-0000-7000-8000-000000000002', uuid '00000000-0000-7000-8000-000000000004'),
      ('X/2', 200, '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000004'),
      ('Y', 5, '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000004'),
      ('45/1', 7, '00000000-0000-7000-8000-000000000003', null)) as s (id, cents, source, file)`)
  await migrate(owner, quiet)
  const rows = await owner.query<{ purpose: string }>(sql`
    select purpose, channel, entry_reference as reference, entry_cents as cents from transfers order by purpose`)
  assert.deepEqual(rows, [
    { purpose: '45/1', channel: 'push', reference: '45/1', cents: 7n },
    { purpose: 'X/1', channel: 'camt', reference: 'X', cents: 300n },
    { purpose: 'X/2', channel: 'camt', reference: 'X', cents: 300n },
    { purpose: 'Y', channel: 'camt', reference: 'Y', cents: 5n },
  ])
})

test('passwords of before the PHC format are rewritten in it, and still open', async () => {
  const { owner } = await createDatabase('template0')
  await owner.script(`
    create schema inlet;
    create table inlet.migrations (
      name text primary key, digest text not null, applied_at timestamptz not null default now())`)
  const before = (await readMigrations()).filter(({ name }) => name < '0028')
  for (const { name, text, digest } of before) {
    await owner.script(text)
    await owner.query(sql`insert into migrations (name, digest) values (${name}, ${digest})`)
  }
  const [, , , , salt, tag] = (await hashPassword('correct horse battery')).split('$')
  const padded = (text: string) => Buffer.from(text, 'base64').toString('base64')
  const old = `argon2id$19456$2$1$${padded(salt!)}$${padded(tag!)}`
  await owner.query(sql`
    insert into people (id, email, name, password)
    values (${newId()}, 'a@example.com', 'A', ${old}), (${newId()}, 'b@example.com', 'B', null)`)
  await migrate(owner, quiet)
  const rows = await owner.query<{ password: string | null }>(sql`select password from people order by email`)
  assert.equal(rows[0]!.password, `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}`)
  assert.equal(await isPassword('correct horse battery', rows[0]!.password), true)
  assert.equal(rows[1]!.password, null)
})
