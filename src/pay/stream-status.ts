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
  let isOver = false
  const leave = watch.watch(seen, request.ip, () => void tell())
  // The page then asks by itself.
  if (!leave) throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })

  const heartbeat = setInterval(() => say(': still here\n\n'), bounds.pageHeartbeatMs)
  const age = setTimeout(() => finish(), bounds.pageStreamMs)

  /** Nothing is written after the end: on a line that nobody reads it would be an error, and nobody's to catch. */
  function finish(): void {
    if (isOver) return
    isOver = true
    leave!()
    clearInterval(heartbeat)
    clearTimeout(age)
    raw.end()
    setTimeout(() => raw.destroy(), bounds.pageLeaveMs).unref()
  }
  raw.on('error', finish)
  raw.once('close', finish)
  // It may have gone while it was looked up: nobody says so again.
  if (raw.destroyed) finish()

  /** Whoever does not read is not written to for long: what waits in memory is ours. */
  function say(text: string): void {
    if (isOver) return
    if (raw.writableLength > bounds.pageUnreadBytes) finish()
    else raw.write(text)
  }

  async function tell(): Promise<void> {
    // What changes while we read is read again.
    isStale = true
    if (isTelling) return
    isTelling = true
    try {
      while (isStale && !isOver) {
        isStale = false
        if (watch.isStopped()) finish()
        else say(`data: ${JSON.stringify(await read())}\n\n`)
      }
    } catch {
      // The browser opens a new one, or asks.
      finish()
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
  say('retry: 3000\n\n')
  await tell()
  return reply
}
