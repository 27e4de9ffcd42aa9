/** Work that repeats for as long as the process runs. A fault is logged and waited out, never fatal. */

import { monotonicMs } from './clock.ts'
import { isContended, isDatabaseAway, sqlState } from './db-errors.ts'
import { faultFields, type Log } from './log.ts'

export type Worker = { wake(): void; stop(): Promise<void> }

/** Works at once, or for the first time after `firstMs`. */
export function startWorker(
  name: string,
  everyMs: number,
  work: () => Promise<unknown>,
  log: Log,
  { firstMs = 0 }: { firstMs?: number } = {},
): Worker {
  let stopped = false
  let wake = () => {}
  let faults = 0

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const running = (async () => {
    if (firstMs > 0) await rest(firstMs)
    while (!stopped) {
      const began = monotonicMs()
      try {
        await work()
        faults = 0
      } catch (error) {
        faults += 1
        if (isContended(error)) log.warn(`${name}: the database is busy`, { sqlstate: sqlState(error) })
        else if (isDatabaseAway(error))
          log.warn(`${name}: the database is away`, { sqlstate: sqlState(error) })
        else log.error(`${name} failed`, faultFields(error))
      }
      // After a fault the pause grows, so that a lasting one does not fill the log.
      const pause = faults > 0 ? Math.min(everyMs * 2 ** faults, 30_000) : everyMs
      if (!stopped) await rest(Math.max(0, pause - (monotonicMs() - began)))
    }
  })()

  return {
    wake: () => wake(),
    async stop() {
      stopped = true
      wake()
      await running
    },
  }
}
