/** What happens when, in order of time. Each event may add further ones. Pure. */
import type { Entry } from '../../transfers/entry.ts'
import type { PlannedDeposit } from './busy-plan.ts'

export type Agenda = ReturnType<typeof createAgenda>

type MakeEntries = (now: Date) => Promise<Entry[]>
type Item = { at: number } & (
  | { create: PlannedDeposit }
  | { entries: MakeEntries }
  | { run: () => Promise<void> }
)

/** All events of one short span of time: acts run at their own times, creates and bank entries together at the end. */
type Step = {
  at: number
  creates: PlannedDeposit[]
  entries: MakeEntries[]
  runs: { at: number; run: () => Promise<void> }[]
}

export function createAgenda() {
  const items: Item[] = []

  /** Inserts it after all items of the same time. */
  function add(item: Item): void {
    let [low, high] = [0, items.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (items[middle]!.at <= item.at) low = middle + 1
      else high = middle
    }
    items.splice(low, 0, item)
  }

  return {
    create: (at: number, create: PlannedDeposit) => add({ at, create }),
    /** Entries that a bank reports. */
    report: (at: number, entries: MakeEntries) => add({ at, entries }),
    run: (at: number, run: () => Promise<void>) => add({ at, run }),
    /** The next step before the end; undefined when nothing is left before it. */
    next(end: number, lengthAt: (at: number) => number): Step | undefined {
      const first = items[0]
      if (!first || first.at > end) return undefined
      const until = Math.min(end, first.at + lengthAt(first.at))
      let count = items.findIndex(({ at }) => at > until)
      if (count < 0) count = items.length
      const some = items.splice(0, count)
      return {
        at: some.at(-1)!.at,
        creates: some.flatMap((item) => ('create' in item ? [item.create] : [])),
        entries: some.flatMap((item) => ('entries' in item ? [item.entries] : [])),
        runs: some.flatMap((item) => ('run' in item ? [item] : [])),
      }
    },
  }
}
