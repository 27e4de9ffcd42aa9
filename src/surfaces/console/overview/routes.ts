/** The first page of a merchant's console. */

import { listEndpoints } from '../../../domain/callbacks/endpoint-store.ts'
import { viewer } from '../../../sections/roles.ts'
import { shopDeposits } from '../../../sections/shop-deposits.ts'
import { handRoutes } from '../../office/hand-routes.ts'
import { createDays } from '../../office/overview/days.ts'
import { overviewPage, readFigures } from '../../office/overview/overview-page.ts'
import type { OfficeTools } from '../../office/routes.ts'
import { type ConsoleTools, merchantOf } from '../console.ts'
import { consolePath } from '../paths.ts'
import { consoleOverview, consoleSteps, merchantIdOf } from './overview-page.ts'
import { listEndingKeys, listReviewed, readOpen } from './store.ts'

const reviewedShown = 5
const latestShown = 8

export function overviewRoutes({ db, routes }: ConsoleTools, tools: OfficeTools): void {
  const readDays = createDays(db)

  routes.get(consolePath.route('/'), viewer, async ({ reply, merchantId }) =>
    reply.redirect(consolePath('/overview', merchantId), 303),
  )

  handRoutes(tools).live(consolePath.route('/overview'), viewer, async (office, visit) => {
    const { merchantId } = visit
    const [merchant, open] = await Promise.all([merchantOf(db, visit), readOpen(db, merchantId)])
    const about = merchantIdOf(office, merchant)
    if (!open.hasDeposits) return overviewPage(office, { about, steps: consoleSteps(office, merchant, open) })
    const scope = { mode: merchant.mode, merchantId, zone: visit.visitor.person.timeZone }
    const context = await tools.contextOf(visit)
    const [deposits, lanes, reviewed, endingKeys, latest] = await Promise.all([
      readFigures(db, readDays, scope, open.now),
      listEndpoints(db, merchantId),
      listReviewed(db, merchantId, reviewedShown),
      listEndingKeys(db, merchantId),
      shopDeposits.list(context, { chosen: {}, after: null, limit: latestShown }),
    ])
    return overviewPage(office, {
      ...consoleOverview(office, {
        merchant,
        open,
        deposits,
        lanes,
        reviewed,
        endingKeys,
        latest: latest.rows,
      }),
      about,
    })
  })
}
