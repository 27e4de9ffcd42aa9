/**
 * Bounds how many pieces of work run at once, where each holds a database connection that others need: in all, and of one
 * owner. Those that wait are taken from each owner in turn; when too many wait, one of them is refused as overloaded.
 */
import { bounds } from './bounds.ts'
import { createFairQueue } from './fair-queue.ts'
import { createPlaces } from './places.ts'
import { Refusal } from './refusals.ts'

export type ConcurrencyLimit = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

export function createConcurrencyLimit({
  atOnce,
  ofOwner = atOnce,
  waiting: most,
}: {
  atOnce: number
  ofOwner?: number
  waiting: number
}): ConcurrencyLimit {
  const waiting = createFairQueue<{ begin(): void; refuse(): void }>(most)
  const places = createPlaces({ inAll: atOnce, ofOwner })

  function turnOf(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        places.take(owner)
        resolve()
      }
      const refuse = () =>
        reject(new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }))
      waiting.add(owner, { begin, refuse })?.refuse()
      beginNext()
    })
  }

  const beginNext = () => waiting.take(places.isFreeFor)?.begin()

  return async (owner, work) => {
    await turnOf(owner)
    try {
      return await work()
    } finally {
      places.free(owner)
      beginNext()
    }
  }
}
