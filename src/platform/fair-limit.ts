/**
 * Bounds how many pieces of work run at once, in all and of one owner. Those that wait are taken from each owner in turn; when
 * too many wait, one of them is refused.
 */
import { bounds } from './bounds.ts'
import { createFairQueue } from './fair-queue.ts'
import { Refusal } from './refusals.ts'

type Run = <Result>(owner: string, work: () => Promise<Result>) => Promise<Result>

export type FairLimit = Run & {
  /** Whether more work of this owner would be refused now. */
  isFullFor(owner: string): boolean
}

export type FairPlaces = { atOnce: number; ofOwner: number; waiting: number }
type Limits = FairPlaces & { full?: () => Refusal }

export const overloaded = (): Refusal =>
  new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })

export function createFairLimit({ atOnce, ofOwner, waiting: most, full = overloaded }: Limits): FairLimit {
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
      waiting.add(owner, { begin, refuse: () => reject(full()) })?.refuse()
    })
  }

  const run: Run = async (owner, work) => {
    await turnOf(owner)
    try {
      return await work()
    } finally {
      count(owner, -1)
      waiting.take(isFreeFor)?.begin()
    }
  }
  const isFullFor = (owner: string) => !isFreeFor(owner) && waiting.isFullFor(owner)
  return Object.assign(run, { isFullFor })
}
