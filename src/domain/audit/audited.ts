/** A person's act and its line in the audit record are one transaction, whichever verb does the act. */
import type { Db } from '../../platform/db.ts'
import type { AuditDraft } from './audit.ts'
import { appendAudit } from './store.ts'

/**
 * The same database, whose next transaction ends with this line. The result of the act may be told in it, so a draft
 * may wait for it.
 */
export const audited = <Result>(db: Db, draft: AuditDraft | ((result: Result) => AuditDraft)): Db => ({
  ...db,
  get pool() {
    return db.pool
  },
  transaction: (work, timeouts) =>
    db.transaction(async (tx) => {
      const result = await work(tx)
      await appendAudit(tx, typeof draft === 'function' ? draft(result as unknown as Result) : draft)
      return result
    }, timeouts),
})
