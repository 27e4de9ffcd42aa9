/** Sets whether a signing key accepts only v2 signatures, or also the literal rule. */
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import type { MerchantId } from './merchant.ts'
import { lockMerchant, setV2Only } from './store.ts'

type SetKeyV2Only = { merchantId: MerchantId; keyId: string; v2Only: boolean }

/** What was set before, read in the same transaction: the audit entry names it. */
type KeyBefore = { wasV2Only: boolean }

export const setKeyV2Only = (db: Db, change: SetKeyV2Only): Promise<KeyBefore> =>
  db.transaction(async (tx) => {
    await lockMerchant(tx, change.merchantId)
    const before = await setV2Only(tx, change)
    if (!before) throw new Refusal('not_found', { detail: message('merchant_has_no_live_key_with_id') })
    return before
  })
