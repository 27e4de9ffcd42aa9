/** The merchant's console over HTTP. A client of the same verbs as the API: it has no powers of its own. */
import { callbackConsole } from './callback-routes.ts'
import { depositConsole } from './deposit-routes.ts'
import { keyConsole } from './key-routes.ts'
import { settingsConsole } from './settings-routes.ts'
import { toolConsole } from './tool-routes.ts'
import type { ConsoleTools } from './visit.ts'

export function consoleRoutes(tools: ConsoleTools): void {
  depositConsole(tools)
  callbackConsole(tools)
  keyConsole(tools)
  settingsConsole(tools)
  toolConsole(tools)
}
