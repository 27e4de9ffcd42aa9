/**
 * What a server does for its backups: copies WAL all the time, and runs `inlet backup` and `inlet backup drill` as programs of
 * their own when they are due, so that compressing and restoring take no time from deposits.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type BackupSettings, type Config, environmentOfCommands, environmentOfOthers } from './config.ts'
import { noteBackupProblem, noteBackupSettings, noteWal, readBackupState } from './domain/backups/store.ts'
import { readManifests } from './platform/backup/backup-set.ts'
import { createWalCopy, endWalCopy } from './platform/backup/copy-wal.ts'
import { openDestination } from './platform/backup/destination.ts'
import { bounds } from './platform/bounds.ts'
import { monotonicMs } from './platform/clock.ts'
import type { Foundation } from './platform/foundation.ts'
import { faultFields, type Log } from './platform/log.ts'
import { lowerPriority } from './platform/lower-priority.ts'
import { OperatorProblem } from './platform/operator-problem.ts'
import { startWorker } from './platform/worker.ts'

type KeptBackups = { stop(): Promise<void> }

export async function keepBackups(config: Config, foundation: Foundation, log: Log): Promise<KeptBackups> {
  const { cluster, db } = foundation
  const isMissing = config.production && cluster !== null && config.backup === null
  await noteBackupSettings(db, {
    isOn: config.backup !== null,
    isMissing,
    everyHours: config.backup?.everyHours ?? 24,
  })
  if (isMissing)
    log.warn('no backup is made: set INLET_BACKUP_TO to a folder on another machine or disk (docs/backup.md)')
  if (!cluster) return { stop: async () => {} }
  if (!config.backup) {
    await endWalCopy(cluster).catch((error) => log.warn('WAL may be kept for backups', faultFields(error)))
    return { stop: async () => {} }
  }
  return startBackups(config, config.backup, { ...foundation, cluster }, log)
}

type WithCluster = Foundation & { cluster: NonNullable<Foundation['cluster']> }

function startBackups(
  config: Config,
  settings: BackupSettings,
  foundation: WithCluster,
  log: Log,
): KeptBackups {
  const { db, vault, cluster } = foundation
  const programs = createPrograms(log, environmentOfCommands(config))
  let copy: ReturnType<typeof createWalCopy> | undefined
  let isFullNeeded = false
  // A successful copy of WAL must not hide this problem, because the alert waits a quarter of an hour.
  let fullProblem: string | null = null
  // Some WAL was never copied: later WAL can only be restored after the next full backup.
  let hasGap = false
  let hasFull = false
  let notedAt = Number.NEGATIVE_INFINITY
  const problemText = () => `${hasGap ? gapText : ''} ${fullProblem ?? ''}`.trim()

  /** Records a problem for doctor, metrics and alarms; the worker logs it and tries again. */
  const recordingProblem = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      if (error instanceof OperatorProblem) await noteBackupProblem(db, error.message).catch(() => {})
      throw error
    }
  }
  let isUndeletedLogged = false
  const warnUndeleted = (error: unknown) => {
    if (!isUndeletedLogged)
      log.warn('the store deletes no WAL: what is there twice stays', faultFields(error))
    isUndeletedLogged = true
  }
  const openCopy = async () => {
    const place = { destination: await openDestination(settings.to, environmentOfOthers()), vault }
    const opened = createWalCopy(place, cluster, warnUndeleted)
    const [newest] = await readManifests(place, cluster.id)
    hasFull = newest !== undefined
    hasGap = newest !== undefined && !(await opened.followsOn(newest))
    isFullNeeded = !hasFull || hasGap
    return opened
  }
  const copyWal = () =>
    recordingProblem(async () => {
      const isFirst = copy === undefined
      copy ??= await openCopy()
      const { at, hasRestarted } = await copy.round()
      if (hasRestarted) {
        log.warn('WAL copying starts again from here; a full backup follows')
        hasGap = hasFull
        isFullNeeded = true
        notedAt = Number.NEGATIVE_INFINITY
        programs.endRest()
      }
      if (isFirst || hasRestarted) due.wake()
      if (monotonicMs() - notedAt < bounds.backup.noteMs) return
      if (hasGap) await noteBackupProblem(db, problemText())
      else await noteWal(db, at, fullProblem)
      notedAt = monotonicMs()
    })
  const runDue = async () => {
    if (!copy) return
    const { full_age_seconds: fullAge, drill_age_seconds: drillAge } = await readBackupState(db)
    if (isFullNeeded || isOver(fullAge, settings.everyHours)) {
      // Copying may start again while it runs: then another full backup is needed.
      isFullNeeded = false
      const { isDone, problem } = await programs.run('backup')
      if (isDone) {
        hasFull = true
        hasGap &&= isFullNeeded
        fullProblem = null
      } else isFullNeeded = true
      if (problem) fullProblem = `The full backup failed: ${problem}`.slice(0, 1_000)
      if (fullProblem) await noteBackupProblem(db, problemText())
      return
    }
    // The first drill comes with the first backup.
    if (settings.drillHours !== null && isOver(drillAge, settings.drillHours))
      await programs.run('backup', 'drill')
  }
  const due = startWorker('backup', bounds.backup.dueMs, runDue, log)
  const workers = [startWorker('copying WAL', bounds.backup.walMs, copyWal, log), due]
  return {
    async stop() {
      programs.stop()
      await Promise.all(workers.map((worker) => worker.stop()))
      // Copies what was committed since the last round.
      await copy?.round().catch((error) => log.warn('the last WAL was not copied', faultFields(error)))
      await copy?.close()
    },
  }
}

const gapText =
  'Some WAL was never copied: PostgreSQL dropped it, or copying was off. What came after it cannot be restored before the next full backup is stored.'

/** A time in the future was recorded with a wrong clock, and does not count. */
const isOver = (ageSeconds: number | null, hours: number): boolean =>
  ageSeconds === null || ageSeconds < -60 || ageSeconds >= hours * 3_600

const inlet = fileURLToPath(new URL('../bin/inlet.mjs', import.meta.url))

/** Runs our own program with the settings of this process, at a lower priority than everything else. */
function createPrograms(log: Log, environment: NodeJS.ProcessEnv) {
  const stopped = new AbortController()
  let failures = 0
  let restUntil = 0
  return {
    /** Returns no problem if it was not run, because it failed recently or this process is about to end. */
    async run(...words: string[]): Promise<{ isDone: boolean; problem?: string }> {
      if (monotonicMs() < restUntil || stopped.signal.aborted) return { isDone: false }
      const child = spawn(process.execPath, [inlet, ...words], {
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const end = () => void child.kill('SIGTERM')
      stopped.signal.addEventListener('abort', end)
      let [output, complaint] = ['', '']
      child.stdout.on('data', (chunk) => (output = `${output}${chunk}`.slice(0, 2_000)))
      child.stderr.on('data', (chunk) => (complaint = `${complaint}${chunk}`.slice(-2_000)))
      child.on('spawn', () => lowerPriority(constants.priority.PRIORITY_LOW, child.pid))
      const [code] = await once(child, 'close')
      stopped.signal.removeEventListener('abort', end)
      if (code === 0) {
        failures = 0
        log.info(`inlet ${words.join(' ')} is done: ${output.trim().split('\n')[0]}`)
        return { isDone: true }
      }
      if (stopped.signal.aborted) return { isDone: false }
      failures += 1
      restUntil = monotonicMs() + Math.min(bounds.backup.dueMs * 2 ** failures, 3_600_000)
      const problem = `${complaint}\n${output}`.trim().split('\n').at(-1) || `exit code ${code}`
      log.error(`inlet ${words.join(' ')} failed`, { error: problem })
      return { isDone: false, problem }
    },
    /** A program that failed recently may be tried again immediately. */
    endRest() {
      failures = 0
      restUntil = 0
    },
    stop: () => stopped.abort(),
  }
}
