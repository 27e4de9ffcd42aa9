/** Creates a new key; the old ones stay valid for the overlap, so that the merchant's servers can switch. */
import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { Vault } from '../../platform/vault.ts'
import { message } from '../messages/message.ts'
import type { ApiKey, KeyPurpose } from './api-key.ts'
import type { MerchantId } from './merchant.ts'
import { newKeySecret } from './new-key.ts'
import { endOtherKeys, insertKey, liveKeys, lockMerchant } from './store.ts'

type RotateKey = {
  merchantId: MerchantId
  purpose: KeyPurpose
  overlapDays: number
  /** By default, true if all current keys are v2 only. */
  v2Only?: boolean
}

type NewKey = Pick<ApiKey, 'id' | 'secret' | 'v2Only'>

export const rotateKey = (
  db: Db,
  vault: Vault,
  { merchantId, purpose, overlapDays, v2Only }: RotateKey,
): Promise<NewKey> =>
  db.transaction(async (tx) => {
    const merchant = await lockMerchant(tx, merchantId)
    if (!merchant) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
    const before = await liveKeys(tx, vault, merchantId, purpose)
    const isV2Only = v2Only ?? (before.length > 0 && before.every((existing) => existing.v2Only))
    const key = { ...newKeySecret(merchant.mode, purpose), merchantId, purpose, v2Only: isV2Only }
    await insertKey(tx, vault, key)
    await endOtherKeys(tx, { merchantId, purpose, keep: key.id, overlapDays })
    if ((await liveKeys(tx, vault, merchantId, purpose)).length > bounds.keysPerMerchant) {
      throw new Refusal('too_many_keys')
    }
    return key
  })
