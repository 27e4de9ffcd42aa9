/**
 * kill -9 at every step by which `inlet key reseal` writes, which is a table in a transaction: a trigger holds it there, the process is
 * killed, and the command is run again. Each change is to a further key, so that it begins with everything sealed by one key. Every
 * step in `npm run test:faults`; in `npm test` one of them, and master-key.test.ts kills under load.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sealMac } from '../../src/domain/audit/audit.ts'
import { sealAudit } from '../../src/domain/audit/seal-audit.ts'
import { sealedColumns } from '../../src/domain/keys/sealed-columns.ts'
import { readSealed, readSeals } from '../../src/domain/keys/store.ts'
import { sealLabel } from '../../src/domain/merchants/api-key.ts'
import { totpLabel } from '../../src/domain/people/person.ts'
import { recoveryDigest } from '../../src/domain/people/sign-in.ts'
import { type Db, sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { createVault, macWith, opened } from '../../src/platform/vault.ts'
import { commandsOn } from '../support/command.ts'
import { openShop, startGateway } from '../support/gateway.ts'
import { joined } from '../support/person.ts'
import { root } from '../support/program.ts'
import { isLong } from './measure.ts'

/** Two groups of each, and a few more of the first. */
const crowd = { keys: 450, people: 250 }
const code = 'aaaaa-bbbbb'
const writes = ['installation', 'key_generations', 'api_keys', 'people', 'audit_seals']

let owner: Db
let settings: Record<string, string>
let people: string[]
/** The first byte of the key in use: the next key has the next one. */
let used = 7
const keyOf = (number: number) => Buffer.alloc(32, number)
const base64 = (number: number) => keyOf(number).toString('base64')

before(async () => {
  const gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  owner = gateway.database.owner
  const shop = await openShop(gateway)
  await joined(gateway, { operatorRole: 'admin' })
  await fill(shop.merchant)
  await sealAudit(
    gateway.db,
    gateway.vault,
    createLog('error', () => {}),
  )
  settings = await commandsOn(gateway)
  assert.equal(settings.INLET_MASTER_KEY, base64(used))
  await gateway.stop()
  // The step with the number that the test chose waits for a lock of the test. Codes are written person by person: that is one step.
  await owner.script(`
    create sequence test_steps;
    create table test_wish (step bigint not null);
    insert into test_wish values (0);
    create function await_test() returns trigger language plpgsql security definer set search_path = inlet as $$
    begin
      if current_setting('test.table', true) is distinct from tg_table_name then
        perform set_config('test.table', tg_table_name, true);
        if nextval('test_steps') = (select step from test_wish) then
          perform pg_advisory_xact_lock(4711);
        end if;
      end if;
      return null;
    end $$;
    ${[...writes, 'audit_entries']
      .map(
        (table) =>
          `create trigger await_test before insert or update on ${table} for each statement execute function await_test();`,
      )
      .join('\n')}`)
})

async function fill(merchant: string): Promise<void> {
  const { current } = createVault(keyOf(used))
  const ids = Array.from({ length: crowd.keys }, (_, place) => `key_${String(place).padStart(6, '0')}`)
  const sealed = ids.map((id) =>
    current.seal(`whsec_${id}`, sealLabel({ id, merchantId: merchant, purpose: 'callback' })),
  )
  await owner.query(sql`
    insert into api_keys (id, merchant_id, purpose, secret_sealed, not_after)
    select id, ${merchant}, 'callback', sealed, inlet_now() - interval '1 day'
    from unnest(${ids}::text[], ${sealed}::bytea[]) as k (id, sealed)`)
  const made = await owner.query<{ id: string }>(sql`
    insert into people (id, email, name)
    select gen_random_uuid(), 'crowd-' || n || '@example.com', 'Crowd'
    from generate_series(1, ${crowd.people}::int) as n
    returning id`)
  people = made.map(({ id }) => id)
  const totps = people.map((id) => current.seal('c2VjcmV0', totpLabel(id)))
  await owner.query(sql`
    update people p set totp_sealed = k.sealed
    from unnest(${people}::uuid[], ${totps}::bytea[]) as k (id, sealed)
    where p.id = k.id`)
  const digests = people.map((id) => current.mac(recoveryDigest(id, code), 'recovery code'))
  await owner.query(sql`
    update people p set recovery_digests = array[k.digest]
    from unnest(${people}::uuid[], ${digests}::bytea[]) as k (id, digest)
    where p.id = k.id`)
}

type Reseal = { child: ChildProcess; ended: Promise<unknown>; output: () => string }

function startReseal(): Reseal {
  const child = spawn(process.execPath, ['bin/inlet.mjs', 'key', 'reseal'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      ...settings,
      INLET_MASTER_KEY: base64(used + 1),
      INLET_OLD_MASTER_KEY: base64(used),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // One that hangs fails the test.
    ...{ timeout: 60_000, killSignal: 'SIGKILL' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return { child, ended: once(child, 'close'), output: () => output }
}

/** Answers the statement it was killed at, or undefined where it ended before. */
async function killAt(step: number): Promise<string | undefined> {
  await owner.query(sql`update test_wish set step = ${step}`)
  await owner.query(sql`select setval('test_steps', 1, false)`)
  return owner.transaction(async (tx) => {
    await tx.query(sql`set local idle_in_transaction_session_timeout = 0`)
    await tx.query(sql`select pg_advisory_xact_lock(4711)`)
    const { child, ended, output } = startReseal()
    for (;;) {
      const [waiting] = await owner.query<{ query: string }>(sql`
        select query from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`)
      if (waiting) {
        child.kill('SIGKILL')
        await ended
        return waiting.query
      }
      if (child.exitCode !== null || child.signalCode !== null) {
        assert.equal(child.exitCode, 0, output())
        return undefined
      }
      await sleep(20)
    }
  })
}

async function resume(): Promise<void> {
  await owner.query(sql`update test_wish set step = 0`)
  const { child, ended, output } = startReseal()
  await ended
  assert.equal(child.exitCode, 0, output())
  assert.match(output(), /\nThe old key \(\w{8}\) opens nothing now: remove INLET_OLD_MASTER_KEY\.\n$/)
}

async function assertOldKeyOpensNothing(): Promise<void> {
  const [old, now] = [createVault(keyOf(used)), createVault(keyOf(used + 1))]
  let values = 0
  for (const column of sealedColumns)
    for (const row of await readSealed(owner, column, { after: null, limit: 100_000 })) {
      assert.equal(opened(old, row.sealed, column.label(row)), undefined, `${column.table} ${row.id}`)
      assert.notEqual(opened(now, row.sealed, column.label(row)), undefined, `${column.table} ${row.id}`)
      values += 1
    }
  assert.ok(values > crowd.keys + crowd.people)
  for (const seal of await readSeals(owner, 0n, 1_000)) {
    assert.notDeepEqual(seal.mac, sealMac(old.current.mac, seal))
    assert.deepEqual(seal.mac, sealMac(now.current.mac, seal))
  }
  const guessed = people.map((id) => macWith(old.current.macKey('recovery code'), recoveryDigest(id, code)))
  assert.ok(
    !(await owner.has(sql`select from people where recovery_digests && ${guessed}::bytea[]`)),
    'a code cannot be guessed with the old key',
  )
  const { count } = await owner.one<{ count: number }>(sql`
    select count(*)::int as count
    from people
    where recovery_digests <> '{}' and recovery_generation = (select count(*) from key_generations)`)
  assert.ok(count >= crowd.people, 'every code is under the new key, once')
}

const tableIn = (query: string) => /(?:update|insert into) ([a-z_]+)/.exec(query)?.[1] ?? query

test(`killed at ${isLong ? 'every' : 'one'} writing step, the reseal finishes when run again: the old key opens nothing`, async (context) => {
  const killed: string[] = []
  const first = isLong ? 1 : randomInt(1, 14)
  for (let step = first; ; step++) {
    const query = await killAt(step)
    if (query === undefined) {
      await assertOldKeyOpensNothing()
      break
    }
    killed.push(tableIn(query))
    await resume()
    await assertOldKeyOpensNothing()
    used += 1
    if (!isLong) break
  }
  context.diagnostic(`from step ${first} on: ${killed.join(', ')}`)
  if (!isLong) return
  for (const table of writes) assert.ok(killed.includes(table), `never killed at ${table}`)
  const entries = await owner.query(sql`select place from audit_entries where act = 'master_key_reseal'`)
  assert.equal(entries.length, killed.length + 1, 'each change is on record once')
})
