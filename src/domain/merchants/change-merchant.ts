/** The operator changes a merchant: name, addresses, on or off, times and policies. */
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import type { Merchant, MerchantId, MerchantSettings } from './merchant.ts'
import { lockMerchant, updateMerchant, updateOwnLane } from './store.ts'

export type ChangeMerchant = {
  merchantId: MerchantId
  name?: string
  enabled?: boolean
  callbackUrl?: string | null
  successUrl?: string | null
  rejectUrl?: string | null
  optionalEvents?: string[]
  language?: string | null
  settings?: Partial<MerchantSettings>
}

type MerchantChanged = { before: Merchant; after: Merchant }

export const changeMerchant = (
  db: Db,
  { merchantId, settings, ...fields }: ChangeMerchant,
): Promise<MerchantChanged> =>
  db.transaction(async (tx) => {
    const before = await lockMerchant(tx, merchantId)
    if (!before) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
    const after = { ...before, ...fields, settings: { ...before.settings, ...settings } }
    await updateMerchant(tx, after)
    if (after.callbackUrl !== before.callbackUrl)
      await updateOwnLane(tx, merchantId, after.callbackUrl !== null)
    return { before, after }
  })
