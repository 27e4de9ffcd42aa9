/**
 * Collects results and lane changes, and writes them in batches. Nothing is lost while the database is away: it is
 * written later. A result that the database always refuses is found by halving the batch, logged and dropped, so that it
 * cannot block the others.
 */

import { bounds } from '../../../../platform/bounds.ts'
import { sleep } from '../../../../platform/clock.ts'
import { isContended, isDatabaseAway, sqlState } from '../../../../platform/db-errors.ts'
import { faultFields, type Log } from '../../../../platform/log.ts'
import type { LaneChange, Result } from './store.ts'

type ResultWriter = {
  add(result: Result): void
  /** A newer change of a lane replaces an older one. */
  change(lane: LaneChange): void
  /** True once everything is written, false when it took longer than this. */
  drain(ms: number): Promise<boolean>
  waiting(): number
}

type ResultWriting = {
  writeResults(results: Result[]): Promise<void>
  writeLanes(lanes: LaneChange[]): Promise<void>
  written(results: Result[]): void
  lanesWritten(lanes: LaneChange[]): void
  refused(result: Result): void
  log: Log
}

const { flushMs, flushRows, flushesAtOnce, loopMs, backoffMs, backoffMostMs } = bounds.delivery

export function createResultWriter(writing: ResultWriting): ResultWriter {
  let results: Result[] = []
  let lanes = new Map<bigint, LaneChange>()
  let timer: NodeJS.Timeout | undefined
  let beingWritten = 0
  let batches = 0
  let isWritingLanes = false
  /** Less than flushRows while searching for a result that the database refuses. */
  let size: number = flushRows
  let failures = 0

  const schedule = () => {
    if (results.length >= flushRows) begin()
    else if (results.length + lanes.size > 0) timer ??= setTimeout(begin, flushMs)
  }

  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    const atOnce = size < flushRows || failures > 0 ? 1 : flushesAtOnce
    while (results.length > 0 && batches < atOnce) void writeBatch()
    if (lanes.size > 0 && !isWritingLanes) void writeLanes()
  }

  async function writeBatch(): Promise<void> {
    const batch = results.slice(0, size)
    results = results.slice(batch.length)
    batches++
    beingWritten += batch.length
    try {
      await writing.writeResults(batch)
      failures = 0
      size = Math.min(size * 2, flushRows)
      writing.written(batch)
    } catch (error) {
      await onFailure(error, batch)
    }
    batches--
    beingWritten -= batch.length
    schedule()
  }

  async function onFailure(error: unknown, batch: Result[]): Promise<void> {
    const fields = { ...faultFields(error), count: batch.length }
    if (isTransient(error)) {
      results = [...batch, ...results]
      writing.log.warn('delivery cannot write its results yet', fields)
      return backOff()
    }
    writing.log.error('the database refuses results of delivery', fields)
    if (batch.length === 1) return writing.refused(batch[0]!)
    results = [...batch, ...results]
    size = Math.min(size, Math.ceil(batch.length / 2))
  }

  async function writeLanes(): Promise<void> {
    const changed = lanes
    lanes = new Map()
    isWritingLanes = true
    try {
      await writing.writeLanes([...changed.values()])
      writing.lanesWritten([...changed.values()])
    } catch (error) {
      writing.log.warn('delivery cannot write its lanes', faultFields(error))
      // Otherwise they are dropped: leases run out, and health is measured again.
      if (isTransient(error)) lanes = new Map([...changed, ...lanes])
      await backOff()
    }
    isWritingLanes = false
    schedule()
  }

  const backOff = () => sleep(Math.min(backoffMs * 2 ** failures++, backoffMostMs))

  return {
    add(result) {
      results.push(result)
      schedule()
    },
    change(lane) {
      lanes.set(lane.id, lane)
      schedule()
    },
    async drain(ms) {
      const isDone = () => results.length + beingWritten + lanes.size === 0 && !isWritingLanes
      for (let waited = 0; !isDone(); waited += loopMs) {
        if (waited >= ms) return false
        begin()
        await sleep(loopMs)
      }
      return true
    },
    waiting: () => results.length + beingWritten,
  }
}

/** Whether the same batch may succeed later: the database is away or busy, or rolled it back because of a conflict. */
const isTransient = (error: unknown) =>
  isDatabaseAway(error) || isContended(error) || sqlState(error)?.startsWith('40') === true
