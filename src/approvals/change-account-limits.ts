/**
 * The limits of a receiving account. What makes one tighter counts at once; what makes one looser, or takes it away, is
 * asked for, and a second person decides. The hours after which its silence is told of are no limit, and change at once.
 */
import { appendAudit } from '../audit/store.ts'
import type { Db } from '../platform/db.ts'
import { withinTransaction } from '../platform/within-transaction.ts'
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

export const changeAccountLimits = (
  db: Db,
  { accountId, limits, silentHours, by, reason }: ChangeAccountLimits,
): Promise<{ isChanged: boolean; isProposed: boolean }> =>
  db.transaction(async (tx) => {
    const before = await lockAccountSettings(tx, accountId)
    if (!before) throw new Refusal('not_found', { detail: 'There is no receiving account with this id.' })
    const { tighter, looser } = sortLimits(before, limits)
    const after = { ...tighter, ...(silentHours !== before.silentHours && { silentHours }) }
    const names = Object.keys(after) as (keyof typeof after)[]
    const [isChanged, isProposed] = [names.length > 0, Object.keys(looser).length > 0]
    if (!isChanged && !isProposed)
      throw new Refusal('state_conflict', { detail: 'The limits are these already.' })
    if (isChanged) {
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
    if (isProposed) {
      const ask = { kind: 'account_limits', accountId, limits: looser } as const
      await propose(withinTransaction(db, tx), { ask, by, reason })
    }
    return { isChanged, isProposed }
  })
