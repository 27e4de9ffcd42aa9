/**
 * Brings the database to the schema this code was written for. Forward only: each file of migrations/ runs once, in one
 * transaction with the row that records it. It waits for a lock for a second only, and then begins again: every later
 * request for that lock, from each deposit too, waits as long as it does.
 */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { sleep } from './clock.ts'
import { type Db, type Queryable, sql } from './db.ts'
import { isLockTimeout, sqlState } from './db-errors.ts'
import type { Log } from './log.ts'
import { OperatorProblem } from './operator-problem.ts'

export type Migration = { name: string; text: string }

const folder = new URL('../../migrations/', import.meta.url)

export const readMigrations = (): Migration[] =>
  readdirSync(folder)
    .filter((name) => /^\d{4}-[a-z-]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))

const digestOf = ({ text }: Migration): string => createHash('sha256').update(text).digest('hex')

export async function migrate(owner: Db, log: Log, known = readMigrations()): Promise<void> {
  await checkServer(owner)
  await prepare(owner)
  for (let waits = 0, isFirst = true; ; ) {
    const next = await findNext(owner, known)
    if (!next) return
    if (isFirst) log.step('Preparing the database …')
    isFirst = false
    if (await run(owner, log, known, next)) waits = 0
    // Each time a second for the lock, and then others go first.
    else if (++waits < 60) await sleep(500)
    else throw lockIsHeld(next)
  }
}

/** What to run next. Refuses a database that another version of Inlet made, or a newer one. */
async function findNext(db: Queryable, known: readonly Migration[]): Promise<Migration | undefined> {
  const applied = await db.query<{ name: string; digest: string }>(
    sql`select name, digest from migrations order by name`,
  )
  applied.forEach(({ name, digest }, index) => {
    const mine = known[index]
    if (!mine)
      throw new OperatorProblem(
        `This database was made by a newer Inlet (${applied.at(-1)!.name}); this one knows ${known.at(-1)!.name} at most. Start the newer version.`,
      )
    if (mine.name !== name || digestOf(mine) !== digest)
      throw new OperatorProblem(
        `Migration ${name} of this database is not the ${mine.name} of this code: it was made by another version of Inlet.`,
      )
  })
  return known[applied.length]
}

/** False when a lock was not free. Another start may be faster: then there is nothing left to do. */
async function run(owner: Db, log: Log, known: readonly Migration[], next: Migration): Promise<boolean> {
  try {
    return await owner.transaction(async (tx) => {
      await tx.run(sql`set local lock_timeout = '1s'`)
      await tx.run(sql`set local statement_timeout = 0`)
      await tx.run(sql`lock table migrations in exclusive mode`)
      if ((await findNext(tx, known)) === next) {
        await tx.run({ text: next.text, name: '', values: [] }).catch(explainRights)
        await tx.run(sql`insert into migrations (name, digest) values (${next.name}, ${digestOf(next)})`)
        log.event('migrated', { migration: next.name })
      }
      return true
    })
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

const lockIsHeld = ({ name }: Migration): OperatorProblem =>
  new OperatorProblem(
    `Migration ${name} did not get its lock: another session holds it, as a long report or another start of Inlet does. Wait until it has ended and start again.`,
  )

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
        create schema if not exists ${owner.schema};
        create table if not exists migrations (
          name text constraint migration_name primary key,
          digest text not null,
          applied_at timestamptz not null default now()
        );`)
    } catch (error) {
      if (sqlState(error) === '42501') {
        throw new OperatorProblem(
          `The database role may not create the schema ${owner.schema}: grant it CREATE on the database, or set INLET_OWNER_DATABASE_URL.`,
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
