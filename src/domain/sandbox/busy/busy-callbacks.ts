/**
 * Callbacks of the busy day: claimed, judged and recorded by the rules of delivery, at the time of the busy day. Only the
 * request itself is left out: the shops do not exist, so their answers are invented.
 */
import { newId } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db.ts'
import { type EndpointAnswer, outcomeOfAttempt } from '../../callbacks/delivery/attempt-outcome.ts'
import { changeOf, type HeldLane, holdLane } from '../../callbacks/delivery/held-lane.ts'
import { type Lane, limitOf } from '../../callbacks/delivery/lane.ts'
import { type Result, writeLanes, writeResults } from '../../callbacks/delivery/results/store.ts'
import { claimLanes, readHeads } from '../../callbacks/delivery/store.ts'
import type { Random } from './busy-plan.ts'
import type { Sent } from './busy-shops.ts'

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
    const taken: string[] = []
    for (;;) {
      const open = [...lanes.values()].filter(({ health }) => limitOf(health, now) > 0)
      const wanted = open.map(({ id, epoch, health }) => ({ id, epoch, most: limitOf(health, now) }))
      const heads = wanted.length > 0 ? await readHeads(db, { node, lanes: wanted, taken }) : []
      if (heads.length === 0) break
      taken.push(...heads.map(({ callbackId }) => callbackId))
      await writeResults(
        db,
        node,
        heads.map((head) => attempt(lanes.get(head.laneId)!, head, now)),
      )
    }
    for (const lane of lanes.values()) remembered.set(lane.id, lane.health)
    await writeLanes(
      db,
      node,
      [...lanes.values()].map((lane) => changeOf(lane, true)),
    )
  }

  function attempt(
    lane: HeldLane,
    { url, body: _body, ...head }: Awaited<ReturnType<typeof readHeads>>[number],
    now: number,
  ): Result {
    const answered = answer({ merchantId: lane.merchantId, sequence: head.sequence, at: now })
    const sending = { ...head, hasOwnUrl: lane.hasOwnUrls }
    const settled = outcomeOfAttempt(lane.health, sending, answered, { now, random: random.next() })
    if (lane.health.pause === null && settled.lane.pause !== null) lane.pausedUrl = url
    lane.health = settled.lane
    return {
      ...head,
      outcome: settled.outcome,
      epoch: lane.epoch,
      merchantId: lane.merchantId,
      at: now,
      ms: answered.ms,
      status: answered.status ?? null,
      error: answered.error ?? null,
      answer: answered.answer ?? null,
      address: null,
      dueAt: settled.outcome === 'retry' ? settled.dueAt : null,
      reason: settled.outcome === 'dead' ? settled.reason : null,
    }
  }
}
