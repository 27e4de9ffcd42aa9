/**
 * Callbacks of the busy day: claimed, judged and recorded by the rules of delivery, at the time of the busy day. Only the
 * request itself is left out: the shops do not exist, so their answers are invented.
 */
import { newId } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db.ts'
import { changeOf, holdLane } from '../../callbacks/delivery/held-lane.ts'
import { type Lane, limitOf } from '../../callbacks/delivery/lane.ts'
import type { EndpointAnswer } from '../../callbacks/delivery/phases.ts'
import { type Recorded, record } from '../../callbacks/delivery/phases.ts'
import { writeLanes, writeResults } from '../../callbacks/delivery/record-store.ts'
import { claimLanes, type Head, readHeads } from '../../callbacks/delivery/store.ts'
import type { Random } from './busy-plan.ts'

/** A callback, and when it is sent. */
type Sent = { merchantId: string; sequence: bigint; at: number }

/** Sends whatever is due now. `answer`: what the merchant's endpoint answers. */
export function createBusyCallbacks(
  db: Db,
  random: Random,
  answer: (sent: Sent) => EndpointAnswer,
): () => Promise<void> {
  const node = newId()
  const remembered = new Map<bigint, Lane>()
  return async () => {
    const { now, claimed } = await claimLanes(db, { node, most: 100 })
    if (claimed.length === 0) return
    const lanes = new Map(claimed.map((row) => [row.id, holdLane(row, 0, remembered.get(row.id))]))
    const attempt = (head: Head): Recorded => {
      const lane = lanes.get(head.endpointId)!
      const answered = answer({ merchantId: lane.merchantId, sequence: head.sequence, at: now })
      return record({ ...head, lane, epoch: lane.epoch, at: now, answered }, { now, random: random.next() })
    }
    const taken: string[] = []
    for (;;) {
      const open = [...lanes.values()].filter(({ health }) => limitOf(health, now) > 0)
      const wanted = open.map(({ id, epoch, health }) => ({ id, epoch, most: limitOf(health, now) }))
      const heads = wanted.length > 0 ? await readHeads(db, { node, lanes: wanted, taken }) : []
      if (heads.length === 0) break
      taken.push(...heads.map(({ eventId }) => eventId))
      await writeResults(db, node, heads.map(attempt))
    }
    const changes = [...lanes.values()].map((lane) => changeOf(lane, true))
    for (const lane of lanes.values()) remembered.set(lane.id, lane.health)
    await writeLanes(db, node, changes)
  }
}
