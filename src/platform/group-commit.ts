/**
 * Group commit: what arrives while commits are under way is written by the next one, many members in one
 * transaction. A waiting disk then costs one wait per group, not one per request. A few groups may be under way
 * at once: while the database writes one, this process prepares the other.
 *
 * Owners are served in turn, so that the many members of one do not delay the few of another, and where the queue is full, the
 * owner with the most loses its newest.
 *
 * No member fails because of another: when a group of several throws, its members run again one by one. Of an owner whose
 * member throws then too, the others run last: each may be slow until the database ends its statement.
 * `again` puts a member into the next group (it lost a race and may try again), a bounded number of times.
 */

import { monotonicMs } from './clock.ts'
import { isDatabaseAway } from './db-errors.ts'
import { createFairQueue } from './fair-queue.ts'

export type Outcome<Result> = { done: Result } | { failed: unknown } | { again: () => unknown }

export type GroupCommit<Item, Result> = {
  add(item: Item): Promise<Result>
  /** Refuses new members and waits until all accepted ones are answered. */
  stop(): Promise<void>
  readonly waiting: number
}

type Member<Item, Result> = {
  item: Item
  attempts: number
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export function groupCommit<Item, Result>(options: {
  members: number
  groups: number
  queue: number
  attempts: number
  /** For how long members of one group begin to run one by one; the rest are refused as overloaded. */
  oneByOneMs: number
  overloaded: () => unknown
  ownerOf: (item: Item) => string
  run: (items: Item[]) => Promise<Outcome<Result>[]>
}): GroupCommit<Item, Result> {
  const queue = createFairQueue<Member<Item, Result>>(options.queue)
  /** Members that run again: they come first. */
  const again: Member<Item, Result>[] = []
  let running = 0
  /** For `stop` to wait for. */
  const drains = new Set<Promise<void>>()
  let stopped = false

  const waiting = () => again.length + queue.size

  const settle = (member: Member<Item, Result>, outcome: Outcome<Result>) => {
    if ('done' in outcome) member.resolve(outcome.done)
    else if ('failed' in outcome) member.reject(outcome.failed)
    else if (++member.attempts < options.attempts) again.push(member)
    else member.reject(outcome.again())
  }

  /** False when it threw. */
  const runGroup = async (group: Member<Item, Result>[]): Promise<boolean> => {
    let outcomes: Outcome<Result>[]
    try {
      outcomes = await options.run(group.map((member) => member.item))
    } catch (error) {
      if (group.length === 1 || isDatabaseAway(error)) for (const member of group) member.reject(error)
      else await runOneByOne(group)
      return false
    }
    for (const [index, member] of group.entries()) settle(member, outcomes[index]!)
    return true
  }

  const runOneByOne = async (group: Member<Item, Result>[]): Promise<void> => {
    const until = monotonicMs() + options.oneByOneMs
    let waiting = group
    while (waiting.length > 0) {
      const [member, ...rest] = waiting as [Member<Item, Result>, ...Member<Item, Result>[]]
      if (monotonicMs() > until) member.reject(options.overloaded())
      else if (!(await runGroup([member]))) {
        const isLast = ({ item }: Member<Item, Result>) =>
          options.ownerOf(item) === options.ownerOf(member.item)
        rest.sort((one, other) => Number(isLast(one)) - Number(isLast(other)))
      }
      waiting = rest
    }
  }

  const drain = async () => {
    // Waits for all requests of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting() > 0) {
      // A share for each group that may be under way: callers who all wait for one group return all at once, and
      // then the database and this process take turns instead of working together.
      const share = Math.ceil(waiting() / (options.groups - running + 1))
      const size = Math.min(options.members, share)
      const group = Array.from({ length: size }, () => again.shift() ?? queue.take()!)
      if (waiting() > 0) start()
      await runGroup(group)
    }
    // In the same turn as the check of the queue, so that a later member starts another run.
    running -= 1
  }

  const start = () => {
    if (running >= options.groups) return
    running += 1
    const draining = drain()
    drains.add(draining)
    void draining.then(() => drains.delete(draining))
  }

  return {
    add(item) {
      if (stopped) return Promise.reject(options.overloaded())
      return new Promise((resolve, reject) => {
        const member = { item, attempts: 0, resolve, reject }
        queue.add(options.ownerOf(item), member)?.reject(options.overloaded())
        start()
      })
    },
    async stop() {
      stopped = true
      while (drains.size > 0) await Promise.all(drains)
    },
    get waiting() {
      return waiting()
    },
  }
}
