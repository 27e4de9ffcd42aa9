/**
 * Collects results and lane changes, and writes them in batches, one after the other. Nothing is forgotten while
 * the database is away: what cannot be written now is written later. A result that the database will never take is
 * found by halving the batch, reported and put aside, so that it cannot hold up the others.
 */
import { bounds } from '../../bounds.ts'
import { sleep } from '../../platform/clock.ts'
import { isDatabaseAway, isLockTimeout } from '../../platform/db.ts'
import { faultFields, type Log } from '../../platform/log.ts'
import type { LaneChange, Result } from './store.ts'

export type ResultWriter = {
  add(result: Result): void
  /** The newest change of a lane is the one that counts. */
  change(lane: LaneChange): void
  /** True once everything is written, false when it took longer than this. */
  drain(ms: number): Promise<boolean>
  waiting(): number
}

export type ResultWriting = {
  write(batch: { results: Result[]; lanes: LaneChange[] }): Promise<void>
  written(results: Result[], lanes: LaneChange[]): void
  refused(result: Result): void
  log: Log
}

const { flushMs, flushRows, backoffMs, backoffMostMs } = bounds.delivery

export function createResultWriter({ write, written, refused, log }: ResultWriting): ResultWriter {
  const results: Result[] = []
  let lanes = new Map<bigint, LaneChange>()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let size: number = flushRows
  let failures = 0

  const isEmpty = () => results.length === 0 && lanes.size === 0

  const schedule = () => {
    if (running) return
    if (results.length >= flushRows) return begin()
    timer ??= setTimeout(begin, flushMs)
  }
  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    running ??= writeUntilShort().finally(() => {
      running = undefined
      if (!isEmpty()) schedule()
    })
  }

  async function writeUntilShort(): Promise<void> {
    do await writeOne()
    while (results.length >= flushRows || (!isEmpty() && (failures > 0 || size < flushRows)))
  }

  async function writeOne(): Promise<void> {
    const batch = results.slice(0, size)
    // Lanes wait while a bad result is looked for: they must not be suspected with it.
    const changed = size === flushRows || batch.length === 0 ? lanes : new Map<bigint, LaneChange>()
    if (changed === lanes) lanes = new Map()
    try {
      await write({ results: batch, lanes: [...changed.values()] })
    } catch (error) {
      for (const [id, lane] of changed) if (!lanes.has(id)) lanes.set(id, lane)
      return onFailure(error, batch)
    }
    results.splice(0, batch.length)
    failures = 0
    size = Math.min(size * 2, flushRows)
    written(batch, [...changed.values()])
  }

  async function onFailure(error: unknown, batch: Result[]): Promise<void> {
    failures++
    const fields = { ...faultFields(error), count: batch.length }
    if (isDatabaseAway(error) || isLockTimeout(error)) {
      log.warn('delivery cannot write its results yet', fields)
      return sleep(Math.min(backoffMs * 2 ** failures, backoffMostMs))
    }
    log.error('the database refuses results of delivery', fields)
    if (batch.length > 1) {
      size = Math.ceil(batch.length / 2)
    } else if (batch.length === 1) {
      refused(results.shift()!)
    } else {
      // A lane's health is worth less than everybody's results: its lease runs out by itself.
      lanes.clear()
    }
    return sleep(backoffMs)
  }

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
      const late = new AbortController()
      const isLate = sleepUntil(ms, late.signal)
      const isDone = (async () => {
        while (!isEmpty() || running) {
          begin()
          await running
        }
        return true
      })()
      return Promise.race([isDone, isLate]).finally(() => late.abort())
    },
    waiting: () => results.length,
  }
}

const sleepUntil = (ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    signal.addEventListener('abort', () => clearTimeout(timer))
  })
