/**
 * Bounds how many pieces of work run at once, in all and of one owner. Those that wait are taken from each owner in turn; when
 * too many wait, one of them is refused as overloaded.
 */
import { bounds } from './bounds.ts'
import { createFairQueue } from './fair-queue.ts'
import { Refusal } from './refusals.ts'

export type FairLimit = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

type Limits = { atOnce: number; ofOwner: number; waiting: number }

export function createFairLimit({ atOnce, ofOwner, waiting: most }: Limits): FairLimit {
  const waiting = createFairQueue<{ begin(): void; refuse(): void }>(most)
  const running = new Map<string, number>()
  let runningInAll = 0

  const isFreeFor = (owner: string) => runningInAll < atOnce && (running.get(owner) ?? 0) < ofOwner

  function count(owner: string, more: 1 | -1): void {
    const own = (running.get(owner) ?? 0) + more
    runningInAll += more
    if (own > 0) running.set(owner, own)
    else running.delete(owner)
  }

  function turnOf(owner: string): Promise<void> | undefined {
    if (isFreeFor(owner)) return void count(owner, 1)
    return new Promise((resolve, reject) => {
      const begin = () => {
        count(owner, 1)
        resolve()
      }
      const refuse = () =>
        reject(new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }))
      waiting.add(owner, { begin, refuse })?.refuse()
    })
  }

  return async (owner, work) => {
    await turnOf(owner)
    try {
      return await work()
    } finally {
      count(owner, -1)
      waiting.take(isFreeFor)?.begin()
    }
  }
}
