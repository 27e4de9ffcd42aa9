/**
 * Bounds how many pieces of work run at once, where each holds a database connection that others need: in all, and of one
 * owner. Those that wait are taken from each owner in turn; when too many wait, one of them is refused as overloaded.
 */
import { bounds } from './bounds.ts'
import { createFairQueue } from './fair-queue.ts'
import { createPlaces } from './places.ts'
import { Refusal } from './refusals.ts'

/** Places that several limits share. One that becomes free is offered to the limits in turn. */
type SharedPlaces = {
  isFree(): boolean
  take(): void
  free(): void
  /** `beginNext` begins what waits in a limit, if its own places allow it, and says whether it did. */
  join(beginNext: () => boolean): void
}

export function createSharedPlaces(most: number): SharedPlaces {
  let taken = 0
  let limits: (() => boolean)[] = []
  return {
    isFree: () => taken < most,
    take: () => void taken++,
    free() {
      taken--
      const begun = limits.find((beginNext) => beginNext())
      // This limit is the last one next time.
      if (begun) limits = [...limits.filter((limit) => limit !== begun), begun]
    },
    join: (beginNext) => void limits.push(beginNext),
  }
}

export type ConcurrencyLimit = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

export function createConcurrencyLimit(
  { atOnce, ofOwner = atOnce, waiting: most }: { atOnce: number; ofOwner?: number; waiting: number },
  shared?: SharedPlaces,
): ConcurrencyLimit {
  const waiting = createFairQueue<{ begin(): void; refuse(): void }>(most)
  const places = createPlaces({ inAll: atOnce, ofOwner })

  function turnOf(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        places.take(owner)
        shared?.take()
        resolve()
      }
      const refuse = () =>
        reject(new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }))
      waiting.add(owner, { begin, refuse })?.refuse()
      beginNext()
    })
  }

  function beginNext(): boolean {
    const next = shared?.isFree() === false ? undefined : waiting.take(places.isFreeFor)
    next?.begin()
    return next !== undefined
  }
  shared?.join(beginNext)

  return async (owner, work) => {
    await turnOf(owner)
    try {
      return await work()
    } finally {
      places.free(owner)
      if (shared) shared.free()
      else beginNext()
    }
  }
}
