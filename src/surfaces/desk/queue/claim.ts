/**
 * Only the person who has taken an item may act on it. This is checked, and the item released, in the transaction of
 * the act.
 */

import type { Claim } from '../../../domain/audit/perform.ts'
import { dropClaim, lockClaim } from '../../../domain/people/claim-store.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { KnownVisit } from '../../staff/guarded-routes.ts'
import { caseWords } from '../case-words.ts'

/** `others`: items that nobody else works on. */
export function claimOf(
  { visitor, language }: KnownVisit,
  item: string,
  others: readonly string[] = [],
): Claim {
  const { id } = visitor.person
  return {
    async hold(tx) {
      for (const one of [item, ...others]) {
        const holder = await lockClaim(tx, one)
        if (holder ? holder.personId === id : one !== item) continue
        const { takenBy, takeFirst } = caseWords[language]
        throw new Refusal('state_conflict', { detail: holder ? takenBy(holder.name) : takeFirst })
      }
    },
    async release(tx) {
      for (const one of [item, ...others]) await dropClaim(tx, one, id)
    },
  }
}
