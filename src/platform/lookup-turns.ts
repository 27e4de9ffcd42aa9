/**
 * Names are looked up on the system's threads, 32 of them, and a name whose servers do not answer holds its thread for many
 * seconds: nothing can end that. So each owner has few lookups at once. An owner of such a name shares a few threads with
 * all others like it, for a while, and nobody else waits behind them. Some threads stay free for the database's own name.
 */
import { monotonicMs } from './clock.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'

const lookupBounds = {
  ofOwner: 2,
  prompt: { atOnce: 20, waiting: Number.POSITIVE_INFINITY },
  slow: { atOnce: 8, waiting: Number.POSITIVE_INFINITY },
  /** A lookup that takes longer makes its owner slow, for this long after its end. */
  slowMs: 1_000,
  slowForMs: 10 * 60_000,
} as const

type Line = { running: number; waiting: Set<() => void> }

/** A lookup that waits longer than `waitMs` for the others of its owner is dropped: it throws. */
export function createLookupTurns(waitMs: number) {
  const lines = new Map<string, Line>()
  const slowUntil = new Map<string, number>()
  const prompt = createConcurrencyLimit(lookupBounds.prompt)
  const slow = createConcurrencyLimit(lookupBounds.slow)

  function turnIn(line: Line): Promise<boolean> {
    if (line.running < lookupBounds.ofOwner) {
      line.running++
      return Promise.resolve(true)
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const begin = () => {
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(() => {
      line.waiting.delete(begin)
      resolve(false)
    }, waitMs)
    line.waiting.add(begin)
    return promise
  }

  /** The turn goes to who waits longest, else it is over. */
  function leave(owner: string, line: Line): void {
    const [next] = line.waiting
    if (next) {
      line.waiting.delete(next)
      next()
    } else if (--line.running === 0) lines.delete(owner)
  }

  function isSlow(owner: string): boolean {
    const until = slowUntil.get(owner)
    if (until === undefined || monotonicMs() < until) return until !== undefined
    slowUntil.delete(owner)
    return false
  }

  async function timed<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const began = monotonicMs()
    const mark = () => slowUntil.set(owner, monotonicMs() + lookupBounds.slowForMs)
    const timer = setTimeout(mark, lookupBounds.slowMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      if (monotonicMs() - began >= lookupBounds.slowMs) mark()
    }
  }

  async function onThread<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    if (!isSlow(owner)) {
      // It may have become slow while it waited.
      const found = await prompt(owner, async () =>
        isSlow(owner) ? undefined : { result: await timed(owner, work) },
      )
      if (found) return found.result
    }
    return slow(owner, () => timed(owner, work))
  }

  return async <Result>(owner: string, work: () => Promise<Result>): Promise<Result> => {
    const line = lines.get(owner) ?? { running: 0, waiting: new Set() }
    lines.set(owner, line)
    if (!(await turnIn(line))) throw new Error('too many names of one owner are being looked up')
    return onThread(owner, work).finally(() => leave(owner, line))
  }
}
