/** Files of archived months, which belong to the database and are not in it: in backups, and in a restored data folder. */
import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupFolder, type Bytes, get, list, store } from '../../platform/backup/backup-folder.ts'
import type { Db, Queryable } from '../../platform/db.ts'
import { type Archive, listArchives, moveArchive } from '../deposits/archive-store.ts'

/** Files whose months are no longer in the database, or may be dropped from it at any moment. */
export const listWritten = async (db: Queryable): Promise<Archive[]> =>
  (await listArchives(db)).filter(({ state }) => state !== 'writing')

const pathOf = ({ folder, file }: Archive): string => join(folder, file)
const contentOf = ({ bytes, digest }: Archive) => ({ bytes: Number(bytes), sha256: digest!.toString('hex') })

/** Stores the files that are not stored yet, and reads them back. Returns those that are missing or have changed. */
export async function storeArchives(
  backups: BackupFolder,
  id: string,
  archives: readonly Archive[],
): Promise<string[]> {
  const stored = await list(backups, `${id}/archive`)
  const missing: string[] = []
  for (const archive of archives) {
    const { sha256 } = contentOf(archive)
    if (stored.includes(`${sha256}.${backups.keys.current.id}`)) continue
    const name = `${id}/archive/${sha256}.${backups.keys.current.id}`
    const file = await open(pathOf(archive)).catch(() => undefined)
    const content = file && (await store(backups, name, file.createReadStream() as Bytes))
    if (content?.sha256 === sha256) continue
    missing.push(pathOf(archive))
    await rm(join(backups.root, name), { force: true })
  }
  return missing
}

/**
 * Fetches every file that a restored database needs into a folder of its own: the one that it names may be that of the old
 * installation, or of a machine that is gone. For a file that no backup has, the database keeps the old path.
 */
export async function restoreArchives(
  owner: Db,
  { backups, id, folder }: { backups: BackupFolder; id: string; folder: string },
): Promise<void> {
  const keys = [backups.keys.current, backups.keys.old].flatMap((key) => key?.id ?? [])
  const stored = await list(backups, `${id}/archive`)
  for (const archive of await listWritten(owner)) {
    const content = contentOf(archive)
    const name = keys.map((key) => `${content.sha256}.${key}`).find((one) => stored.includes(one))
    if (!name) continue
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(join(folder, archive.file), get(backups, `${id}/archive/${name}`, content), {
      mode: 0o600,
      flush: true,
    })
    await moveArchive(owner, archive.file, folder)
  }
}

/** Files that the database names, and that are missing or have another length. */
export async function findMissingArchives(db: Queryable): Promise<Archive[]> {
  const missing: Archive[] = []
  for (const archive of await listWritten(db)) {
    const found = await stat(pathOf(archive)).catch(() => undefined)
    if (!found?.isFile() || BigInt(found.size) !== archive.bytes) missing.push(archive)
  }
  return missing
}
