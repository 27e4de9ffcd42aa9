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

/** Groups of owners, where there are any, have their turns before owners, and no group has more than `ofGroup` at once. */
export type ConcurrencyLimit = <Result>(
  owner: string,
  work: () => Promise<Result>,
  group?: string,
) => Promise<Result>

export function createConcurrencyLimit(
  {
    atOnce,
    ofOwner = atOnce,
    ofGroup = atOnce,
    waiting: most,
  }: { atOnce: number; ofOwner?: number; ofGroup?: number; waiting: number },
  shared?: SharedPlaces,
): ConcurrencyLimit {
  const waiting = createFairQueue<{ begin(): void; refuse(): void }>(most)
  const places = createPlaces({ inAll: atOnce, ofOwner, ofGroup })

  function turnOf(owner: string, group: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        places.take(owner, group)
        shared?.take()
        resolve()
      }
      const refuse = () =>
        reject(new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }))
      waiting.add(owner, { begin, refuse }, group)?.refuse()
      beginNext()
    })
  }

  function beginNext(): boolean {
    const next = shared?.isFree() === false ? undefined : waiting.take(places.isFreeFor)
    next?.begin()
    return next !== undefined
  }
  shared?.join(beginNext)

  return async (owner, work, group = owner) => {
    await turnOf(owner, group)
    try {
      return await work()
    } finally {
      places.free(owner, group)
      if (shared) shared.free()
      else beginNext()
    }
  }
}
