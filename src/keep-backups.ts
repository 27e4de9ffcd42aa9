/**
 * What a server does for its backups: copies WAL all the time, and runs `inlet backup` and `inlet backup drill` as programs of
 * their own when they are due, so that compressing and restoring take no time from deposits.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type BackupSettings, type Config, environmentWithKeys } from './config.ts'
import { noteBackupProblem, noteBackupSettings, noteWal, readBackupState } from './domain/backups/store.ts'
import { readBackups } from './platform/backup/backup-set.ts'
import { createWalCopy, endWalCopy } from './platform/backup/copy-wal.ts'
import { openDestination } from './platform/backup/destination.ts'
import { bounds } from './platform/bounds.ts'
import { monotonicMs } from './platform/clock.ts'
import type { Foundation } from './platform/foundation.ts'
import { faultFields, type Log } from './platform/log.ts'
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
  const programs = createPrograms(environmentWithKeys(config), log)
  return startBackups(config.backup, { ...foundation, cluster }, programs, log)
}

type WithCluster = Foundation & { cluster: NonNullable<Foundation['cluster']> }

function startBackups(
  settings: BackupSettings,
  foundation: WithCluster,
  programs: ReturnType<typeof createPrograms>,
  log: Log,
): KeptBackups {
  const { db, vault, cluster } = foundation
  let copy: ReturnType<typeof createWalCopy> | undefined
  let isFullNeeded = false
  let notedAt = Number.NEGATIVE_INFINITY

  /** What is wrong is on record for doctor, metrics and alarms; the worker logs it and tries again. */
  const onRecord = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      if (error instanceof OperatorProblem) await noteBackupProblem(db, error.message).catch(() => {})
      throw error
    }
  }
  const openCopy = async () => {
    const place = { destination: await openDestination(settings.to), vault }
    const opened = createWalCopy(place, cluster)
    // After a change of the master key the older ones are locked, and a full one under the new key is due.
    const [newest] = (await readBackups(place, cluster.id)).manifests
    isFullNeeded = !newest || !(await opened.followsOn(newest))
    return opened
  }
  const copyWal = () =>
    onRecord(async () => {
      const isFirst = copy === undefined
      copy ??= await openCopy()
      const { at, hasBegunAnew } = await copy.round()
      if (isFirst) due.wake()
      if (hasBegunAnew) {
        log.warn('WAL is copied anew from here on; a full backup follows')
        isFullNeeded = true
      }
      if (monotonicMs() - notedAt < bounds.backup.noteMs) return
      await noteWal(db, at)
      notedAt = monotonicMs()
    })
  const runDue = async () => {
    if (!copy) return
    const { full_age_seconds: fullAge, drill_age_seconds: drillAge } = await readBackupState(db)
    if (isFullNeeded || isOver(fullAge, settings.everyHours)) {
      isFullNeeded = !(await programs.run('backup'))
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
      // What was committed since the last round.
      await copy?.round().catch((error) => log.warn('the last WAL was not copied', faultFields(error)))
      await copy?.close()
    },
  }
}

const isOver = (ageSeconds: number | null, hours: number): boolean =>
  ageSeconds === null || ageSeconds >= hours * 3_600

const inlet = fileURLToPath(new URL('../bin/inlet.mjs', import.meta.url))

/** Our own program, with the settings of this process and behind everything else that wants the processor. */
function createPrograms(env: NodeJS.ProcessEnv, log: Log) {
  const stopped = new AbortController()
  let failures = 0
  let restUntil = 0
  return {
    /** False when it failed, or failed lately. */
    async run(...words: string[]): Promise<boolean> {
      if (monotonicMs() < restUntil || stopped.signal.aborted) return false
      const child = spawn(process.execPath, [inlet, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      const end = () => void child.kill('SIGTERM')
      stopped.signal.addEventListener('abort', end)
      let [output, complaint] = ['', '']
      child.stdout.on('data', (chunk) => (output = `${output}${chunk}`.slice(0, 2_000)))
      child.stderr.on('data', (chunk) => (complaint = `${complaint}${chunk}`.slice(-2_000)))
      child.on('spawn', () => setPriority(child.pid!, constants.priority.PRIORITY_LOW))
      const [code] = await once(child, 'close')
      stopped.signal.removeEventListener('abort', end)
      if (code === 0) {
        failures = 0
        log.info(`inlet ${words.join(' ')} is done: ${output.trim().split('\n')[0]}`)
        return true
      }
      if (stopped.signal.aborted) return false
      failures += 1
      restUntil = monotonicMs() + Math.min(bounds.backup.dueMs * 2 ** failures, 3_600_000)
      log.error(`inlet ${words.join(' ')} failed`, {
        error: `${complaint}\n${output}`.trim().split('\n').at(-1),
      })
      return false
    },
    stop: () => stopped.abort(),
  }
}
