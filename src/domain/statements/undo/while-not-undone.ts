/** The rows of a file are taken only while nobody undoes its import: each group looks, and holds it until its end. */
import type { Db } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { message } from '../../messages/message.ts'
import { holdStatement } from './store.ts'

export const whileNotUndone = (db: Db, statementId: string): Db => ({
  ...db,
  get pool() {
    return db.pool
  },
  transaction: (work, timeouts) =>
    db.transaction(async (tx) => {
      if (!(await holdStatement(tx, statementId)))
        throw new Refusal('state_conflict', { detail: message('import_is_being_undone') })
      return work(tx)
    }, timeouts),
})
