/** Sends a list as a CSV file while it is being read. A HEAD request reads nothing. */
import { Readable } from 'node:stream'
import { byteOrderMark } from '../../domain/reports/csv.ts'
import { bounds } from '../../platform/bounds.ts'
import type { Reply } from '../../platform/http.ts'
import { type RateLimit, rateLimited } from '../../platform/rate-limit.ts'

export function sendCsv(reply: Reply, name: string, rows: AsyncIterable<string>): Reply {
  const isRead = reply.request.method !== 'HEAD'
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(isRead ? marked(rows) : [], { objectMode: false }))
}

/** Exports are written into the audit log, which is kept forever, so one owner may begin so many. */
export function limitExports(limits: RateLimit, owner: string): void {
  const verdict = limits.take(`csv:${owner}`, bounds.csvRate)
  if (!verdict.allowed) throw rateLimited('csv', verdict)
}

async function* marked(rows: AsyncIterable<string>): AsyncGenerator<string> {
  yield byteOrderMark
  yield* rows
}
