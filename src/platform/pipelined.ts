/** Statements of one transaction that are sent without waiting for the answers to those before them. */
import { createPause } from './in-stretches.ts'

/**
 * Waits for statements that were sent and run in this order. It ends when all have ended, so that no statement runs after a
 * rollback. If several failed, the first error is thrown.
 */
export async function pipelined<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}

/**
 * Sends statements of one transaction, each as soon as it is made, and waits for all answers at the end, as `pipelined` does:
 * the database works on one while the next is made. Other requests are served in between.
 */
export async function sendAll(statements: AsyncIterable<() => Promise<unknown>>): Promise<void> {
  const pause = createPause()
  const sent: Promise<unknown>[] = []
  try {
    for await (const send of statements) {
      const answer = send()
      // It may fail before all are sent: `pipelined` throws it at the end.
      answer.catch(() => {})
      sent.push(answer)
      await pause()
    }
  } finally {
    await pipelined(sent)
  }
}
