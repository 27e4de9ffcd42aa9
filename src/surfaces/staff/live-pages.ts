/**
 * Console pages that stay up to date. One loop makes them again, one after another, and sends those that came out
 * different; however many are open, making them takes a small part of this process's time.
 */
import { hash } from 'node:crypto'
import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import { openEventStream } from '../../platform/event-stream.ts'
import type { Reply } from '../../platform/http.ts'
import { faultFields, type Log } from '../../platform/log.ts'
import { Refusal } from '../../platform/refusals.ts'

export type LivePages = {
  /** Sends the page now and whenever it has changed. `make` refuses once the person may no longer see it. */
  open(reply: Reply, viewer: Viewer, make: () => Promise<string>): Promise<Reply>
  /** Something changed here: look soon. */
  wake(): void
  /** Lets every page go, so that the server can end. */
  stop(): void
}

/** `place`: the merchant whose page it is, or the desk. */
type Viewer = { personId: string; place: string }
type LivePage = Viewer & { tell(): Promise<void>; end(): void }

export function createLivePages(log: Log): LivePages {
  const pages = new Map<Reply, LivePage>()
  let timer: NodeJS.Timeout | undefined
  let nextAt = Number.POSITIVE_INFINITY
  let restUntil = 0
  let isStopped = false

  async function tellAll(): Promise<void> {
    // While a round is under way nobody plans another: it would not be the last to see what is there.
    nextAt = 0
    const begun = monotonicMs()
    for (const page of [...pages.values()]) await page.tell()
    const ended = monotonicMs()
    // A database that was away for a minute is no reason to rest for ten.
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
    const most = [...places.values()].reduce((one, other) => (other.length > one.length ? other : one))
    if (most.length > own + 1) most[0]!.end()
  }

  return {
    async open(reply, { personId, place }, make) {
      // What cannot be made is refused as any page is.
      const first = await make()
      const own = [...pages.values()].filter((one) => one.personId === personId)
      // The newest of a person's pages is the one they look at.
      if (own.length >= bounds.livePagesPerPerson) own[0]!.end()
      if (pages.size >= bounds.livePages) endOneFor(place)
      if (isStopped || pages.size >= bounds.livePages)
        throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
      const stream = openEventStream(reply, () => pages.delete(reply))
      let sent = ''
      const say = (text: string) => {
        const digest = hash('sha256', text)
        if (digest !== sent) stream.say({ page: text })
        sent = digest
      }
      async function tell(): Promise<void> {
        try {
          say(await make())
        } catch (error) {
          // It is over for this person, or a fault: the browser asks again, and is told which.
          if (!(error instanceof Refusal)) log.warn('a live page was not made', faultFields(error))
          stream.end()
        }
      }
      if (!stream.isOver) pages.set(reply, { personId, place, tell, end: stream.end })
      say(first)
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
