/** The merchant's console over HTTP. It calls the same domain functions as the API and has no powers of its own. */

import { cachedDatabaseTime } from '../../platform/db.ts'
import { bankConsole } from './bank/routes.ts'
import { officeConsole } from './office.ts'
import { overviewConsole } from './overview/routes.ts'
import { brandingConsole } from './settings/branding-routes.ts'
import type { ConsoleTools } from './visit.ts'

export function consoleRoutes(given: Omit<ConsoleTools, 'now'>): void {
  const tools = { ...given, now: cachedDatabaseTime(given.db) }
  overviewConsole(tools)
  officeConsole(tools)
  brandingConsole(tools)
  bankConsole(tools)
}
