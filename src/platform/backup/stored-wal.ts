/** Which WAL of a cluster is stored. */
import { type BackupPlace, type Manifest, walFolder } from './backup-set.ts'
import { chainOf, positionOf, readPartName, segmentAt, segmentName, type WalPart } from './wal-position.ts'

/** By segment: whole, or in parts. */
export async function storedWal({ destination }: BackupPlace, id: string): Promise<Map<string, WalPart[]>> {
  const stored = new Map<string, WalPart[]>()
  for (const name of await destination.list(walFolder(id))) {
    const part = readPartName(name.slice(walFolder(id).length))
    if (part) stored.set(part.segment, [...(stored.get(part.segment) ?? []), part])
  }
  return stored
}

/** Up to where WAL follows a full backup without a gap. */
export async function storedUntil(place: BackupPlace, manifest: Manifest): Promise<bigint> {
  const line = { timeline: manifest.timeline, segmentBytes: BigInt(manifest.segmentBytes) }
  const stored = await storedWal(place, manifest.id)
  for (let segment = segmentAt(positionOf(manifest.stopLsn) - 1n, line) + 1n; ; segment++) {
    const last = chainOf(stored.get(segmentName(segment, line)) ?? []).at(-1)
    if (last?.to === null) continue
    const end = segment * line.segmentBytes + BigInt(last?.to ?? 0)
    return end
  }
}
