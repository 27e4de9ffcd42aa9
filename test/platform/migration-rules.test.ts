/** What a new migration may do while versions before and after it serve from the same database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations } from '../../src/platform/migrate.ts'
import { problemsOf } from '../support/migration-rules.ts'

/** It empties the tables of money that came in by the rules before it, so nothing serves from them meanwhile. */
const emptied = '0104-one-voice.sql'

test('every migration since 0065 follows these rules, but the one that empties what it changes', async () => {
  const newer = readMigrations().filter(({ name }) => name >= '0065' && name !== emptied)
  assert.ok(newer.length > 0)
  assert.deepEqual(
    newer.flatMap(({ name, text }) => problemsOf(text).map((problem) => `${name}: ${problem}`)),
    [],
  )
})

test('a migration that declares which builds it serves names an earlier migration', async () => {
  const known = readMigrations()
  for (const { name, servesFrom } of known.filter((migration) => migration.servesFrom !== null)) {
    assert.ok(servesFrom! >= '0066', `${name}: earlier builds do not read what a database says about them`)
    assert.ok(
      known.some((other) => other.name.startsWith(`${servesFrom}-`) && other.name < name),
      `${name}: there is no build ${servesFrom}`,
    )
  }
})

/** The header of a valid migration. */
const declared = '-- Why it is there.\n-- Serves builds from: 0066\n'

for (const good of [
  'alter table deposits add column note text;',
  "alter table deposits add column is_new boolean not null default false,\n  add column kind text default 'x';",
  'create table parts (id bigint primary key, deposit_id uuid references deposits (id));\ncreate index parts_by_deposit on parts (deposit_id);\nalter table parts add constraint part_positive check (id > 0);',
  'create index concurrently if not exists deposits_by_note on deposits (note);\ndrop index concurrently if exists deposits_by_x;',
  'alter table deposits add constraint deposit_note check (note is not null) not valid;',
  'alter table deposits validate constraint deposit_note;\nalter table transfers validate constraint transfer_note;',
  'alter table deposits add constraint deposit_note unique using index deposits_by_note;',
  '-- Runs in batches\nupdate deposits set note = old_note\nwhere id in (select id from deposits where note is null limit 1000)\nreturning id;',
  '-- Runs in batches\nwith due as (select id from transfers where note is null limit 500)\nupdate transfers t set note = x from due where t.id = due.id returning t.id;',
  'alter table deposits drop column note;\ndrop table notes;\nalter table deposits rename column a to b;',
  'create or replace function note() returns trigger language plpgsql as $$\nbegin\n  update deposits set note = null;\n  lock table deposits;\nend $$;',
  'update clock set shift = null;\ngrant select on deposits to inlet_runtime;',
  'alter table deposits alter column note set default 7;',
]) {
  test(`a migration may: ${good.split('\n')[0]}`, () =>
    assert.deepEqual(problemsOf(`${declared}${good}\n`), []))
}

for (const [bad, advice] of [
  ['create index deposits_by_note on deposits (note);', /concurrently if/],
  ['create unique index concurrently deposits_by_note on deposits (note);', /concurrently if/],
  ['drop index deposits_by_note;', /concurrently if/],
  [
    'create index concurrently if not exists a on deposits (note);\nalter table deposits add column b text;',
    /file of its own/,
  ],
  ['alter table deposits alter column note type varchar(10);', /rewrites the table/],
  ['ALTER TABLE deposits\n  ALTER note SET DATA TYPE text;', /rewrites the table/],
  ['alter table deposits alter column note set not null;', /is not null\) not valid/],
  ['alter table deposits add constraint deposit_note check (note is not null);', /not valid/],
  ['alter table only deposits add foreign key (note) references notes (id);', /not valid/],
  [
    'alter table deposits add constraint a check (b) not valid;\nalter table deposits validate constraint a;',
    /does nothing else/,
  ],
  ['alter table deposits add column note uuid references notes (id);', /the column alone/],
  ["alter table merchants add column kind text check (kind in ('a'));", /the column alone/],
  ['alter table deposits add column number bigserial;', /the column alone/],
  ['alter table deposits add column drawn uuid default gen_random_uuid();', /computed/],
  ['alter table deposits add column seen_at timestamptz default current_timestamp;', /computed/],
  ['alter table deposits add column note text not null;', /constant default/],
  ['update deposits set note = null;', /in batches/],
  ['with x as (select 1) delete from only transfers using x;', /in batches/],
  ['-- Runs in batches\nupdate deposits set note = old where note is null returning id;', /with a limit/],
  ['-- Runs in batches\nalter table deposits add column note text;', /with a limit/],
  ['lock table deposits in share mode;', /no lock/],
  ['truncate notes;', /no lock/],
  ['do $$ begin update deposits set note = null; end $$;', /"do" block/],
] as const) {
  test(`a migration may not: ${bad.split('\n').at(-1)}`, () => {
    const problems = problemsOf(`${declared}${bad}\n`)
    assert.ok(
      problems.some((problem) => advice.test(problem)),
      problems.join('\n'),
    )
  })
}

for (const contraction of [
  'alter table deposits drop column note;',
  'alter table deposits rename to payments;',
  'alter table deposits drop constraint deposit_note;',
  'drop table notes;',
  'drop function note();',
]) {
  test(`without declaring which builds it serves, a migration may not: ${contraction}`, () => {
    assert.ok(problemsOf(`-- Why.\n${contraction}\n`).some((problem) => /no longer need/.test(problem)))
    assert.deepEqual(problemsOf(`-- Why.\n-- Serves builds from: this one\n${contraction}\n`), [])
  })
}

test('a migration must declare which builds it serves', () => {
  assert.match(problemsOf('-- Why.\nalter table deposits add column note text;\n').join(), /^Declare/)
})
