/** The operator's desk over HTTP: every section registers behind the doors. */

import { bankRoutes } from './bank/routes.ts'
import { officeRoutes } from './office/routes.ts'
import { recordRoutes } from './record/routes.ts'
import type { DeskTools } from './visit.ts'
import { approvalRoutes } from './work/approval-routes.ts'
import { workRoutes } from './work/routes.ts'
import { transferDeskRoutes } from './work/transfer-routes.ts'

export function deskRoutes(tools: DeskTools): void {
  workRoutes(tools)
  transferDeskRoutes(tools)
  approvalRoutes(tools)
  bankRoutes(tools)
  officeRoutes(tools)
  recordRoutes(tools)
}
