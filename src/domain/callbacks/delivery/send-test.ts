/** Sends a signed test callback to the merchant's address. It is not stored. */
import { bounds } from '../../../platform/bounds.ts'
import { newId } from '../../../platform/clock.ts'
import { type Db, readClock } from '../../../platform/db.ts'
import type { Outbound, Sent } from '../../../platform/outbound.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { Vault } from '../../../platform/vault.ts'
import type { MerchantId } from '../../merchants/merchant.ts'
import { findMerchant, liveKeys } from '../../merchants/store.ts'
import { message } from '../../messages/message.ts'
import { signedHeaders } from '../signed-headers.ts'

export type TestParts = { db: Db; vault: Vault; outbound: Pick<Outbound, 'post'> }

export async function sendTest({ db, vault, outbound }: TestParts, merchantId: MerchantId): Promise<Sent> {
  const merchant = await findMerchant(db, merchantId)
  if (!merchant) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
  if (!merchant.callbackUrl)
    throw new Refusal('invalid_value', { detail: message('merchant_has_no_callback_address') })
  const keys = await liveKeys(db, vault, merchantId, 'callback')
  const now = (await readClock(db))()
  const id = newId()
  const body = JSON.stringify({
    type: 'test',
    id,
    timestamp: now.toISOString(),
    data: { merchant: merchantId },
  })
  const timestamp = Math.floor(now.getTime() / 1000)
  return outbound.post({
    url: merchant.callbackUrl,
    headers: signedHeaders({ secrets: keys.map((key) => key.secret), id, timestamp, body }),
    body,
    deadlineMs: bounds.operatorDeadlineMs,
    owner: merchantId,
  })
}
