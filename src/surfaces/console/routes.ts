/** The merchant's console over HTTP. It calls the same domain functions as the API and has no powers of its own. */

import { cachedDatabaseTime } from '../../platform/db.ts'
import { bankConsole } from './bank/routes.ts'
import { callbackConsole } from './callbacks/routes.ts'
import { createChartDays } from './charts/chart-days.ts'
import { chartConsole } from './charts/routes.ts'
import { depositConsole } from './deposits/routes.ts'
import { eventConsole } from './events/routes.ts'
import { limitConsole } from './limits/routes.ts'
import { officeConsole } from './office.ts'
import { overviewConsole } from './overview/routes.ts'
import { brandingConsole } from './settings/branding-routes.ts'
import { signatureConsole } from './signature/routes.ts'
import type { ConsoleTools } from './visit.ts'

export function consoleRoutes(given: Omit<ConsoleTools, 'now'>): void {
  const tools = { ...given, now: cachedDatabaseTime(given.db) }
  // Both routes share one cache of days.
  const chartDays = createChartDays(tools.db)
  overviewConsole(tools, chartDays)
  depositConsole(tools)
  callbackConsole(tools)
  officeConsole(tools)
  brandingConsole(tools)
  limitConsole(tools)
  eventConsole(tools)
  chartConsole(tools, chartDays)
  bankConsole(tools)
  signatureConsole(tools)
}
