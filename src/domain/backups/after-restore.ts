/**
 * Merchants may have seen events, and customers references, that a restored database no longer has. So it skips all numbers that
 * may already be in use, once, before it serves anybody.
 */
import type { Db } from '../../platform/db.ts'
import { referenceSpace } from '../deposits/reference.ts'
import { addRestore, forgetBackups, jumpEventNumbers, jumpReferences } from './store.ts'

type RestoredFrom = { backup: string; until: Date | null; newestCommit: Date | null }

export const prepareRestored = (owner: Db, from: RestoredFrom): Promise<void> =>
  owner.transaction(
    async (tx) => {
      const restore = await addRestore(tx, from)
      await jumpEventNumbers(tx, restore)
      await jumpReferences(tx, referenceSpace / 2)
      await forgetBackups(tx)
    },
    { statementMs: 600_000 },
  )
