/**
 * A cluster whose files were set back to an earlier state, as by a snapshot of its machine, goes on under the same id and timeline:
 * what it writes has the names of what it wrote before, and is something else. Stored together they could not be restored.
 */
import { OperatorProblem } from '../operator-problem.ts'
import { type BackupPlace, walFolder } from './backup-set.ts'
import { positionOf, readPartName, segmentAt, segmentName, type WalLine } from './wal-position.ts'

/**
 * Only WAL on the disk is ever stored. The end of the WAL on the disk is read after the stored position, because another
 * process may be copying.
 */
export async function refuseSetBack(
  { destination }: BackupPlace,
  id: string,
  line: WalLine,
  readFlushed: () => Promise<string>,
): Promise<void> {
  const stored = await destination.list(walFolder(id))
  const flushed = positionOf(await readFlushed())
  const current = segmentName(segmentAt(flushed, line), line)
  const written = Number(flushed % line.segmentBytes)
  const isAhead = (name: string): boolean => {
    const part = readPartName(name.slice(walFolder(id).length))
    if (part?.segment.slice(0, 8) !== current.slice(0, 8) || part.segment < current) return false
    return part.segment > current || part.to === null || part.to > written
  }
  const ahead = stored.filter(isAhead).at(-1)
  if (ahead)
    throw new OperatorProblem(
      `The store has WAL that this cluster has not written (${ahead}): its files were set back to an earlier state, as by a snapshot. Move the folder ${id} of the store aside, so that backups begin again.`,
    )
}
