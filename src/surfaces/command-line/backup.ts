/** `inlet backup …`: full backups of the embedded PostgreSQL, what is stored, and whether it can be read. */

import { tmpdir } from 'node:os'
import packageJson from '../../../package.json' with { type: 'json' }
import { type Config, environmentOfOthers } from '../../config.ts'
import { listArchiveFiles } from '../../domain/backups/archives.ts'
import { noteBackupProblem, noteFull, readLastMigration } from '../../domain/backups/store.ts'
import { checkArchives } from '../../platform/backup/archive-copies.ts'
import { type BackupPlace, type Manifest, readStored } from '../../platform/backup/backup-set.ts'
import { type Check, checkBackup } from '../../platform/backup/check-backup.ts'
import { openDestination } from '../../platform/backup/destination.ts'
import { removeAbandonedDrills } from '../../platform/backup/drill-folder.ts'
import { takeBackup } from '../../platform/backup/take-backup.ts'
import { type MasterKeys, readMasterKeys } from '../../platform/master-key.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { createVault } from '../../platform/vault.ts'
import type { Command, Values } from './command.ts'
import { optional, table } from './options.ts'
import { printByteProgress } from './progress.ts'

export const backupCommands: Record<string, Command> = {
  backup: {
    usage: 'inlet backup [--to FOLDER]   (to: a folder, or command:PROGRAM; without it INLET_BACKUP_TO)',
    summary: 'store a full, encrypted backup of the embedded PostgreSQL while it runs, and read it back',
    example: '--to /mnt/backup/inlet',
    stopsInOrder: true,
    async run(foundation, values, _words, config, terminal, stop) {
      const { cluster, db, vault } = foundation
      if (!cluster) throw notEmbedded()
      await removeAbandonedDrills(tmpdir())
      const destination = await openDestination(placeOf(values, 'to', config), environmentOfOthers())
      const place = { destination, vault }
      const progress = printByteProgress(terminal.stderr)
      try {
        const migration = await foundation.asOwner(readLastMigration)
        const { version } = packageJson
        const isRegular = destination.place === config.backup?.to
        const archives = await listArchiveFiles(db)
        const taken = await takeBackup({
          ...{ place, cluster, inlet: version, migration, progress, stop, archives },
          ...(isRegular && { keep: config.backup!.keep }),
        })
        const { manifest, deleted, warnings } = taken
        if (isRegular) await noteFull(db, { ...manifest, warnings, bytes: storedBytes(manifest) })
        return {
          json: { ...recordOf(manifest), archives: archives.length, deleted, warnings },
          text: doneText(taken, archives.length),
        }
      } catch (error) {
        if (stop.aborted) throw new OperatorProblem('Stopped. What was stored of this backup does not count.')
        if (error instanceof OperatorProblem) await noteBackupProblem(db, error.message)
        throw error
      }
    },
  },
  'backup list': {
    usage: 'inlet backup list [--from FOLDER]   (from: where backups are; without it INLET_BACKUP_TO)',
    summary: 'stored full backups, newest first',
    async runAlone(values, _words, config) {
      const { place } = await openPlace(values, config())
      const { manifests, unreadable } = await readStored(place)
      const text = manifests.length === 0 ? 'No complete backup is stored there.' : tableOf(manifests)
      return {
        json: { backups: manifests.map(recordOf), unreadable },
        text: [text, ...unreadable.map(({ problem }) => problem)].join('\n'),
      }
    },
  },
  'backup check': {
    usage: 'inlet backup check [--from FOLDER]   (from: where backups are; without it INLET_BACKUP_TO)',
    summary: 'read every stored backup and its WAL again, and compare digests; exit code 1 if one is damaged',
    async runAlone(values, _words, config, terminal) {
      const { place } = await openPlace(values, config())
      const progress = printByteProgress(terminal.stderr)
      const { manifests, unreadable } = await readStored(place)
      const read: Check[] = []
      for (const manifest of manifests) read.push(await checkBackup(place, manifest, progress))
      for (const id of new Set(manifests.map((manifest) => manifest.id))) {
        const { files, problem } = await checkArchives(place, id)
        if (files > 0) read.push({ name: `archive files of ${id}`, pieces: files, walSegments: 0, problem })
      }
      const failed = [...read, ...unreadable.filter(({ locked }) => !locked)].some(
        ({ problem }) => problem !== null,
      )
      const checks: Check[] = [
        ...unreadable.map(({ name, problem }) => ({ name, problem, pieces: 0, walSegments: 0 })),
        ...read,
      ]
      return {
        json: { backups: checks, healthy: !failed },
        text:
          checks.length === 0
            ? 'No complete backup is stored there.'
            : table(
                ['backup', 'files', 'WAL after it', 'problem'],
                checks.map(({ name, pieces, walSegments, problem }) => [name, pieces, walSegments, problem]),
              ),
        failed: failed || read.length === 0,
      }
    },
  },
}

export const notEmbedded = (): OperatorProblem =>
  new OperatorProblem(
    'DATABASE_URL names a PostgreSQL of its own, which "inlet backup" does not copy: back it up as docs/backup.md says under "A PostgreSQL of your own".',
  )

/** Where backups are: the option, else the setting. */
function placeOf(values: Values, name: string, { backup }: Config): string {
  const place = optional(values, name) ?? backup?.to
  if (!place) throw new OperatorProblem(`Say where backups are: --${name} FOLDER, or INLET_BACKUP_TO.`)
  return place
}

/**
 * Where backups are, and the keys that open them. A missing key is never created here: it could open nothing. A restore needs
 * the keys again at its end, hours later: they are read only once.
 */
export async function openPlace(
  values: Values,
  config: Config,
): Promise<{ place: BackupPlace; keys: MasterKeys }> {
  const destination = await openDestination(placeOf(values, 'from', config), environmentOfOthers())
  const keys = await readMasterKeys({ ...config, production: true })
  return { place: { destination, vault: createVault(keys.current, keys.old) }, keys }
}

type Taken = Awaited<ReturnType<typeof takeBackup>>

const storedBytes = ({ pieces }: Manifest): number => pieces.reduce((sum, { bytes }) => sum + bytes, 0)

const recordOf = (manifest: Manifest) => ({
  name: manifest.name,
  installation: manifest.id,
  began_at: manifest.beganAt,
  ended_at: manifest.endedAt,
  bytes: manifest.bytes,
  stored_bytes: storedBytes(manifest),
  inlet: manifest.inlet,
  postgres: manifest.postgres,
  migration: manifest.migration,
  start_lsn: manifest.startLsn,
  stop_lsn: manifest.stopLsn,
})

const tableOf = (manifests: readonly Manifest[]) =>
  table(
    ['backup', 'installation', 'ended at', 'MB', 'MB stored', 'Inlet', 'PostgreSQL'],
    manifests.map((manifest) => [
      manifest.name,
      manifest.id,
      manifest.endedAt,
      (manifest.bytes / 1e6).toFixed(1),
      (storedBytes(manifest) / 1e6).toFixed(1),
      manifest.inlet,
      manifest.postgres,
    ]),
  )

const doneText = ({ manifest, deleted, warnings }: Taken, archives: number): string =>
  [
    `Backup ${manifest.name}: ${(manifest.bytes / 1e6).toFixed(1)} MB in ${manifest.files} files, stored as ${(storedBytes(manifest) / 1e6).toFixed(1)} MB and read back.`,
    ...(archives > 0 ? [`Archive files that belong to it: ${archives}.`] : []),
    ...(deleted > 0 ? [`Deleted ${deleted} files that are no longer needed.`] : []),
    ...warnings,
    'It opens with the master key only: keep that elsewhere.',
  ].join('\n')
