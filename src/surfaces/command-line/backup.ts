/** `inlet backup …`: full backups of the embedded PostgreSQL, what is stored, and whether it can be read. */
import packageJson from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config.ts'
import { noteFull, noteFullProblem } from '../../domain/backups/store.ts'
import { beginArchiving, endArchiving } from '../../platform/backup/archived-wal.ts'
import { type BackupFolder, openBackups } from '../../platform/backup/backup-folder.ts'
import {
  deleteOld,
  type Manifest,
  readBackups,
  takeBackup,
  withBackupLock,
} from '../../platform/backup/take-backup.ts'
import { readMasterKeys } from '../../platform/master-key.ts'
import { OperatorProblem } from '../../platform/operator-problem.ts'
import { createVault } from '../../platform/vault.ts'
import type { Command, Values } from './command.ts'
import { optional, table } from './options.ts'
import { printByteProgress } from './progress.ts'

export const backupCommands: Record<string, Command> = {
  backup: {
    usage: 'inlet backup',
    summary: 'store a full, encrypted backup of the embedded PostgreSQL while it runs, and read it back',
    async run({ cluster, db, vault }, _values, _words, { backup }, terminal) {
      if (!cluster) throw notEmbedded()
      if (!backup) throw new OperatorProblem('Say where backups are: set INLET_BACKUP_TO.')
      try {
        const backups = await openBackups(backup.to, vault)
        return await withBackupLock(cluster, async (session) => {
          const isForThis = await beginArchiving(cluster)
          const progress = printByteProgress(terminal.stderr)
          const work = { backups, inlet: packageJson.version, progress }
          // Where no server keeps backups, nobody would take away what PostgreSQL goes on copying.
          const end = () => isForThis && endArchiving(cluster)
          const manifest = await takeBackup(cluster, work, session).finally(end)
          await noteFull(db, manifest)
          const deleted = await deleteOld(backups, manifest.id, backup.keep)
          const { name, bytes, storedBytes } = manifest
          const text = [
            `Backup ${name}: ${megabytes(bytes)} MB, stored as ${megabytes(storedBytes)} MB and read back.`,
            ...(deleted > 0
              ? [`Deleted backups and segments of WAL that are no longer needed: ${deleted}.`]
              : []),
            'It opens with the master key only: keep that elsewhere.',
          ]
          return { json: { ...recordOf(manifest), deleted }, text: text.join('\n') }
        })
      } catch (error) {
        if (error instanceof OperatorProblem)
          await noteFullProblem(db, `The full backup failed: ${error.message}`)
        throw error
      }
    },
  },
  'backup list': {
    usage: 'inlet backup list [--from FOLDER]   (from: where backups are; without it INLET_BACKUP_TO)',
    summary: 'stored full backups, newest first',
    async runAlone(values, _words, config) {
      const { manifests, problems } = await readBackups((await openPlace(values, config())).backups)
      const stored = manifests.map(recordOf)
      const columns = ['backup', 'installation', 'ended at', 'MB', 'MB stored', 'Inlet']
      const text =
        stored.length === 0
          ? 'No complete backup is stored there.'
          : table(columns, stored.map(Object.values))
      return { json: { backups: stored, problems }, text: [text, ...problems].join('\n') }
    },
  },
}

export const notEmbedded = (): OperatorProblem =>
  new OperatorProblem(
    'DATABASE_URL names a PostgreSQL of its own, which "inlet backup" does not copy: back it up as docs/operate.md says under "A PostgreSQL of your own".',
  )

/**
 * Where backups are, and the keys that open them. A missing key is never created here: it could open nothing. A restore needs
 * the keys again at its end, hours later: they are read only once.
 */
export async function openPlace(values: Values, config: Config) {
  const place = optional(values, 'from') ?? config.backup?.to
  if (!place) throw new OperatorProblem('Say where backups are: --from FOLDER, or INLET_BACKUP_TO.')
  const keys = await readMasterKeys({ ...config, production: true })
  return { backups: await openBackups(place, createVault(keys.current, keys.old)), keys }
}

type Choice = { installation?: string; name?: string | null; until?: Date | null }

/**
 * The newest backup that fits. The installation is never guessed: the wrong one would have the money of other shops. Recovery goes
 * forward only: the backup must have ended by `until`.
 */
export async function chooseBackup(
  backups: BackupFolder,
  { installation, name = null, until = null }: Choice,
): Promise<Manifest> {
  const { manifests, problems } = await readBackups(backups, installation)
  if (name === null && new Set(manifests.map(({ id }) => id)).size > 1)
    throw new OperatorProblem(
      'Backups of several installations are stored there. Name one with --backup NAME: see "inlet backup list".',
    )
  const fits = (one: Manifest) =>
    name === null ? until === null || new Date(one.endedAt) <= until : one.name === name
  const found = manifests.find(fits)
  if (found) return found
  throw new OperatorProblem(
    problems[0] ?? 'No complete backup that fits is stored there: see "inlet backup list".',
  )
}

const recordOf = ({ name, id, endedAt, bytes, storedBytes, inlet }: Manifest) => ({
  ...{ name, installation: id, ended_at: endedAt },
  ...{ mb: megabytes(bytes), stored_mb: megabytes(storedBytes), inlet },
})

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
