/**
 * `inlet backup drill`: restores the newest backup into a scratch cluster, checks it, and measures what a disaster of this moment
 * would have cost: how much would be lost (RPO), and how long it takes until the copy could serve (RTO).
 */

import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { restoreArchives } from '../../domain/backups/archives.ts'
import { type Drill, findWrongBodies, noteDrill, readDatabaseTime } from '../../domain/backups/store.ts'
import type { Archive } from '../../domain/deposits/archive-store.ts'
import { examine } from '../../domain/doctor/examine.ts'
import type { BackupPlace, Manifest } from '../../platform/backup/backup-set.ts'
import {
  dataOf,
  makeDrillFolder,
  removeAbandonedDrills,
  removeDrillFolder,
} from '../../platform/backup/drill-folder.ts'
import { type Restored, restoreCluster } from '../../platform/backup/restore-cluster.ts'
import { storedUntil } from '../../platform/backup/stored-wal.ts'
import { readFlushed } from '../../platform/backup/take-backup.ts'
import { positionOf } from '../../platform/backup/wal-position.ts'
import { logTime, monotonicMs } from '../../platform/clock.ts'
import type { Foundation, OpenFoundation } from '../../platform/foundation.ts'
import { createLog, type Log } from '../../platform/log.ts'
import type { MasterKeys } from '../../platform/master-key.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { notEmbedded, openPlace } from './backup.ts'
import { chooseBackup } from './choose-backup.ts'
import type { Command, Output } from './command.ts'
import { optional } from './options.ts'
import { printByteProgress } from './progress.ts'
import { restoredConfig, stopOn } from './restore.ts'

export const drillCommands: Record<string, Command> = {
  'backup drill': {
    usage:
      'inlet backup drill [--from FOLDER] [--installation ID] [--scratch FOLDER] [--all]   (from: backups of an installation that is not here; installation: whose, where several store there; scratch: where there is room for a copy; all: check everything ever stored)',
    summary:
      'restore the newest backup into a temporary cluster, check it, and measure what would be lost and how long it takes',
    example: '--scratch /mnt/large',
    async runAlone(values, _words, readConfig, terminal, openFoundation) {
      const config = readConfig()
      const isAway = optional(values, 'from') !== null
      if (config.databaseUrl && !isAway) throw notEmbedded()
      const log = createLog('warn', (line) => terminal.stderr.write(line))
      const stop = stopOn(terminal)
      const { place, keys } = await openPlace(values, config)
      const live = isAway ? null : await openFoundation(config, 'command', log)
      const parent = resolve(optional(values, 'scratch') ?? tmpdir())
      const progress = printByteProgress(terminal.stderr)
      try {
        const installation = live?.cluster?.id ?? optional(values, 'installation')
        const manifest = await chooseBackup(place, { installation, backup: null, until: null })
        const start = await readDrillStart(live, await storedUntil(place, manifest))
        const result = await drill({
          ...{ config, place, keys, parent, openFoundation, log, progress, stop, start, manifest },
          all: values.all === true,
        })
        if (live) await noteDrill(live.db, result)
        return outputOf(result)
      } catch (error) {
        // There is no backup, or it cannot be read.
        if (live && error instanceof OperatorProblem && !stop.aborted)
          await noteDrill(live.db, { ok: false, lossSeconds: null, seconds: 0, problem: error.message })
        throw error
      } finally {
        await live?.close()
      }
    },
  },
}

/** The drill simulates a disaster at its start. `stored`: what backups had then. `flushed`: how far the WAL was, if the installation is here. */
type DrillStart = { at: Date; stored: bigint; flushed: bigint | null }

async function readDrillStart(live: Foundation | null, stored: bigint): Promise<DrillStart> {
  if (!live?.cluster) return { at: new Date(logTime()), stored, flushed: null }
  const flushed = positionOf(await readFlushed(live.cluster))
  return { at: await readDatabaseTime(live.db), stored, flushed }
}

type Drilling = {
  config: Config
  place: BackupPlace
  keys: MasterKeys
  parent: string
  openFoundation: OpenFoundation
  log: Log
  progress: (done: { phase: string; bytes: number; total: number }) => void
  stop: AbortSignal
  start: DrillStart
  manifest: Manifest
  all: boolean
}

type DrillResult = Drill & { backup: string; checkSeconds: number; checks: number }

async function drill(work: Drilling): Promise<DrillResult> {
  const startedAt = monotonicMs()
  const since = (from: number) => (monotonicMs() - from) / 1000
  await removeAbandonedDrills(work.parent)
  const scratch = await makeDrillFolder(work.parent)
  const into = dataOf(scratch)
  let result: DrillResult = {
    ...{ ok: false, lossSeconds: null, seconds: 0, problem: null },
    ...{ backup: work.manifest.name, checkSeconds: 0, checks: 0 },
  }
  try {
    const { place, keys, config, progress, stop, manifest } = work
    const until = work.start.stored
    const restored = await restoreCluster({ place, manifest, until, into, progress, stop })
    const copy = await work.openFoundation(restoredConfig(config, into, keys), 'command', work.log)
    try {
      result = { ...result, seconds: since(startedAt), lossSeconds: lossOf(work.start, manifest, restored) }
      const checkedAt = monotonicMs()
      const folder = join(into, 'archive')
      const { missing } = await copy.asOwner((owner) =>
        restoreArchives(owner, { place, id: manifest.id, folder }),
      )
      const { problem, checks } = await check(copy, work.all, missing)
      return { ...result, ok: problem === null, problem, checks, checkSeconds: since(checkedAt) }
    } finally {
      await copy.close()
    }
  } catch (error) {
    if (!(error instanceof OperatorProblem) || work.stop.aborted) throw error
    return { ...result, seconds: since(startedAt), problem: error.message }
  } finally {
    await removeDrillFolder(scratch)
  }
}

function lossOf(
  { at, stored, flushed }: DrillStart,
  { endedAt }: Manifest,
  { newestCommit }: Restored,
): number {
  if (flushed !== null && stored >= flushed) return 0
  return Math.max(0, (at.getTime() - (newestCommit ?? new Date(endedAt)).getTime()) / 1000)
}

/** Every check of the doctor that is possible on a copy at rest, the audit chain included; archive files; and the bodies of events. */
async function check(
  copy: Foundation,
  all: boolean,
  missing: readonly Archive[],
): Promise<{ problem: string | null; checks: number }> {
  const findings = await examine(copy, { all, isAtRest: true })
  const broken = findings.filter(({ verdict }) => verdict === 'broken' || verdict === 'unknown')
  const wrong = await findWrongBodies(copy.db, 1)
  const problems = [
    ...broken.map(({ name, verdict }) => `${name} is ${verdict}`),
    ...missing.map(({ file }) => `the archive file ${file} is in no backup`),
    ...wrong.map(({ id }) => `event ${id} of the feed does not say what its row says`),
  ]
  return { problem: problems.length === 0 ? null : `${problems.join('; ')}.`, checks: findings.length + 2 }
}

function outputOf({ ok, lossSeconds, seconds, problem, backup, checks, checkSeconds }: DrillResult): Output {
  const loss = lossSeconds === null ? 'unknown' : `${lossSeconds.toFixed(1)} s`
  return {
    json: {
      ok,
      backup,
      loss_seconds: lossSeconds,
      restore_seconds: seconds,
      check_seconds: checkSeconds,
      checks,
      problem,
    },
    text: [
      `Drill with backup ${backup}: ${ok ? `restored, ${checks} checks passed` : 'FAILED'}.`,
      ...(problem ? [problem] : []),
      `Data loss if the machine had failed at the start of the drill (RPO): ${loss}. Time until the copy was ready (RTO): ${seconds.toFixed(1)} s.`,
    ].join('\n'),
    failed: !ok,
  }
}
