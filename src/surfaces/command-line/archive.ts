/** `inlet archive …`: old months of deposits' details in files instead of in the database. */

import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { storeArchives } from '../../domain/backups/archives.ts'
import { archiveMonths, restoreArchive } from '../../domain/deposits/archive-details.ts'
import { type Archive, listArchives } from '../../domain/deposits/archive-store.ts'
import { openBackups } from '../../platform/backup/backup-folder.ts'
import type { Foundation } from '../../platform/foundation.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import type { Command } from './command.ts'
import { optional, table, UsageProblem } from './options.ts'

export const archiveCommands: Record<string, Command> = {
  archive: {
    usage:
      'inlet archive [--before YYYY-MM] [--to FOLDER]   (before: without it, created more than a year ago; to: a folder that stays)',
    summary: 'write the details of old deposits to a file for each month, and drop them from the database',
    example: '--before 2026-01 --to /mnt/archive',
    async run(foundation, values, _words, config) {
      const before = monthFrom(optional(values, 'before'))
      const folder = resolve(optional(values, 'to') ?? `${config.dataDir}/archive`)
      const keep = await keepInBackups(foundation, config)
      const archives = await foundation.asOwner((owner) => archiveMonths(owner, { before, folder, keep }))
      return {
        json: { archives: archives.map(recordOf) },
        text:
          archives.length === 0
            ? 'No month before that has details in the database.'
            : `${tableOf(archives)}\n\nKeep these files: deposits of these months are opened with them.`,
      }
    },
  },
  'archive list': {
    usage: 'inlet archive list',
    summary: 'archive files with the details of old deposits',
    async run({ db }) {
      const archives = await listArchives(db)
      return { json: { archives: archives.map(recordOf) }, text: tableOf(archives) }
    },
  },
  'archive restore': {
    usage: 'inlet archive restore FILE',
    summary: 'restore the month of a file into the database',
    example: '/mnt/archive/deposits-2025-12.jsonl.gz',
    words: 1,
    async run({ asOwner }, _values, [path]) {
      if (!path) throw new UsageProblem('Name the file.')
      const archive = await asOwner((owner) => restoreArchive(owner, resolve(path)))
      const { file, deposits } = archive
      return { json: recordOf(archive), text: `${file}: ${deposits} deposits are in the database again.` }
    },
  },
}

/** WAL will contain the removal of the month: a restore then needs the file, and the next full backup may be a day away. */
async function keepInBackups({ cluster, vault }: Foundation, { backup }: Config) {
  if (!cluster || !backup) return async () => {}
  const backups = await openBackups(backup.to, vault)
  return async (archive: Archive) => {
    const [missing] = await storeArchives(backups, cluster.home.secrets.id, [archive])
    if (missing) throw new OperatorProblem(`${missing} was changed while it was stored.`)
  }
}

function monthFrom(text: string | null): number | null {
  if (text === null) return null
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(text)) throw new UsageProblem('--before is a month such as 2026-01.')
  return Number(text.replace('-', ''))
}

const recordOf = ({ file, folder, state, deposits, bytes, digest }: Archive) => ({
  file,
  folder,
  state,
  deposits: deposits === null ? null : Number(deposits),
  bytes: bytes === null ? null : Number(bytes),
  sha256: digest?.toString('hex') ?? null,
})

const tableOf = (archives: readonly Archive[]) =>
  table(
    ['file', 'folder', 'state', 'deposits', 'bytes', 'sha256'],
    archives.map((archive) => Object.values(recordOf(archive)).map((value) => `${value ?? ''}`)),
  )
