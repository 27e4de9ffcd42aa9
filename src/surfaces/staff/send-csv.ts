/** Sends a list as a CSV file while it is being read. */
import { Readable } from 'node:stream'
import { byteOrderMark } from '../../domain/reports/csv.ts'
import type { Reply } from '../../platform/http.ts'

export const sendCsv = (
  reply: Reply,
  name: string,
  rows: AsyncIterable<string>,
  ended: () => void = () => {},
): Reply =>
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(marked(rows), { objectMode: false }).once('close', ended))

async function* marked(rows: AsyncIterable<string>): AsyncGenerator<string> {
  yield byteOrderMark
  yield* rows
}
