/**
 * The backups of a destination. Each installation has a folder there, named by the id of its cluster: a restored cluster has
 * another id, so that its WAL never mixes with that of the one it came from.
 *
 *   <id>/base/<name>/000001 …     pieces of a full backup
 *   <id>/base/<name>/manifest     written last, after every piece was read back: without it the backup does not count
 *   <id>/wal/<segment>            a whole segment, or the bytes of one from one place up to another
 */
import { createHash } from 'node:crypto'
import { OperatorProblem } from '../operator-problem.ts'
import type { Destination } from './destination.ts'
import { isManifest } from './retention.ts'
import { type BackupKeys, type Bytes, OtherMasterKey, opened, sealed } from './sealed-stream.ts'

export type Piece = { name: string; bytes: number; sha256: string }

export type Manifest = {
  format: 1
  name: string
  id: string
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

/** Newest first. `locked`: complete ones that only another master key opens, as before it was changed. */
type StoredBackups = { manifests: Manifest[]; locked: { id: string; name: string }[] }

/** Every complete backup of one installation, or of all that the destination has. */
export async function readBackups(place: BackupPlace, id?: string): Promise<StoredBackups> {
  const manifests: Manifest[] = []
  const locked: StoredBackups['locked'] = []
  for (const file of (await place.destination.list(id ? `${id}/base/` : '')).filter(isManifest)) {
    try {
      manifests.push(await readManifest(place, file))
    } catch (error) {
      if (!(error instanceof OtherMasterKey)) throw error
      const [installation = '', , name = ''] = file.split('/')
      locked.push({ id: installation, name })
    }
  }
  manifests.sort((one, other) => (one.endedAt < other.endedAt ? 1 : -1))
  return { manifests, locked: locked.sort(byNameDown) }
}

/** A name begins with its time. */
export const byNameDown = (one: { name: string }, other: { name: string }): number =>
  one.name < other.name ? 1 : -1

/** Those that the keys open which are set. Where there are only others, that is said. */
export async function readManifests(place: BackupPlace, id?: string): Promise<Manifest[]> {
  const { manifests, locked } = await readBackups(place, id)
  if (manifests.length === 0 && locked[0]) throw new OtherMasterKey(manifestName(locked[0]))
  return manifests
}

const manifestBytes = 64 * 1024 * 1024

async function readManifest({ destination, vault }: BackupPlace, name: string): Promise<Manifest> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of opened(vault, name, destination.get(name))) {
    parts.push(part)
    bytes += part.length
    if (bytes > manifestBytes)
      throw new OperatorProblem(`The backup's file ${name} is too large to be a manifest.`)
  }
  const manifest = JSON.parse(Buffer.concat(parts).toString()) as Manifest
  if (manifest.format !== 1)
    throw new OperatorProblem(`The backup ${name} was made by a newer Inlet; restore it with that one.`)
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
