/** What happens when, in order of time. Each event may add further ones. Pure. */
import type { Entry } from '../../transfers/entry.ts'
import type { PlannedDeposit } from './busy-plan.ts'

type MakeEntries = (now: Date) => Promise<Entry[]>
/** A deposit is created, a bank reports entries, or somebody acts. */
type Item = { at: number; create?: PlannedDeposit; entries?: MakeEntries; run?: () => Promise<unknown> }

/** All events of one short span of time: acts run at their own times, creates and bank entries together at the end. */
type Step = {
  at: number
  creates: PlannedDeposit[]
  entries: MakeEntries[]
  runs: { at: number; run: () => Promise<unknown> }[]
}

export class Agenda {
  #items: Item[] = []

  add(item: Item): void {
    this.#items.push(item)
  }

  /** The next step before the end; undefined when nothing is left before it. */
  next(end: number, lengthAt: (at: number) => number): Step | undefined {
    this.#items.sort((one, other) => one.at - other.at)
    const [first] = this.#items
    if (!first || first.at > end) return undefined
    const until = Math.min(end, first.at + lengthAt(first.at))
    const count = this.#items.filter(({ at }) => at <= until).length
    const some = this.#items.splice(0, count)
    return {
      at: some.at(-1)!.at,
      creates: some.flatMap(({ create }) => create ?? []),
      entries: some.flatMap(({ entries }) => entries ?? []),
      runs: some.flatMap(({ at, run }) => (run ? [{ at, run }] : [])),
    }
  }
}
