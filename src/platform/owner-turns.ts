/**
 * Turns of owners at work that one of them can make costly for all: looking up a name, a TLS handshake. Each owner has few at
 * once. An owner whose work is costly is suspected for a while: all suspected owners share a few places, in turn, and nobody
 * else waits behind them.
 */
import { monotonicMs } from './clock.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'

type TurnBounds = {
  /** At once: of one owner, of all that are not suspected, and of all that are. */
  ofOwner: number
  trusted: number
  suspected: number
  suspectedForMs: number
  /** Work that waits longer for other work of its owner is dropped: it throws. */
  waitMs: number
}

type Line = { running: number; waiting: Set<() => void> }

/** The work says when it has become costly; its place is free again when it ends. */
type OwnerTurns = <Result>(owner: string, work: (suspect: () => void) => Promise<Result>) => Promise<Result>

export function createOwnerTurns({
  ofOwner,
  trusted,
  suspected,
  suspectedForMs,
  waitMs,
}: TurnBounds): OwnerTurns {
  const lines = new Map<string, Line>()
  const suspectedUntil = new Map<string, number>()
  const waiting = Number.POSITIVE_INFINITY
  const asTrusted = createConcurrencyLimit({ atOnce: trusted, waiting })
  const asSuspected = createConcurrencyLimit({ atOnce: suspected, waiting })

  function turnIn(line: Line): Promise<boolean> {
    if (line.running < ofOwner) {
      line.running++
      return Promise.resolve(true)
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const begin = () => {
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(() => {
      line.waiting.delete(begin)
      resolve(false)
    }, waitMs)
    line.waiting.add(begin)
    return promise
  }

  /** Passes the turn to the work that has waited longest, or ends it. */
  function leave(owner: string, line: Line): void {
    const [next] = line.waiting
    if (next) {
      line.waiting.delete(next)
      next()
    } else if (--line.running === 0) lines.delete(owner)
  }

  function isSuspected(owner: string): boolean {
    const until = suspectedUntil.get(owner)
    if (until === undefined || monotonicMs() < until) return until !== undefined
    suspectedUntil.delete(owner)
    return false
  }

  return async (owner, work) => {
    const line = lines.get(owner) ?? { running: 0, waiting: new Set() }
    lines.set(owner, line)
    if (!(await turnIn(line))) throw new Error('too much work of one owner is waiting')
    const begin = () => work(() => void suspectedUntil.set(owner, monotonicMs() + suspectedForMs))
    try {
      if (!isSuspected(owner)) {
        // It may have become suspected while it waited.
        const done = await asTrusted(owner, async () =>
          isSuspected(owner) ? undefined : { result: await begin() },
        )
        if (done) return done.result
      }
      return await asSuspected(owner, begin)
    } finally {
      leave(owner, line)
    }
  }
}
