/** Sends callbacks again: one, or all that failed since a time. A replay keeps its id and its bytes. */
import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import { enqueueReplays, findCallback, listFailed } from './store.ts'

export const replayCallback = (
  db: Db,
  { merchantId, callbackId }: { merchantId: MerchantId | null; callbackId: string },
  hooks?: Hooks,
) =>
  perform(db, hooks, async (tx) => {
    const found = await findCallback(tx, callbackId)
    if (!found || (merchantId !== null && found.merchant_id !== merchantId)) {
      throw new Refusal('not_found', { detail: message('no_callback_with_id') })
    }
    await enqueueReplays(tx, [callbackId])
    return found
  })

/** In groups, each with its hooks: a replay of many never holds a long transaction. Returns how many were enqueued. */
export async function replayFailed(
  db: Db,
  { merchantId, since }: { merchantId: MerchantId; since: string },
  hooks?: Hooks<string[]>,
) {
  let replayed = 0
  for (;;) {
    const ids = await perform(db, hooks, async (tx) => {
      const failed = await listFailed(tx, { merchantId, since, limit: bounds.sweepGroup })
      await enqueueReplays(tx, failed)
      return failed
    })
    replayed += ids.length
    if (ids.length < bounds.sweepGroup) return replayed
  }
}
