/**
 * The backups of a destination. Each installation has a folder there, named by the id of its cluster: a restored cluster has
 * another id, so that its WAL never mixes with that of the one it came from.
 *
 *   <id>/base/<name>/000001 …     pieces of a full backup
 *   <id>/base/<name>/manifest     written last, after every piece was read back: without it the backup does not count
 *   <id>/wal/<segment>            a whole segment, or the bytes of one from one place up to another
 *   <id>/archive/<digest>.<key>   a file of an archived month
 */
import { createHash } from 'node:crypto'
import { OperatorProblem } from '../operator-problem.ts'
import type { Destination } from './destination.ts'
import { isManifest } from './retention.ts'
import { type BackupKeys, type Bytes, OtherMasterKey, opened, sealed, Unreadable } from './sealed-stream.ts'

export type Piece = { name: string; bytes: number; sha256: string }

export type Manifest = {
  format: 1
  name: string
  id: string
  /** The master key that it is stored under; not known of those that were made before this was noted. */
  key?: string
  beganAt: string
  endedAt: string
  startLsn: string
  stopLsn: string
  timeline: number
  segmentBytes: number
  postgres: number
  inlet: string
  migration: string
  files: number
  bytes: number
  pieces: Piece[]
  backupLabel: string
  tablespaceMap: string
  passwords: { superuser: string; owner: string; runtime: string }
}

export type BackupPlace = { destination: Destination; vault: BackupKeys }

export const baseFolder = ({ id, name }: Pick<Manifest, 'id' | 'name'>): string => `${id}/base/${name}`
const manifestName = (backup: Pick<Manifest, 'id' | 'name'>): string => `${baseFolder(backup)}/manifest`
export const walFolder = (id: string): string => `${id}/wal/`

export async function writeManifest({ destination, vault }: BackupPlace, manifest: Manifest): Promise<void> {
  const name = manifestName(manifest)
  await destination.put(name, sealed(vault, name, one(Buffer.from(JSON.stringify(manifest)))))
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** `locked`: undamaged, but under another master key. */
type UnreadableBackup = { id: string; name: string; problem: string; locked: boolean }
export type Stored = { manifests: Manifest[]; unreadable: UnreadableBackup[] }

/**
 * Every complete backup, newest first; of one installation, or of all in the destination. One that cannot be read, such as
 * one of an earlier master key, must not hide the others.
 */
export async function readStored(place: BackupPlace, id?: string): Promise<Stored> {
  const names = (await place.destination.list(id ? `${id}/base/` : '')).filter(isManifest)
  const stored: Stored = { manifests: [], unreadable: [] }
  for (const name of names)
    try {
      stored.manifests.push(await readManifest(place, name))
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      stored.unreadable.push({
        id: name.split('/')[0]!,
        name: name.split('/').at(-2)!,
        problem: error.message,
        locked: error instanceof OtherMasterKey,
      })
    }
  stored.manifests.sort((one, other) => (one.endedAt < other.endedAt ? 1 : -1))
  return stored
}

export const readManifests = async (place: BackupPlace, id?: string): Promise<Manifest[]> =>
  (await readStored(place, id)).manifests

const manifestBytes = 64 * 1024 * 1024

async function readManifest({ destination, vault }: BackupPlace, name: string): Promise<Manifest> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of opened(vault, name, destination.get(name))) {
    parts.push(part)
    bytes += part.length
    if (bytes > manifestBytes)
      throw new Unreadable(`The backup's file ${name} is too large to be a manifest.`)
  }
  const manifest = JSON.parse(Buffer.concat(parts).toString()) as Manifest
  if (manifest.format !== 1)
    throw new Unreadable(`The backup ${name} was made by a newer Inlet; restore it with that one.`)
  return manifest
}

/** Passes bytes on and counts them. */
export function measured(bytes: Bytes): { bytes: Bytes; result: () => { bytes: number; sha256: string } } {
  const digest = createHash('sha256')
  let count = 0
  async function* pass(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      digest.update(chunk)
      count += chunk.length
      yield chunk
    }
  }
  return { bytes: pass(), result: () => ({ bytes: count, sha256: digest.digest('hex') }) }
}

/** Reads a stored piece again and compares it with what was sent there. */
export async function checkPiece(destination: Destination, { name, bytes, sha256 }: Piece): Promise<void> {
  const { bytes: read, result } = measured(destination.get(name))
  for await (const _chunk of read);
  const found = result()
  if (found.bytes !== bytes || found.sha256 !== sha256)
    throw new OperatorProblem(
      `The backup's file ${name} is not what was stored (${found.bytes} bytes instead of ${bytes}, or another digest); restore from another backup ("inlet backup list").`,
    )
}
