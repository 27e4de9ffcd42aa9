/** Sends a list as a CSV file while it is being read. A HEAD request reads nothing. */
import { Readable } from 'node:stream'
import { byteOrderMark } from '../../domain/reports/csv.ts'
import { bounds } from '../../platform/bounds.ts'
import type { Reply } from '../../platform/http.ts'
import { createPlaces } from '../../platform/places.ts'
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
 * Bounds the files of one owner that are being written, because each keeps a page of rows in memory until its reader takes it. The
 * returned function begins a file with its audit entry, and returns what to call when the file has ended.
 */
export function createCsvPlaces(
  limits: RateLimit,
  ofOwner: number,
): (owner: string, audit: () => Promise<void>) => Promise<() => void> {
  const places = createPlaces({ inAll: Number.POSITIVE_INFINITY, ofOwner })
  return async (owner, audit) => {
    if (!places.isFreeFor(owner))
      throw new Refusal('rate_limited', { retryAfterSeconds: bounds.csvRetrySeconds })
    const verdict = limits.take(`csv:${owner}`, bounds.csvRate)
    if (!verdict.allowed) throw rateLimited('csv', verdict)
    places.take(owner)
    const end = () => places.free(owner)
    await audit().catch((error) => {
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
