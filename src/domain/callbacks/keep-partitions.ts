/** Maintains the daily partitions of callbacks and attempts, and never drops a day with a callback still to be sent. */
import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { keepPartitions } from '../../platform/partitions.ts'
import { forgetDead, isDayDue } from './store.ts'

export async function keepCallbackPartitions(owner: Db): Promise<void> {
  await keepPartitions(owner, {
    // Callbacks are dropped before attempts: a callback without its attempts would seem to have failed.
    tables: ['callbacks', 'callback_attempts'],
    aheadDays: bounds.partitionsAheadDays,
    keepDays: bounds.callbackKeepDays,
    isNeeded: (day) => isDayDue(owner, day),
  })
  await forgetDead(owner, bounds.callbackKeepDays)
}
