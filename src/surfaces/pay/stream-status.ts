/** Server-sent events for one open page: its status now and after every change, until the browser leaves or the process stops. */

import type { PageMark } from '../../domain/deposits/read-store.ts'
import { bounds } from '../../platform/bounds.ts'
import { openEventStream } from '../../platform/event-stream.ts'
import { clientNetwork, type Reply, type Request } from '../../platform/http.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { PageWatch } from './watch-pages.ts'

export async function streamStatus(
  request: Request,
  reply: Reply,
  watch: PageWatch,
  seen: PageMark,
  read: () => Promise<{ screen: string }>,
): Promise<Reply> {
  let isSending = false
  let isStale = false
  const leave = watch.watch(seen, clientNetwork(request), () => void sendStatus())
  // A page without a stream polls instead.
  if (!leave) throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
  const stream = openEventStream(reply, bounds.streamUnreadBytes, leave)

  async function sendStatus(): Promise<void> {
    // If the deposit changes while its status is read, the status is read again.
    isStale = true
    if (isSending) return
    isSending = true
    try {
      while (isStale && !stream.hasEnded) {
        isStale = false
        if (watch.isStopped()) stream.end()
        else stream.send(await read())
      }
    } catch {
      // The browser opens a new stream, or polls.
      stream.end()
    } finally {
      isSending = false
    }
  }

  await sendStatus()
  return reply
}
