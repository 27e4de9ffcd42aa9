/**
 * What connections send is parsed in short rounds. One thread serves all, and in each round of its event loop it accepts only one new
 * connection: if all that was received were parsed at once, sixty clients could make a round so long that others wait seconds to
 * be accepted. So a round parses for a few milliseconds. The rest waits, one connection in each of the next rounds, and networks are
 * served in turn.
 */
import { monotonicMs } from './clock.ts'
import { createFairQueue } from './fair-queue.ts'

type ReadRounds<Item> = {
  /** Whether an item may be parsed now; if not, it is resumed in a later round. */
  mayParse(network: string, item: Item): boolean
  forget(network: string, item: Item): void
}

export function createReadRounds<Item>(roundMs: number, resume: (item: Item) => void): ReadRounds<Item> {
  const waiting = createFairQueue<Item>(Number.POSITIVE_INFINITY)
  const waits = new Set<Item>()
  let current: Item | undefined
  let endsAt = 0
  let isPlanned = false

  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(nextRound)
  }

  function nextRound(): void {
    isPlanned = false
    current = waiting.take()
    if (current === undefined) return
    waits.delete(current)
    begin()
    resume(current)
    current = undefined
  }

  function begin(): void {
    endsAt = monotonicMs() + roundMs
    plan()
  }

  return {
    mayParse(network, item) {
      if (!isPlanned) begin()
      if (monotonicMs() < endsAt && (waiting.size === 0 || item === current)) return true
      if (!waits.has(item)) {
        waits.add(item)
        waiting.add(network, item)
      }
      return false
    },
    forget(network, item) {
      if (waits.delete(item)) waiting.delete(network, item)
    },
  }
}
