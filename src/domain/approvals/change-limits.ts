/**
 * Changes the limits of a receiving account or of one requisite. A stricter limit takes effect at once; a looser one, or
 * its removal, becomes a proposal that a second person decides. The hours after which a silent account raises an alarm
 * are no limit, and change at once.
 */

import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { appendAudit } from '../audit/store.ts'
import { message } from '../messages/message.ts'
import { refuseInvertedLimits } from '../requisites/add-requisite.ts'
import type { RequisiteLimits } from '../requisites/requisite.ts'
import { limitTargets } from './limit-targets.ts'
import {
  type AccountLimits,
  type Decider,
  type LimitedKind,
  type LimitValues,
  sortLimits,
} from './proposal.ts'
import { propose } from './propose.ts'

export type LimitsChanged = { isChanged: boolean; isProposed: boolean }

type Change<Limits> = { id: string; limits: Limits; by: Decider; reason: string }

export const changeAccountLimits = (
  db: Db,
  { silentHours, ...change }: Change<AccountLimits> & { silentHours: number | null },
): Promise<LimitsChanged> => changeLimits(db, 'account_limits', change, { silentHours })

export async function changeRequisiteLimits(db: Db, change: Change<RequisiteLimits>): Promise<LimitsChanged> {
  refuseInvertedLimits(change.limits)
  return changeLimits(db, 'requisite_limits', change)
}

async function changeLimits(
  db: Db,
  kind: LimitedKind,
  { id, limits, by, reason }: Change<LimitValues>,
  others: LimitValues = {},
): Promise<LimitsChanged> {
  const { target, lock, save } = limitTargets[kind]
  const { isChanged, looser } = await db.transaction(async (tx) => {
    const before = await lock(tx, id)
    const { stricter, looser } = sortLimits(before, limits)
    const after = {
      ...stricter,
      ...Object.fromEntries(Object.entries(others).filter(([name, value]) => value !== before[name])),
    }
    const names = Object.keys(after)
    if (names.length > 0) {
      await save(tx, id, after)
      await appendAudit(tx, {
        personId: by.personId,
        actor: by.email,
        act: kind,
        subject: `${target}:${id}`,
        reason,
        before: Object.fromEntries(names.map((name) => [name, before[name]])),
        after,
        requestId: by.requestId,
      })
    }
    return { isChanged: names.length > 0, looser }
  })
  const isProposed = Object.keys(looser).length > 0
  if (!isChanged && !isProposed) throw new Refusal('state_conflict', { detail: message('limits_unchanged') })
  // In its own transaction: the stricter limits stay even if the proposal is refused.
  if (isProposed) await propose(db, { change: { kind, id, limits: looser }, by, reason })
  return { isChanged, isProposed }
}
