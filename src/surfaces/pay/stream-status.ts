/** Server-sent events for one open page: its status now, and after every change, until it says all there is. */

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
  // Without a stream the page asks by itself.
  if (headBytes(request) > bounds.streamHeadBytes) throw new Refusal('headers_too_large')
  let isTelling = false
  let isStale = false
  const leave = watch.watch(seen, clientNetwork(request), () => void tell())
  if (!leave) throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
  const stream = openEventStream(reply, leave)

  async function tell(): Promise<void> {
    // What changes while we read is read again.
    isStale = true
    if (isTelling) return
    isTelling = true
    try {
      while (isStale && !stream.hasEnded) {
        isStale = false
        if (watch.isStopped()) stream.end()
        else stream.send(await read())
      }
    } catch {
      // The browser opens a new one, or asks.
      stream.end()
    } finally {
      isTelling = false
    }
  }

  await tell()
  return reply
}

const headBytes = ({ raw: { url, rawHeaders } }: Request): number =>
  rawHeaders.reduce((bytes, text) => bytes + text.length, url!.length)
