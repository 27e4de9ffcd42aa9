/**
 * Bounds how many pieces of work run at once, where each holds a database connection that others need. Those that wait are
 * taken from each owner in turn; when too many wait, one of them is refused as overloaded.
 */
import { bounds } from './bounds.ts'
import { createFairQueue } from './fair-queue.ts'
import { Refusal } from './refusals.ts'

export type ConcurrencyLimit = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

export function createConcurrencyLimit({
  atOnce,
  waiting: most,
}: {
  atOnce: number
  waiting: number
}): ConcurrencyLimit {
  const waiting = createFairQueue<PromiseWithResolvers<void>>(most)
  let running = 0

  function next(): void {
    const turn = running < atOnce ? waiting.take() : undefined
    if (!turn) return
    running++
    turn.resolve()
  }

  return async (owner, work) => {
    const turn = Promise.withResolvers<void>()
    waiting
      .add(owner, turn)
      ?.reject(new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }))
    next()
    await turn.promise
    try {
      return await work()
    } finally {
      running--
      next()
    }
  }
}
