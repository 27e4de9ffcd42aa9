/** How to lock and save the limits of receiving accounts and of requisites. */
import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import { type AccountSettings, lockAccountSettings } from '../requisites/account-store.ts'
import { changeAccountWithin, changeRequisite } from '../requisites/add-requisite.ts'
import type { RequisiteLimits } from '../requisites/requisite.ts'
import { lockRequisiteLimits } from '../requisites/store.ts'
import type { LimitedKind, LimitValues } from './proposal.ts'

type LimitTarget = {
  target: 'account' | 'requisite'
  lock(tx: Tx, id: string): Promise<LimitValues>
  /** Limits that are left out stay. */
  save(tx: Tx, id: string, changes: LimitValues): Promise<unknown>
}

export const limitTargets: Record<LimitedKind, LimitTarget> = {
  account_limits: {
    target: 'account',
    async lock(tx, id) {
      const settings = await lockAccountSettings(tx, id)
      if (!settings) throw new Refusal('not_found', { detail: message('no_receiving_account_with_id') })
      const { enabled: _enabled, amountMatching: _matching, ...limits } = settings
      return limits
    },
    save: (tx, id, changes) => changeAccountWithin(tx, id, changes as Partial<AccountSettings>),
  },
  requisite_limits: {
    target: 'requisite',
    async lock(tx, id) {
      const limits = await lockRequisiteLimits(tx, id)
      if (!limits) throw new Refusal('not_found', { detail: message('no_requisite_with_id') })
      return limits
    },
    save: (tx, id, changes) => changeRequisite(tx, id, changes as Partial<RequisiteLimits>),
  },
}
