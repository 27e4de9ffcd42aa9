/** Reads a stored backup again, with the WAL that follows it: every digest, and every block that can be decrypted. */
import { OperatorProblem } from '../operator-problem.ts'
import { type BackupPlace, checkPiece, type Manifest, walFolder } from './backup-set.ts'
import { opened } from './sealed-stream.ts'
import { storedWal } from './stored-wal.ts'
import { chainOf, partName, positionOf, segmentAt, segmentName } from './wal-position.ts'

export type Check = { name: string; pieces: number; walSegments: number; problem: string | null }
type Progress = (done: { phase: string; bytes: number; total: number }) => void

export async function checkBackup(
  place: BackupPlace,
  manifest: Manifest,
  progress?: Progress,
): Promise<Check> {
  const { name, pieces } = manifest
  let walSegments = 0
  const check = (problem: string | null): Check => ({ name, pieces: pieces.length, walSegments, problem })
  const total = pieces.reduce((sum, { bytes }) => sum + bytes, 0)
  let bytes = 0
  try {
    for (const piece of pieces) {
      await checkPiece(place.destination, piece)
      for await (const _chunk of opened(place.vault, piece.name, place.destination.get(piece.name)));
      bytes += piece.bytes
      progress?.({ phase: 'checking', bytes, total })
    }
    for (const parts of await walAfter(place, manifest)) {
      for (const part of parts)
        for await (const _chunk of opened(place.vault, part, place.destination.get(part)));
      walSegments++
    }
    return check(null)
  } catch (error) {
    if (error instanceof OperatorProblem) return check(error.message)
    throw error
  }
}

/** The names of the parts of each segment behind a backup, as far as they follow each other. */
async function walAfter(place: BackupPlace, manifest: Manifest): Promise<string[][]> {
  const line = { timeline: manifest.timeline, segmentBytes: BigInt(manifest.segmentBytes) }
  const stored = await storedWal(place, manifest.id)
  const names: string[][] = []
  for (let segment = segmentAt(positionOf(manifest.stopLsn) - 1n, line) + 1n; ; segment++) {
    const chain = chainOf(stored.get(segmentName(segment, line)) ?? [])
    if (chain.length === 0) return names
    names.push(chain.map((part) => walFolder(manifest.id) + partName(part)))
    if (chain[0]!.to !== null) return names
  }
}
