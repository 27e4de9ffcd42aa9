/**
 * Strangers' requests take turns; a merchant's do not wait for theirs. One thread answers everybody: two hundred pages
 * asked for at once would be made one after another before the next create is read. So few pages are under way at a time, the next begins
 * when one is made, and between two of them whatever else has arrived is heard. Those that wait are bounded, and networks
 * are served in turn: whoever floods waits for their own flood, and a person from elsewhere does not.
 */
import { bounds } from './bounds.ts'
import { createFairQueue } from './fair-queue.ts'
import { clientNetwork, type Http, type Reply, type Request } from './http.ts'
import { Refusal } from './refusals.ts'

/** What merchants, banks and monitors ask for is never made to wait for pages. */
const isPromised = (url: string): boolean => url.startsWith('/api/') || url.startsWith('/health/')

type Waiting = { begin(): void; refuse(): void }

export function takeTurns(app: Http): { readonly load: { running: number; waiting: number } } {
  const { atOnce, waiting: most, turnMs, pagesPerRound, pagesPerBusyRound, requestsPerRound } = bounds.turns
  const turns = new WeakMap<Request, () => void>()
  const waiting = createFairQueue<Waiting>(most)
  const refused: Waiting[] = []
  /** Bounded by the connections they came on: see connections.ts. */
  const promised = createFairQueue<() => void>(Number.POSITIVE_INFINITY)
  let promisedLeft: number = requestsPerRound
  let promisedRunning = 0
  let running = 0
  let isPlanned = false

  /**
   * In each round of the event loop a few pages begin, one is refused, and a few of what is promised begin. Were all
   * that came answered in its own round, a round would be as long as a flood is large; and once in a round, not more, a
   * new connection is taken.
   */
  function plan(): void {
    const canBegin = running < atOnce && waiting.size > 0
    const isIdle = !canBegin && refused.length === 0 && promisedLeft === requestsPerRound
    if (isPlanned || isIdle) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      promisedLeft = requestsPerRound
      for (; promisedLeft > 0 && promised.size > 0; promisedLeft--) promised.take()!()
      const pages = promisedRunning > 0 ? pagesPerBusyRound : pagesPerRound
      for (let begun = 0; begun < pages && running < atOnce; begun++) waiting.take()?.begin()
      refused.shift()?.refuse()
      plan()
    })
  }

  function beginPromised(request: Request, reply: Reply, done: () => void): void {
    promisedRunning++
    reply.raw.once('close', () => promisedRunning--)
    if (promisedLeft > 0) {
      promisedLeft--
      done()
    } else {
      const network = clientNetwork(request)
      promised.add(network, done)
      reply.raw.once('close', () => promised.delete(network, done))
    }
    plan()
  }

  /** Whoever takes longer than a turn waits for something else than this thread, such as the database or a worker. */
  function begin(request: Request, done: () => void): void {
    running++
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      running--
      plan()
    }
    const timer = setTimeout(end, turnMs)
    turns.set(request, end)
    done()
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (isPromised(request.url)) return beginPromised(request, reply, done)
    const network = clientNetwork(request)
    const mine: Waiting = {
      begin: () => begin(request, done),
      refuse: () => done(new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })),
    }
    // Whoever has left needs no turn.
    reply.raw.once('close', () => waiting.delete(network, mine))
    const leaving = waiting.add(network, mine)
    if (leaving) refused.push(leaving)
    plan()
  })
  // Made, and to be sent: how quickly it is read does not matter any more.
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
