/**
 * Strangers' requests take turns; a merchant's do not. One thread answers everybody: two hundred pages asked for at once
 * would be made one after another before the next create is read. So few pages are under way at a time, the next begins
 * when one is made, and between two of them whatever else has arrived is heard. A create needs several turns of the event
 * loop, and waits in each for the pages of that turn: while one is under way, pages are fewer still. Those that wait are
 * bounded; beyond that they are refused.
 */
import { bounds } from '../bounds.ts'
import { Refusal } from '../refusals.ts'
import type { Http, Request, RouteConfig } from './http.ts'

/** What merchants, banks and monitors ask for is never made to wait for pages. */
const isPromised = (url: string): boolean => url.startsWith('/api/') || url.startsWith('/health/')

export function takeTurns(app: Http): { readonly load: { running: number; waiting: number } } {
  const { waiting: most, turnMs } = bounds.turns
  const turns = new WeakMap<Request, () => void>()
  const waiting = new Set<() => void>()
  let running = 0
  let promised = 0
  const atOnce = () => (promised > 0 ? bounds.turns.besideMerchants : bounds.turns.atOnce)

  function next(): void {
    for (const begin of waiting) {
      if (running >= atOnce()) return
      waiting.delete(begin)
      begin()
    }
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
      setImmediate(next)
    }
    const timer = setTimeout(end, isLong(request) ? 0 : turnMs)
    turns.set(request, end)
    done()
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (isPromised(request.url)) {
      promised++
      return done()
    }
    if (running < atOnce() && waiting.size === 0) return begin(request, done)
    if (waiting.size >= most)
      return done(new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds }))
    const mine = () => begin(request, done)
    waiting.add(mine)
    // Whoever has left needs no turn.
    reply.raw.once('close', () => waiting.delete(mine))
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (isPromised(request.url) && --promised === 0) setImmediate(next)
    done()
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

/** A stream or an upload needs a turn to begin, not to last. */
const isLong = ({ routeOptions, headers }: Request): boolean =>
  ((routeOptions.config ?? {}) as RouteConfig).isLong === true || headers.accept === 'text/event-stream'
