/** Work that is repeated for as long as the process runs. A fault is logged, and the work is tried again after a pause. */

import { monotonicMs } from './clock.ts'
import { isContended, isDatabaseAway, sqlState } from './db-errors.ts'
import { faultFields, type Log } from './log.ts'

export type Worker = { wake(): void; stop(): Promise<void> }

/** Starts working immediately, or after `firstMs`. If it is woken while it works, it works once more without a pause. */
export function startWorker(
  name: string,
  everyMs: number,
  work: () => Promise<unknown>,
  log: Log,
  { firstMs = 0 }: { firstMs?: number } = {},
): Worker {
  let stopped = false
  let isWoken = false
  let endSleep = () => {}
  let faults = 0

  const sleepUntilWoken = (ms: number) =>
    new Promise<void>((resolve) => {
      if (isWoken) return resolve()
      const timer = setTimeout(resolve, ms)
      endSleep = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const wake = () => {
    isWoken = true
    endSleep()
  }

  const running = (async () => {
    if (firstMs > 0) await sleepUntilWoken(firstMs)
    while (!stopped) {
      const began = monotonicMs()
      isWoken = false
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
      if (!stopped) await sleepUntilWoken(Math.max(0, pause - (monotonicMs() - began)))
    }
  })()

  return {
    wake,
    async stop() {
      stopped = true
      wake()
      await running
    },
  }
}
