/**
 * Measures for how long a session holds locks on tables that keep others from writing, by polling from another connection.
 * Tables that the session itself creates are invisible before its commit, and nobody waits for them.
 */
import { monotonicMs, sleep } from './clock.ts'
import { type Db, sql } from './db.ts'

export type LongestLock = { table: string; mode: string; ms: number }

const pollMs = 5

/** `stop` returns the lock that was held for longest; null if none was seen, so that none was held for much longer than `pollMs`. */
export function watchLocks(watcher: Db, pid: number): { stop(): Promise<LongestLock | null> } {
  const held = new Map<string, { since: number; table: string; mode: string }>()
  let longest: LongestLock | null = null
  let isStopped = false
  const poll = async () => {
    const locks = await watcher.query<{ table: string; mode: string }>(sql`
      select c.relname::text as table, l.mode
      from pg_locks l
      join pg_class c on c.oid = l.relation and c.relkind in ('r', 'p') and c.relnamespace = 'inlet'::regnamespace
      where l.pid = ${pid} and l.granted and c.relname <> 'migrations'
        and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`)
    const now = monotonicMs()
    const present = new Set(locks.map(({ table, mode }) => `${table} ${mode}`))
    for (const { table, mode } of locks)
      if (!held.has(`${table} ${mode}`)) held.set(`${table} ${mode}`, { since: now, table, mode })
    for (const [key, { since, table, mode }] of held) {
      const ms = now - since
      if (ms > (longest?.ms ?? -1)) longest = { table, mode, ms }
      if (!present.has(key)) held.delete(key)
    }
  }
  const watching = (async () => {
    while (!isStopped) {
      await poll()
      await sleep(pollMs)
    }
    await poll()
  })()
  // An error is thrown by `stop`; until then it must not count as unhandled.
  watching.catch(() => {})
  return {
    async stop() {
      isStopped = true
      await watching
      return longest
    },
  }
}
