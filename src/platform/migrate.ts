/**
 * Brings the database to the schema this code was written for. Forward only: each file of migrations/ runs
 * once, in one transaction with the row that records it, under a lock that serves several starts at once.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { type Db, sql, sqlState } from './db.ts'
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

export async function migrate(owner: Db, log: Log): Promise<void> {
  await checkServer(owner)
  const known = await readMigrations()
  await prepare(owner)
  for (let done = false; !done; ) done = await applyNext(owner, known, log)
}

async function applyNext(owner: Db, known: Migration[], log: Log): Promise<boolean> {
  return owner.transaction(async (tx) => {
    await tx.query(sql`set local lock_timeout = '60s'`)
    await tx.query(sql`set local statement_timeout = 0`)
    await tx.query(sql`lock table migrations in exclusive mode`)
    const applied = await tx.query<{ name: string; digest: string }>(
      sql`select name, digest from migrations order by name`,
    )
    refuseStrangers(known, applied)
    const next = known[applied.length]
    if (!next) return true
    await tx.query({ text: next.text, name: '', values: [] }).catch(explainRights)
    await tx.query(sql`insert into migrations (name, digest) values (${next.name}, ${next.digest})`)
    log.info('migrated', { migration: next.name })
    return false
  })
}

/** The first migration makes the role inlet_runtime, which the owner of a database alone may not. */
function explainRights(error: unknown): never {
  if (sqlState(error) !== '42501') throw error
  throw new OperatorProblem(
    'The login that migrates may not make the role inlet_runtime: give it CREATEROLE (alter role … createrole), or set INLET_OWNER_DATABASE_URL to one that has it.',
  )
}

function refuseStrangers(known: Migration[], applied: { name: string; digest: string }[]) {
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
