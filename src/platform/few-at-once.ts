/**
 * Few works at once, for what takes connections that others need: because it asks much, or waits for a lock with one in hand.
 * The rest waits for its turn in memory, each owner's in turn; beyond the bound somebody is told to come again.
 */
import { bounds } from './bounds.ts'
import { createFairQueue } from './fair-queue.ts'
import { Refusal } from './refusals.ts'

export type FewAtOnce = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

export function fewAtOnce({ atOnce, waiting: most }: { atOnce: number; waiting: number }): FewAtOnce {
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
