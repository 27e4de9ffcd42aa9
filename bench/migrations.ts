/**
 * How long each migration keeps others from writing, on a database of an early version with many deposits (`--deposits`).
 * While the migration runs, a session for every large table repeatedly requests a writer's lock, and another one changes
 * deposits. The figure is their longest wait. The longest lock is measured as in `inlet upgrade rehearse`.
 */

import { monotonicMs, sleep } from '../src/platform/clock.ts'
import { type Db, openDatabase } from '../src/platform/db.ts'
import { createLog } from '../src/platform/log.ts'
import { migrate, readMigrations } from '../src/platform/migrate.ts'
import { measureMigration } from '../src/platform/rehearse.ts'
import { fillOldDeposits } from './old-deposits.ts'
import type { Row } from './row.ts'
import { connect, type World } from './world.ts'

const place = 'inlet_older'
/** The first migration with transfers. */
const filledAfter = '0011-transfers.sql'
/** The tables that every deposit, transfer and callback writes or refers to. */
const tables = [
  ...['deposits', 'deposit_history', 'transfers', 'transfer_decisions', 'callbacks', 'callback_attempts'],
  ...['callback_due', 'callback_lanes', 'event_counters', 'requisite_loads', 'requisites', 'merchants'],
]
const pauseMs = 20

const known = readMigrations()
const log = createLog('error', () => {})

/** One row for each migration. They must run in this order. */
export const migrations: readonly Row[] = known
  .filter(({ name }) => name > filledAfter)
  .map(({ name }) => ({
    name: `migration ${name.slice(0, -'.sql'.length)}`,
    must: { most: 1_000 },
    aim: { most: 100 },
    async measure(world, { deposits }) {
      await fillOnce(world, deposits)
      world.status(`migration ${name}`)
      const probes = await openProbes(world)
      const [owner, watcher] = [1, 2].map(() =>
        openDatabase(world.superuser(place), { connections: 1, hasNoStatementTimeout: true }),
      ) as [Db, Db]
      const upTo = known.filter((other) => other.name <= name)
      const { ms, lock } = await measureMigration(owner, watcher, upTo).finally(() =>
        Promise.all([owner.close(), watcher.close()]),
      )
      const { waitedMs, table } = await probes.close()
      const locked = lock ? `${Math.round(lock.ms)} ms on ${lock.table}` : 'below 10 ms'
      const note = `longest wait to write, at ${table}; longest lock ${locked}; ${(ms / 1000).toFixed(2)} s in all; ${deposits.toLocaleString('en')} deposits`
      return { value: waitedMs, unit: 'ms', reference: null, ratio: null, note }
    },
  }))

let filled: Promise<void> | undefined

function fillOnce(world: World, deposits: number): Promise<void> {
  filled ??= (async () => {
    const client = await connect(world.superuser('inlet'))
    await client.query(`create database ${place} template template0`).finally(() => client.end())
    const owner = openDatabase(world.superuser(place), { connections: 2, hasNoStatementTimeout: true })
    await migrate(
      owner,
      log,
      known.filter(({ name }) => name <= filledAfter),
    ).finally(() => owner.close())
    await copyPlaces(world)
    await fillOldDeposits(world, place, { rows: deposits, days: { oldest: 1_095, newest: 1 } })
  })()
  return filled
}

/** Copies the merchant and the accounts of the other databases, with the columns that the early version knows. */
async function copyPlaces(world: World): Promise<void> {
  const from = await connect(world.superuser('inlet'))
  const to = await connect(world.superuser(place), '-c session_replication_role=replica')
  try {
    for (const table of [
      'merchants',
      'receiving_accounts',
      'requisites',
      'requisite_loads',
      'callback_lanes',
    ]) {
      const { rows: columns } = await to.query<{ name: string }>(
        `select column_name as name from information_schema.columns where table_schema = 'inlet' and table_name = $1`,
        [table],
      )
      const { rows } = await from.query<{ row: Record<string, unknown> }>(
        `select to_jsonb(t) as row from ${table} t`,
      )
      for (const { row } of rows) {
        const names = columns.map(({ name }) => name).filter((name) => name in row)
        await to.query(
          `insert into ${table} (${names}) overriding system value
           select ${names} from jsonb_populate_record(null::${table}, $1) on conflict do nothing`,
          [row],
        )
      }
    }
  } finally {
    await from.end()
    await to.end()
  }
}

type Waited = { waitedMs: number; table: string }

async function openProbes(world: World): Promise<{ close(): Promise<Waited> }> {
  let isOver = false
  const longest: Waited = { waitedMs: 0, table: 'none' }
  const repeat = async (table: string, text: string) => {
    const client = await connect(world.superuser(place))
    try {
      while (!isOver) {
        const begin = monotonicMs()
        // The table may not exist yet.
        await client.query(text).catch(() => client.query('rollback'))
        const waitedMs = monotonicMs() - begin
        if (waitedMs > longest.waitedMs) Object.assign(longest, { waitedMs, table })
        await sleep(pauseMs)
      }
    } finally {
      await client.end()
    }
  }
  const probes = [
    ...tables.map((table) => repeat(table, `begin; lock table ${table} in row exclusive mode; commit`)),
    repeat(
      'deposits (a change)',
      `update deposits set labels = labels where id = (select id from deposits order by id desc limit 1)`,
    ),
  ]
  return {
    async close() {
      isOver = true
      await Promise.all(probes)
      return longest
    },
  }
}
