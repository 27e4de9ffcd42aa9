/**
 * Only the person who has taken an item may act on it. This is checked, and the item released, in the transaction of
 * the act.
 */

import type { Claim } from '../../../domain/audit/perform.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { caseWords } from '../case-words.ts'
import { dropClaim, lockClaim } from './claims/store.ts'

export function claimOf({ visitor, language }: KnownVisit, item: string): Claim {
  const { id } = visitor.person
  return {
    async hold(tx) {
      const holder = await lockClaim(tx, item)
      if (holder?.personId === id) return
      const { takenBy, takeFirst } = caseWords[language]
      throw new Refusal('state_conflict', { detail: holder ? takenBy(holder.name) : takeFirst })
    },
    release: (tx) => dropClaim(tx, item, id),
  }
}
