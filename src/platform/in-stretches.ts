/** Does long work on many items in short stretches, and lets other requests be served in between. */
import { setImmediate } from 'node:timers/promises'
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

const stretchMs = 10

/** Call the returned function between two items: once the work has lasted for a stretch, it lets other requests be served. */
export function createPause(): () => Promise<void> | undefined {
  let began = monotonicMs()
  return () => {
    if (monotonicMs() - began < stretchMs) return undefined
    return setImmediate().then(() => {
      began = monotonicMs()
    })
  }
}
