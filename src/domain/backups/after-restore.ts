/**
 * Merchants may have seen events, and customers references, that a restored database no longer has. So it skips all numbers that
 * may already be in use, once, before it serves anybody. Sessions and links of that moment end, because they may have been ended or
 * used since.
 */
import type { Db, Queryable } from '../../platform/db.ts'
import { referenceSpace } from '../deposits/reference.ts'
import { endEveryLink } from '../people/links/store.ts'
import { endEverySession } from '../people/session-store.ts'
import { forgetBackups, listDueCallbacks, listLastEvents, skipEventNumbers, skipReferences } from './store.ts'

export const prepareRestored = (owner: Db): Promise<void> =>
  owner.transaction(
    async (tx) => {
      await skipEventNumbers(tx)
      await skipReferences(tx, referenceSpace / 2)
      await endEverySession(tx)
      await endEveryLink(tx)
      await forgetBackups(tx)
    },
    { statementMs: 600_000 },
  )

export type RestoreReport = Awaited<ReturnType<typeof reportRestore>>

const maxListed = 100_000

/** What the operator must know: callbacks that may be sent twice, and the last event of each merchant. */
export const reportRestore = async (db: Queryable) => ({
  due: await listDueCallbacks(db, maxListed),
  last_events: await listLastEvents(db),
})
