/** A new merchant with its two first keys: one for its requests, one for our callbacks. */
import { newId } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Vault } from '../../platform/vault.ts'
import type { Merchant, Mode } from './merchant.ts'
import { newKeySecret } from './new-key.ts'
import { insertKey, insertMerchant, insertOwnLane, lockMerchant } from './store.ts'

type CreateMerchant = { name: string; mode: Mode; callbackUrl: string | null }
type CreatedMerchant = {
  merchant: Merchant
  keyId: string
  signingSecret: string
  callbackSecret: string
}

export const createMerchant = (
  db: Db,
  vault: Vault,
  { name, mode, callbackUrl }: CreateMerchant,
): Promise<CreatedMerchant> =>
  db.transaction(async (tx) => {
    const id = newId()
    const request = newKeySecret(mode, 'request')
    const callback = newKeySecret(mode, 'callback')
    await insertMerchant(tx, { id, name, mode, callbackUrl })
    await insertOwnLane(tx, id, callbackUrl !== null)
    await insertKey(tx, vault, { ...request, merchantId: id, purpose: 'request', v2Only: false })
    await insertKey(tx, vault, { ...callback, merchantId: id, purpose: 'callback', v2Only: false })
    const merchant = (await lockMerchant(tx, id))!
    return { merchant, keyId: request.id, signingSecret: request.secret, callbackSecret: callback.secret }
  })
