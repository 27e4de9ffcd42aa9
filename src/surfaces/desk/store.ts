/** Counts of waiting work, up to a maximum, for every page of the desk. */
import type { Queryable } from '../../platform/db.ts'
import { type Counted, countedOf, type QueueCounts, queueKinds } from './queue/queue.ts'
import { countQueue } from './queue/store.ts'

export async function readWaiting(
  db: Queryable,
): Promise<{ now: Date; queue: Counted; approvals: Counted; kinds: QueueCounts }> {
  const { now, kinds } = await countQueue(db)
  const queue = countedOf(...queueKinds.map((kind) => kinds[kind]))
  return { now, queue, approvals: countedOf(kinds.proposal), kinds }
}
