/**
 * Files that belong to the database and are not in it: months of history that "inlet archive" has written. A file never changes, so
 * it is stored once for each master key, named by its digest, and not with every full backup:
 *
 *   <id>/archive/<SHA-256 of the file>.<id of the key>
 *
 * A restored database names the files that it needs.
 */
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { codeOf, OperatorProblem } from '../operator-problem.ts'
import { type BackupPlace, checkPiece, measured } from './backup-set.ts'
import { type Bytes, opened, sealed, Unreadable } from './sealed-stream.ts'

export type ArchiveFile = { path: string; sha256: string }

const archiveFolder = (id: string): string => `${id}/archive/`

const nameOf = ({ vault }: BackupPlace, id: string, sha256: string): string =>
  `${archiveFolder(id)}${sha256}.${vault.current.id}`

/** The key of a stored file, by its name. */
const keyOfArchive = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/** Stores the files that are not stored yet, and reads them back. Returns the ones that have changed since they were written. */
export async function storeArchives(
  place: BackupPlace,
  id: string,
  files: readonly ArchiveFile[],
): Promise<ArchiveFile[]> {
  if (files.length === 0) return []
  const stored = new Set(await place.destination.list(archiveFolder(id)))
  const missing: ArchiveFile[] = []
  for (const file of files) {
    const name = nameOf(place, id, file.sha256)
    if (stored.has(name)) continue
    if (await isWhole(file)) await store(place, name, file)
    else missing.push(file)
  }
  return missing
}

async function isWhole({ path, sha256 }: ArchiveFile): Promise<boolean> {
  const isThere = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isThere) return false
  const { bytes, result } = measured(createReadStream(path) as Bytes)
  try {
    for await (const _chunk of bytes);
  } catch (error) {
    if (codeOf(error)) return false
    throw error
  }
  return result().sha256 === sha256
}

async function store(
  { destination, vault }: BackupPlace,
  name: string,
  { path }: ArchiveFile,
): Promise<void> {
  const { bytes, result } = measured(sealed(vault, name, createReadStream(path) as Bytes))
  await destination.put(name, bytes)
  await checkPiece(destination, { name, ...result() })
}

/** Writes a stored file to a path, whole or not at all. False: it is not stored, or only under a key that is not given. */
export async function fetchArchive(place: BackupPlace, id: string, file: ArchiveFile): Promise<boolean> {
  const keys = [place.vault.current, place.vault.old].flatMap((key) => key?.id ?? [])
  const stored = await place.destination.list(`${archiveFolder(id)}${file.sha256}.`)
  const name = stored.find((one) => keys.includes(keyOfArchive(one)))
  if (!name) return false
  const part = `${file.path}.part`
  const handle = await open(part, 'wx', 0o600)
  try {
    const { bytes, result } = measured(opened(place.vault, name, place.destination.get(name)))
    for await (const chunk of bytes) await handle.writeFile(chunk)
    if (result().sha256 !== file.sha256) throw otherContent(name)
    await handle.sync()
    await rename(part, file.path)
  } finally {
    await handle.close()
    await rm(part, { force: true })
  }
  return true
}

/** What is wrong with the stored files of an installation, those of keys that are not given left out. */
export async function checkArchives(
  { destination, vault }: BackupPlace,
  id: string,
): Promise<{ files: number; problem: string | null }> {
  const keys = [vault.current, vault.old].flatMap((key) => key?.id ?? [])
  const names = (await destination.list(archiveFolder(id))).filter((name) =>
    keys.includes(keyOfArchive(name)),
  )
  try {
    for (const name of names) {
      const { bytes, result } = measured(opened(vault, name, destination.get(name)))
      for await (const _chunk of bytes);
      if (!name.startsWith(`${archiveFolder(id)}${result().sha256}.`)) throw otherContent(name)
    }
    return { files: names.length, problem: null }
  } catch (error) {
    if (error instanceof OperatorProblem) return { files: names.length, problem: error.message }
    throw error
  }
}

const otherContent = (name: string): OperatorProblem =>
  new Unreadable(`The backup's file ${name} is damaged (its content is not what its name says).`)
