/**
 * What connections send is parsed in short rounds. One thread serves all, and in each round of its event loop it accepts only one new
 * connection: if all that was received were parsed at once, sixty clients could make a round so long that others wait seconds to
 * be accepted. So a round parses for a few milliseconds. The rest waits for the next rounds, and networks are served in turn. While
 * new connections come, each round resumes one connection only; while none comes, as many as its time allows, because
 * requests that are parsed together share commits and look-ups.
 */
import { monotonicMs } from './clock.ts'
import { createFairQueue } from './fair-queue.ts'

type ReadRounds<Item> = {
  /** Whether an item may be parsed now; if not, it is resumed in a later round. */
  mayParse(network: string, item: Item): boolean
  forget(network: string, item: Item): void
  /** Call it for every new connection: others may be waiting to be accepted. */
  accepted(): void
}

export function createReadRounds<Item>(
  roundMs: number,
  resume: (item: Item) => void,
  nowMs: () => number = monotonicMs,
): ReadRounds<Item> {
  const waiting = createFairQueue<Item>(Number.POSITIVE_INFINITY)
  const waits = new Set<Item>()
  let current: Item | undefined
  let endsAt = 0
  let isPlanned = false
  let isAccepting = false

  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(nextRound)
  }

  function nextRound(): void {
    isPlanned = false
    if (waiting.size === 0) return
    const resumesOne = isAccepting
    isAccepting = false
    begin()
    do {
      current = waiting.take()!
      waits.delete(current)
      resume(current)
    } while (!resumesOne && waiting.size > 0 && nowMs() < endsAt)
    current = undefined
  }

  function begin(): void {
    endsAt = nowMs() + roundMs
    plan()
  }

  return {
    mayParse(network, item) {
      if (!isPlanned) begin()
      if (nowMs() < endsAt && (waiting.size === 0 || item === current)) return true
      if (!waits.has(item)) {
        waits.add(item)
        waiting.add(network, item)
      }
      return false
    },
    accepted() {
      isAccepting = true
    },
    forget(network, item) {
      if (waits.delete(item)) waiting.delete(network, item)
    },
  }
}
