/**
 * Brings the database to the schema this code was written for, while other processes may serve from it. Forward only: each
 * file of migrations/ runs once.
 *
 * A file runs in one transaction with the row that records it. It waits for a lock for a second only, and then begins
 * again: whoever comes after it in the queue for that lock, every deposit among them, waits as long as it does. A file that
 * builds indexes `concurrently` runs statement by statement, because PostgreSQL allows it in no transaction.
 */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { bounds } from './bounds.ts'
import { sleep } from './clock.ts'
import { type Db, type Queryable, sql } from './db.ts'
import { isLockTimeout, sqlState } from './db-errors.ts'
import type { Log } from './log.ts'
import { OperatorProblem } from './operator-problem.ts'

const folder = new URL('../../migrations/', import.meta.url)

type Migration = { name: string; text: string; digest: string }

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-[a-z-]+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, digest: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

export async function migrate(owner: Db, log: Log, known?: readonly Migration[]): Promise<void> {
  await checkServer(owner)
  const run = { owner, log, known: known ?? (await readMigrations()) }
  await prepare(owner)
  let waits = 0
  for (let next = await findNext(owner, run.known); next; next = await findNext(owner, run.known)) {
    if (await (buildsIndexes(next) ? runByStatement : runInTransaction)(run, next)) waits = 0
    else if (++waits < bounds.migrationWaits) await sleep(bounds.migrationPauseMs)
    else
      throw new OperatorProblem(
        `Migration ${next.name} did not get its lock: another session holds it, as a long report or another start of Inlet does. Wait until it has ended and start again.`,
      )
  }
}

type Run = { owner: Db; log: Log; known: readonly Migration[] }

async function findNext(db: Queryable, known: readonly Migration[]): Promise<Migration | undefined> {
  const applied = await db.query<{ name: string; digest: string }>(
    sql`select name, digest from migrations order by name`,
  )
  refuseStrangers(known, applied)
  return known[applied.length]
}

/** False when a lock was not free. Another start may be faster: then there is nothing left to do. */
async function runInTransaction({ owner, log, known }: Run, next: Migration): Promise<boolean> {
  try {
    return await owner.transaction(async (tx) => {
      await tx.run(sql`set local lock_timeout = '1s'`)
      await tx.run(sql`set local statement_timeout = 0`)
      await tx.run(sql`lock table migrations in exclusive mode`)
      if ((await findNext(tx, known)) === next) {
        await tx.run({ text: next.text, name: '', values: [] }).catch(explainRights)
        await record(tx, next, log)
      }
      return true
    })
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

const buildsIndexes = ({ text }: Migration): boolean => /\bindex concurrently\b/.test(text)

/**
 * Every statement of such a file may be repeated (`if exists`, `if not exists`). An index of a build that was broken off is
 * there, but is not used: it is dropped first. False when another start does it now.
 */
async function runByStatement({ owner, log, known }: Run, next: Migration): Promise<boolean> {
  return owner.together(async (db) => {
    // Not waited for: a build of indexes waits for every other statement, that one too.
    if (
      !(await db.has(sql`select from pg_try_advisory_lock(hashtext('inlet migrations')) as held where held`))
    )
      return false
    try {
      if ((await findNext(db, known)) !== next) return true
      await db.run(sql`set statement_timeout = 0`)
      await db.run(sql`set lock_timeout = 0`)
      const unfinished = await db.query<{ name: string }>(sql`
        select i.indexrelid::regclass::text as name
        from pg_index i
        join pg_class c on c.oid = i.indexrelid
        where not i.indisvalid and c.relnamespace = 'inlet'::regnamespace`)
      const drops = unfinished.map(({ name }) => `drop index concurrently if exists ${name}`)
      const statements = next.text.split(/;\s*$/m).filter((statement) => statement.trim() !== '')
      for (const text of [...drops, ...statements]) await db.run({ text, name: '', values: [] })
      await record(db, next, log)
      return true
    } finally {
      await db.run(sql`reset statement_timeout`)
      await db.run(sql`reset lock_timeout`)
      await db.run(sql`select pg_advisory_unlock_all()`)
    }
  })
}

async function record(db: Queryable, { name, digest }: Migration, log: Log): Promise<void> {
  await db.run(sql`insert into migrations (name, digest) values (${name}, ${digest})`)
  log.info('migrated', { migration: name })
}

/** The first migration makes the role inlet_runtime, which the owner of a database alone may not. */
function explainRights(error: unknown): never {
  if (sqlState(error) !== '42501') throw error
  throw new OperatorProblem(
    'The login that migrates may not make the role inlet_runtime: give it CREATEROLE (alter role … createrole), or set INLET_OWNER_DATABASE_URL to one that has it.',
  )
}

function refuseStrangers(known: readonly Migration[], applied: { name: string; digest: string }[]) {
  const newest = applied.at(-1)
  if (applied.length > known.length) {
    throw new OperatorProblem(
      `This database was made by a newer Inlet (${newest?.name}); this one knows ${known.at(-1)?.name} at most. Start the newer version.`,
    )
  }
  applied.forEach(({ name, digest }, index) => {
    if (known[index]!.name !== name || known[index]!.digest !== digest) {
      throw new OperatorProblem(
        `Migration ${name} of this database is not the ${known[index]!.name} of this code: it was made by another version of Inlet.`,
      )
    }
  })
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
