/** Sets whether a signing key accepts only v2 signatures, or also the literal rule. */
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import { message } from '../messages/message.ts'
import type { MerchantId } from './merchant.ts'
import { lockMerchant, setV2Only } from './store.ts'

type MarkKey = { merchantId: MerchantId; keyId: string; v2Only: boolean }

/** What was set before, read in the same transaction: the audit entry names it. */
type MarkedKey = { wasV2Only: boolean }

export const markKey = (db: Db, mark: MarkKey, hooks?: Hooks<MarkedKey>): Promise<MarkedKey> =>
  perform(db, hooks, async (tx) => {
    await lockMerchant(tx, mark.merchantId)
    const marked = await setV2Only(tx, mark)
    if (!marked) throw new Refusal('not_found', { detail: message('merchant_has_no_live_key_with_id') })
    return marked
  })
