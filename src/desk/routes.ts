/** The operator's desk over HTTP: every section registers behind the doors. */

import type { DeskTools } from './visit.ts'
import { approvalRoutes } from './work/approval-routes.ts'
import { workRoutes } from './work/routes.ts'
import { transferDeskRoutes } from './work/transfer-routes.ts'

export function deskRoutes(tools: DeskTools): void {
  workRoutes(tools)
  transferDeskRoutes(tools)
  approvalRoutes(tools)
}
