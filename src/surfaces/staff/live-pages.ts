/**
 * Console pages that stay up to date. One loop makes the open pages again, one after another, and sends those that
 * changed. However many are open, this takes only a small share of the process's time.
 */
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import { openEventStream } from '../../platform/event-stream.ts'
import type { Reply } from '../../platform/http.ts'
import { faultFields, type Log } from '../../platform/log.ts'
import { Refusal } from '../../platform/refusals.ts'

export type LivePages = {
  /** Sends the first page now, and the page again whenever it has changed. `make` throws a refusal once the person may no longer see it. */
  open(reply: Reply, viewer: Viewer, first: string, make: () => Promise<string>): Reply
  /** Something changed: check the pages soon. */
  wake(): void
  /** Ends every stream, so that the server can shut down. */
  stop(): void
}

/** `place`: the merchant whose page it is, or the desk. */
type Viewer = { personId: string; place: string }
type LivePage = Viewer & { tell(): Promise<void>; end(): void }

/** Distinguishes two texts of a page. */
export const markOf = (text: string): string => crc32(text).toString(36)

export function createLivePages(log: Log): LivePages {
  const pages = new Map<Reply, LivePage>()
  const isFull = () => pages.size >= bounds.livePages
  let timer: NodeJS.Timeout | undefined
  let nextAt = Number.POSITIVE_INFINITY
  let restUntil = 0
  let isStopped = false

  async function tellAll(): Promise<void> {
    // While a round is running no other one is planned; the round plans the next one when it ends.
    nextAt = 0
    const begun = monotonicMs()
    for (const page of [...pages.values()]) await page.tell()
    const ended = monotonicMs()
    // The pause is limited: a round that was slow because the database was away must not cause a long one.
    restUntil = ended + Math.min((ended - begun) / bounds.livePageShare, bounds.livePageRestMs)
    nextAt = Number.POSITIVE_INFINITY
    planIn(bounds.livePageMs)
  }

  function planIn(ms: number): void {
    const at = Math.max(monotonicMs() + ms, restUntil)
    if (isStopped || pages.size === 0 || at >= nextAt) return
    nextAt = at
    clearTimeout(timer)
    timer = setTimeout(() => void tellAll(), at - monotonicMs()).unref()
  }

  /** The place with the most pages loses its oldest one, if that makes the places more even. */
  function endOneFor(place: string): void {
    const places = Map.groupBy(pages.values(), (page) => page.place)
    const own = places.get(place)?.length ?? 0
    const fullest = [...places.values()].reduce((one, other) => (other.length > one.length ? other : one))
    if (fullest.length > own + 1) fullest[0]!.end()
  }

  return {
    open(reply, { personId, place }, first, make) {
      const own = [...pages.values()].filter((value) => value.personId === personId)
      // If a person has too many pages open, the oldest one is ended.
      if (own.length >= bounds.livePagesPerPerson) own[0]!.end()
      if (isFull()) endOneFor(place)
      if (isStopped || isFull())
        throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
      const stream = openEventStream(reply, bounds.livePageUnreadBytes, () => pages.delete(reply))
      let sent = ''
      const sendIfChanged = (text: string) => {
        const digest = hash('sha256', text)
        if (digest !== sent) stream.send({ page: text, mark: markOf(text) })
        sent = digest
      }
      async function tell(): Promise<void> {
        // A slow reader gets the next page when the last one was read.
        if (stream.hasUnread) return
        try {
          sendIfChanged(await make())
        } catch (error) {
          // The person may no longer see the page, or it failed: the browser reconnects and gets the answer to either.
          if (!(error instanceof Refusal)) log.warn('a live page was not made', faultFields(error))
          stream.end()
        }
      }
      if (!stream.hasEnded) pages.set(reply, { personId, place, tell, end: stream.end })
      sendIfChanged(first)
      planIn(bounds.livePageMs)
      return reply
    },
    wake: () => planIn(bounds.livePageGapMs),
    stop() {
      isStopped = true
      clearTimeout(timer)
      for (const page of [...pages.values()]) page.end()
    },
  }
}
