/** An act and what surrounds it are one transaction: all of it happens, or nothing. */
import type { Db, Timeouts, Tx } from '../../platform/db.ts'
import type { AuditDraft } from './audit.ts'
import { appendAudit } from './store.ts'

/** What a caller adds to the transaction of an act, in the order in which it happens. */
export type Hooks<Result = unknown> = {
  /** Refuses what may not happen. */
  check?: ((tx: Tx) => Promise<void>) | undefined
  /** The item of work that whoever acts must hold: held before the act, released after it. */
  claim?: Claim
  /** The line of the audit record, written last. It may tell of the result. */
  audit?: AuditDraft | ((result: Result) => AuditDraft)
}

export type Claim = { hold: (tx: Tx) => Promise<void>; release: (tx: Tx) => Promise<void> }

export const perform = <Result>(
  db: Db,
  hooks: (Hooks<Result> & { timeouts?: Timeouts | undefined }) | undefined,
  act: (tx: Tx) => Promise<Result>,
): Promise<Result> => {
  const { check, claim, audit, timeouts } = hooks ?? {}
  return db.transaction(async (tx) => {
    await check?.(tx)
    await claim?.hold(tx)
    const result = await act(tx)
    await claim?.release(tx)
    if (audit) await appendAudit(tx, typeof audit === 'function' ? audit(result) : audit)
    return result
  }, timeouts)
}
