/** Makes many things of what others sent, and serves everybody else in between. */
import { setImmediate } from 'node:timers/promises'
import { bounds } from './bounds.ts'
import { monotonicMs } from './clock.ts'

export async function inStretches<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = []
  let began = monotonicMs()
  for (const item of items) {
    made.push(make(item))
    if (monotonicMs() - began < bounds.stretchMs) continue
    await setImmediate()
    began = monotonicMs()
  }
  return made
}
