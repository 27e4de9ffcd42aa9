/** The first page of the operator's desk. */

import { modes } from '../../../domain/merchants/merchant.ts'
import { daysAfter } from '../../../domain/transfers/bank-text/days.ts'
import { listOpenDays } from '../../../domain/transfers/voice-store.ts'
import { isoTimeIn } from '../../../platform/intl.ts'
import { type DeskTools, deskOf, read, sectionRoutes } from '../visit.ts'
import { agesShown, overviewPage } from './overview-page.ts'
import {
  listFailing,
  listLoaded,
  listSilentAccounts,
  listSilentSources,
  readAges,
  readHours,
  readInstalled,
  readMoney,
} from './store.ts'

const linesShown = 6

export function overviewRoutes(tools: DeskTools): void {
  const { live } = sectionRoutes(tools, 'overview')
  const { db } = tools.context

  live('/overview', read, async (visit) => {
    const zone = visit.visitor.person.timeZone
    const installed = await readInstalled(db)
    const mode = modes.find((mode) => mode === visit.query('mode')) ?? (installed.hasLive ? 'live' : 'test')
    const [today, time] = isoTimeIn(installed.now, zone).split(' ') as [string, string]
    const until = time.slice(0, 'HH:MM'.length)
    const weekAgo = daysAfter(today, -7)
    const [desk, ages, ofToday, ofWeekAgo, money, sources, accounts, open, loaded, failing] =
      await Promise.all([
        deskOf(tools, visit),
        readAges(db, agesShown),
        readHours(db, { mode, day: today, until, zone }),
        readHours(db, { mode, day: weekAgo, until, zone }),
        readMoney(db, { mode, day: today, zone }),
        listSilentSources(db, mode, linesShown),
        listSilentAccounts(db, mode, linesShown),
        listOpenDays(db, mode, linesShown),
        listLoaded(db, mode, linesShown),
        listFailing(db, mode, linesShown),
      ])
    const hours = { today: ofToday, weekAgo: ofWeekAgo }
    const view = {
      mode,
      installed,
      ages,
      today,
      weekAgo,
      until,
      hours,
      money,
      sources,
      accounts,
      open,
      loaded,
      failing,
    }
    return overviewPage(desk, view)
  })
}
