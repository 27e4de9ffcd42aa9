/**
 * Rate limits that hold for all processes of a port. Each has the whole bucket and reports to the others what it took: every
 * few milliseconds, and immediately after taking a noticeable part of a burst. Tokens that others took may leave a bucket
 * below zero, so that an excess is refused afterwards. A process that starts begins with full buckets, as Inlet does.
 */
import { bounds } from './bounds.ts'
import { monotonicMs } from './clock.ts'
import type { ProcessLink } from './process-link.ts'
import { createRateLimit, type Rate, type RateLimit, type SpentRate } from './rate-limit.ts'

type Sharing = Pick<ProcessLink, 'settings' | 'send' | 'on'>

/** The limits of a process; without a link, those of the only one. */
export function createSharedRates(link: Sharing | undefined): RateLimit {
  if (!link) return createRateLimit(bounds.rateLimitEntries, monotonicMs)
  const { processes } = link.settings
  let spent = new Map<string, SpentRate>()
  let timer: NodeJS.Timeout | undefined
  let isDue = false

  const report = () => {
    clearTimeout(timer)
    timer = undefined
    isDue = false
    link.send({ kind: 'rates', spent: [...spent.values()] })
    spent = new Map()
  }
  const onTake = (key: string, { perSecond, burst }: Rate) => {
    const row = spent.get(key) ?? [key, 0, perSecond, burst]
    row[1] += 1
    spent.set(key, row)
    const isMuch = row[1] >= (burst * bounds.processes.rateShare) / processes
    // Once per round of the event loop: what is taken in the same round goes with it.
    if (isMuch && !isDue) setImmediate(report)
    isDue ||= isMuch
    timer ??= setTimeout(report, bounds.processes.rateMs).unref()
  }
  const limits = createRateLimit(bounds.rateLimitEntries, monotonicMs, onTake)
  link.on('rates', (message) => limits.subtract(message.spent))
  return limits
}
