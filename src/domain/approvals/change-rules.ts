/**
 * Changes what counts as paid: a merchant's rules, whether an amount alone may match, and the account number by which
 * statements are assigned. In live mode, a change that lets more payments confirm becomes a proposal that a second person
 * decides. Other changes, and all in test mode, take effect at once.
 */

import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import { appendAudit } from '../audit/store.ts'
import { type ChangeMerchant, changeMerchantWithin } from '../merchants/change-merchant.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { lockMerchant } from '../merchants/store.ts'
import { message } from '../messages/message.ts'
import { changeAccountNumberWithin, changeAccountWithin } from '../requisites/add-requisite.ts'
import type { AmountMatching } from '../requisites/requisite.ts'
import type { Decider, MatchingRuleChange } from './proposal.ts'
import { proposeWithin } from './propose.ts'
import { describeMatchingRuleChange, lockMatching, looserRules } from './rule-changes.ts'

type By = { by: Decider; reason: string }

/** The merchant before and after the immediate changes, and whether the rest waits for a second person. */
type RulesChanged = { before: Merchant; after: Merchant; isProposed: boolean }

export const changeRules = (
  db: Db,
  { by, reason, settings = {}, ...change }: ChangeMerchant & By,
  hooks?: Hooks<RulesChanged>,
): Promise<RulesChanged> =>
  perform(db, hooks, async (tx) => {
    const { merchantId } = change
    const before = await lockMerchant(tx, merchantId)
    if (!before) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
    const rules = before.mode === 'live' ? looserRules(before.settings, settings) : {}
    const atOnce = Object.fromEntries(Object.entries(settings).filter(([name]) => !(name in rules)))
    const { after } = await changeMerchantWithin(tx, { ...change, settings: atOnce })
    const isProposed = Object.keys(rules).length > 0
    if (isProposed)
      await proposeWithin(tx, { change: { kind: 'merchant_rules', merchantId, rules }, by, reason })
    return { before, after, isProposed }
  })

/** Returns true if the change waits for a second person. */
export const changeAccountMatching = (
  db: Db,
  { change, by, reason }: By & { change: Exclude<MatchingRuleChange, { kind: 'merchant_rules' }> },
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
