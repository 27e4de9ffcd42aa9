/**
 * Lends a few database connections to owners in turn: many queries of one owner do not delay the few of another, and no owner
 * has all connections, so that long queries do not either. The owner is known from the async context, so that no function has
 * to pass it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createFairQueue } from './fair-queue.ts'
import { createPlaces } from './places.ts'

const asking = new AsyncLocalStorage<string>()

/** All that this work asks of fair connections is asked by this owner. */
export const askAs = <Result>(owner: string, work: () => Result): Result => asking.run(owner, work)

type FairConnections = {
  /** The work begins when it is this owner's turn; after `waitMs` it fails as `crowded` says. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  readonly waiting: number
}

export function createFairConnections(
  connections: number,
  { waitMs, crowded }: { waitMs: number; crowded: () => Error },
): FairConnections {
  /** Bounded by the requests that are unanswered: see connections.ts. */
  const waiting = createFairQueue<() => void>(Number.POSITIVE_INFINITY)
  const places = createPlaces({ inAll: connections, ofOwner: Math.max(1, connections - 1) })

  function take(owner: string): Promise<void> | undefined {
    if (places.isFreeFor(owner)) return void places.take(owner)
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        places.take(owner)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(owner, begin)
        reject(crowded())
      }, waitMs)
      waiting.add(owner, begin)
    })
  }

  return {
    async inTurn(work) {
      const owner = asking.getStore() ?? ''
      await take(owner)
      try {
        return await work()
      } finally {
        places.free(owner)
        waiting.take(places.isFreeFor)?.()
      }
    },
    get waiting() {
      return waiting.size
    },
  }
}
