/** Server-sent events for one open page: its status now, and after every change, until it says all there is. */
import { bounds } from '../bounds.ts'
import type { Reply, Request } from '../platform/http.ts'
import { Refusal } from '../refusals.ts'
import type { PageWatch } from './watch-pages.ts'

export async function streamStatus(
  request: Request,
  reply: Reply,
  watch: PageWatch,
  token: string,
  read: () => Promise<{ screen: string }>,
): Promise<Reply> {
  const { raw } = reply
  let isTelling = false
  const leave = watch.watch(token, request.ip, () => void tell())
  // The page then asks by itself.
  if (!leave) throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })

  const heartbeat = setInterval(() => raw.write(': still here\n\n'), bounds.pageHeartbeatMs)
  const age = setTimeout(() => raw.end(), bounds.pageStreamMs)
  raw.once('close', () => {
    leave()
    clearInterval(heartbeat)
    clearTimeout(age)
  })

  async function tell(): Promise<void> {
    if (isTelling || raw.writableEnded) return
    isTelling = true
    try {
      if (watch.isStopped()) raw.end()
      else raw.write(`data: ${JSON.stringify(await read())}\n\n`)
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
    'x-accel-buffering': 'no',
  })
  raw.write('retry: 3000\n\n')
  await tell()
  return reply
}
