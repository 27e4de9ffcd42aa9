/** The first page of a merchant's console. */

import { listEndpoints } from '../../../domain/callbacks/endpoint-store.ts'
import { readTypeNames } from '../../../domain/catalogue/store.ts'
import { noFilter } from '../../../domain/deposits/merchant-search.ts'
import { listDepositRows } from '../../../domain/deposits/merchant-search-store.ts'
import { readNow } from '../../../domain/people/session-store.ts'
import { isoDayIn } from '../../../platform/intl.ts'
import { consolePath } from '../paths.ts'
import { type ConsoleTools, sectionRoutes, viewer } from '../visit.ts'
import { createChartDays } from './chart-days.ts'
import { overviewPage } from './overview-page.ts'
import { listEndingKeys, listReviewed, readOpen, readToday } from './store.ts'

const latestShown = 8
const reviewedShown = 5
const daysShown = 14

export function overviewConsole(tools: ConsoleTools): void {
  const { live } = sectionRoutes(tools, 'overview')
  const { db, routes } = tools
  const chartDays = createChartDays(db)

  routes.get(consolePath.route('/'), viewer, async ({ reply, merchantId }) =>
    reply.redirect(consolePath('/overview', merchantId), 303),
  )

  live('/overview', viewer, async (context, visit) => {
    const { merchantId } = visit
    const zone = visit.visitor.person.timeZone
    const today = isoDayIn(await readNow(db), zone)
    const [lines, open, lanes, reviewed, endingKeys, days, latest, names] = await Promise.all([
      readToday(db, merchantId, zone),
      readOpen(db, merchantId),
      listEndpoints(db, merchantId),
      listReviewed(db, merchantId, reviewedShown),
      listEndingKeys(db, merchantId),
      chartDays({ merchantId, zone, today, days: daysShown }),
      listDepositRows(db, { merchantId, zone, filter: noFilter, after: null, limit: latestShown }),
      readTypeNames(db),
    ])
    const view = { today, lines, open, lanes, reviewed, endingKeys, days, latest: latest.lines, names }
    return overviewPage(context, view)
  })
}
