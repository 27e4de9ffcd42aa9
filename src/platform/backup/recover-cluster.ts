/** PostgreSQL's recovery of a cluster whose files and WAL are in place, up to a moment or to the end, and a clean stop. */
import pg from 'pg'
import { sleep } from '../clock.ts'
import { OperatorProblem } from '../operator-problem.ts'
import type { Programs } from '../postgres-binaries.ts'
import type { Home } from '../postgres-home.ts'
import { findPostmaster, lastLogLines, launchPostmaster, stopPostmaster } from '../postgres-process.ts'
import { positionText } from './wal-position.ts'

/** The result of a recovery: the time of the newest commit, and how far WAL was replayed. */
export type Recovered = {
  newestCommit: Date | null
  endLsn: string
  timeline: number
  /** The stored WAL ends before the time that was asked for. */
  endedBefore: boolean
}

type RecoverCluster = {
  home: Home
  programs: Programs
  /** Of the backup, for messages. */
  name: string
  /** A time, or a position in WAL; null: everything that is stored. */
  until: Date | bigint | null
  stop?: AbortSignal | undefined
}

/** A time after the last commit is never reached: PostgreSQL then refuses, and everything that is stored is restored. */
export async function recoverCluster(work: RecoverCluster): Promise<Recovered> {
  const { until } = work
  if (!until) return { ...(await runRecovery(work, {})), endedBefore: false }
  const target: Record<string, string> =
    until instanceof Date
      ? { recovery_target_time: until.toISOString().replace('T', ' ').replace('Z', '+00') }
      : { recovery_target_lsn: positionText(until), recovery_target_inclusive: 'off' }
  const recovered = await runRecovery(work, {
    ...target,
    recovery_target_action: 'promote',
  }).catch((error) => {
    if (error instanceof TargetNotReached) return undefined
    throw error
  })
  if (recovered) return { ...recovered, endedBefore: false }
  return { ...(await runRecovery(work, {})), endedBefore: true }
}

class TargetNotReached extends Error {}

async function runRecovery(
  { home, programs, name, stop }: RecoverCluster,
  target: Record<string, string>,
): Promise<Omit<Recovered, 'endedBefore'>> {
  // All WAL is in pg_wal. PostgreSQL demands a command nevertheless: this one finds nothing, in every shell.
  const launch = await launchPostmaster(home, programs, {
    restore_command: 'exit 1',
    // Sync the whole disk with one call instead of one for each of thousands of files.
    ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
    ...target,
  })
  try {
    for (;;) {
      stop?.throwIfAborted()
      if (launch.hasExited()) {
        if (/recovery ended before configured recovery target/.test(await launch.complaints()))
          throw new TargetNotReached()
        throw new OperatorProblem(
          `PostgreSQL could not recover the backup ${name}; the end of its log says:\n${await lastLogLines(home, 8)}`,
        )
      }
      const reached = await askRecovery(home)
      if (reached) return reached
      await sleep(50)
    }
  } finally {
    if (launch.pid && !launch.hasExited()) await stopPostmaster(home, programs, launch.pid)
  }
}

/** Undefined while it recovers or cannot be reached yet. */
async function askRecovery(home: Home): Promise<Omit<Recovered, 'endedBefore'> | undefined> {
  const postmaster = await findPostmaster(home)
  if (!postmaster?.address) return undefined
  const client = new pg.Client({
    ...postmaster.address,
    database: 'postgres',
    user: 'postgres',
    password: home.secrets.superuser,
    ssl: false,
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ busy: boolean; at: Date | null; lsn: string; timeline: number }>(
      `select pg_is_in_recovery() as busy, pg_last_xact_replay_timestamp() as at,
         case when pg_is_in_recovery() then '' else coalesce(pg_last_wal_replay_lsn(), pg_current_wal_lsn())::text end as lsn,
         (select timeline_id from pg_control_checkpoint()) as timeline`,
    )
    const { busy, at, lsn, timeline } = rows[0]!
    return busy ? undefined : { newestCommit: at, endLsn: lsn, timeline }
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => {})
  }
}
