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

type Member<Item, Result> = {
  item: Item
  attempts: number
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

type Options<Item, Result> = {
  members: number
  groups: number
  queue: number
  attempts: number
  /** For how long members of one group begin to run one by one; the rest are refused as overloaded. */
  oneByOneMs: number
  overloaded: () => unknown
  ownerOf: (item: Item) => string
  run: (items: Item[]) => Promise<Outcome<Result>[]>
  /** Called with the number of members of each group. */
  observe?: (members: number) => void
}

export class GroupCommit<Item, Result> {
  readonly #options: Options<Item, Result>
  readonly #queue
  /** Members that run again: they come first. */
  readonly #again: Member<Item, Result>[] = []
  #running = 0
  #stopping: PromiseWithResolvers<void> | undefined

  constructor(options: Options<Item, Result>) {
    this.#options = options
    this.#queue = createFairQueue<Member<Item, Result>>(options.queue)
  }

  get waiting(): number {
    return this.#again.length + this.#queue.size
  }

  add(item: Item): Promise<Result> {
    const { overloaded, ownerOf } = this.#options
    if (this.#stopping) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      const member = { item, attempts: 0, resolve, reject }
      this.#queue.add(ownerOf(item), member)?.reject(overloaded())
      void this.#drain()
    })
  }

  /** Refuses new members and waits until all accepted ones are answered. */
  async stop(): Promise<void> {
    this.#stopping ??= Promise.withResolvers()
    if (this.#running === 0) this.#stopping.resolve()
    await this.#stopping.promise
  }

  async #drain(): Promise<void> {
    const { groups, members } = this.#options
    if (this.#running >= groups) return
    this.#running += 1
    // Waits for all requests of this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.waiting > 0) {
      // A share for each group that may be under way: callers who all wait for one group return all at once, and
      // then the database and this process take turns instead of working together.
      const share = Math.ceil(this.waiting / (groups - this.#running + 1))
      const size = Math.min(members, share)
      const group = Array.from({ length: size }, () => this.#again.shift() ?? this.#queue.take()!)
      if (this.waiting > 0) void this.#drain()
      await this.#run(group)
    }
    // In the same turn as the check of the queue, so that a later member starts another run.
    this.#running -= 1
    if (this.#running === 0) this.#stopping?.resolve()
  }

  /** False when it threw. */
  async #run(group: Member<Item, Result>[]): Promise<boolean> {
    const { run, observe } = this.#options
    let outcomes: Outcome<Result>[]
    try {
      observe?.(group.length)
      outcomes = await run(group.map((member) => member.item))
    } catch (error) {
      if (group.length === 1 || isDatabaseAway(error)) for (const member of group) member.reject(error)
      else await this.#runOneByOne(group)
      return false
    }
    for (const [index, member] of group.entries()) this.#settle(member, outcomes[index]!)
    return true
  }

  async #runOneByOne(group: Member<Item, Result>[]): Promise<void> {
    const { oneByOneMs, overloaded, ownerOf } = this.#options
    const until = monotonicMs() + oneByOneMs
    let waiting = group
    while (waiting.length > 0) {
      const [member, ...rest] = waiting as [Member<Item, Result>, ...Member<Item, Result>[]]
      if (monotonicMs() > until) member.reject(overloaded())
      else if (!(await this.#run([member]))) {
        const isLast = ({ item }: Member<Item, Result>) => ownerOf(item) === ownerOf(member.item)
        rest.sort((one, other) => Number(isLast(one)) - Number(isLast(other)))
      }
      waiting = rest
    }
  }

  #settle(member: Member<Item, Result>, outcome: Outcome<Result>): void {
    if ('done' in outcome) member.resolve(outcome.done)
    else if ('failed' in outcome) member.reject(outcome.failed)
    else if (++member.attempts < this.#options.attempts) this.#again.push(member)
    else member.reject(outcome.again())
  }
}
