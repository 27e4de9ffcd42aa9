/**
 * Starts requests fairly: one per lane per turn, each lane up to its window, all within the node's limits. A merchant may
 * use hundreds of hanging addresses, so its lanes together have a limit too, and a merchant never has more in flight than
 * is left free: however many merchants send all they can, one that has nothing in flight finds room.
 */
import { bounds } from '../../../platform/bounds.ts'
import { type Claimed, dropHeads, type HeldLane, isSlow } from './held-lane.ts'
import { limitOf } from './lane.ts'

type Slots = {
  /** Starts as many requests as possible. A slot is free again when `send` resolves. */
  fill(lanes: Map<bigint, HeldLane>, times: { monotonic: number; now: number }): void
  /** Whether a request of this lane could start, if its window allows. */
  hasRoom(lane: HeldLane): boolean
  inFlight(): number
}

/** Requests in flight, and those of them that are on slow lanes. */
type Count = { all: number; slow: number }

const { leaseLeftToSendMs, freshMs, ...limits } = bounds.delivery
const most: Count = { all: limits.inFlight, slow: limits.slowInFlight }
const mostOfMerchant: Count = { all: limits.inFlightOfMerchant, slow: limits.slowInFlightOfMerchant }

export function createSlots(send: (claimed: Claimed) => Promise<void>): Slots {
  const total: Count = { all: 0, slow: 0 }
  const merchants = new Map<string, Count>()
  let turn = 0

  const begin = (lane: HeldLane) => {
    const { merchantId } = lane
    const claimed = lane.buffer.shift()!
    const ofMerchant = merchants.get(merchantId) ?? { all: 0, slow: 0 }
    merchants.set(merchantId, ofMerchant)
    const slow = isSlow(lane) ? 1 : 0
    const count = (change: 1 | -1) => {
      lane.sending += change
      for (const counted of [total, ofMerchant]) {
        counted.all += change
        counted.slow += change * slow
      }
    }
    count(1)
    send(claimed).finally(() => {
      count(-1)
      if (ofMerchant.all === 0) merchants.delete(merchantId)
    })
  }

  const hasRoom = (lane: HeldLane): boolean => {
    const ofMerchant = merchants.get(lane.merchantId) ?? { all: 0, slow: 0 }
    const mayHaveMore = (kind: keyof Count) =>
      ofMerchant[kind] < Math.min(mostOfMerchant[kind], most[kind] - total[kind])
    return mayHaveMore('all') && (!isSlow(lane) || mayHaveMore('slow'))
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
        lane.buffer.length > 0 && lane.sending < limitOf(lane.health, now) && hasRoom(lane)
      // Each time another lane is first, so that a full node serves them all in turn.
      if (ready.length > 0) turn = (turn + 1) % ready.length
      let order = [...ready.slice(turn), ...ready.slice(0, turn)]
      while (order.length > 0 && total.all < most.all) {
        order = order.filter((lane) => {
          if (!mayBegin(lane)) return false
          begin(lane)
          return true
        })
      }
    },
    hasRoom,
    inFlight: () => total.all,
  }
}
