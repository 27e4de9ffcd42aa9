/** Runs the migrations that a copy of a database still lacks, and says of each how long it takes and what it locks. */
import { monotonicMs, randomNonce, sleep } from './clock.ts'
import { type Address, type Db, openDatabase, sql } from './db.ts'
import { isDatabaseAway, sqlState } from './db-errors.ts'
import { createLog } from './log.ts'
import { listPending, migrate, readMigrations } from './migrate.ts'
import type { Migration } from './migration-file.ts'
import { OperatorProblem } from './operator-problem.ts'
import { type LongestLock, watchLocks } from './watch-locks.ts'

export type Rehearsed = { migration: string; ms: number; lock: LongestLock | null }

/** `production`: the database that this must never be, where one is known. */
export async function rehearse(
  copy: Address,
  production: Address | null,
  known?: readonly Migration[],
): Promise<Rehearsed[]> {
  const owner = openDatabase(copy, { connections: 1, hasNoStatementTimeout: true })
  const watcher = openDatabase(copy, { connections: 1, hasNoStatementTimeout: true })
  try {
    await refuseOthers(owner)
    if (production) await refuseSame(owner, production)
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

/** Runs what is missing of these: usually the last one. */
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
    // What the server says may quote a row; its code and the names of rules do not.
    if (!sqlState(error)) throw error
    const { constraint } = error as { constraint?: string }
    const why = [sqlState(error), constraint].filter(Boolean).join(', ')
    throw new OperatorProblem(
      `Migration ${known.at(-1)!.name} fails on this copy (${why}); PostgreSQL's log has the reason. Do not upgrade before it is found.`,
      { cause: error },
    )
  }
}

/** A copy is of Inlet, and nobody works on it. */
async function refuseOthers(copy: Db): Promise<void> {
  if (!(await copy.has(sql`select from to_regclass('inlet.migrations') as found where found is not null`)))
    throw new OperatorProblem('There is no Inlet in this database. Name a restored copy of yours.')
  // A session that has just ended is there for a moment longer.
  for (let looks = 1; await copy.has(otherSessions); looks++) {
    if (looks === 20)
      throw new OperatorProblem(
        'An Inlet works on this database, so it is no copy. Restore a backup elsewhere and name that one.',
      )
    await sleep(100)
  }
}

const otherSessions = sql`
  select from pg_stat_activity
  where datname = current_database() and application_name ~ '^inlet(/|$)' and pid <> pg_backend_pid()`

/** A lock that is taken in one is seen in the other only where both are the same database of the same server. */
async function refuseSame(copy: Db, production: Address): Promise<void> {
  const key = randomNonce(6).readIntBE(0, 6)
  const other = openDatabase(production, { connections: 1 })
  try {
    await copy.run(sql`select pg_advisory_lock(${key}::bigint)`)
    const isFree = await other.has(sql`select from pg_try_advisory_lock(${key}::bigint) as held where held`)
    if (!isFree)
      throw new OperatorProblem(
        'This is the database of DATABASE_URL itself. Restore a backup elsewhere and name that one.',
      )
  } catch (error) {
    // A database that cannot be reached is not the one that was.
    if (!isDatabaseAway(error)) throw error
  } finally {
    await other.close()
    await copy.run(sql`select pg_advisory_unlock_all()`)
  }
}
