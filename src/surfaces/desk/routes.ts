/** The operator's desk over HTTP: every section registers its guarded routes. */
import { bankRoutes } from './bank/routes.ts'
import { approvalRoutes } from './cases/approval-routes.ts'
import { caseRoutes } from './cases/routes.ts'
import { transferDeskRoutes } from './cases/transfer-routes.ts'
import { viewDeskRoutes } from './cases/view-routes.ts'
import { officeRoutes } from './office/routes.ts'
import { queueRoutes } from './queue/routes.ts'
import { recordRoutes } from './record/routes.ts'
import { refundRoutes } from './refunds/routes.ts'
import { ruleRoutes } from './rules/routes.ts'
import { statementDeskRoutes } from './statements/routes.ts'
import { createUndos } from './statements/undos.ts'
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
