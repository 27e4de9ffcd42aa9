/** What has limits that one person tightens and two loosen: a receiving account, and each of its requisites. */
import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type AccountSettings, lockAccountSettings } from '../requisites/account-store.ts'
import { changeAccountWithin, changeRequisite } from '../requisites/add-requisite.ts'
import type { RequisiteLimits } from '../requisites/requisite.ts'
import { lockRequisiteLimits } from '../requisites/store.ts'
import type { LimitedKind, LimitValues } from './proposal.ts'

type Limited = {
  of: 'account' | 'requisite'
  lock(tx: Tx, id: string): Promise<LimitValues>
  /** What is left out stays. */
  save(tx: Tx, id: string, changes: LimitValues): Promise<unknown>
}

export const limited: Record<LimitedKind, Limited> = {
  account_limits: {
    of: 'account',
    async lock(tx, id) {
      const settings = await lockAccountSettings(tx, id)
      if (!settings) throw new Refusal('not_found', { detail: 'There is no receiving account with this id.' })
      const { enabled: _enabled, amountMatching: _matching, ...limits } = settings
      return limits
    },
    save: (tx, id, changes) => changeAccountWithin(tx, id, changes as Partial<AccountSettings>),
  },
  requisite_limits: {
    of: 'requisite',
    async lock(tx, id) {
      const limits = await lockRequisiteLimits(tx, id)
      if (!limits) throw new Refusal('not_found', { detail: 'There is no requisite with this id.' })
      return limits
    },
    save: (tx, id, changes) => changeRequisite(tx, id, changes as Partial<RequisiteLimits>),
  },
}
