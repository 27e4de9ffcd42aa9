/**
 * Passwords and pictures take tens of milliseconds of a processor and tens of megabytes each. So in a process one of them is at work at
 * a time, few wait, and the rest is refused at once. Each kind has two queues, one for strangers and one for known people, which
 * strangers cannot fill. The queues are served in turn, and the owners in each queue as well.
 */
import { createFairLimit, overloaded } from './fair-limit.ts'
import type { Refusal } from './refusals.ts'

/** A site, or a known person, who shares the turns of its merchant or of the desk. */
export type WorkOwner = { name: string; isKnown: boolean; group?: string }
const sharedBy = ({ name, group = name }: WorkOwner): string => group

type HeavyWork = {
  /** Refuses at once when the queue is full, or later in favour of an owner with less work. */
  run<Result>(owner: WorkOwner, work: () => Promise<Result>): Promise<Result>
  /** Throws what `run` would throw now: to refuse before anything was read or written. */
  refuseWhenFull(owner: WorkOwner): void
}

/** Of each queue at most one piece of work is here; the four queues are those of passwords and pictures. */
const oneAtATime = createFairLimit({ atOnce: 1, ofOwner: 1, waiting: 4 })

/** `waiting`: how many wait in each of the two queues. */
export function createHeavyWork(
  kind: 'passwords' | 'pictures',
  waiting: number,
  full: () => Refusal = overloaded,
): HeavyWork {
  const known = createFairLimit({ atOnce: 1, ofOwner: 1, waiting, full })
  const strangers = createFairLimit({ atOnce: 1, ofOwner: 1, waiting, full })
  const queueOf = ({ isKnown }: WorkOwner) => (isKnown ? known : strangers)
  return {
    run: (owner, work) => queueOf(owner)(sharedBy(owner), () => oneAtATime(`${kind} ${owner.isKnown}`, work)),
    refuseWhenFull(owner) {
      if (queueOf(owner).isFullFor(sharedBy(owner))) throw full()
    },
  }
}
