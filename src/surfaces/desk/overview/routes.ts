/** The first page of the operator's desk. */

import { modes } from '../../../domain/merchants/merchant.ts'
import { listOpenDays } from '../../../domain/transfers/voice-store.ts'
import { read } from '../../../sections/roles.ts'
import { handRoutes } from '../../office/hand-routes.ts'
import { createDays } from '../../office/overview/days.ts'
import { overviewPage, readFigures } from '../../office/overview/overview-page.ts'
import type { OfficeTools } from '../../office/routes.ts'
import type { DeskTools } from '../desk.ts'
import { deskPath } from '../paths.ts'
import { readAges } from '../queue/store.ts'
import { deskOverview, deskSteps } from './overview-page.ts'
import { listFailing, listLoaded, listSilentAccounts, listSilentSources, readInstalled } from './store.ts'

const linesShown = 6

export function overviewRoutes({ context: { db } }: DeskTools, tools: OfficeTools): void {
  const readDays = createDays(db)

  handRoutes(tools).live(deskPath.route('/overview'), read, async (office, visit) => {
    const installed = await readInstalled(db)
    if (!installed.hasDeposits) return overviewPage(office, { steps: deskSteps(office, installed) })
    const mode = modes.find((mode) => mode === visit.query('mode')) ?? (installed.hasLive ? 'live' : 'test')
    const scope = { mode, merchantId: null, zone: visit.visitor.person.timeZone }
    const [ages, deposits, sources, accounts, open, loaded, failing] = await Promise.all([
      readAges(db),
      readFigures(db, readDays, scope, installed.now),
      listSilentSources(db, mode, linesShown),
      listSilentAccounts(db, mode, linesShown),
      listOpenDays(db, mode, linesShown),
      listLoaded(db, mode, linesShown),
      listFailing(db, mode, linesShown),
    ])
    const view = { mode, installed, ages, deposits, sources, accounts, open, loaded, failing }
    return overviewPage(office, deskOverview(office, view))
  })
}
