/** Server-sent events for one reader: written to while they are read, ended once, and never older than they may be. */
import { bounds } from './bounds.ts'
import type { Reply } from './http.ts'

type EventStream = { say(data: unknown): void; end(): void; readonly isOver: boolean }

/** Takes the answer over from the server; `ended` is called once, whoever ends it. */
export function openEventStream(reply: Reply, ended: () => void): EventStream {
  const { raw } = reply
  let isOver = false
  const heartbeat = setInterval(() => write(': still here\n\n'), bounds.streamHeartbeatMs)
  const age = setTimeout(end, bounds.streamMs)

  /** Nothing is written after the end: on a line that nobody reads it would be an error, and nobody's to catch. */
  function end(): void {
    if (isOver) return
    isOver = true
    clearInterval(heartbeat)
    clearTimeout(age)
    ended()
    raw.end()
    setTimeout(() => raw.destroy(), bounds.streamLeaveMs).unref()
  }

  /** Whoever does not read is not written to for long: what waits in memory is ours. */
  function write(text: string): void {
    if (isOver) return
    if (raw.writableLength > bounds.streamUnreadBytes) end()
    else raw.write(text)
  }

  reply.hijack()
  raw.on('error', end)
  raw.once('close', end)
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // Ends with the stream: a connection that is kept would hold up the end of the process.
    connection: 'close',
    'x-accel-buffering': 'no',
  })
  write('retry: 3000\n\n')
  // It may have gone while it was looked up: nobody says so again.
  if (raw.destroyed) end()
  return {
    say: (data) => write(`data: ${JSON.stringify(data)}\n\n`),
    end,
    get isOver() {
      return isOver
    },
  }
}
