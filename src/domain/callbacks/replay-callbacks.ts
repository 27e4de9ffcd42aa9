/** Sends callbacks again: one, or all that failed since a time. A replay keeps its id and its bytes. */
import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import { enqueueReplays, type FailedCallback, findReplayed, listFailed } from './replay-store.ts'

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

/**
 * In groups, each with its hooks: a replay of many never holds a long transaction. Leaves out callbacks that were sent too
 * often or have failed again since. Returns how many were enqueued.
 */
export async function replayFailed(
  db: Db,
  { merchantId, since }: { merchantId: MerchantId; since: string },
  hooks?: Hooks<string[]>,
) {
  let replayed = 0
  for (let last: FailedCallback | undefined; ; ) {
    let failed: FailedCallback[] = []
    const ids = await perform(db, hooks, async (tx) => {
      failed = await listFailed(tx, { merchantId, since, last, limit: bounds.sweepGroup })
      const replayable = failed.filter(({ mustWait }) => !mustWait).map(({ id }) => id)
      await enqueueReplays(tx, replayable)
      return replayable
    })
    replayed += ids.length
    if (failed.length < bounds.sweepGroup) return replayed
    last = failed.at(-1)
  }
}
