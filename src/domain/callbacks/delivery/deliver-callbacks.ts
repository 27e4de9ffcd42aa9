/**
 * Delivers callbacks: claims lanes, reads what they may send, sends it and writes the results. Any number of nodes do
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
import type { MerchantId } from '../../merchants/merchant.ts'
import { outcomeOfAttempt } from './attempt-outcome.ts'
import {
  addHead,
  type BufferedHead,
  changeOf,
  countToRead,
  dropHeads,
  endTurn,
  type HeldLane,
  holdLane,
  isChanged,
  isIdle,
} from './held-lane.ts'
import type { Lane } from './lane.ts'
import { lanesToGiveBack } from './lane-turns.ts'
import { type LaneChange, type Result, writeLanes, writeResults } from './results/store.ts'
import { createResultWriter } from './results/write-results.ts'
import { sendCallback } from './send-callback.ts'
import { createSigningKeys } from './signing-keys.ts'
import { createSlots } from './slots.ts'
import { claimLanes, expireOldCallbacks, readHeads, readSigningSecrets, renewLanes } from './store.ts'

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
  outcomes: Record<Result['outcome'], number>
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

export function startDelivery({ db, vault, outbound, log, node }: DeliveryOptions): Delivery {
  const lanes = new Map<bigint, HeldLane>()
  const remembered = new Map<bigint, Lane>()
  const outcomes = { ok: 0, retry: 0, dead: 0, probe: 0 }
  const keys = createSigningKeys((merchants) => readSigningSecrets(db, vault, merchants))
  const slots = createSlots(send)
  const writer = createResultWriter({
    writeResults: (results) => writeResults(db, node, results),
    writeLanes: (changes) => writeLanes(db, node, changes),
    written,
    lanesWritten,
    refused,
    log,
  })

  let isStopping = false
  let clockOffset = 0
  let nextClaim = 0
  let lastClaim = 0
  let claimGap: number = pace.wokenClaimMs
  let claimMost: number = pace.claimLanes
  let nextPoll = 0
  let nextRenewal = 0
  let nextExpiry = 0
  const releasing = new Set<bigint>()
  /** Events were committed while lanes were being released. */
  let wokeWhileReleasing = false
  let failures = 0
  let nudge = () => {}
  let isFilling = false

  /** The database's time, read at every claim and advanced by the monotonic clock. */
  const databaseNow = () => monotonicMs() + clockOffset

  async function run(): Promise<void> {
    while (!isStopping) {
      const began = monotonicMs()
      try {
        await round(began)
        failures = 0
      } catch (error) {
        failures++
        log.warn('delivery waits for the database', faultFields(error))
        await sleep(Math.min(pace.backoffMs * 2 ** failures, pace.backoffMostMs))
      }
      await untilNext(began)
    }
  }

  async function round(began: number): Promise<void> {
    if (began >= nextRenewal) await renew()
    if (began >= nextClaim) await claim(began)
    if (began >= nextExpiry) void expire(began)
    await read()
    fill()
    for (const lane of lanes.values()) if (isIdle(lane, databaseNow())) releaseLane(lane)
  }

  /** Waits for a nudge or the next poll, whichever is first, but never runs more often than the loop's pace. */
  async function untilNext(began: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    nudge = resolve
    const timer = setTimeout(resolve, Math.max(0, Math.min(nextPoll, nextClaim) - monotonicMs()))
    if (!isStopping && !hasWork()) await promise
    clearTimeout(timer)
    nudge = () => {}
    const early = began + pace.loopMs - monotonicMs()
    if (early > 0 && !isStopping) await sleep(early)
  }

  function hasWork(): boolean {
    const now = databaseNow()
    for (const lane of lanes.values()) if (countToRead(lane, now) > 0 && slots.hasRoom(lane)) return true
    return false
  }

  async function claim(began: number): Promise<void> {
    if (began >= nextPoll) for (const lane of lanes.values()) lane.isUnread = true
    nextPoll = began + pace.pollMs
    nextClaim = nextPoll
    lastClaim = monotonicMs()
    const free = Math.max(0, pace.ownedLanes - lanes.size)
    // Never all that are free: those that become ready next find some too.
    const most = Math.min(claimMost, Math.ceil(free / 2))
    // No merchant has more than are free, so that there is room for one that has none.
    const share = Math.min(pace.ownedLanesOfMerchant, free)
    const heldByMerchant = new Map<MerchantId, number>()
    for (const { merchantId } of lanes.values())
      heldByMerchant.set(merchantId, (heldByMerchant.get(merchantId) ?? 0) + 1)
    const { now, claimed, waiting } = await claimLanes(db, { node, most, share, held: heldByMerchant })
    clockOffset = now - lastClaim
    for (const row of claimed) {
      const held = holdLane(row, lastClaim, remembered.get(row.id))
      const lost = lanes.get(row.id)
      // Our own lease ran out and no other node claimed the lane: what is still in flight must not be read again.
      if (lost) Object.assign(lost, { ...held, sending: lost.sending, taken: lost.taken })
      else lanes.set(row.id, held)
    }
    // Polling costs more with more inactive lanes: it may take at most a quarter of the time.
    claimGap = Math.max(pace.wokenClaimMs, 4 * (monotonicMs() - lastClaim))
    const mayBeMore = most > 0 && claimed.length === most
    claimMost = mayBeMore ? Math.min(2 * claimMost, pace.claimLanesMost) : pace.claimLanes
    if (mayBeMore) nextClaim = lastClaim
    else if (waiting > 0) lanesToGiveBack(lanes.values(), { waiting, share, now: lastClaim }).forEach(endTurn)
  }

  function claimSoon(): void {
    nextClaim = Math.min(nextClaim, lastClaim + claimGap)
  }

  async function renew(): Promise<void> {
    const asked = monotonicMs()
    const own = [...lanes.values()].filter((lane) => !lane.isLost)
    const kept = new Set(own.length > 0 ? await renewLanes(db, node, own) : [])
    nextRenewal = asked + pace.renewMs
    for (const lane of own) {
      lane.isLost = !kept.has(lane.id)
      if (lane.isLost) dropHeads(lane)
      else lane.leaseUntil = asked + pace.leaseMs
    }
  }

  async function expire(began: number): Promise<void> {
    nextExpiry = began + pace.expiryMs
    try {
      const count = await expireOldCallbacks(db, pace.expiryRows)
      if (count > 0) log.warn('callbacks were given up after 30 days', { count })
      if (count === pace.expiryRows) nextExpiry = 0
    } catch (error) {
      // Expiry is not urgent: due callbacks are delivered meanwhile.
      log.warn('old callbacks could not be given up', faultFields(error))
    }
  }

  async function read(): Promise<void> {
    const now = databaseNow()
    // Only lanes that can send now: what is read must be sent while it is fresh.
    const readable = [...lanes.values()].filter((lane) => countToRead(lane, now) > 0 && slots.hasRoom(lane))
    if (readable.length === 0) return
    const wanted = readable.map((lane) => ({ id: lane.id, epoch: lane.epoch, most: countToRead(lane, now) }))
    // Cleared before the read: whatever is enqueued during the read sets it again.
    for (const lane of readable) lane.isUnread = false
    const taken = readable.flatMap((lane) => [...lane.taken])
    const [heads] = await Promise.all([
      readHeads(db, { node, lanes: wanted, taken }),
      keys.refresh(readable.map((lane) => lane.merchantId)),
    ]).catch((error) => {
      for (const lane of readable) lane.isUnread = true
      throw error
    })
    // After the read: what a slow one has found would be too old to be sent, and the next one would be as slow.
    const readAt = monotonicMs()
    for (const head of heads) {
      const lane = lanes.get(head.laneId)
      if (lane) addHead(lane, head, readAt)
    }
    const counts = Map.groupBy(heads, (head) => head.laneId)
    for (const { id, most } of wanted) {
      if ((counts.get(id)?.length ?? 0) >= most) lanes.get(id)!.isUnread = true
    }
  }

  function fill(): void {
    isFilling = false
    if (!isStopping && writer.waiting() < pace.unwritten)
      slots.fill(lanes, { monotonic: monotonicMs(), now: databaseNow() })
  }

  /** Many requests end in one turn of the event loop: their slots are filled together. */
  function fillSoon(): void {
    if (isFilling) return
    isFilling = true
    setImmediate(() => {
      fill()
      if (hasWork()) nudge()
    })
  }

  async function send(lane: HeldLane, head: BufferedHead): Promise<void> {
    const { epoch } = lane
    const at = databaseNow()
    const deadlineMs = Math.min(pace.requestMs, lane.leaseUntil - monotonicMs())
    const answered = await sendCallback({
      outbound,
      log,
      keys: keys.keysOf(lane.merchantId),
      head,
      at,
      deadlineMs,
      owner: lane.merchantId,
    })
    const settled = outcomeOfAttempt(lane.health, { ...head, hasOwnUrl: lane.hasOwnUrls }, answered, {
      now: databaseNow(),
      random: randomFraction(),
    })
    const before = lane.health
    lane.health = settled.lane
    outcomes[settled.outcome]++
    // Without the body: results may wait for the database, and bodies take most of the memory.
    const { url: _url, body: _body, ...sent } = head
    writer.add({
      ...sent,
      outcome: settled.outcome,
      epoch,
      merchantId: lane.merchantId,
      at,
      ms: Math.round(answered.ms),
      status: answered.status ?? null,
      error: answered.error ?? null,
      answer: answered.answer ?? null,
      address: answered.address ?? null,
      dueAt: settled.outcome === 'retry' ? settled.dueAt : null,
      reason: settled.outcome === 'dead' ? settled.reason : null,
    })
    if (isChanged(before, lane.health)) onHealth(lane, before.pause === null ? head.url : lane.pausedUrl)
    fillSoon()
  }

  function onHealth(lane: HeldLane, url: string | null): void {
    lane.pausedUrl = url
    // An open or paused lane sends nothing: what was read ahead stays in the database.
    if (lane.health.pause !== null || lane.health.openUntil > databaseNow()) dropHeads(lane)
    if (!lane.isLost) writer.change(changeOf(lane, false))
  }

  function written(results: Result[]): void {
    for (const result of results) {
      const lane = lanes.get(result.laneId)
      if (!lane) continue
      lane.taken.delete(result.callbackId)
      // The next callback of the deposit may be sent now.
      lane.isUnread = true
    }
    fillSoon()
    nudge()
  }

  function lanesWritten(changed: LaneChange[]): void {
    // Callbacks that were enqueued while their lane was being released have not been claimed by anybody.
    for (const lane of changed) if (releasing.delete(lane.id) && wokeWhileReleasing) claimSoon()
    if (releasing.size === 0) wokeWhileReleasing = false
    nudge()
  }

  /** The database refused the result of a sent callback: a delay prevents an endless loop of sending it. */
  function refused(result: Result): void {
    setTimeout(() => lanes.get(result.laneId)?.taken.delete(result.callbackId), pace.refusedMs).unref()
  }

  function releaseLane(lane: HeldLane): void {
    lanes.delete(lane.id)
    if (lane.isLost) return
    remembered.delete(lane.id)
    remembered.set(lane.id, lane.health)
    if (remembered.size > pace.rememberedLanes) remembered.delete(remembered.keys().next().value!)
    releasing.add(lane.id)
    writer.change(changeOf(lane, true))
  }

  const running = run()

  return {
    wake() {
      wokeWhileReleasing = releasing.size > 0
      for (const lane of lanes.values()) lane.isUnread = true
      claimSoon()
      nudge()
    },
    async stop() {
      const until = monotonicMs() + pace.stopMs
      isStopping = true
      nudge()
      for (const lane of lanes.values()) dropHeads(lane)
      await running
      while (slots.inFlight() > 0 && monotonicMs() < until) await sleep(pace.loopMs)
      await writer.drain(until + 500 - monotonicMs())
      // A lane with a request still in flight keeps its lease until that request must have ended.
      for (const lane of lanes.values()) if (lane.sending === 0 && !lane.isLost) releaseLane(lane)
      if (!(await writer.drain(until + 800 - monotonicMs())))
        log.warn('delivery stopped with results unwritten')
    },
    stats: () => ({
      lanes: lanes.size,
      lanesOpen: [...lanes.values()].filter((lane) => lane.health.trips > 0).length,
      inFlight: slots.inFlight(),
      unwritten: writer.waiting(),
      outcomes: { ...outcomes },
    }),
  }
}
