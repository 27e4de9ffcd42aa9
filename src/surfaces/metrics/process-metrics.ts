/**
 * The metrics of several processes as one answer. What a process counted stays in the sums after it has ended, so that
 * counters never go back.
 */
import { bounds } from '../../platform/bounds.ts'
import { joinMetrics, type MetricFamily } from '../../platform/metrics.ts'
import type { Member } from '../../platform/processes.ts'

type Processes = { ready: () => readonly Member[]; restarts: () => number }

type ProcessMetrics = {
  /** Stores the figures that a process has reported. */
  store(from: Member, families: MetricFamily[]): void
  /** A process has ended: its counters stay. */
  forget(member: Member): void
  collect(): Promise<MetricFamily[]>
}

export function createProcessMetrics({ ready, restarts }: Processes): ProcessMetrics {
  const last = new Map<Member, MetricFamily[]>()
  const waiting = new Map<Member, PromiseWithResolvers<void>>()
  let ended: MetricFamily[] = []

  /** Those who scrape at once share one question. A process that does not answer in time is shown as it was last. */
  async function ask(member: Member): Promise<void> {
    const answer = waiting.get(member) ?? Promise.withResolvers<void>()
    if (!waiting.has(member)) member.send({ kind: 'metrics' })
    waiting.set(member, answer)
    const late = setTimeout(() => settle(member), bounds.processes.metricsMs)
    await answer.promise
    clearTimeout(late)
  }

  function settle(member: Member): void {
    waiting.get(member)?.resolve()
    waiting.delete(member)
  }

  return {
    store(from, families) {
      last.set(from, families)
      settle(from)
    },
    forget(member) {
      const counted = (last.get(member) ?? []).filter(({ type }) => type !== 'gauge')
      ended = joinMetrics([ended, counted])
      last.delete(member)
      settle(member)
    },
    async collect() {
      await Promise.all(ready().map(ask))
      const own = joinMetrics([...last.values(), ended])
      return [
        ...own,
        figure('inlet_processes', 'gauge', 'Processes of this machine that answer.', ready().length),
        figure(
          'inlet_process_restarts_total',
          'counter',
          'Processes that ended by themselves and were started again.',
          restarts(),
        ),
      ]
    },
  }
}

const figure = (name: string, type: 'gauge' | 'counter', help: string, value: number): MetricFamily => ({
  name,
  help,
  type,
  joining: 'sum',
  rows: [[name, value]],
})
