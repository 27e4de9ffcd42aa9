/** An act on an item is for who has taken it: asked and let go in the act's own transaction. */

import type { Db } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { dropClaim, lockClaim } from './claims/store.ts'

/** The same database, whose transactions begin by asking who holds the item, and end by letting it go. */
export const holding = (
  db: Db,
  { item, personId, words }: { item: string; personId: string; words: HoldingWords },
): Db => ({
  ...db,
  get pool() {
    return db.pool
  },
  transaction: (work, timeouts) =>
    db.transaction(async (tx) => {
      const holder = await lockClaim(tx, item)
      if (holder?.personId !== personId)
        throw new Refusal('state_conflict', {
          detail: holder ? words.takenBy(holder.name) : words.takeFirst,
        })
      const result = await work(tx)
      await dropClaim(tx, item, personId)
      return result
    }, timeouts),
})

export type HoldingWords = { takenBy: (name: string) => string; takeFirst: string }
