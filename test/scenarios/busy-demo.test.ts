/** `inlet demo busy`: a day with something of everything, made by the product's own verbs, in the demo and nowhere else. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { createMerchant } from '../../src/domain/merchants/create-merchant.ts'
import { openFoundation } from '../../src/open-foundation.ts'
import { sql } from '../../src/platform/db.ts'
import { createLog } from '../../src/platform/log.ts'
import { atEnd } from '../support/clean-up.ts'
import { inlet, json } from '../support/command.ts'
import { createDatabase } from '../support/database.ts'
import { dataFolder } from '../support/program.ts'

/** An empty installation, on which commands work from here on. */
async function installation() {
  const database = await createDatabase()
  const settings = {
    DATABASE_URL: database.url,
    INLET_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    INLET_DATA_DIR: await dataFolder(),
  }
  Object.assign(process.env, settings)
  const foundation = await openFoundation(
    readConfig(settings),
    'command',
    createLog('error', () => {}),
  )
  atEnd(() => foundation.close())
  return { database, foundation }
}

test('a busy day has every state and every kind of work, and breaks no promise', async () => {
  const { database } = await installation()
  const made = await json('demo', 'busy', '--deposits', '300')
  assert.equal(made.shops, 5)
  assert.ok(made.deposits >= 300, `${made.deposits} deposits`)

  const doctor = await json('doctor', '--all')
  const troubles = doctor.promises.filter(({ verdict }: { verdict: string }) => verdict !== 'holds')
  assert.deepEqual(troubles, [])

  const names = async (rows: Promise<{ name: string }[]>) => (await rows).map(({ name }) => name)
  assert.deepEqual(
    await names(database.owner.query(sql`select distinct state as name from deposits order by 1`)),
    ['builded', 'canceled', 'confirmed', 'created', 'expired', 'rejected', 'reversed'],
  )
  assert.deepEqual(
    await names(database.owner.query(sql`select distinct currency as name from deposits order by 1`)),
    ['KZT', 'RUB', 'TJS', 'UZS'],
  )
  assert.deepEqual(
    await names(database.owner.query(sql`select distinct unnest(labels) as name from deposits order by 1`)),
    ['late', 'manual', 'overpaid', 'review', 'underpaid'],
  )
  assert.deepEqual(
    await names(database.owner.query(sql`select distinct state as name from transfers order by 1`)),
    [
      ...['ambiguous', 'debit', 'duplicate', 'matched', 'refunded', 'reversal', 'revoked', 'set_aside'],
      'unmatched',
    ],
  )
  const rules = await names(
    database.owner.query(sql`select distinct rule as name from transfer_decisions order by 1`),
  )
  for (const rule of [
    ...[
      'amount_unique',
      'no_candidate',
      'payer_listed',
      'reference',
      'reference_missing',
      'reference_unknown',
    ],
    ...['reversal_unclear', 'same_id_other_facts', 'settlement_batch', 'wrong_currency', 'maybe_repeated'],
  ])
    assert.ok(rules.includes(rule), `${rule} in ${rules.join(', ')}`)
  const [counts] = await database.owner.query<Record<string, boolean>>(sql`
    select
      exists (select from deposits where state = 'created' and claimed_at is null) as created,
      exists (select from deposits where state in ('created', 'expired') and claimed_at is not null) as claimed,
      exists (select from deposits where state = 'expired' and late_until > now()) as "inGrace",
      exists (select from deposits where state = 'expired' and late_until < now()) as final,
      exists (select from deposits where labels @> '{underpaid}' and state = 'created') as "waitsForRest",
      exists (select from callback_attempts where outcome = 'ok') as told,
      exists (select from callback_due) as waiting,
      exists (select from callback_dead) as "givenUp",
      exists (select from callback_lanes where state = 'paused') as paused,
      exists (select from proposals where state = 'open') as proposed,
      exists (select from statements) as imported,
      exists (
        select from bank_sources where last_used_at between now() - interval '14 days' and now() - interval '1 day')
        as "silentSource",
      exists (
        select from receiving_accounts where heard_at < now() - make_interval(hours => silent_hours)) as "silentAccount",
      exists (
        select
        from requisites r
        join requisite_loads l on l.requisite_id = r.id
        where l.day_cents > r.daily_cents * 0.9) as loaded,
      exists (select from deposits where created_at < now() - interval '13 days') as fortnight`)
  assert.deepEqual(
    Object.entries(counts!).filter(([, isThere]) => !isThere),
    [],
    'each of these is there',
  )

  const again = await inlet('demo', 'busy')
  assert.deepEqual([again.code, again.stderr], [1, 'The demo is busy already.\n'])
  process.env.INLET_DEMO = 'off'
  const off = await inlet('demo', 'busy')
  delete process.env.INLET_DEMO
  assert.equal(off.stderr, 'A busy day is made in the demo only: INLET_DEMO is off here.\n')
})

test('data that is not the demo’s, a running Inlet and production keep a busy day away', async () => {
  const { database, foundation } = await installation()
  await database.owner.script('update heartbeat set last_beat = now()')
  const running = await inlet('demo', 'busy')
  assert.match(running.stderr, /^Inlet runs on this database\. Stop it/)
  await database.owner.script(`update heartbeat set last_beat = now() - interval '1 minute'`)
  await createMerchant(foundation.db, foundation.vault, { name: 'Ours', mode: 'live', callbackUrl: null })
  const ours = await inlet('demo', 'busy')
  assert.match(ours.stderr, /^This database has merchants or accounts that are not the demo’s\./)
  assert.equal(ours.code, 1)
  assert.deepEqual(await database.owner.query(sql`select from deposits`), [])

  process.env.NODE_ENV = 'production'
  process.env.INLET_PUBLIC_URL = 'https://pay.example'
  const production = await inlet('demo', 'busy')
  delete process.env.NODE_ENV
  delete process.env.INLET_PUBLIC_URL
  assert.equal(production.stderr, 'A busy day is made in the demo only: INLET_DEMO is off here.\n')
})
