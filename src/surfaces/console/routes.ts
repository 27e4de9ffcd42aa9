/** The merchant's console over HTTP. A client of the same verbs as the API: it has no powers of its own. */
import { callbackConsole } from './callbacks/routes.ts'
import { depositConsole } from './deposits/routes.ts'
import { keyConsole } from './keys/routes.ts'
import { settingsConsole } from './settings/routes.ts'
import { toolConsole } from './signature/routes.ts'
import type { ConsoleTools } from './visit.ts'

export function consoleRoutes(tools: ConsoleTools): void {
  depositConsole(tools)
  callbackConsole(tools)
  keyConsole(tools)
  settingsConsole(tools)
  toolConsole(tools)
}
