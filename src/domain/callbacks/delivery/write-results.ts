/**
 * Writes what was recorded, and changed lanes, in batches: one at a time, so that what comes meanwhile makes the next one larger.
 * Nothing is lost while the database is away: it is written later. A result that the database always refuses is found by
 * writing its batch one by one, logged and dropped, so that it cannot block the others.
 */

import { bounds } from '../../../platform/bounds.ts'
import { sleep } from '../../../platform/clock.ts'
import { isContended, isDatabaseAway, sqlState } from '../../../platform/db-errors.ts'
import { faultFields, type Log } from '../../../platform/log.ts'
import type { LaneChange } from './held-lane.ts'
import type { Recorded } from './phases.ts'

type ResultWriting = {
  writeResults(results: Recorded[]): Promise<void>
  writeLanes(lanes: LaneChange[]): Promise<void>
  written(results: Recorded[]): void
  refused(result: Recorded): void
  log: Log
}

const { flushMs, flushRows, loopMs, backoffMs, backoffMostMs } = bounds.delivery

export class ResultWriter {
  readonly #writing: ResultWriting
  #results: Recorded[] = []
  #lanes = new Map<bigint, LaneChange>()
  #beingWritten = 0
  #running: Promise<void> | undefined
  #failures = 0
  /** Batches are written one by one until this many results are done: one of them was refused. */
  #apart = 0

  constructor(writing: ResultWriting) {
    this.#writing = writing
  }

  add(result: Recorded): void {
    this.#results.push(result)
    this.#running ??= this.#run()
  }

  /** A newer change of a lane replaces an older one. */
  change(lane: LaneChange): void {
    this.#lanes.set(lane.id, lane)
    this.#running ??= this.#run()
  }

  get waiting(): number {
    return this.#results.length + this.#beingWritten
  }

  /** True once everything is written, false when it took longer than this. */
  async drain(ms: number): Promise<boolean> {
    for (let waited = 0; this.#running; waited += loopMs) {
      if (waited >= ms) return false
      await sleep(loopMs)
    }
    return true
  }

  async #run(): Promise<void> {
    while (this.waiting + this.#lanes.size > 0) {
      if (this.#results.length < flushRows) await sleep(flushMs)
      await this.#writeResults()
      await this.#writeLanes()
      if (this.#failures > 0) await sleep(Math.min(backoffMs * 2 ** this.#failures, backoffMostMs))
    }
    this.#running = undefined
  }

  async #writeResults(): Promise<void> {
    const batch = this.#results.splice(0, this.#apart > 0 ? 1 : flushRows)
    if (batch.length === 0) return
    this.#beingWritten = batch.length
    try {
      await this.#writing.writeResults(batch)
      this.#failures = 0
      this.#apart -= Math.min(this.#apart, batch.length)
      this.#writing.written(batch)
    } catch (error) {
      this.#onFailure(error, batch)
    }
    this.#beingWritten = 0
  }

  #onFailure(error: unknown, batch: Recorded[]): void {
    const fields = { ...faultFields(error), count: batch.length }
    if (isTransient(error)) {
      this.#failures++
      this.#writing.log.warn('delivery cannot write its results yet', fields)
      this.#results = [...batch, ...this.#results]
      return
    }
    this.#writing.log.error('the database refuses results of delivery', fields)
    if (batch.length === 1) {
      this.#apart = Math.max(0, this.#apart - 1)
      this.#writing.refused(batch[0]!)
    } else {
      this.#apart = batch.length
      this.#results = [...batch, ...this.#results]
    }
  }

  async #writeLanes(): Promise<void> {
    const changed = this.#lanes
    if (changed.size === 0) return
    this.#lanes = new Map()
    try {
      await this.#writing.writeLanes([...changed.values()])
      this.#failures = 0
    } catch (error) {
      this.#writing.log.warn('delivery cannot write its lanes', faultFields(error))
      // Otherwise they are dropped: leases run out, and health is measured again.
      if (isTransient(error)) this.#lanes = new Map([...changed, ...this.#lanes])
      this.#failures++
    }
  }
}

/** Whether the same batch may succeed later: the database is away or busy, or rolled it back because of a conflict. */
const isTransient = (error: unknown) =>
  isDatabaseAway(error) || isContended(error) || sqlState(error)?.startsWith('40') === true
