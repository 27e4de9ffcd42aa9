/** HTTP routes of the charts. */

import { readTypeNames } from '../../../domain/catalogue/store.ts'
import { isCurrency } from '../../../domain/money.ts'
import { readNow } from '../../../domain/people/session-store.ts'
import { isoDayIn } from '../../../platform/intl.ts'
import { type ConsoleTools, sectionRoutes, viewer } from '../visit.ts'
import type { ChartDays } from './chart-days.ts'
import { chartPage, periods } from './chart-page.ts'

export function chartConsole(tools: ConsoleTools, chartDays: ChartDays): void {
  const { get } = sectionRoutes(tools, 'charts')
  const { db } = tools
  get('/charts', viewer, async (context, visit) => {
    const { timeZone: zone } = visit.visitor.person
    const period = periods.find((days) => String(days) === visit.query('days')) ?? 30
    const named = visit.query('currency')
    const currency = isCurrency(named) ? named : null
    const [now, names] = await Promise.all([readNow(db), readTypeNames(db)])
    const today = isoDayIn(now, zone)
    const days = await chartDays({ merchantId: visit.merchantId, zone, today, days: period })
    return chartPage(context, { period, currency, days, names })
  })
}
