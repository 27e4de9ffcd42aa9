/** Runs the migrations that a copy of a database still lacks, and reports how long each takes and what it locks. */
import { monotonicMs, randomNonce, sleep } from './clock.ts'
import { urlPerHost } from './database-hosts.ts'
import { type Address, type Db, openDatabase, sql } from './db.ts'
import { isUnreachable, sqlState } from './db-errors.ts'
import { createLog } from './log.ts'
import { listPending, migrate, readMigrations } from './migrate.ts'
import type { Migration } from './migration-file.ts'
import { OperatorProblem, reasonOf } from './operator-problem.ts'
import { type LongestLock, watchLocks } from './watch-locks.ts'

export type Rehearsed = { migration: string; ms: number; lock: LongestLock | null }

/** `production`: the database that the copy must not be, if there is a DATABASE_URL. */
export async function rehearse(
  copy: Address,
  production: Address | null,
  known?: readonly Migration[],
): Promise<Rehearsed[]> {
  const owner = openDatabase(copy, { connections: 1, hasNoStatementTimeout: true })
  const watcher = openDatabase(copy, { connections: 1, hasNoStatementTimeout: true })
  try {
    await refuseUnlessIdleCopy(owner)
    if (production) await refuseProduction(owner, production)
    const all = known ?? readMigrations()
    const pending = await listPending(owner, all)
    const rehearsed: Rehearsed[] = []
    for (const { name } of pending) {
      const upTo = all.filter((migration) => migration.name <= name)
      rehearsed.push({ migration: name, ...(await measureMigration(owner, watcher, upTo)) })
    }
    return rehearsed
  } finally {
    await Promise.all([owner.close(), watcher.close()])
  }
}

/** Runs those of the known migrations that the database lacks: usually the last one. */
export async function measureMigration(owner: Db, watcher: Db, known: readonly Migration[]) {
  const { pid } = await owner.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  const watch = watchLocks(watcher, pid)
  const begin = monotonicMs()
  try {
    const silent = createLog('error', () => {})
    await migrate(owner, silent, known)
    return { ms: monotonicMs() - begin, lock: await watch.stop() }
  } catch (error) {
    await watch.stop().catch(() => {})
    // The server's message may quote a row; its code and the constraint's name do not.
    if (!sqlState(error)) throw error
    const { constraint } = error as { constraint?: string }
    const why = [sqlState(error), constraint].filter(Boolean).join(', ')
    throw new OperatorProblem(
      `Migration ${known.at(-1)!.name} fails on this copy (${why}); PostgreSQL's log has the reason. Do not upgrade before you have found it.`,
      { cause: error },
    )
  }
}

/** A copy has Inlet's tables, and no Inlet is connected to it. */
async function refuseUnlessIdleCopy(copy: Db): Promise<void> {
  if (!(await copy.has(sql`select from to_regclass('inlet.migrations') as found where found is not null`)))
    throw new OperatorProblem('This database has no tables of Inlet. Name a restored copy.')
  // A session that has just ended is listed for a moment longer.
  for (let attempts = 1; await copy.has(otherSessions); attempts++) {
    if (attempts === 20)
      throw new OperatorProblem(
        'An Inlet is connected to this database, so it is not an unused copy. Restore a backup into another database and name that one.',
      )
    await sleep(100)
  }
}

const otherSessions = sql`
  select from pg_stat_activity
  where datname = current_database() and application_name ~ '^inlet(/|$)' and pid <> pg_backend_pid()`

/** An advisory lock of the copy is seen at DATABASE_URL only if both are the same database of the same server. */
async function refuseProduction(copy: Db, production: Address): Promise<void> {
  const key = randomNonce(6).readIntBE(0, 6)
  const hosts = 'url' in production ? urlPerHost(production.url).map((url) => ({ url })) : [production]
  try {
    await copy.run(sql`select pg_advisory_lock(${key}::bigint)`)
    for (const host of hosts)
      if (await isLockedAt(host, key))
        throw new OperatorProblem(
          'This is the database of DATABASE_URL itself. Restore a backup into another database and name that one.',
        )
  } finally {
    await copy.run(sql`select pg_advisory_unlock_all()`)
  }
}

/** A server that the network does not reach is not the one of the copy. Any other failure proves nothing. */
async function isLockedAt(address: Address, key: number): Promise<boolean> {
  const production = openDatabase(address, { connections: 1 })
  try {
    const isFree = await production.has(
      sql`select from pg_try_advisory_lock(${key}::bigint) as held where held`,
    )
    return !isFree
  } catch (error) {
    if (isUnreachable(error)) return false
    throw new OperatorProblem(
      `Inlet cannot check that this is not the database of DATABASE_URL, because it cannot connect to that one (${reasonOf(error)}). Correct DATABASE_URL, or try again later.`,
      { cause: error },
    )
  } finally {
    await production.close()
  }
}
