/**
 * Lists are the largest answers of the API, and the thread that renders them serves everybody. So the size of a page is
 * limited, and each owner gets one at a time, followed by a pause in proportion to its size: many requests of one owner
 * delay only that owner.
 */
import { bounds } from './bounds.ts'
import { sleep } from './clock.ts'
import { Refusal } from './refusals.ts'

export type LargeAnswers = (owner: string, make: () => Promise<string>) => Promise<string>

export function createLargeAnswers(
  { bytesPerMs, waiting: most }: { bytesPerMs: number; waiting: number },
  pause: (ms: number) => Promise<void> = sleep,
): LargeAnswers {
  const queues = new Map<string, { waiting: number; last: Promise<void> }>()

  return async (owner, make) => {
    const queue = queues.get(owner) ?? { waiting: 0, last: Promise.resolve() }
    if (queue.waiting >= most)
      throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
    queues.set(owner, queue)
    queue.waiting++
    const answer = queue.last.then(make)
    queue.last = answer
      .then(
        (text) => pause(Buffer.byteLength(text) / bytesPerMs),
        () => {},
      )
      .then(() => {
        if (--queue.waiting === 0) queues.delete(owner)
      })
    return answer
  }
}

/** The rows of a page as JSON: as many as fit the maximum size, but at least one. */
export function rowsThatFit(rows: Iterable<object>): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    bytes += Buffer.byteLength(text)
    if (texts.length > 0 && bytes > bounds.pageBytes) break
    texts.push(text)
  }
  return texts
}
