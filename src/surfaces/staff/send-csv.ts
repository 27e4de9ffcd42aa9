/** Sends a list as a CSV file while it is being read. For its headers alone nothing is read. */
import { Readable } from 'node:stream'
import { byteOrderMark } from '../../domain/reports/csv.ts'
import { bounds } from '../../platform/bounds.ts'
import type { Reply } from '../../platform/http.ts'
import { type RateLimit, rateLimited } from '../../platform/rate-limit.ts'
import { Refusal } from '../../platform/refusals.ts'

export function sendCsv(
  reply: Reply,
  name: string,
  rows: AsyncIterable<string>,
  ended: () => void = () => {},
): Reply {
  const isRead = reply.request.method !== 'HEAD'
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(isRead ? marked(rows) : [], { objectMode: false }).once('close', ended))
}

/**
 * Bounds the files of one owner that are being written: each holds a page of rows until its reader takes it, and leaves a note in
 * the record. Begins one and answers what to call when it has ended.
 */
export function createCsvPlaces(
  limits: RateLimit,
  most: number,
): (owner: string, note: () => Promise<void>) => Promise<() => void> {
  const writing = new Map<string, number>()
  return async (owner, note) => {
    const others = writing.get(owner) ?? 0
    if (others >= most) throw new Refusal('rate_limited', { retryAfterSeconds: bounds.csvRetrySeconds })
    const verdict = limits.take(`csv:${owner}`, bounds.csvRate)
    if (!verdict.allowed) throw rateLimited('csv', verdict)
    writing.set(owner, others + 1)
    const end = () => {
      const left = writing.get(owner)! - 1
      if (left > 0) writing.set(owner, left)
      else writing.delete(owner)
    }
    await note().catch((error) => {
      end()
      throw error
    })
    return end
  }
}

async function* marked(rows: AsyncIterable<string>): AsyncGenerator<string> {
  yield byteOrderMark
  yield* rows
}
