/** Files of archived months in backups, and in a restored data folder. */
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ArchiveFile, fetchArchive } from '../../platform/backup/archive-copies.ts'
import type { BackupPlace } from '../../platform/backup/backup-set.ts'
import type { Db, Queryable } from '../../platform/db.ts'
import { type Archive, listArchives, moveArchive } from '../deposits/archive-store.ts'

/** Files whose months are no longer in the database, or may be dropped from it at any moment. */
const listWritten = async (db: Queryable): Promise<Archive[]> =>
  (await listArchives(db)).filter(({ state }) => state !== 'writing')

export const fileOf = ({ folder, file, digest }: Archive): ArchiveFile => ({
  path: join(folder, file),
  sha256: digest!.toString('hex'),
})

export const listArchiveFiles = async (db: Queryable): Promise<ArchiveFile[]> =>
  (await listWritten(db)).map(fileOf)

/**
 * Fetches every file that a restored database needs into a folder of its own: the one that it names may be that of the old
 * installation, or of a machine that is gone. Returns the files that no backup has; for these the database keeps the old
 * path.
 */
export async function restoreArchives(
  owner: Db,
  { place, id, folder }: { place: BackupPlace; id: string; folder: string },
): Promise<{ fetched: number; missing: Archive[] }> {
  const archives = await listWritten(owner)
  if (archives.length > 0) await mkdir(folder, { recursive: true, mode: 0o700 })
  const missing: Archive[] = []
  for (const archive of archives)
    if (await fetchArchive(place, id, fileOf({ ...archive, folder })))
      await moveArchive(owner, archive.file, folder)
    else missing.push(archive)
  return { fetched: archives.length - missing.length, missing }
}

/** Files that the database names, and that are missing or have another length. */
export async function findMissingArchives(db: Queryable): Promise<Archive[]> {
  const missing: Archive[] = []
  for (const archive of await listWritten(db)) {
    const found = await stat(fileOf(archive).path).catch(() => undefined)
    if (!found?.isFile() || BigInt(found.size) !== archive.bytes) missing.push(archive)
  }
  return missing
}
