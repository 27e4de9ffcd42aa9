/** The operator changes a merchant: name, addresses, on or off, times and policies. */
import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
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

export const changeMerchant = (db: Db, change: ChangeMerchant, hooks?: Hooks<Merchant>): Promise<Merchant> =>
  perform(db, hooks, (tx) => changeMerchantWithin(tx, change))

export async function changeMerchantWithin(
  tx: Tx,
  { merchantId, settings, ...fields }: ChangeMerchant,
): Promise<Merchant> {
  const merchant = await lockMerchant(tx, merchantId)
  if (!merchant) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
  const changed = { ...merchant, ...fields, settings: { ...merchant.settings, ...settings } }
  await updateMerchant(tx, changed)
  if (changed.callbackUrl !== merchant.callbackUrl) {
    await updateOwnLane(tx, merchantId, changed.callbackUrl !== null)
  }
  return changed
}
