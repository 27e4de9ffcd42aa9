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

/** One item that the person has taken, and others that nobody else works on. */
export function claimOfSeveral(visit: KnownVisit, item: string, others: readonly string[]): Claim {
  const { id } = visit.visitor.person
  const own = claimOf(visit, item)
  return {
    async hold(tx) {
      await own.hold(tx)
      for (const other of others) {
        const holder = await lockClaim(tx, other)
        if (holder && holder.personId !== id)
          throw new Refusal('state_conflict', { detail: caseWords[visit.language].takenBy(holder.name) })
      }
    },
    async release(tx) {
      for (const one of [item, ...others]) await dropClaim(tx, one, id)
    },
  }
}
