/**
 * Changes what counts as paid: a merchant's rules. In live mode, a change that lets more payments confirm becomes a proposal that a second person
 * decides. Other changes, and all in test mode, take effect at once.
 */

import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import { type ChangeMerchant, changeMerchantWithin } from '../merchants/change-merchant.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { lockMerchant } from '../merchants/store.ts'
import { message } from '../messages/message.ts'
import type { Decider } from './proposal.ts'
import { proposeWithin } from './propose.ts'
import { looserRules } from './rule-changes.ts'

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
