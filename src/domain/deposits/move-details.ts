/**
 * Moves the details of old closed deposits out of their rows, in small groups: each is one transaction, and what was not
 * moved is moved the next time. It needs the owner's login, because the runtime login may not delete history.
 */

import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { makePartition } from '../../platform/partitions.ts'
import { holdArchives } from './archive-store.ts'
import { chunkRangeOf, findMonthToMove, lockDepositsToMove, moveDetails } from './details-store.ts'

export const hasOldDetails = async (db: Db, days: number): Promise<boolean> =>
  (await findMonthToMove(db, days)) !== undefined

/** As many groups as one run may move; returns the number of deposits. `days`: how long they have been closed. */
export async function moveOldDetails(owner: Db, days: number): Promise<number> {
  let moved = 0
  for (let group = 0; group < bounds.detailGroups; group++) {
    const month = await findMonthToMove(owner, days)
    if (month === undefined) break
    await makePartition(owner, 'deposit_details', { suffix: `${month}`, ...chunkRangeOf(month) })
    moved += await owner.transaction(async (tx) => {
      await holdArchives(tx)
      const ids = await lockDepositsToMove(tx, { month, days, limit: bounds.detailGroup })
      if (ids.length > 0) await moveDetails(tx, month, ids)
      return ids.length
    })
  }
  return moved
}
