/**
 * The lanes of this process: endpoints that it has claimed and whose lease it renews, until there is nothing more to send. A
 * process may own as many as there are: what is bounded are the requests in flight (slots.ts) and what is read at once.
 */
import { bounds } from '../../../platform/bounds.ts'
import { monotonicMs } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db.ts'
import { countToRead, dropHeads, type HeldLane, holdLane, isIdle } from './held-lane.ts'
import type { Lane } from './lane.ts'
import { claimLanes, renewLanes } from './store.ts'

const pace = bounds.delivery

export class OwnLanes {
  readonly #db: Db
  readonly #node: string
  readonly all = new Map<bigint, HeldLane>()
  readonly #remembered = new Map<bigint, Lane>()
  #clockOffset = 0

  constructor(db: Db, node: string) {
    this.#db = db
    this.#node = node
  }

  /** The database's time, read at every claim and advanced by the monotonic clock. */
  now(): number {
    return monotonicMs() + this.#clockOffset
  }

  /** Whether there may be more to claim. */
  async claim(): Promise<boolean> {
    const asked = monotonicMs()
    const { now, claimed } = await claimLanes(this.#db, { node: this.#node, most: pace.claimLanes })
    this.#clockOffset = now - asked
    for (const row of claimed) {
      const held = holdLane(row, asked, this.#remembered.get(row.id))
      const lost = this.all.get(row.id)
      // Our own lease ran out and no other node claimed the lane: what is still in flight must not be read again.
      if (lost) Object.assign(lost, { ...held, sending: lost.sending, taken: lost.taken })
      else this.all.set(row.id, held)
    }
    return claimed.length === pace.claimLanes
  }

  async renew(): Promise<void> {
    const asked = monotonicMs()
    const own = [...this.all.values()].filter((lane) => !lane.isLost)
    const kept = new Set(own.length > 0 ? await renewLanes(this.#db, this.#node, own) : [])
    for (const lane of own) {
      lane.isLost = !kept.has(lane.id)
      if (lane.isLost) dropHeads(lane)
      else lane.leaseUntil = asked + pace.leaseMs
    }
  }

  markUnread(): void {
    for (const lane of this.all.values()) lane.isUnread = true
  }

  /** Lanes with something to read and room to send it, each with how much: in turn, and together no more than can be sent while fresh. */
  toRead(hasRoom: (lane: HeldLane) => boolean): { lane: HeldLane; most: number }[] {
    const now = this.now()
    const found: { lane: HeldLane; most: number }[] = []
    let sum = 0
    for (const lane of this.all.values()) {
      const most = countToRead(lane, now)
      if (most === 0 || !hasRoom(lane)) continue
      found.push({ lane, most })
      sum += most
      if (sum >= pace.readMost) break
    }
    // The next time they are last.
    for (const { lane } of found) {
      this.all.delete(lane.id)
      this.all.set(lane.id, lane)
    }
    return found
  }

  /** Gives up the lane, and remembers its health: the endpoint's row does not keep all of it. */
  release(lane: HeldLane): void {
    this.all.delete(lane.id)
    if (lane.isLost) return
    this.#remembered.delete(lane.id)
    this.#remembered.set(lane.id, lane.health)
    if (this.#remembered.size > pace.rememberedLanes)
      this.#remembered.delete(this.#remembered.keys().next().value!)
  }

  idle(): HeldLane[] {
    const times = { now: this.now(), monotonic: monotonicMs() }
    return [...this.all.values()].filter((lane) => isIdle(lane, times))
  }
}
