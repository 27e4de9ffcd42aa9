/**
 * Changes what counts as paid: whether an amount alone may match, and the account number by which
 * statements are assigned. In live mode, a change that lets more payments confirm becomes a proposal that a second person
 * decides. Other changes, and all in test mode, take effect at once.
 */

import type { Db } from '../../platform/db.ts'
import { appendAudit } from '../audit/store.ts'
import { changeAccountNumberWithin, changeAccountWithin } from '../requisites/add-requisite.ts'
import type { AmountMatching } from '../requisites/requisite.ts'
import type { Decider, MatchingRuleChange } from './proposal.ts'
import { proposeWithin } from './propose.ts'
import { describeMatchingRuleChange, lockMatching } from './rule-changes.ts'

type By = { by: Decider; reason: string }

/** Returns true if the change waits for a second person. */
export const changeAccountMatching = (
  db: Db,
  { change, by, reason }: By & { change: MatchingRuleChange },
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { mode, amountMatching } = await lockMatching(tx, change.id)
    const isLooser = change.kind === 'account_number' || rank(change.amountMatching) > rank(amountMatching)
    if (mode === 'live' && isLooser) {
      await proposeWithin(tx, { change, by, reason })
      return true
    }
    const { subject, audited } = await describeMatchingRuleChange(tx, change)
    const { before, label: _label, ...after } = audited
    const [name] = Object.keys(after)
    if (change.kind === 'account_number') await changeAccountNumberWithin(tx, change.id, change.number)
    else await changeAccountWithin(tx, change.id, { amountMatching: change.amountMatching })
    await appendAudit(tx, {
      ...{ personId: by.personId, actor: by.email, act: change.kind, subject, merchantId: null, reason },
      ...{ before: { [name!]: before }, after, requestId: by.requestId },
    })
    return false
  })

const rank = (matching: AmountMatching): number => ['never', 'by_kind', 'always'].indexOf(matching)
