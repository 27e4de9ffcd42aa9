/**
 * Delivers events: claims lanes, reads what they may send, sends it and writes the results. Any number of nodes do
 * this on one database; a lane has one owner at a time, so that order, window and breaker of an endpoint are plain
 * state of one process. The database has everything: a process that dies loses its leases, and what it had not written
 * is sent again.
 *
 * It must never send while a transaction is open, start a request that could outlive its lease, or stop because the
 * database is unavailable.
 */
import { bounds } from '../../../platform/bounds.ts'
import { monotonicMs, randomFraction, sleep } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db.ts'
import { faultFields, type Log } from '../../../platform/log.ts'
import type { Outbound } from '../../../platform/outbound.ts'
import type { Vault } from '../../../platform/vault.ts'
import {
  addClaimed,
  type Claimed,
  changeOf,
  countToRead,
  dropHeads,
  type HeldLane,
  isChanged,
} from './held-lane.ts'
import { OwnLanes } from './own-lanes.ts'
import { type Recorded, record, send } from './phases.ts'
import { writeLanes, writeResults } from './record-store.ts'
import { createSigningKeys } from './signing-keys.ts'
import { createSlots } from './slots.ts'
import { readHeads, readSigningSecrets } from './store.ts'
import { ResultWriter } from './write-results.ts'

export type Delivery = {
  /** Call after events were committed: the delivery looks now instead of at the next poll. Cheap. */
  wake(): void
  /** Starts nothing new, waits a bounded time for requests in flight, writes their results and releases the lanes. */
  stop(): Promise<void>
  stats(): DeliveryStats
}

type DeliveryStats = {
  lanes: number
  lanesOpen: number
  inFlight: number
  unwritten: number
  /** Requests since the start, by outcome. */
  outcomes: Record<Recorded['outcome'], number>
}

type DeliveryOptions = {
  db: Db
  vault: Vault
  outbound: Pick<Outbound, 'post'>
  log: Log
  /** A UUID that identifies this process. */
  node: string
}

const pace = bounds.delivery

export function startDelivery(options: DeliveryOptions): Delivery {
  const engine = new Engine(options)
  const running = engine.run()
  return {
    wake: () => engine.wake(),
    stop: () => engine.stop(running),
    stats: () => engine.stats(),
  }
}

class Engine {
  readonly #options: DeliveryOptions
  readonly #lanes: OwnLanes
  readonly #keys
  readonly #slots = createSlots((claimed) => this.#deliver(claimed))
  readonly #writer: ResultWriter
  readonly #outcomes = { ok: 0, retry: 0, dead: 0, probe: 0 }
  #isStopping = false
  #isFilling = false
  #failures = 0
  #nextPoll = 0
  #nextClaim = 0
  #nextRenewal = 0
  #lastClaim = 0
  #claimGap: number = pace.wokenClaimMs
  #nudge = () => {}

  constructor(options: DeliveryOptions) {
    const { db, vault, log, node } = options
    this.#options = options
    this.#lanes = new OwnLanes(db, node)
    this.#keys = createSigningKeys((merchants) => readSigningSecrets(db, vault, merchants))
    this.#writer = new ResultWriter({
      writeResults: (results) => writeResults(db, node, results),
      writeLanes: (changes) => writeLanes(db, node, changes),
      written: (results) => this.#written(results),
      refused: (result) => this.#refused(result),
      log,
    })
  }

  async run(): Promise<void> {
    while (!this.#isStopping) {
      const began = monotonicMs()
      try {
        await this.#round(began)
        this.#failures = 0
      } catch (error) {
        this.#failures++
        this.#options.log.warn('delivery waits for the database', faultFields(error))
        await sleep(Math.min(pace.backoffMs * 2 ** this.#failures, pace.backoffMostMs))
      }
      await this.#untilNext(began)
    }
  }

  async #round(began: number): Promise<void> {
    if (began >= this.#nextRenewal) {
      await this.#lanes.renew()
      this.#nextRenewal = began + pace.renewMs
    }
    if (began >= this.#nextClaim) await this.#claim(began)
    await this.#read()
    this.#fill()
    for (const lane of this.#lanes.idle()) this.#release(lane)
  }

  /** Waits for a nudge or the next poll, whichever is first, but never runs more often than the loop's pace. */
  async #untilNext(began: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#nudge = resolve
    const next = Math.min(this.#nextPoll, this.#nextClaim)
    const timer = setTimeout(resolve, Math.max(0, next - monotonicMs()))
    if (!this.#isStopping && !this.#hasWork()) await promise
    clearTimeout(timer)
    this.#nudge = () => {}
    const early = began + pace.loopMs - monotonicMs()
    if (early > 0 && !this.#isStopping) await sleep(early)
  }

  #hasWork(): boolean {
    const now = this.#lanes.now()
    for (const lane of this.#lanes.all.values())
      if (countToRead(lane, now) > 0 && this.#slots.hasRoom(lane)) return true
    return false
  }

  async #claim(began: number): Promise<void> {
    if (began >= this.#nextPoll) this.#lanes.markUnread()
    this.#lastClaim = monotonicMs()
    this.#nextPoll = began + pace.pollMs
    this.#nextClaim = this.#nextPoll
    const mayBeMore = await this.#lanes.claim()
    // Claiming costs more with more resting endpoints: it may take at most a quarter of the time.
    this.#claimGap = Math.max(pace.wokenClaimMs, 4 * (monotonicMs() - this.#lastClaim))
    if (mayBeMore) this.#nextClaim = this.#lastClaim
  }

  async #read(): Promise<void> {
    const wanted = this.#lanes.toRead(this.#slots.hasRoom)
    if (wanted.length === 0) return
    const { db, node } = this.#options
    const lanes = wanted.map(({ lane: { id, epoch }, most }) => ({ id, epoch, most }))
    // Cleared before the read: whatever is enqueued during the read sets it again.
    for (const { lane } of wanted) lane.isUnread = false
    const taken = wanted.flatMap(({ lane }) => [...lane.taken])
    const [heads] = await Promise.all([
      readHeads(db, { node, lanes, taken }),
      this.#keys.refresh(wanted.map(({ lane }) => lane.merchantId)),
    ]).catch((error) => {
      for (const { lane } of wanted) lane.isUnread = true
      throw error
    })
    // After the read: what a slow one has found would be too old to be sent, and the next one would be as slow.
    const readAt = monotonicMs()
    const found = Map.groupBy(heads, (head) => head.endpointId)
    for (const { lane, most } of wanted) {
      const claimed = found.get(lane.id) ?? []
      for (const head of claimed) addClaimed(lane, head, readAt)
      if (claimed.length >= most) lane.isUnread = true
    }
  }

  #fill(): void {
    this.#isFilling = false
    if (!this.#isStopping && this.#writer.waiting < pace.unwritten)
      this.#slots.fill(this.#lanes.all, { monotonic: monotonicMs(), now: this.#lanes.now() })
  }

  /** Many requests end in one turn of the event loop: their slots are filled together. */
  #fillSoon(): void {
    if (this.#isFilling) return
    this.#isFilling = true
    setImmediate(() => {
      this.#fill()
      if (this.#hasWork()) this.#nudge()
    })
  }

  /** From claimed to recorded; what is recorded is written with others. */
  async #deliver(claimed: Claimed): Promise<void> {
    const { lane } = claimed
    const sent = await send(claimed, {
      ...this.#options,
      keys: this.#keys.keysOf(lane.merchantId),
      at: this.#lanes.now(),
      deadlineMs: Math.min(pace.requestMs, lane.leaseUntil - monotonicMs()),
    })
    const before = lane.health
    const recorded = record(sent, { now: this.#lanes.now(), random: randomFraction() })
    this.#outcomes[recorded.outcome]++
    this.#writer.add(recorded)
    if (isChanged(before, lane.health)) {
      // An open or paused lane sends nothing: what was read ahead stays in the database.
      if (lane.health.pause !== null || lane.health.openUntil > this.#lanes.now()) dropHeads(lane)
      if (!lane.isLost) this.#writer.change(changeOf(lane, false))
    }
    this.#fillSoon()
  }

  #written(results: Recorded[]): void {
    for (const { endpointId, eventId } of results) {
      const lane = this.#lanes.all.get(endpointId)
      if (!lane) continue
      lane.taken.delete(eventId)
      // The next event of the deposit may be sent now.
      lane.isUnread = true
    }
    this.#fillSoon()
    this.#nudge()
  }

  /** The database refused the result of what was sent: a delay prevents an endless loop of sending it. */
  #refused({ endpointId, eventId }: Recorded): void {
    setTimeout(() => this.#lanes.all.get(endpointId)?.taken.delete(eventId), pace.refusedMs).unref()
  }

  #release(lane: HeldLane): void {
    this.#lanes.release(lane)
    if (!lane.isLost) this.#writer.change(changeOf(lane, true))
  }

  wake(): void {
    this.#lanes.markUnread()
    this.#nextClaim = Math.min(this.#nextClaim, this.#lastClaim + this.#claimGap)
    this.#nudge()
  }

  async stop(running: Promise<void>): Promise<void> {
    const until = monotonicMs() + pace.stopMs
    this.#isStopping = true
    this.#nudge()
    for (const lane of this.#lanes.all.values()) dropHeads(lane)
    await running
    while (this.#slots.inFlight() > 0 && monotonicMs() < until) await sleep(pace.loopMs)
    await this.#writer.drain(until + 500 - monotonicMs())
    // A lane with a request still in flight keeps its lease until that request must have ended.
    for (const lane of [...this.#lanes.all.values()]) if (lane.sending === 0) this.#release(lane)
    if (!(await this.#writer.drain(until + 800 - monotonicMs())))
      this.#options.log.warn('delivery stopped with results unwritten')
  }

  stats(): DeliveryStats {
    const lanes = [...this.#lanes.all.values()]
    return {
      lanes: lanes.length,
      lanesOpen: lanes.filter((lane) => lane.health.trips > 0).length,
      inFlight: this.#slots.inFlight(),
      unwritten: this.#writer.waiting,
      outcomes: { ...this.#outcomes },
    }
  }
}
