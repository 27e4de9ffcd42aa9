/** `inlet restore`: a new data folder from a backup, and a list of what the operator must know before it is started. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { prepareRestored } from '../../domain/backups/after-restore.ts'
import { restoreArchives } from '../../domain/backups/archives.ts'
import {
  type FeedEntry,
  type RestoreReport,
  readFeed,
  reportRestore,
} from '../../domain/backups/restore-report.ts'
import type { BackupPlace, Manifest } from '../../platform/backup/backup-set.ts'
import { type Restored, refuseUsedFolder, restoreCluster } from '../../platform/backup/restore-cluster.ts'
import { monotonicMs } from '../../platform/clock.ts'
import { endRestore, writeFirst } from '../../platform/data-folder.ts'
import type { OpenFoundation } from '../../platform/foundation.ts'
import { createLog } from '../../platform/log.ts'
import type { KeySource, MasterKeys } from '../../platform/master-key.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { openPlace } from './backup.ts'
import { chooseBackup } from './choose-backup.ts'
import type { Command, Terminal } from './command.ts'
import { optional, required, table, UsageProblem } from './options.ts'
import { printByteProgress } from './progress.ts'

export const restoreCommands: Record<string, Command> = {
  'restore finish': {
    usage: 'inlet restore finish [--feed FILE]   (feed: events of the API, one a line)',
    summary:
      'after DATABASE_URL was restored by other means: skip event numbers that merchants have seen, list callbacks that may be sent twice',
    async run({ db, asOwner }, values) {
      const feed = await readFeed(optional(values, 'feed'))
      const backup = 'by other means'
      await asOwner((owner) => prepareRestored(owner, { backup, until: null, newestCommit: null }))
      const report = await reportRestore(db, feed)
      return { json: report, text: reportText(report, 'the moment it was restored to') }
    },
  },
  restore: {
    usage:
      'inlet restore --into FOLDER [--from FOLDER] [--to TIME] [--installation ID] [--backup NAME] [--feed FILE]   (into: a new folder; from: where backups are, without it INLET_BACKUP_TO; installation: whose, where several store there; to: such as 2026-11-17T10:30:00Z, without it everything that is stored; feed: events of the API, one a line)',
    summary:
      'make a new data folder from a backup, up to a moment, and list what was lost or may be sent twice',
    example: '--from /mnt/backup/inlet --to 2026-11-17T10:30:00Z --into /srv/inlet-restored',
    async runAlone(values, _words, readConfig, terminal, openFoundation) {
      const into = await refuseUsedFolder(required(values, 'into'))
      const until = timeFrom(optional(values, 'to'))
      const feed = await readFeed(optional(values, 'feed'))
      const config = readConfig()
      const { place, keys } = await openPlace(values, config)
      const manifest = await chooseBackup(place, {
        installation: optional(values, 'installation'),
        backup: optional(values, 'backup'),
        until,
      })
      const stop = stopOn(terminal)
      const progress = printByteProgress(terminal.stderr)
      const restored = await restoreCluster({ place, manifest, until, into, progress, stop })
      const report = await finish({
        ...{ config, place, keys, into, manifest, until, restored, openFoundation, terminal, feed },
      })
      const json = { into, backup: manifest.name, ...outcomeOf(restored), ...report }
      await writeFile(join(into, 'restore-report.json'), `${JSON.stringify(json, null, 2)}\n`, {
        mode: 0o600,
      })
      await endRestore(into)
      return { json, text: textOf({ into, manifest, until, restored, report }) }
    },
  },
}

function timeFrom(text: string | null): Date | null {
  if (text === null) return null
  const time = new Date(text)
  // Without a zone it would mean another moment on every machine.
  if (Number.isNaN(time.getTime()) || !/(Z|[+-]\d\d:?\d\d)$/.test(text))
    throw new UsageProblem('--to is a time with its zone, such as 2026-11-17T10:30:00Z.')
  return time
}

const sameSignalMs = 1_000

/**
 * The first Ctrl-C stops PostgreSQL and removes what was made; the next one ends the program. One Ctrl-C may come twice, from the
 * terminal and from npm.
 */
export function stopOn(terminal: Terminal): AbortSignal {
  const stop = new AbortController()
  const problem = new OperatorProblem('Stopped. What was made of the restore has been removed.')
  let firstAt = 0
  const end = () => {
    if (!stop.signal.aborted) {
      firstAt = monotonicMs()
      stop.abort(problem)
    } else if (monotonicMs() - firstAt > sameSignalMs) terminal.exit(130)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) terminal.on(signal, end)
  return stop.signal
}

type Finish = {
  config: Config
  place: BackupPlace
  keys: MasterKeys
  into: string
  manifest: Manifest
  until: Date | null
  restored: Restored
  openFoundation: OpenFoundation
  terminal: Terminal
  feed: FeedEntry[] | null
}

async function finish(work: Finish): Promise<RestoreReport> {
  const { config, place, keys, into, manifest, until, restored, openFoundation, terminal, feed } = work
  const log = createLog('warn', (line) => terminal.stderr.write(line))
  const foundation = await openFoundation(restoredConfig(config, into, keys), 'command', log)
  try {
    const { newestCommit } = restored
    await foundation.asOwner((owner) =>
      prepareRestored(owner, { backup: manifest.name, until, newestCommit }),
    )
    const folder = join(into, 'archive')
    await foundation.asOwner((owner) => restoreArchives(owner, { place, id: manifest.id, folder }))
    // Where the key is a file of the data folder, the new folder needs it too.
    if (!hasKeySource(config))
      await writeFirst(join(into, 'master.key'), `${keys.current.toString('base64')}\n`)
    return await reportRestore(foundation.db, feed)
  } finally {
    await foundation.close()
  }
}

const hasKeySource = ({ masterKey, masterKeyFile, masterKeyCommand, masterKeySocket }: KeySource): boolean =>
  [masterKey, masterKeyFile, masterKeyCommand, masterKeySocket].some((source) => source !== null)

export const restoredConfig = (config: Config, dataDir: string, { current, old }: MasterKeys): Config => ({
  ...config,
  ...givenKey(current),
  oldMasterKey: old && givenKey(old),
  dataDir,
  databaseUrl: null,
  ownerDatabaseUrl: null,
  backup: null,
})

const givenKey = (masterKey: Buffer): KeySource => ({
  masterKey,
  masterKeyFile: null,
  masterKeyCommand: null,
  masterKeySocket: null,
})

const outcomeOf = ({ newestCommit, endedBefore, walSegments, timeline }: Restored) => ({
  newest_commit: newestCommit?.toISOString() ?? null,
  ended_before: endedBefore,
  wal_segments: walSegments,
  timeline,
})

type RestoreSummary = {
  into: string
  manifest: Manifest
  until: Date | null
  restored: Restored
  report: RestoreReport
}

const listed = 20

function textOf({ into, manifest, until, restored, report }: RestoreSummary): string {
  const newest = restored.newestCommit?.toISOString() ?? manifest.endedAt
  return [
    `Restored backup ${manifest.name} into ${into}, with the WAL behind it (segments: ${restored.walSegments}). The newest change in it is of ${newest}.`,
    ...(restored.endedBefore
      ? [
          `Nothing is stored from there up to ${until!.toISOString()}: either nothing happened, or it is lost.`,
        ]
      : []),
    reportText(report, newest),
    `Look at it: INLET_DATA_DIR=${into} inlet doctor\nStart it:   INLET_DATA_DIR=${into} inlet start   (never beside the old one)`,
  ].join('\n\n')
}

function reportText(report: RestoreReport, newest: string): string {
  const { due, due_in_all: dueInAll, last_events: lastEvents, archives, lost } = report
  return [
    dueInAll === 0
      ? 'No callback is waiting in it: none that is known goes out twice.'
      : [
          `${dueInAll} callbacks wait in it. Those that were delivered after ${newest} go out again, with the same id and bytes:`,
          table(
            ['callback', 'type', 'number', 'merchant', 'order', 'attempts'],
            due
              .slice(0, listed)
              .map((row) => [row.id, row.type, row.sequence, row.merchant, row.order, row.attempts]),
          ),
          ...(dueInAll > listed ? [`… and ${dueInAll - listed} more: restore-report.json has them.`] : []),
        ].join('\n'),
    [
      'Events after these numbers, if merchants have any, are lost. The next event of each merchant gets the number beside it, so that no number comes with another content:',
      table(
        ['merchant', 'name', 'last event', 'next number'],
        lastEvents.slice(0, listed).map(({ merchant, name, last, next }) => [merchant, name, last, next]),
      ),
    ].join('\n'),
    lostText(lost),
    `The amounts that lost deposits were waiting for on cards and phones are free again: money for a lost deposit can confirm another deposit of the same amount. Import the bank statements since then before you start it ("inlet statement import"). If customers may still pay for lost deposits, let people match their payments until that time has passed: inlet account set ID --amount-matching never.`,
    `Everybody must sign in again, and open links have ended. Everything else that was closed or changed after ${newest} is as it was before: disabled people, roles, passwords, used recovery codes, merchants' keys, banks' tokens. Close it again.`,
    ...archivesText(archives),
  ].join('\n\n')
}

function archivesText(archives: RestoreReport['archives']): string[] {
  if (archives.length === 0) return []
  const missing = archives.filter(({ is_there: isThere }) => !isThere)
  if (missing.length === 0)
    return [
      `Details of old deposits are in archive files (${archives.length}), and all of them are there: ${[...new Set(archives.map(({ folder }) => folder))].join(', ')}.`,
    ]
  return [
    `Details of old deposits are in archive files. These are not there; put them back, "inlet doctor" names them until then: ${missing.map(({ file, folder }) => `${folder}/${file}`).join(', ')}.`,
  ]
}

function lostText(lost: RestoreReport['lost']): string {
  if (lost === null)
    return 'No copy of the feed was given (--feed FILE): merchants that follow GET /events have one, and it names the orders that are lost.'
  if (lost.length === 0) return 'Every event of the copy of the feed is in the database.'
  return [
    `${lost.length} events of the copy of the feed are not in the database:`,
    table(
      ['order', 'merchant', 'event', 'number', 'at', 'cents', 'deposit'],
      lost.map((row) => [
        row.order,
        row.merchant,
        row.type,
        row.sequence,
        row.timestamp,
        row.amount_cents,
        row.is_deposit_lost ? `${row.deposit} (lost)` : row.deposit,
      ]),
    ),
  ].join('\n')
}
