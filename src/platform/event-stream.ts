/** A stream of server-sent events for one reader, with a maximum age and a limit of unread data. */
import { bounds } from './bounds.ts'
import type { Reply } from './http.ts'

type EventStream = {
  send(data: unknown): void
  end(): void
  readonly hasEnded: boolean
  readonly hasUnread: boolean
}

/** Takes over the reply; `ended` is called once, whichever side ends it. */
export function openEventStream(reply: Reply, unreadBytes: number, ended: () => void): EventStream {
  const { raw } = reply
  let hasEnded = false
  const heartbeat = setInterval(() => write(': still here\n\n'), bounds.streamHeartbeatMs)
  const age = setTimeout(end, bounds.streamMs)

  /** Nothing is written after the end, which would be an uncaught error. */
  function end(): void {
    if (hasEnded) return
    hasEnded = true
    clearInterval(heartbeat)
    clearTimeout(age)
    ended()
    raw.end()
    setTimeout(() => raw.destroy(), bounds.streamLeaveMs).unref()
  }

  /** A reader that does not read loses the stream, because the data would fill our memory. */
  function write(text: string): void {
    if (hasEnded) return
    if (raw.writableLength > unreadBytes) {
      end()
      return
    }
    raw.write(text)
  }

  reply.hijack()
  raw.on('error', end)
  raw.once('close', end)
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // The connection ends with the stream, or it would delay the shutdown.
    connection: 'close',
    'x-accel-buffering': 'no',
  })
  write('retry: 3000\n\n')
  // The reader may have left already; no further event reports it.
  if (raw.destroyed) end()
  return {
    send: (data) => write(`data: ${JSON.stringify(data)}\n\n`),
    end,
    get hasEnded() {
      return hasEnded
    },
    get hasUnread() {
      return raw.writableLength > 0
    },
  }
}
