/** The schema: forward only, safe under several starts, refused when strange, closed to the runtime role. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, isPassword } from '../../src/domain/people/password.ts'
import { newId } from '../../src/platform/clock.ts'
import { type Db, openDatabase, sql, type Tx } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { migrate, readMigrations } from '../../src/platform/migrate.ts'
import { migrationOf, statementsOf } from '../../src/platform/migration-file.ts'
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

const mine = readMigrations().at(-1)!.name.slice(0, 4)

for (const [what, declared, isServed] of [
  ['serves this build', [`-- Serves builds from: ${mine}`], true],
  ['serves an earlier build too', ['-- Serves builds from: 0066'], true],
  ['serves builds from itself on', ['-- Serves builds from: 9000'], false],
  ['serves no older build', ['-- Serves builds from: this one'], false],
  ['declares nothing', ['-- Why it is there.'], false],
  ['follows one that serves no older build', ['-- None.', '-- Serves builds from: 0066'], false],
  ['comes before one that serves no older build', ['-- Serves builds from: 0066', '-- None.'], false],
] as const) {
  test(`a newer migration that ${what}: this build ${isServed ? 'works on' : 'is refused'}, and migrates nothing`, async () => {
    const { owner } = await createDatabase()
    const known = readMigrations()
    const newer = declared.map((line, index) => added(`${line}\nselect 1;\n`, 9000 + index))
    await migrate(owner, quiet, [...known, ...newer])
    const lines: string[] = []
    const log = createLog('info', (line) => lines.push(line))
    const newest = newer.at(-1)!.name
    if (isServed) {
      await migrate(owner, log, known)
      assert.equal(lines.length, 1)
      assert.match(lines[0]!, new RegExp(`newer and still serves this version.*"migration":"${newest}"`))
    } else {
      const problem = new RegExp(`made by a newer Inlet \\(${newest}\\).* Start the newer version`)
      await assert.rejects(migrate(owner, log, known), { name: 'OperatorProblem', message: problem })
    }
    const applied = await owner.query(sql`select name from migrations`)
    assert.equal(applied.length, known.length + newer.length)
  })
}

test('a newer database whose older migrations differ is refused, whatever the newer ones declare', async () => {
  const { owner } = await createDatabase()
  const known = readMigrations()
  await migrate(owner, quiet, [...known, added(`-- Serves builds from: ${mine}\nselect 1;\n`)])
  await owner.query(sql`update migrations set digest = 'x' where name like '0003%'`)
  await assert.rejects(migrate(owner, quiet, known), /0003-requisites\.sql .* another version/)
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
  for (const { name, text, digest } of readMigrations().filter(({ name }) => name < first)) {
    // What runs outside of transactions goes statement by statement.
    for (const part of /concurrently/.test(text) ? statementsOf(text) : [text]) await owner.script(part)
    await owner.query(sql`insert into migrations (name, digest) values (${name}, ${digest})`)
  }
  return owner
}

test('migration: rows of an older demo are marked by their traces, not by name alone', async () => {
  const owner = await databaseBefore('0027')
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

test('what came in by the rules before the voices is dropped, and so are its sources', async () => {
  const owner = await databaseBefore('0104')
  await owner.script(`
    insert into receiving_accounts
      (id, mode, currency, label, owner_legal_name, owner_public_name, owner_tax_id, owner_agreement, added_by)
    values ('00000000-0000-7000-8000-000000000001', 'test', 'RUB', 'a', 'o', 'o', '7700000009', 'x', 'x');
    insert into bank_sources (id, name, mode, kind, token_digest)
    values ('00000000-0000-7000-8000-000000000002', 'push', 'test', 'push', '\\x01');
    insert into statements (id, mode, digest, file_digest, file_name, format, taken_by)
    values ('00000000-0000-7000-8000-000000000004', 'test', '\\x02', '\\x02', 'f', 'camt', 'x');
    insert into transfers
      (id, source_id, account_id, direction, cents, currency, booked_on, document_number, payer_name, payer_account,
       payer_tax_id, payer_bank, purpose, bank_id, channel, fingerprint, occurrence, statement_id, raw, taken_at, state, open_cents)
    select gen_random_uuid(), '00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', 'credit', 1,
      'RUB', '2026-11-01', '', '', '', '', '', n::text, n::text, 'push', '\\x03', 1, '00000000-0000-7000-8000-000000000004', '',
      now(), 'set_aside', 1
    from generate_series(1, 20) n;
    insert into transfer_decisions (transfer_id, entry, at, state, actor, rule, reason, evidence)
    select id, 1, now(), 'set_aside', 'x', 'by_hand', 'x', '{}'
    from transfers`)
  await migrate(owner, quiet)
  const [left] = await owner.query(sql`
    select
      (select count(*)::int from receiving_accounts) as accounts,
      (select count(*)::int from transfers) as transfers,
      (select count(*)::int from transfer_decisions) as decisions,
      (select count(*)::int from statements) as statements,
      (select count(*)::int from bank_sources) as sources`)
  assert.deepEqual(left, { accounts: 1, transfers: 0, decisions: 0, statements: 0, sources: 0 })
})

test('migration: joined people keep their roles, and an open link keeps one', async () => {
  const owner = await databaseBefore('0027')
  const id = (last: number) => `00000000-0000-7000-8000-00000000000${last}`
  await owner.script(`
    insert into merchants (id, name, mode) values ('${id(1)}', 'one', 'live'), ('${id(2)}', 'two', 'live');
    insert into people (id, email, name, password, operator_role) values
      ('${id(1)}', 'joined@x.example', 'Joined', 'argon2id$1$1$1$x$x', 'admin'),
      ('${id(2)}', 'desk@x.example', 'Desk', null, 'operator'),
      ('${id(3)}', 'shop@x.example', 'Shop', null, null),
      ('${id(4)}', 'both@x.example', 'Both', null, null),
      ('${id(5)}', 'late@x.example', 'Late', null, null),
      ('${id(6)}', 'demo@x.example', 'Demo', null, 'admin');
    insert into memberships (person_id, merchant_id, role) values
      ('${id(1)}', '${id(1)}', 'owner'), ('${id(3)}', '${id(1)}', 'owner'), ('${id(4)}', '${id(1)}', 'owner'),
      ('${id(4)}', '${id(2)}', 'viewer'), ('${id(5)}', '${id(2)}', 'owner');
    insert into sign_in_links (digest, person_id, purpose, made_by, made_at, expires_at, used_at) values
      ('\\x01', '${id(1)}', 'invitation', 'x', now(), now() + interval '1 day', now()),
      ('\\x02', '${id(2)}', 'invitation', 'x', now(), now() + interval '1 day', null),
      ('\\x03', '${id(3)}', 'invitation', 'x', now(), now() + interval '1 day', null),
      ('\\x04', '${id(4)}', 'invitation', 'x', now(), now() + interval '1 day', null),
      ('\\x05', '${id(5)}', 'invitation', 'x', now() - interval '2 days', now() - interval '1 day', null),
      ('\\x06', '${id(6)}', 'demo', 'x', now(), now() + interval '1 day', null)`)
  await migrate(owner, quiet)
  assert.deepEqual(
    await owner.query(sql`
      select p.name, p.operator_role as role, p.desk_since is not null as desk,
        (select count(*)::int from memberships m where m.person_id = p.id) as shops
      from people p
      order by p.id`),
    [
      { name: 'Joined', role: 'admin', desk: true, shops: 1 },
      { name: 'Desk', role: null, desk: false, shops: 0 },
      { name: 'Shop', role: null, desk: false, shops: 0 },
      { name: 'Both', role: null, desk: false, shops: 0 },
      { name: 'Late', role: null, desk: false, shops: 0 },
      { name: 'Demo', role: 'admin', desk: true, shops: 0 },
    ],
  )
  assert.deepEqual(
    await owner.query(sql`
      select l.name, l.purpose, l.operator_role as desk, m.name as merchant, l.merchant_role as role
      from sign_in_links l
      left join merchants m on m.id = l.merchant_id
      order by l.digest`),
    [
      { name: 'Desk', purpose: 'invitation', desk: 'operator', merchant: null, role: null },
      { name: 'Shop', purpose: 'invitation', desk: null, merchant: 'one', role: 'owner' },
      { name: null, purpose: 'demo', desk: null, merchant: null, role: null },
    ],
  )
  const without = owner.query(sql`
    insert into sign_in_links (id, digest, person_id, purpose, name, made_by, expires_at)
    values (gen_random_uuid(), '\\x07', ${id(3)}, 'invitation', 'x', 'x', now() + interval '1 day')`)
  await assert.rejects(without, { constraint: 'sign_in_link_place' })
})

test('migration: former deciders are recognised, and decisions made alone stay', async () => {
  const owner = await databaseBefore('0027')
  await owner.script(`
    insert into people (id, email, name, password, operator_role) values
      ('00000000-0000-7000-8000-000000000001', 'admin@x', 'admin', 'argon2id$1$1$1$x$x', 'admin'),
      ('00000000-0000-7000-8000-000000000002', 'auditor@x', 'auditor', 'argon2id$1$1$1$x$x', 'auditor'),
      ('00000000-0000-7000-8000-000000000003', 'gone@x', 'gone', 'argon2id$1$1$1$x$x', null),
      ('00000000-0000-7000-8000-000000000004', 'shop@x', 'shop', 'argon2id$1$1$1$x$x', null);
    insert into audit_entries
      (place, at, actor, act, subject, reason, before, after, previous, digest)
    select e.place, now(), 'x', e.act, 'person:00000000-0000-7000-8000-00000000000' || e.person, '', 'null', e.after,
      decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
    from (values
      (1, 'person_invite', 3, '{"operatorRole":"approver"}'),
      (2, 'person_join', 3, 'null'),
      (3, 'person_role', 3, '{"operatorRole":null}'),
      (4, 'person_invite', 4, '{"operatorRole":null}'),
      (5, 'person_join', 4, 'null')) as e (place, act, person, after);
    insert into proposals (id, kind, subject, asked, reason, proposed_by, state, decided_by, decided_at)
    select gen_random_uuid(), 'confirm', 'deposit:x', '{"single_operator": true}', 'x', p.id, 'approved', p.id, now()
    from people p
    where p.email = 'admin@x'`)
  await migrate(owner, quiet)
  const deciders = () =>
    owner.query<{ name: string }>(sql`select name from people where decides_since is not null order by name`)
  assert.deepEqual(
    (await deciders()).map(({ name }) => name),
    ['admin', 'gone'],
  )
  // From now on the database notes it by itself, and for good.
  await owner.script(`
    update people set operator_role = 'approver' where name = 'auditor';
    update people set operator_role = null, decides_since = null where name in ('admin', 'auditor')`)
  assert.deepEqual(
    (await deciders()).map(({ name }) => name),
    ['admin', 'auditor', 'gone'],
  )
})

test('passwords of before the PHC format are rewritten in it, and still open', async () => {
  const owner = await databaseBefore('0027')
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

test('an index is built while deposits are written, and built again if it was broken off', async () => {
  const { owner, login } = await createDatabase()
  const [writer, second] = [openDatabase(login, { connections: 1 }), openDatabase(login, { connections: 1 })]
  const known = [
    ...readMigrations(),
    added(`-- Found by their address.
      create index concurrently if not exists deposits_by_callback on deposits (callback_url);
      create index concurrently if not exists deposits_by_success on deposits (success_url);
    `),
  ]
  const write = (db: Pick<Db, 'run'>) =>
    db.run(sql`insert into merchants (id, name, mode) values (${newId()}, 'Another', 'test')`)
  // Before it waits for the writer, the index is not in the catalogue.
  const isBuilding = () =>
    second.has(sql`
      select from pg_stat_progress_create_index where datname = current_database() and phase like 'waiting%'`)
  const isValid = (name: string) =>
    owner.has(sql`select from pg_index where indexrelid = ${`inlet.${name}`}::regclass and indisvalid`)

  const { holding: writing, free } = await hold(writer, async (tx) => {
    await tx.run(sql`lock table deposits in row exclusive mode`)
    await write(tx)
  })
  const brokenOff = migrate(owner, quiet, known)
  await until('the index is being built', isBuilding)
  // Another start does not wait for its lock inside a statement, which the build would wait for in turn.
  const other = migrate(second, quiet, known)
  await write(second)
  const refused = assert.rejects(brokenOff, { code: '57014' })
  await second.query(sql`
    select pg_cancel_backend(pid) from pg_stat_progress_create_index where datname = current_database()`)
  await refused
  assert.equal(await isValid('deposits_by_callback'), false)
  free()
  await Promise.all([writing, other])
  assert.deepEqual(
    [await isValid('deposits_by_callback'), await isValid('deposits_by_success')],
    [true, true],
  )
  await Promise.all([writer.close(), second.close()])
})

test('rows are moved in batches, each its own transaction, and a start continues an interrupted one', async () => {
  const { owner, login } = await createDatabase()
  await owner.script(`
    create table many (id integer primary key, old text not null, new text);
    insert into many select n, n::text, null from generate_series(1, 250) n;
    create table batches (at_row integer, transaction bigint default txid_current());
    create function note_batch() returns trigger language plpgsql as $$
    begin
      -- The third batch waits, so that it can be broken off.
      if (select count(*) from batches) = 2 and not exists (select from pg_locks where locktype = 'advisory' and objid = 7)
      then perform pg_sleep(60);
      end if;
      insert into batches values (0);
      return null;
    end $$;
    create trigger many_batches after update on many for each statement execute function note_batch()`)
  const known = [
    ...readMigrations(),
    added(`-- The new column gets what the old one has.
-- Serves builds from: ${mine}
-- Runs in batches
update many set new = old
where id in (select id from many where new is null order by id limit 100)
returning id;
`),
  ]
  const first = openDatabase(login, { connections: 1, hasNoStatementTimeout: true })
  const killed = assert.rejects(migrate(first, quiet, known))
  const busy = sql`
    select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  await until('the third batch', () => owner.has(busy))
  const moved = async () =>
    (await owner.one<{ count: bigint }>(sql`select count(*) from many where new = old`)).count
  assert.equal(await moved(), 200n)
  // Others write meanwhile, and the migration is not on record before its end.
  await owner.script(`insert into many values (251, '251', null)`)
  assert.equal(await owner.has(sql`select from migrations where name like '9000%'`), false)
  await owner.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep'`)
  await killed
  await first.close()

  const second = openDatabase(login, { connections: 1, hasNoStatementTimeout: true })
  await owner.transaction(async (tx) => {
    await tx.run(sql`select pg_advisory_xact_lock(7)`)
    await migrate(second, quiet, known)
  })
  await second.close()
  assert.equal(await moved(), 251n)
  const batches = await owner.query(sql`select distinct transaction from batches`)
  // Two before, and then 51 rows and none.
  assert.equal(batches.length, 4)
  assert.equal(
    await owner.has(sql`select from migrations where name like '9000%' and serves_builds_from = ${mine}`),
    true,
  )
})

test('a batch that meets a locked row is rolled back and tried again', async () => {
  const { owner, login } = await createDatabase()
  const holder = openDatabase(login, { connections: 1 })
  await owner.script(`
    create table many (id integer primary key, new text);
    insert into many values (1), (2)`)
  const known = [
    ...readMigrations(),
    added(
      `-- Runs in batches\nupdate many set new = 'x' where id in (select id from many where new is null limit 1) returning id;\n`,
    ),
  ]
  const { holding, free } = await hold(holder, (tx) =>
    tx.run(sql`select id from many where id = 1 for update`),
  )
  const migrating = migrate(owner, quiet, known)
  await until('the batch waits', () =>
    owner.has(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    ),
  )
  await until('the batch has stepped back', async () => {
    const waiting = sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return !(await owner.has(waiting))
  })
  free()
  await Promise.all([holding, migrating])
  assert.equal(await owner.has(sql`select from many where new is null`), false)
  await holder.close()
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

const added = (text: string, number = 9000) => migrationOf(`${number}-added.sql`, text)
