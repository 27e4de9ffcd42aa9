/** The schema: forward only, safe under several starts, refused when strange, closed to the runtime role. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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

/** A database as it was before this migration. */
async function databaseBefore(first: string) {
  const { owner } = await createDatabase('template0')
  await owner.script(`
    create schema inlet;
    create table inlet.migrations (
      name text primary key, digest text not null, applied_at timestamptz not null default now())`)
  for (const { name, text, digest } of (await readMigrations()).filter(({ name }) => name < first)) {
    await owner.script(text)
    await owner.query(sql`insert into migrations (name, digest) values (${name}, ${digest})`)
  }
  return owner
}

test('what a demo of before made is marked, by its own traces and not by a name alone', async () => {
  const owner = await databaseBefore('0030')
  await owner.script(`
    insert into merchants (id, name, mode, created_at) values
      ('00000000-0000-7000-8000-000000000001', 'Renamed since', 'test', '2026-11-01 10:00:00Z'),
      ('00000000-0000-7000-8000-000000000002', 'Demo shop', 'test', '2026-11-01 10:00:01Z'),
      ('00000000-0000-7000-8000-000000000003', 'Another', 'test', '2026-11-01 10:00:02Z'),
      ('00000000-0000-7000-8000-000000000004', 'Demo shop', 'live', '2026-11-01 10:00:00Z');
    insert into receiving_accounts
      (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by, created_at)
    values
      ('00000000-0000-7000-8000-000000000011', 'test', 'RUB', 'a', 'o', 'o', '1', 'Demo data, no agreement', 'demo', '2026-11-01 10:00:00Z'),
      ('00000000-0000-7000-8000-000000000012', 'live', 'RUB', 'b', 'o', 'o', '1', 'No. 7', 'demo', '2026-11-01 10:00:00Z');
    insert into people (id, email, name) values
      ('00000000-0000-7000-8000-000000000021', 'operator@demo.example', 'A'),
      ('00000000-0000-7000-8000-000000000022', 'visitor@shop.example', 'B'),
      ('00000000-0000-7000-8000-000000000023', 'owner@shop.example', 'C');
    insert into sign_in_links (digest, person_id, purpose, made_by, expires_at) values
      ('\\x01', '00000000-0000-7000-8000-000000000022', 'demo', 'demo', now() + interval '1 day'),
      ('\\x02', '00000000-0000-7000-8000-000000000023', 'invitation', 'x', now() + interval '1 day');
    insert into api_keys (id, merchant_id, purpose, secret_sealed, v2_only, last_used_at) values
      ('a', '00000000-0000-7000-8000-000000000001', 'request', '\\x01', false, '2026-11-02Z'),
      ('b', '00000000-0000-7000-8000-000000000001', 'request', '\\x01', true, '2026-11-03Z'),
      ('c', '00000000-0000-7000-8000-000000000001', 'request', '\\x01', false, null)`)
  await migrate(owner, quiet)
  const [marked] = await owner.query(sql`
    select
      array(select right(id::text, 1) from merchants where is_demo order by id) as merchants,
      array(select right(id::text, 2) from receiving_accounts where is_demo order by id) as accounts,
      array(select right(id::text, 2) from people where is_demo order by id) as people`)
  assert.deepEqual(marked, { merchants: ['1', '2'], accounts: ['11'], people: ['21', '22'] })
  // Which rule a key's requests followed was not noted: the weaker one is assumed where it was allowed.
  assert.deepEqual(
    await owner.query(sql`
      select id, literal_used_at::date as literal, v2_used_at::date as v2 from api_keys order by id`),
    [
      { id: 'a', literal: '2026-11-02', v2: null },
      { id: 'b', literal: null, v2: '2026-11-03' },
      { id: 'c', literal: null, v2: null },
    ],
  )
})

test('payments of before the channels were noted know theirs, and the entry that they are a part of', async () => {
  const owner = await databaseBefore('0024')
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
