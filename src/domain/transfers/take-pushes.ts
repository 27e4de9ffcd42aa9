/**
 * Takes banks' pushes. Taking entries locks their account: a hundred pushes for one account, each with a connection of
 * its own, would wait for each other until no connection is left. So a push that arrives while another of the same
 * source and accounts is being taken waits here, and the next transaction takes many of them together.
 *
 * No push fails because of another: each has its own counts, and when a group fails, its pushes are taken one by one.
 * No source uses up the turns of the others. A push that cannot be served in time is refused, to be sent again.
 */

import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import type { ConcurrencyLimit } from '../../platform/concurrency-limit.ts'
import { isDatabaseAway } from '../../platform/db-errors.ts'
import { type GroupCommit, groupCommit, type Outcome } from '../../platform/group-commit.ts'
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
type Load = { pushes: number; entries: number }

export function createPushes(context: DepositContext, inTurn: ConcurrencyLimit): Pushes {
  const { pushes: most } = bounds
  /** One for each source and the accounts that its push is for. */
  const queues = new Map<string, Queue>()
  const loads = new Map<string, Load>()
  const all: Load = { pushes: 0, entries: 0 }
  let stopped = false

  const queueOf = (key: string): Queue => {
    let queue = queues.get(key)
    if (!queue) {
      const run = (group: Push[]) => takeGroup(group)
      const limits = { members: bounds.groupMembers, groups: 1, queue: most.waiting, attempts: 1 }
      const ownerOf = ({ source }: Push) => source.id
      queue = {
        pushes: groupCommit({ ...limits, oneByOneMs: most.waitMs, overloaded, ownerOf, run }),
        waiting: 0,
      }
      queues.set(key, queue)
    }
    return queue
  }

  async function takeGroup(group: Push[]): Promise<Outcome<Taken>[]> {
    const outcomes = new Map<Push, Outcome<Taken>>()
    for (const batch of batchesOf(group)) {
      const taken = await inTurn(batch[0]!.source.id, () => takeBatch(batch))
      for (const [push, outcome] of taken) outcomes.set(push, outcome)
    }
    return group.map((push) => outcomes.get(push)!)
  }

  async function takeBatch(batch: readonly Push[]): Promise<Map<Push, Outcome<Taken>>> {
    const waiting = batch.filter((push) => !isLate(push))
    const outcomes = new Map<Push, Outcome<Taken>>(batch.map((push) => [push, { failed: overloaded() }]))
    if (waiting.length > 1) {
      try {
        for (const [push, done] of await takeTogether(context, waiting)) outcomes.set(push, { done })
        return outcomes
      } catch (error) {
        if (isDatabaseAway(error)) return new Map(batch.map((push) => [push, { failed: error }]))
      }
    }
    for (const push of waiting) {
      if (isLate(push)) continue
      const timeouts = waiting.length === 1 ? pushTimeouts : undefined
      const options = { source: push.source, ...(timeouts && { timeouts }) }
      outcomes.set(
        push,
        await takeTransfers(context, push.entries, options).then(
          (done) => ({ done }),
          (failed) => ({ failed }),
        ),
      )
    }
    return outcomes
  }

  return {
    async take(source, entries) {
      const own = loads.get(source.id) ?? { pushes: 0, entries: 0 }
      const isFull =
        all.pushes >= most.waiting ||
        own.pushes >= most.waitingOfSource ||
        all.entries + entries.length > most.entries ||
        own.entries + entries.length > most.entriesOfSource
      if (stopped || isFull) throw overloaded()
      const key = [source.id, ...new Set(entries.map(({ accountId }) => accountId))].sort().join()
      const queue = queueOf(key)
      loads.set(source.id, own)
      const count = (by: 1 | -1) => {
        queue.waiting += by
        for (const load of [all, own]) {
          load.pushes += by
          load.entries += by * entries.length
        }
      }
      count(1)
      try {
        return await queue.pushes.add({ source, entries, until: monotonicMs() + most.waitMs })
      } finally {
        count(-1)
        if (queue.waiting === 0) queues.delete(key)
        if (own.pushes === 0) loads.delete(source.id)
      }
    },
    async stop() {
      stopped = true
      await Promise.all([...queues.values()].map(({ pushes }) => pushes.stop()))
    },
  }
}

const overloaded = () => new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })

const isLate = ({ until }: Push): boolean => monotonicMs() > until

/** A longer lock timeout than usual: a file of the same account may be importing, in groups of hundreds of rows. */
const pushTimeouts = { statementMs: bounds.statementTimeoutMs, lockMs: bounds.pushes.lockMs }

/** Takes several pushes in one transaction; each gets the counts of its own rows. */
async function takeTogether(
  { db, publicUrl, changed }: DepositContext,
  batch: readonly Push[],
): Promise<Map<Push, Taken>> {
  const { source } = batch[0]!
  const entries = await inStretches(
    batch.flatMap((push) => push.entries),
    (entry) => prepare(entry),
  )
  const { results, entered } = await db.transaction(
    (tx) => takeEarly(tx, entries, { source, publicUrl }),
    pushTimeouts,
  )
  changed(entered)
  const shares = new Map<Push, Taken>()
  let from = 0
  for (const push of batch) {
    shares.set(push, countOf(results.slice(from, from + push.entries.length)))
    from += push.entries.length
  }
  return shares
}

/** Batches, in order of arrival, of as many rows as one transaction takes. */
export function batchesOf<Item extends Pick<Push, 'entries'>>(pushes: readonly Item[]): Item[][] {
  const batches: Item[][] = []
  let room = 0
  for (const push of pushes) {
    if (push.entries.length > room) {
      batches.push([])
      room = bounds.sweepGroup
    }
    batches.at(-1)!.push(push)
    room -= push.entries.length
  }
  return batches
}
