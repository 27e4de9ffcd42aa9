/** Deletes what retention no longer keeps, of one installation only: the others at the same place are not ours to judge. */
import { OperatorProblem, reasonOf } from '../operator-problem.ts'
import { type BackupPlace, readManifests } from './backup-set.ts'
import { groupsToDelete } from './retention.ts'
import { positionOf, segmentAt, segmentName } from './wal-position.ts'

/**
 * How many files were deleted, and why not more. A store that forbids deletes, for some days or forever, must not make a
 * backup fail that is already stored.
 */
type Deleted = { deleted: number; problem: string | null }

/** Every backup that counts has been read back, so the newer ones may replace the older. */
export async function deleteOld(place: BackupPlace, id: string, keep: number): Promise<Deleted> {
  const done: Deleted = { deleted: 0, problem: null }
  const noteProblem = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      done.problem ??= error instanceof OperatorProblem ? error.message : reasonOf(error)
      return false
    }
  }
  await noteProblem(async () => {
    const complete = (await readManifests(place, id)).map((manifest) => {
      const line = { timeline: manifest.timeline, segmentBytes: BigInt(manifest.segmentBytes) }
      const firstSegment = segmentName(segmentAt(positionOf(manifest.startLsn), line), line)
      return { name: manifest.name, key: manifest.key, firstSegment }
    })
    const stored = (await place.destination.list(`${id}/`)).map((name) => name.slice(id.length + 1))
    for (const group of groupsToDelete(stored, complete, { keep }))
      for (const name of group) {
        // The names that follow are newer, or are needed as long as this one exists.
        if (!(await noteProblem(() => place.destination.delete(`${id}/${name}`)))) break
        done.deleted += 1
      }
    await place.destination.tidy?.()
  })
  return done
}
