/**
 * Takes banks' pushes. Taking entries locks their account: a hundred pushes for one account, each with a connection of
 * its own, would wait for each other until no connection is left. So a push that arrives while another of the same
 * source and accounts is being taken waits here, and the next transaction takes many of them together.
 *
 * No push fails because of another: each has its own counts, and a group that fails runs again one by one.
 * No source uses up the turns of the others. A push that cannot be served in time is refused, to be sent again.
 */

import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import type { FairLimit } from '../../platform/fair-limit.ts'
import { GroupCommit, type Outcome } from '../../platform/group-commit.ts'
import { inStretches } from '../../platform/in-stretches.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { type Entry, prepare } from './entry.ts'
import type { Source } from './source.ts'
import { countOf, takeEarly, takeTransfers } from './take-transfers.ts'
import type { Taken } from './taken.ts'

export type Pushes = {
  take(source: Source, entries: readonly Entry[]): Promise<Taken>
  /** Refuses new pushes and waits until all accepted ones are answered. */
  stop(): Promise<void>
}

type Push = { source: Source; entries: readonly Entry[]; until: number }
type Queue = { pushes: GroupCommit<Push, Taken>; waiting: number }

export function createPushes(context: DepositContext, inTurn: FairLimit): Pushes {
  const { pushes: most } = bounds
  /** One for each source and the accounts that its push is for. */
  const queues = new Map<string, Queue>()
  /** How many entries of each source wait, and how many in all. */
  const loads = new Map<string, number>()
  let all = 0
  let stopped = false

  const options = {
    ...{ members: bounds.groupMembers, attempts: bounds.groupMembers, groups: 1, queue: most.waiting },
    ...{ oneByOneMs: most.waitMs, overloaded, ownerOf: ({ source }: Push) => source.id },
    /** What does not fit into one transaction comes first in the next. */
    run: (group: Push[]) =>
      inTurn(group[0]!.source.id, async (): Promise<Outcome<Taken>[]> => {
        const inTime = new Set(group.filter(({ until }) => monotonicMs() <= until))
        const taken = await takeBatch(context, batchOf([...inTime]))
        return group.map((push) => {
          const done = taken.get(push)
          if (done) return { done }
          return inTime.has(push) ? { again: overloaded } : { failed: overloaded() }
        })
      }),
  }

  return {
    async take(source, entries) {
      const own = loads.get(source.id) ?? 0
      const isFull = all + entries.length > most.entries || own + entries.length > most.entriesOfSource
      if (stopped || isFull) throw overloaded()
      const key = [source.id, ...new Set(entries.map(({ accountId }) => accountId))].sort().join()
      const queue = queues.get(key) ?? { pushes: new GroupCommit(options), waiting: 0 }
      queues.set(key, queue)
      const count = (by: 1 | -1) => {
        queue.waiting += by
        all += by * entries.length
        const load = (loads.get(source.id) ?? 0) + by * entries.length
        if (load > 0) loads.set(source.id, load)
        else loads.delete(source.id)
      }
      count(1)
      try {
        return await queue.pushes.add({ source, entries, until: monotonicMs() + most.waitMs })
      } finally {
        count(-1)
        if (queue.waiting === 0) queues.delete(key)
      }
    },
    async stop() {
      stopped = true
      await Promise.all([...queues.values()].map(({ pushes }) => pushes.stop()))
    },
  }
}

const overloaded = () => new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })

/** A longer lock timeout than usual: a file of the same account may be importing, in groups of hundreds of rows. */
const timeouts = { statementMs: bounds.statementTimeoutMs, lockMs: bounds.pushes.lockMs }

/** Takes several pushes in one transaction; each gets the counts of its own rows. One alone may need several transactions. */
async function takeBatch(context: DepositContext, batch: readonly Push[]): Promise<Map<Push, Taken>> {
  const shares = new Map<Push, Taken>()
  const [first, second] = batch
  if (!first) return shares
  const { source } = first
  if (!second) return shares.set(first, await takeTransfers(context, first.entries, { source, timeouts }))
  const { db, publicUrl, changed } = context
  const entries = await inStretches(
    batch.flatMap((push) => push.entries),
    (entry) => prepare(entry),
  )
  const { results, entered } = await db.transaction(
    (tx) => takeEarly(tx, entries, { source, publicUrl }),
    timeouts,
  )
  changed(entered)
  let from = 0
  for (const push of batch) {
    shares.set(push, countOf(results.slice(from, from + push.entries.length)))
    from += push.entries.length
  }
  return shares
}

/** The first, and those after it whose rows fit into the same transaction. */
export function batchOf<Item extends Pick<Push, 'entries'>>(pushes: readonly Item[]): Item[] {
  let room: number = bounds.sweepGroup
  const end = pushes.findIndex(({ entries }, at) => {
    room -= entries.length
    return at > 0 && room < 0
  })
  return end < 0 ? [...pushes] : pushes.slice(0, end)
}
