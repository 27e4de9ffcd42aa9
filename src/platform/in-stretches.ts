/** Makes many things of what others sent, and serves everybody else in between. */
import { setImmediate } from 'node:timers/promises'
import { bounds } from './bounds.ts'
import { monotonicMs } from './clock.ts'

export async function inStretches<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = []
  const pause = createPause()
  for (const item of items) {
    made.push(make(item))
    await pause()
  }
  return made
}

/** Called between two pieces of long work: when it has gone on for long enough, everybody else is served first. */
export function createPause(): () => Promise<void> | undefined {
  let began = monotonicMs()
  return () => {
    if (monotonicMs() - began < bounds.stretchMs) return undefined
    return setImmediate().then(() => {
      began = monotonicMs()
    })
  }
}
