/**
 * Requests for pages take turns; merchants' requests do not wait for them. One thread serves all: two hundred pages
 * requested at once would be rendered before the next create is read. So few pages are rendered at a time, the next starts
 * when one is done, and other requests are read in between. Waiting requests are bounded, and networks
 * are served in turn, so that a flood delays only its own network.
 */
import { bounds } from './bounds.ts'
import { createFairQueue } from './fair-queue.ts'
import { clientSite, type Http, type Reply, type Request } from './http.ts'
import { Refusal } from './refusals.ts'

/** Requests of merchants, banks and monitors never wait for pages. */
const hasPriority = (url: string): boolean => url.startsWith('/api/') || url.startsWith('/health/')

type Waiting = { begin(): void; refuse(): void }

export function takeTurns(app: Http): { readonly load: { running: number; waiting: number } } {
  const { atOnce, waiting: most, turnMs, pagesPerRound, pagesPerBusyRound, requestsPerRound } = bounds.turns
  const turns = new WeakMap<Request, () => void>()
  const waiting = createFairQueue<Waiting>(most)
  const refused: Waiting[] = []
  /** Bounded by the connections they came on: see connections.ts. */
  const priority = createFairQueue<() => void>(Number.POSITIVE_INFINITY)
  let priorityLeft: number = requestsPerRound
  let priorityRunning = 0
  let running = 0
  let isPlanned = false

  /**
   * In each round of the event loop a few pages start, one is refused, and a few priority requests start. If all
   * were answered in their own round, a flood would make the round long; and only once per round a
   * new connection is accepted.
   */
  function plan(): void {
    const canBegin = running < atOnce && waiting.size > 0
    const isIdle = !canBegin && refused.length === 0 && priorityLeft === requestsPerRound
    if (isPlanned || isIdle) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      priorityLeft = requestsPerRound
      for (; priorityLeft > 0 && priority.size > 0; priorityLeft--) priority.take()!()
      const pages = priorityRunning > 0 ? pagesPerBusyRound : pagesPerRound
      for (let begun = 0; begun < pages && running < atOnce; begun++) waiting.take()?.begin()
      refused.shift()?.refuse()
      plan()
    })
  }

  function beginPriority(request: Request, reply: Reply, done: () => void): void {
    priorityRunning++
    reply.raw.once('close', () => priorityRunning--)
    if (priorityLeft > 0) {
      priorityLeft--
      done()
    } else {
      const site = clientSite(request)
      priority.add(site, done)
      reply.raw.once('close', () => priority.delete(site, done))
    }
    plan()
  }

  /** A request that takes longer than a turn waits for something else, such as the database or a worker. */
  function begin(request: Request, done: () => void): void {
    running++
    let hasEnded = false
    const end = () => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(timer)
      running--
      plan()
    }
    const timer = setTimeout(end, turnMs)
    turns.set(request, end)
    done()
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (hasPriority(request.url)) return beginPriority(request, reply, done)
    const site = clientSite(request)
    const turn: Waiting = {
      begin: () => begin(request, done),
      refuse: () => done(new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })),
    }
    // A client that has left needs no turn.
    reply.raw.once('close', () => waiting.delete(site, turn))
    const dropped = waiting.add(site, turn)
    if (dropped) refused.push(dropped)
    plan()
  })
  // Rendered: how fast the client reads it does not matter.
  app.addHook('onSend', (request, _reply, payload, done) => {
    turns.get(request)?.()
    done(null, payload)
  })
  return {
    get load() {
      return { running, waiting: waiting.size }
    },
  }
}
