/** Server-sent events for one open page: its status now, and after every change, until it says all there is. */
import { bounds } from '../bounds.ts'
import type { PageMark } from '../deposits/store.ts'
import type { Reply, Request } from '../platform/http.ts'
import { Refusal } from '../refusals.ts'
import type { PageWatch } from './watch-pages.ts'

export async function streamStatus(
  request: Request,
  reply: Reply,
  watch: PageWatch,
  seen: PageMark,
  read: () => Promise<{ screen: string }>,
): Promise<Reply> {
  const { raw } = reply
  let isTelling = false
  let isStale = false
  const leave = watch.watch(seen, request.ip, () => void tell())
  // The page then asks by itself.
  if (!leave) throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })

  const heartbeat = setInterval(() => raw.write(': still here\n\n'), bounds.pageHeartbeatMs)
  const age = setTimeout(() => raw.end(), bounds.pageStreamMs)
  const end = () => {
    leave()
    clearInterval(heartbeat)
    clearTimeout(age)
  }
  raw.once('close', end)
  // It may have gone while it was looked up: nobody says so again.
  if (raw.destroyed) end()

  async function tell(): Promise<void> {
    // What changes while we read is read again.
    isStale = true
    if (isTelling) return
    isTelling = true
    try {
      while (isStale && !raw.writableEnded) {
        isStale = false
        if (watch.isStopped()) raw.end()
        else raw.write(`data: ${JSON.stringify(await read())}\n\n`)
      }
    } catch {
      // The browser opens a new one, or asks.
      raw.end()
    } finally {
      isTelling = false
    }
  }

  reply.hijack()
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // Ends with the stream: a connection that is kept would hold up the end of the process.
    connection: 'close',
    'x-accel-buffering': 'no',
  })
  raw.write('retry: 3000\n\n')
  await tell()
  return reply
}
