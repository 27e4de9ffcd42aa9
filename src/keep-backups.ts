/**
 * What a server does for its backups: stores each segment of WAL that PostgreSQL has finished, and runs `inlet backup` and `inlet
 * backup drill` as programs of their own when they are due, so that compressing and restoring take no time from deposits.
 */
import { type ChildProcess, execFile } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Config, environmentOfCommands } from './config.ts'
import { noteBackupSettings, noteGap, noteWal, readBackupState } from './domain/backups/store.ts'
import {
  beginArchiving,
  endArchiving,
  finishSegment,
  isTooMuchWaiting,
  storeWal,
} from './platform/backup/archived-wal.ts'
import { openBackups } from './platform/backup/backup-folder.ts'
import { listBases } from './platform/backup/take-backup.ts'
import { bounds } from './platform/bounds.ts'
import type { Foundation } from './platform/foundation.ts'
import { faultFields, type Log } from './platform/log.ts'
import { OperatorProblem } from './platform/operator-problem.ts'
import { startWorker } from './platform/worker.ts'

export async function keepBackups(
  config: Config,
  { cluster, db, vault }: Foundation,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  const settings = config.backup
  const isMissing = config.production && cluster !== null && settings === null
  await noteBackupSettings(db, { isOn: settings !== null, isMissing, everyHours: settings?.everyHours ?? 24 })
  if (isMissing)
    log.warn(
      'no backup is made: set INLET_BACKUP_TO to a folder on another machine or disk (docs/operate.md)',
    )
  if (!settings && cluster) await endArchiving(cluster)
  if (!settings || !cluster) return { stop: async () => {} }

  const begin = async () => {
    if (await beginArchiving(cluster)) await noteGap(db)
  }
  await begin()
  const storeFinished = async () => storeWal(await openBackups(settings.to, vault), cluster)
  const copyWal = async () => {
    try {
      await begin()
      await storeFinished()
      if ((await readBackupState(db)).archive_fails)
        throw new OperatorProblem('PostgreSQL cannot copy finished WAL: its log, postgres.log, says why.')
      await noteWal(db, null)
    } catch (error) {
      if (error instanceof OperatorProblem) await noteWal(db, error.message).catch(() => {})
      if (await isTooMuchWaiting(cluster)) {
        log.warn('too much WAL waits for the folder of backups and is given up; a full backup follows')
        await endArchiving(cluster)
        await begin()
        due.wake()
      }
      throw error
    }
  }
  let child: ChildProcess | undefined
  let isStopping = false
  /** Our own program with the settings of this process, at a lower priority than everything else. It notes how it went. */
  const run = async (...words: string[]) => {
    if (isStopping) return
    const running = promisify(execFile)(process.execPath, [inlet, ...words], {
      env: environmentOfCommands(config),
    })
    child = running.child
    try {
      setPriority(child.pid!, constants.priority.PRIORITY_LOW)
    } catch {} // A sandbox may forbid it, and the process may have ended.
    await running.then(
      ({ stdout }) => log.info(`inlet ${words.join(' ')} is done: ${stdout.trim().split('\n')[0]}`),
      ({ stderr, stdout }) => {
        if (!isStopping)
          log.error(`inlet ${words.join(' ')} failed`, {
            error: `${stderr || stdout}`.trim().split('\n').at(-1),
          })
      },
    )
  }
  const runDue = async () => {
    const { full_age_seconds: fullAge, drill_age_seconds: drillAge } = await readBackupState(db)
    const hasBackup = async () =>
      (await listBases(await openBackups(settings.to, vault), cluster.home.secrets.id)).complete.length > 0
    if (!(await hasBackup()) || isOver(fullAge, settings.everyHours)) await run('backup')
    if (settings.drillHours !== null && isOver(drillAge, settings.drillHours) && (await hasBackup()))
      await run('backup', 'drill')
  }
  const due = startWorker('backup', bounds.backup.dueMs, runDue, log)
  const workers = [due, startWorker('storing WAL', bounds.backup.walMs, copyWal, log)]
  return {
    async stop() {
      isStopping = true
      child?.kill()
      await Promise.all(workers.map((worker) => worker.stop()))
      // What was committed since the last segment.
      await finishSegment(cluster)
        .then(storeFinished)
        .catch((error) => log.warn('the last WAL was not stored', faultFields(error)))
    },
  }
}

/** A time in the future was recorded with a wrong clock, and does not count. */
const isOver = (ageSeconds: number | null, hours: number): boolean =>
  ageSeconds === null || ageSeconds < -60 || ageSeconds >= hours * 3_600

const inlet = fileURLToPath(new URL('../bin/inlet.mjs', import.meta.url))
