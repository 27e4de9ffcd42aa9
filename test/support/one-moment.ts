import { mock } from 'node:test'

/** The clock by which limits are refilled and waits end stands still while the work goes on, however long it takes. */
export async function atOneMoment<Result>(work: () => Promise<Result>): Promise<Result> {
  const now = performance.now()
  const { mock: stopped } = mock.method(performance, 'now', () => now)
  return work().finally(() => stopped.restore())
}
