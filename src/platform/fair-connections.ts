/**
 * Lends a few database connections to owners in turn: the many questions of one do not delay the few of another. Whoever
 * asks is known by the call chain, so that nothing between a request and its questions has to hand it on.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createFairQueue } from './fair-queue.ts'

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
  let lent = 0

  function take(): Promise<void> | undefined {
    if (lent < connections) {
      lent++
      return
    }
    const owner = asking.getStore() ?? ''
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(owner, begin)
        reject(crowded())
      }, waitMs)
      waiting.add(owner, begin)
    })
  }

  /** The next in turn has what this one gives back. */
  function giveBack(): void {
    const next = waiting.take()
    if (next) next()
    else lent--
  }

  return {
    async inTurn(work) {
      await take()
      try {
        return await work()
      } finally {
        giveBack()
      }
    },
    get waiting() {
      return waiting.size
    },
  }
}
