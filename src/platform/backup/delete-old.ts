/** Deletes what retention no longer keeps, of one installation only: the others at the same place are not ours to judge. */
import { type BackupPlace, byNameDown, readBackups } from './backup-set.ts'
import { namesToDelete } from './retention.ts'
import { positionOf, segmentAt, segmentName } from './wal-position.ts'

/** Answers how many files are gone. Every backup that counts has been read back, so the newer ones may replace the older. */
export async function deleteOld(place: BackupPlace, id: string, keep: number): Promise<number> {
  const { manifests, locked } = await readBackups(place, id)
  const complete = [
    ...manifests.map(({ name, startLsn, timeline, segmentBytes }) => {
      const line = { timeline, segmentBytes: BigInt(segmentBytes) }
      return { name, firstSegment: segmentName(segmentAt(positionOf(startLsn), line), line) }
    }),
    ...locked.map(({ name }) => ({ name, firstSegment: null })),
  ].sort(byNameDown)
  const stored = (await place.destination.list(`${id}/`)).map((name) => name.slice(id.length + 1))
  const gone = namesToDelete(stored, complete, { keep })
  for (const name of gone) await place.destination.delete(`${id}/${name}`)
  await place.destination.tidy?.()
  return gone.length
}
