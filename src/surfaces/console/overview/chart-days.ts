/**
 * The days of a chart, read one by one: each is a range of one index, so no query is long enough to delay others. A
 * past day changes little (only late money), so it is cached for longer than today.
 */

import type { MerchantId } from '../../../domain/merchants/merchant.ts'
import { daysAfter } from '../../../domain/transfers/bank-text/days.ts'
import { bounds } from '../../../platform/bounds.ts'
import { monotonicMs } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db.ts'
import type { Day, DayCounts } from './rows.ts'
import { readDay } from './store.ts'

type ChartDays = (asked: {
  merchantId: MerchantId
  zone: string
  /** The last day of the chart. */
  today: string
  days: number
}) => Promise<Day[]>

export function createChartDays(db: Db): ChartDays {
  const known = new Map<string, { counts: Promise<DayCounts>; until: number }>()

  function read(merchantId: MerchantId, zone: string, day: string, keepMs: number): Promise<DayCounts> {
    const key = `${merchantId} ${zone} ${day}`
    const found = known.get(key)
    if (found && found.until > monotonicMs()) return found.counts
    const counts = readDay(db, merchantId, day, zone)
    known.delete(key)
    known.set(key, { counts, until: monotonicMs() + keepMs })
    if (known.size > bounds.chartDays.entries) known.delete(known.keys().next().value!)
    counts.catch(() => known.delete(key))
    return counts
  }

  return async ({ merchantId, zone, today, days }) => {
    const wanted = Array.from({ length: days }, (_, back) => daysAfter(today, back + 1 - days))
    const dayOf = async (day: string): Promise<Day> => {
      const keepMs = day < daysAfter(today, -1) ? bounds.chartDays.pastMs : bounds.chartDays.presentMs
      return { day, ...(await read(merchantId, zone, day, keepMs)) }
    }
    const found: Day[] = []
    for (let from = 0; from < wanted.length; from += bounds.chartDays.atOnce)
      found.push(...(await Promise.all(wanted.slice(from, from + bounds.chartDays.atOnce).map(dayOf))))
    return found
  }
}
