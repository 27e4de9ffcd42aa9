/**
 * The limits of a receiving account. What makes one tighter counts at once; what makes one looser, or takes it away, is
 * asked for, and a second person decides. The hours after which its silence is told of are no limit, and change at once.
 */
import { appendAudit } from '../audit/store.ts'
import type { Db } from '../platform/db.ts'
import { Refusal } from '../refusals.ts'
import { lockAccountSettings, updateAccount } from '../requisites/store.ts'
import { type AccountLimits, type Decider, sortLimits } from './proposal.ts'
import { propose } from './propose.ts'

export type ChangeAccountLimits = {
  accountId: string
  limits: AccountLimits
  silentHours: number | null
  by: Decider
  reason: string
}

export async function changeAccountLimits(
  db: Db,
  { accountId, limits, silentHours, by, reason }: ChangeAccountLimits,
): Promise<{ isChanged: boolean; isProposed: boolean }> {
  const { isChanged, looser } = await db.transaction(async (tx) => {
    const before = await lockAccountSettings(tx, accountId)
    if (!before) throw new Refusal('not_found', { detail: 'There is no receiving account with this id.' })
    const { tighter, looser } = sortLimits(before, limits)
    const after = { ...tighter, ...(silentHours !== before.silentHours && { silentHours }) }
    const names = Object.keys(after) as (keyof typeof after)[]
    if (names.length > 0) {
      await updateAccount(tx, accountId, { ...before, ...after })
      await appendAudit(tx, {
        personId: by.personId,
        actor: by.email,
        act: 'account_limits',
        subject: `account:${accountId}`,
        merchantId: null,
        reason,
        before: Object.fromEntries(names.map((name) => [name, before[name]])),
        after,
        requestId: by.requestId,
      })
    }
    return { isChanged: names.length > 0, looser }
  })
  const isProposed = Object.keys(looser).length > 0
  if (!isChanged && !isProposed)
    throw new Refusal('state_conflict', { detail: 'The limits are these already.' })
  // By itself: what is tighter counts even where the rest cannot be asked for now.
  if (isProposed)
    await propose(db, { ask: { kind: 'account_limits', accountId, limits: looser }, by, reason })
  return { isChanged, isProposed }
}
