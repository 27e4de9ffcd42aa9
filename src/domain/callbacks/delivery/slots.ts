/** Starts requests fairly: one per lane per turn, each lane up to its window, all within the node's limit. */
import { bounds } from '../../../platform/bounds.ts'
import { type BufferedHead, dropHeads, type HeldLane, isSlow } from './held-lane.ts'
import { limitOf } from './lane.ts'

type Slots = {
  /** Starts as many requests as possible. A slot is free again when `send` resolves. */
  fill(lanes: Map<bigint, HeldLane>, times: { monotonic: number; now: number }): void
  inFlight(): number
}

const { inFlight: most, slowInFlight: mostSlow, leaseLeftToSendMs, freshMs } = bounds.delivery

export function createSlots(send: (lane: HeldLane, head: BufferedHead) => Promise<void>): Slots {
  let inFlight = 0
  let slow = 0
  let turn = 0

  const begin = (lane: HeldLane) => {
    const head = lane.buffer.shift()!
    const isFromSlow = isSlow(lane)
    lane.sending++
    inFlight++
    if (isFromSlow) slow++
    send(lane, head).finally(() => {
      lane.sending--
      inFlight--
      if (isFromSlow) slow--
    })
  }

  return {
    fill(lanes, { monotonic, now }) {
      const ready: HeldLane[] = []
      for (const lane of lanes.values()) {
        dropHeads(lane, monotonic - freshMs)
        const isLeased = lane.leaseUntil - monotonic >= leaseLeftToSendMs
        if (lane.buffer.length > 0 && !lane.isLost && isLeased) ready.push(lane)
      }
      const mayBegin = (lane: HeldLane) =>
        lane.buffer.length > 0 &&
        lane.sending < limitOf(lane.health, now) &&
        (slow < mostSlow || !isSlow(lane))
      // Each time another lane is first, so that a full node serves them all in turn.
      if (ready.length > 0) turn = (turn + 1) % ready.length
      let order = [...ready.slice(turn), ...ready.slice(0, turn)]
      while (order.length > 0 && inFlight < most) {
        order = order.filter((lane) => {
          if (inFlight >= most || !mayBegin(lane)) return false
          begin(lane)
          return true
        })
      }
    },
    inFlight: () => inFlight,
  }
}
