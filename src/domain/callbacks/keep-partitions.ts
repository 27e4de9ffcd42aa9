/** Maintains the daily partitions of events and attempts: never drops a day with an event still to be sent. */
import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { keepPartitions } from '../../platform/partitions.ts'
import { forgetDead, giveUpOld, isDayOpen } from './store.ts'

export async function keepCallbackPartitions(owner: Db): Promise<void> {
  await keepPartitions(owner, {
    // Events are dropped before attempts: an event without its attempts would seem to have failed.
    tables: ['events', 'delivery_attempts'],
    aheadDays: bounds.partitionsAheadDays,
    keepDays: bounds.callbackKeepDays,
    isNeeded: (day) => isDayOpen(owner, day),
  })
  await giveUpOld(owner)
  await forgetDead(owner, bounds.callbackKeepDays)
}
