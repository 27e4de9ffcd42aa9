import { mock } from 'node:test'

/** Stops the process's clock during the work: no rate limit is refilled and no wait ends, however slow the machine is. */
export async function atOneMoment<Result>(work: () => Promise<Result>): Promise<Result> {
  const now = performance.now()
  const { mock: stopped } = mock.method(performance, 'now', () => now)
  return work().finally(() => stopped.restore())
}
