/** The days of a chart. A past day changes little (only late money), so it is kept for longer than today. */

import { daysAfter } from '../../../domain/transfers/bank-text/days.ts'
import { bounds } from '../../../platform/bounds.ts'
import { monotonicMs } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/db.ts'
import { sum } from '../../../platform/sum.ts'
import { type DayLine, readDay, type Scope } from './store.ts'

export type Day = { day: string; created: number; confirmed: number }
export type Days = (scope: Scope, today: string, count: number) => Promise<Day[]>

export function createDays(db: Db): Days {
  const known = new Map<string, { lines: Promise<DayLine[]>; until: number }>()

  function read(scope: Scope, day: string, keepMs: number): Promise<DayLine[]> {
    const key = `${scope.merchantId ?? scope.mode} ${scope.zone} ${day}`
    const found = known.get(key)
    if (found && found.until > monotonicMs()) return found.lines
    const lines = readDay(db, scope, day)
    known.delete(key)
    known.set(key, { lines, until: monotonicMs() + keepMs })
    if (known.size > bounds.chartDays.entries) known.delete(known.keys().next().value!)
    lines.catch(() => known.delete(key))
    return lines
  }

  return async (scope, today, count) => {
    const days: Day[] = []
    // One after another, so that a chart takes one connection.
    for (let back = count - 1; back >= 0; back--) {
      const day = daysAfter(today, -back)
      const lines = await read(scope, day, back > 1 ? bounds.chartDays.pastMs : bounds.chartDays.presentMs)
      const total = (name: 'created' | 'confirmed') => sum(lines.map((line) => line[name]))
      days.push({ day, created: total('created'), confirmed: total('confirmed') })
    }
    return days
  }
}
