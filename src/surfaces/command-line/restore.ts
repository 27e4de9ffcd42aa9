/** `inlet restore`: a new data folder from a backup, and a list of what the operator must know before it is started. */
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { prepareRestored, type RestoreReport, reportRestore } from '../../domain/backups/after-restore.ts'
import { readNewestReplayed } from '../../domain/backups/store.ts'
import {
  fetchCluster,
  type RestoreCluster,
  refuseUsedFolder,
  removeDataFolder,
  setTarget,
} from '../../platform/backup/restore-cluster.ts'
import { endRestore, writeFirst } from '../../platform/data-folder.ts'
import type { Foundation, OpenFoundation } from '../../platform/foundation.ts'
import { createLog } from '../../platform/log.ts'
import type { MasterKeys } from '../../platform/master-key.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { chooseBackup, openPlace } from './backup.ts'
import type { Command, Terminal } from './command.ts'
import { optional, required, table, UsageProblem } from './options.ts'
import { printByteProgress } from './progress.ts'

export const restoreCommands: Record<string, Command> = {
  'restore finish': {
    usage: 'inlet restore finish',
    summary:
      'after DATABASE_URL was restored by other means: skip event numbers that merchants have seen, list callbacks that may be sent twice',
    async run({ db, asOwner }) {
      await asOwner(prepareRestored)
      const report = await reportRestore(db)
      return { json: report, text: reportText(report, 'the moment it was restored to') }
    },
  },
  restore: {
    usage:
      'inlet restore --into FOLDER [--from FOLDER] [--to TIME] [--backup NAME]   (into: a new folder; from: where backups are, without it INLET_BACKUP_TO; to: such as 2026-11-17T10:30:00Z, without it everything that is stored)',
    summary: 'make a new data folder from a backup, up to a moment, and list what may be sent twice',
    example: '--from /mnt/backup/inlet --to 2026-11-17T10:30:00Z --into /srv/inlet-restored',
    async runAlone(values, _words, readConfig, terminal, openFoundation) {
      const into = await refuseUsedFolder(required(values, 'into'))
      const until = timeFrom(optional(values, 'to'))
      const config = readConfig()
      const place = await openPlace(values, config)
      const manifest = await chooseBackup(place.backups, { name: optional(values, 'backup'), until })
      const backup = manifest.name
      const work = { ...place, config, manifest, until, into, terminal, openFoundation }
      return restoreInto(work, async ({ db, asOwner }, { newestCommit, endedBefore, walSegments }) => {
        await asOwner(prepareRestored)
        // Where the key is a file of the data folder, the new folder needs it too.
        if (!config.masterKey)
          await writeFirst(join(into, 'master.key'), `${place.keys.current.toString('base64')}\n`)
        const report = await reportRestore(db)
        const newest = newestCommit?.toISOString() ?? manifest.endedAt
        const outcome = { newest_commit: newest, ended_before: endedBefore, wal_segments: walSegments }
        const json = { into, backup, ...outcome, ...report }
        await writeFirst(join(into, 'restore-report.json'), `${JSON.stringify(json, null, 2)}\n`)
        await endRestore(into)
        const text = [
          `Restored backup ${backup} into ${into}, with the WAL behind it (segments: ${walSegments}). The newest change in it is of ${newest}.`,
          ...(endedBefore
            ? [
                `Nothing is stored from there up to ${until!.toISOString()}: either nothing happened, or it is lost.`,
              ]
            : []),
          reportText(report, newest),
          `Look at it: INLET_DATA_DIR=${into} inlet doctor\nStart it:   INLET_DATA_DIR=${into} inlet start   (never beside the old one)`,
        ]
        return { json, text: text.join('\n\n') }
      })
    },
  },
}

type RestoreInto = Omit<RestoreCluster, 'progress' | 'stop'> & {
  config: Config
  keys: MasterKeys
  terminal: Terminal
  openFoundation: OpenFoundation
}

/** `endedBefore`: the stored WAL ends before the time that was asked for. */
type Recovered = { newestCommit: Date | null; endedBefore: boolean; walSegments: number }

export class Stopped extends OperatorProblem {}

/** Ctrl-C and a problem remove what was made. */
export async function restoreInto<Result>(
  { config, keys, terminal, openFoundation, ...what }: RestoreInto,
  use: (foundation: Foundation, recovered: Recovered) => Promise<Result>,
): Promise<Result> {
  const { into, until } = what
  await refuseUsedFolder(into)
  const stop = new AbortController()
  const stopped = new Stopped('Stopped. What was made of the restore has been removed.')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    terminal.on(signal, () => stop.abort(stopped))
  const log = createLog('warn', (line) => terminal.stderr.write(line))
  const own = {
    ...config,
    ...{ dataDir: into, databaseUrl: null, ownerDatabaseUrl: null, backup: null },
    ...{ masterKey: keys.current, oldMasterKey: keys.old },
  }
  const open = () => openFoundation(own, 'command', log)
  try {
    const progress = printByteProgress(terminal.stderr)
    const { cluster, walSegments } = await fetchCluster({ ...what, progress, stop: stop.signal })
    let endedBefore = false
    const foundation = await open().catch(async (error) => {
      // A time after the last commit is never reached: everything that is stored is restored.
      endedBefore = until !== null && /recovery ended before configured recovery target/.test(error.message)
      if (!endedBefore) throw error
      await setTarget(cluster, null)
      return open()
    })
    try {
      stop.signal.throwIfAborted()
      const newestCommit = await readNewestReplayed(foundation.db)
      return await use(foundation, { newestCommit, endedBefore, walSegments })
    } finally {
      await foundation.close()
    }
  } catch (error) {
    await removeDataFolder(into)
    throw error
  }
}

function timeFrom(text: string | null): Date | null {
  if (text === null) return null
  const time = new Date(text)
  // Without a zone it would mean another moment on every machine.
  if (Number.isNaN(time.getTime()) || !/(Z|[+-]\d\d:?\d\d)$/.test(text))
    throw new UsageProblem('--to is a time with its zone, such as 2026-11-17T10:30:00Z.')
  return time
}

const listed = 20

function reportText({ due, last_events: lastEvents }: RestoreReport, newest: string) {
  return [
    due.length === 0
      ? 'No callback is waiting in it: none that is known goes out twice.'
      : [
          `${due.length} callbacks wait in it. Those that were delivered after ${newest} go out again, with the same id and bytes:`,
          table(
            ['callback', 'type', 'number', 'merchant', 'order', 'attempts'],
            due
              .slice(0, listed)
              .map((row) => [row.id, row.type, row.sequence, row.merchant, row.order, row.attempts]),
          ),
          ...(due.length > listed ? [`… and ${due.length - listed} more: --json lists them.`] : []),
        ].join('\n'),
    [
      'Events after these numbers, if merchants have any, are lost. The next event of each merchant gets the number beside it, so that no number comes with another content:',
      table(
        ['merchant', 'name', 'last event', 'next number'],
        lastEvents.slice(0, listed).map(({ merchant, name, last, next }) => [merchant, name, last, next]),
      ),
    ].join('\n'),
    `The amounts that lost deposits were waiting for on cards and phones are free again: money for a lost deposit can confirm another deposit of the same amount. Import the bank statements since then before you start it ("inlet statement import"). If customers may still pay for lost deposits, let people match their payments until that time has passed: inlet account matching ID --matching never --by EMAIL --reason TEXT.`,
    `Everybody must sign in again, and open links have ended. Everything else that was closed or changed after ${newest} is as it was before: disabled people, roles, passwords, used recovery codes, merchants' keys, banks' tokens. Close it again.`,
  ].join('\n\n')
}
