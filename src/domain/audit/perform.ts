/** Performs an act, its checks and its audit entry in one transaction. */
import { isDeepStrictEqual } from 'node:util'
import type { Db, Timeouts, Tx } from '../../platform/db.ts'
import type { AuditDraft } from './audit.ts'
import { appendAudit } from './store.ts'

/** What a caller adds to the transaction of an act, in the order in which it happens. */
export type Hooks<Result = unknown> = {
  /** Refuses what may not happen. */
  check?: ((tx: Tx) => Promise<void>) | undefined
  /** The audit entry, written last. It may contain the result; null is none. */
  audit?: AuditDraft | ((result: Result) => AuditDraft | null)
}

export const perform = <Result>(
  db: Db,
  hooks: (Hooks<Result> & { timeouts?: Timeouts | undefined }) | undefined,
  act: (tx: Tx) => Promise<Result>,
): Promise<Result> => {
  const { check, audit, timeouts } = hooks ?? {}
  return db.transaction(async (tx) => {
    await check?.(tx)
    const result = await act(tx)
    const draft = typeof audit === 'function' ? audit(result) : audit
    if (draft) await appendAudit(tx, draft)
    return result
  }, timeouts)
}

/** No entry for settings that were saved as they were: entries raise alarms, and too many of them hide others. */
export const ifChanged = (draft: AuditDraft): AuditDraft | null =>
  isDeepStrictEqual(draft.before, draft.after) ? null : draft
