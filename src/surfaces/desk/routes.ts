/** The operator's desk over HTTP: every section registers its guarded routes. */

import { approvalRoutes } from './approvals/routes.ts'
import { recordRoutes } from './audit/routes.ts'
import { caseRoutes } from './deposits/routes.ts'
import { ruleRoutes } from './lists/routes.ts'
import { officeRoutes } from './merchants/routes.ts'
import { queueRoutes } from './queue/routes.ts'
import { refundRoutes } from './refunds/routes.ts'
import { bankRoutes } from './requisites/routes.ts'
import { statementDeskRoutes } from './statements/routes.ts'
import { createUndos } from './statements/undos.ts'
import { transferDeskRoutes } from './transfers/routes.ts'
import { viewDeskRoutes } from './view-routes.ts'
import type { DeskTools } from './visit.ts'

export function deskRoutes(given: Omit<DeskTools, 'undos'>): void {
  const tools = { ...given, undos: createUndos(given.context, given.log) }
  queueRoutes(tools)
  caseRoutes(tools)
  transferDeskRoutes(tools)
  viewDeskRoutes(tools)
  approvalRoutes(tools)
  bankRoutes(tools)
  statementDeskRoutes(tools)
  refundRoutes(tools)
  ruleRoutes(tools)
  officeRoutes(tools)
  recordRoutes(tools)
}
