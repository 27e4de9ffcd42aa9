/** A lane: an endpoint that this process owns. Its lease, its health, what was read from it and not yet written back. */
import { bounds } from '../../../platform/bounds.ts'
import type { MerchantId } from '../../merchants/merchant.ts'
import { type Lane, limitOf, newLane } from './lane.ts'
import type { ClaimedLane, Head, LaneKey } from './store.ts'

/** The first phase of a delivery: read from the queue by the lane that owns its endpoint. */
export type Claimed = Head & { lane: HeldLane; readAt: number }

export type LaneChange = LaneKey & {
  window: number
  trips: number
  openUntil: number
  failingSince: number | null
  pause: string | null
  /** The address that caused the pause: a new address is not paused for the old one. */
  pausedUrl: string | null
  release: boolean
}

export type HeldLane = {
  readonly id: bigint
  readonly merchantId: MerchantId
  readonly hasOwnUrls: boolean
  epoch: bigint
  /** On the monotonic clock, from before the claim or renewal was requested. */
  leaseUntil: number
  health: Lane
  buffer: Claimed[]
  sending: number
  /** Events that are buffered, being sent, or sent and not yet written: never read twice. */
  taken: Set<string>
  /** There may be more to read than the buffer holds. */
  isUnread: boolean
  /** When it was last found busy. */
  busyAt: number
  /** Another node has claimed it: requests in flight may finish, no new ones start. */
  isLost: boolean
  pausedUrl: string | null
}

/**
 * `known`: the health when this process owned the lane last. The row does not keep latency and failures in a row; these are
 * still true if the lane has been failing since the same moment: it has not succeeded, been resumed or got a new address.
 */
export function holdLane(claimed: ClaimedLane, claimedAt: number, known: Lane = newLane): HeldLane {
  const { id, epoch, merchantId, hasOwnUrls, window, trips, failingSince } = claimed
  const { failures, failedDeposit, failedForSeveral, refusals } = isSameTime(failingSince, known.failingSince)
    ? known
    : newLane
  const health = {
    ...known,
    failures,
    failedDeposit,
    failedForSeveral,
    refusals,
    window,
    trips,
    failingSince,
    openUntil: 0,
    pause: null,
  }
  return {
    id,
    epoch,
    merchantId,
    hasOwnUrls,
    leaseUntil: claimedAt + bounds.delivery.leaseMs,
    health,
    buffer: [],
    sending: 0,
    taken: new Set(),
    isUnread: true,
    busyAt: claimedAt,
    isLost: false,
    pausedUrl: null,
  }
}

/** The database keeps microseconds. */
const isSameTime = (a: number | null, b: number | null): boolean =>
  a !== null && b !== null && Math.abs(a - b) < 1

/** How many to read: the buffer is filled to twice the window once it is below one. */
export function countToRead(lane: HeldLane, now: number): number {
  if (lane.isLost || !lane.isUnread) return 0
  const limit = limitOf(lane.health, now)
  if (lane.buffer.length >= limit) return 0
  // Reading ahead pays only where a slot becomes free before the read callbacks are too old to be trusted.
  const isQuick = lane.health.latencyMs !== null && lane.health.latencyMs < bounds.delivery.freshMs / 2
  if (lane.sending >= limit && !isQuick) return 0
  return lane.health.trips > 0 ? 1 : 2 * limit - lane.buffer.length
}

export function addClaimed(lane: HeldLane, head: Head, readAt: number): void {
  lane.taken.add(head.eventId)
  lane.buffer.push({ ...head, lane, readAt })
}

/** Drops what was read ahead, all of it or the part that is too old. It is still due, and will be read again. */
export function dropHeads(lane: HeldLane, readBefore = Number.POSITIVE_INFINITY): void {
  while (lane.buffer.length > 0 && lane.buffer[0]!.readAt < readBefore) {
    lane.taken.delete(lane.buffer.shift()!.eventId)
    lane.isUnread = true
  }
}

export const isSlow = (lane: HeldLane): boolean => (lane.health.latencyMs ?? 0) > bounds.delivery.slowMs

/**
 * Whether the lane can be released: nothing is buffered or in flight, and there has been nothing to send for a while. So an
 * endpoint that gets events all the time is claimed once, and one that rests is released at once.
 */
export function isIdle(lane: HeldLane, { now, monotonic }: { now: number; monotonic: number }): boolean {
  if (lane.taken.size > 0) lane.busyAt = monotonic
  if (lane.taken.size > 0) return false
  if (lane.isLost || limitOf(lane.health, now) === 0) return true
  return !lane.isUnread && monotonic - lane.busyAt >= bounds.delivery.idleMs
}

/** Whether the stored part of a lane's health has changed. */
export const isChanged = (before: Lane, after: Lane): boolean =>
  before.trips !== after.trips ||
  before.openUntil !== after.openUntil ||
  before.failingSince !== after.failingSince ||
  before.pause !== after.pause

export const changeOf = (lane: HeldLane, release: boolean): LaneChange => ({
  id: lane.id,
  epoch: lane.epoch,
  window: lane.health.window,
  trips: lane.health.trips,
  openUntil: lane.health.openUntil,
  failingSince: lane.health.failingSince,
  pause: lane.health.pause,
  pausedUrl: lane.pausedUrl,
  release,
})
