/** Sends a callback again. A replay keeps its id and its bytes. */
import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import { enqueueReplays, findReplayed } from './replay-store.ts'

export const replayCallback = (
  db: Db,
  { merchantId, callbackId }: { merchantId: MerchantId | null; callbackId: string },
  hooks?: Hooks,
) =>
  perform(db, hooks, async (tx) => {
    const found = await findReplayed(tx, callbackId)
    if (!found || (merchantId !== null && found.merchantId !== merchantId)) {
      throw new Refusal('not_found', { detail: message('no_callback_with_id') })
    }
    if (found.waitSeconds !== null) {
      throw new Refusal('rate_limited', {
        detail: message('callback_sent_too_often', { most: bounds.replays.attemptsOfDay }),
        retryAfterSeconds: Math.max(1, found.waitSeconds),
      })
    }
    await enqueueReplays(tx, [callbackId])
  })
