/**
 * Brings the database to the schema this code was written for, while other processes may serve from it. Forward only: each
 * file of migrations/ runs once.
 *
 * A file runs in one transaction with the row that records it. It waits for a lock for a second only, and then begins again:
 * every later request for that lock, from each deposit too, waits as long as it does. A file that builds indexes
 * `concurrently` runs statement by statement, because PostgreSQL allows it in no transaction. A file that moves many rows
 * runs in batches, each its own transaction.
 *
 * A database may be newer than this code. Each migration says which older builds can work on the schema that it leaves, and
 * the database keeps it: such a build starts and migrates nothing, any other is refused.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { bounds } from './bounds.ts'
import { sleep } from './clock.ts'
import { type Db, type Queryable, sql } from './db.ts'
import { isLockTimeout, isRetryable, sqlState } from './db-errors.ts'
import type { Log } from './log.ts'
import { buildOf, type Migration, migrationOf, statementsOf } from './migration-file.ts'
import { OperatorProblem } from './operator-problem.ts'

const folder = new URL('../../migrations/', import.meta.url)

/** Synchronously: beside other work, each of sixty small files would take four turns of a thread. */
export function readMigrations(): Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}-[a-z-]+\.sql$/.test(name))
  return names.sort().map((name) => migrationOf(name, readFileSync(new URL(name, folder), 'utf8')))
}

export async function migrate(owner: Db, log: Log, known?: readonly Migration[]): Promise<void> {
  await checkServer(owner)
  const run = { owner, log, known: known ?? readMigrations() }
  await prepare(owner)
  for (let waits = 0, isFirst = true; ; ) {
    const { next, newer } = await compare(owner, run.known)
    if (newer) log.info('This database is newer and still serves this version.', { migration: newer })
    if (!next) return
    if (isFirst) log.step('Preparing the database …')
    isFirst = false
    if (await (next.way === 'whole' ? runInOneTransaction : runByStatement)(run, next)) waits = 0
    else if (++waits < bounds.migrationWaits) await sleep(bounds.migrationPauseMs)
    else throw lockIsHeld(next)
  }
}

/** What is left to run on this database, first to last. */
export async function listPending(owner: Db, known: readonly Migration[]): Promise<Migration[]> {
  const { next } = await compare(owner, known)
  return next ? known.slice(known.indexOf(next)) : []
}

type Run = { owner: Db; log: Log; known: readonly Migration[] }

type Applied = { name: string; digest: string; servesFrom: string | null }

/** What to run next; or the newest migration of a newer version, which this code can work beside. */
type Comparison = { next?: Migration | undefined; newer?: string }

async function compare(db: Queryable, known: readonly Migration[]): Promise<Comparison> {
  // Before migration 0066 there is no such column, and afterwards all of those are known.
  const applied = await db.query<Applied>(sql`
    select m.name, m.digest, to_jsonb(m) ->> 'serves_builds_from' as "servesFrom" from migrations m order by m.name`)
  applied.slice(0, known.length).forEach(({ name, digest }, index) => {
    if (known[index]!.name !== name || known[index]!.digest !== digest) {
      throw new OperatorProblem(
        `Migration ${name} of this database is not the ${known[index]!.name} of this code: it was made by another version of Inlet.`,
      )
    }
  })
  const unknown = applied.slice(known.length)
  const newest = unknown.at(-1)
  if (!newest) return { next: known[applied.length] }
  const mine = known.at(-1)!.name
  const breaking = unknown.find(({ servesFrom }) => servesFrom === null || servesFrom > buildOf(mine))
  if (!breaking) return { newer: newest.name }
  throw new OperatorProblem(
    `This database was made by a newer Inlet (${newest.name}). This one knows ${mine} at most, and since ${breaking.name} it can no longer work there. Start the newer version.`,
  )
}

/** False when a lock was not free. Another start may be faster: then there is nothing left to do. */
async function runInOneTransaction({ owner, log, known }: Run, next: Migration): Promise<boolean> {
  try {
    return await owner.transaction(async (tx) => {
      await tx.run(sql`set local lock_timeout = '1s'`)
      await tx.run(sql`set local statement_timeout = 0`)
      await tx.run(sql`lock table migrations in exclusive mode`)
      if ((await compare(tx, known)).next === next) {
        await tx.run(unprepared(next.text)).catch(explainRights)
        await record(tx, next, log)
      }
      return true
    })
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

const unprepared = (text: string) => ({ text, name: '', values: [] })

/**
 * Without a transaction: finished statements stay, and an interrupted file is started again. Returns false if another start
 * is running it.
 */
async function runByStatement({ owner, log, known }: Run, next: Migration): Promise<boolean> {
  return owner.together(async (db) => {
    // Not waited for: a build of indexes waits for every other statement, that one too.
    if (
      !(await db.has(sql`select from pg_try_advisory_lock(hashtext('inlet migrations')) as held where held`))
    )
      return false
    try {
      if ((await compare(db, known)).next !== next) return true
      await db.run(sql`set statement_timeout = 0`)
      await (next.way === 'in batches' ? moveRows : buildIndexes)(db, next)
      await record(db, next, log)
      return true
    } finally {
      await db.run(sql`reset statement_timeout`)
      await db.run(sql`reset lock_timeout`)
      await db.run(sql`select pg_advisory_unlock_all()`)
    }
  })
}

/**
 * Every statement may be repeated (`if exists`, `if not exists`). The index of an interrupted build exists but is not used,
 * so it is dropped first. A build waits for all writers, and nobody waits for it.
 */
async function buildIndexes(db: Queryable, { text }: Migration): Promise<void> {
  await db.run(sql`set lock_timeout = 0`)
  const unfinished = await db.query<{ name: string }>(sql`
    select i.indexrelid::regclass::text as name
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = 'inlet'::regnamespace`)
  const drops = unfinished.map(({ name }) => `drop index concurrently if exists ${name}`)
  for (const statement of [...drops, ...statementsOf(text)]) await db.run(unprepared(statement))
}

/**
 * Each statement finds remaining rows by itself, some at a time, and is repeated until it returns none. So an interrupted run
 * is continued.
 */
async function moveRows(db: Queryable, next: Migration): Promise<void> {
  await db.run(sql`set lock_timeout = '1s'`)
  for (const statement of statementsOf(next.text)) {
    for (let waits = 0, isLeft = true; isLeft; ) {
      try {
        isLeft = await db.has(unprepared(statement))
        waits = 0
      } catch (error) {
        if (!isLockTimeout(error) && !isRetryable(error)) throw error
        if (++waits >= bounds.migrationWaits) throw lockIsHeld(next)
        await sleep(bounds.migrationPauseMs)
      }
    }
  }
}

const lockIsHeld = ({ name }: Migration): OperatorProblem =>
  new OperatorProblem(
    `Migration ${name} did not get its lock: another session holds it, as a long report or another start of Inlet does. Wait until it has ended and start again.`,
  )

async function record(db: Queryable, { name, digest, servesFrom }: Migration, log: Log): Promise<void> {
  await db.run(
    servesFrom === null
      ? sql`insert into migrations (name, digest) values (${name}, ${digest})`
      : sql`insert into migrations (name, digest, serves_builds_from) values (${name}, ${digest}, ${servesFrom})`,
  )
  log.event('migrated', { migration: name })
}

/** The first migration makes the role inlet_runtime, which the owner of a database alone may not. */
function explainRights(error: unknown): never {
  if (sqlState(error) !== '42501') throw error
  throw new OperatorProblem(
    'The login that migrates may not make the role inlet_runtime: give it CREATEROLE (alter role … createrole), or set INLET_OWNER_DATABASE_URL to one that has it.',
  )
}

/** The schema and the list of what has run. Two first starts at once collide here: the second one looks again. */
async function prepare(owner: Db): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await owner.script(`
        create schema if not exists inlet;
        create table if not exists inlet.migrations (
          name text primary key,
          digest text not null,
          applied_at timestamptz not null default now()
        );`)
    } catch (error) {
      if (sqlState(error) === '42501') {
        throw new OperatorProblem(
          'The database role may not create the schema inlet: grant it CREATE on the database, or set INLET_OWNER_DATABASE_URL.',
        )
      }
      if (!['23505', '42P06', '42P07', 'XX000'].includes(sqlState(error) ?? '') || attempt === 5) throw error
    }
  }
}

/** Whether it keeps what it acknowledged is asked on every connection (db.ts). */
async function checkServer(owner: Db): Promise<void> {
  const [server] = await owner.query<{ version: number }>(
    sql`select current_setting('server_version_num')::int as version`,
  )
  if (server!.version < 150000) throw new OperatorProblem('Inlet needs PostgreSQL 15 or newer.')
}
