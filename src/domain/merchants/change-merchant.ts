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

export const changeMerchant = (db: Db, { merchantId, settings, ...fields }: ChangeMerchant) =>
  db.transaction(async (tx): Promise<Merchant> => {
    const merchant = await lockMerchant(tx, merchantId)
    if (!merchant) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
    const changed = { ...merchant, ...fields, settings: { ...merchant.settings, ...settings } }
    await updateMerchant(tx, changed)
    if (changed.callbackUrl !== merchant.callbackUrl) {
      await updateOwnLane(tx, merchantId, changed.callbackUrl !== null)
    }
    return changed
  })
