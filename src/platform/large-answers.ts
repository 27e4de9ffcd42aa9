/**
 * Lists are the largest answers of the API, and the thread that makes them serves everybody. So a page has few bytes, and
 * each owner gets one at a time, with a rest after it in proportion to its bytes: who asks for many waits for itself alone.
 */
import { bounds } from './bounds.ts'
import { sleep } from './clock.ts'
import { Refusal } from './refusals.ts'

export type LargeAnswers = (owner: string, make: () => Promise<string>) => Promise<string>

export function createLargeAnswers(
  { bytesPerMs, waiting: most }: { bytesPerMs: number; waiting: number },
  rest: (ms: number) => Promise<void> = sleep,
): LargeAnswers {
  const lines = new Map<string, { waiting: number; last: Promise<void> }>()

  return async (owner, make) => {
    const line = lines.get(owner) ?? { waiting: 0, last: Promise.resolve() }
    if (line.waiting >= most)
      throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
    lines.set(owner, line)
    line.waiting++
    const answer = line.last.then(make)
    line.last = answer
      .then(
        (text) => rest(Buffer.byteLength(text) / bytesPerMs),
        () => {},
      )
      .then(() => {
        if (--line.waiting === 0) lines.delete(owner)
      })
    return answer
  }
}

/** The rows of a page as JSON, as many as fit its bytes: one at least. */
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
