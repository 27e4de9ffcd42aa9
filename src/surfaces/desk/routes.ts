/** The operator's desk over HTTP: every section registers its guarded routes. */

import { cachedDatabaseTime } from '../../platform/db.ts'
import { approvalRoutes } from './approvals/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { createBackground } from './background.ts'
import { depositRoutes } from './deposits/routes.ts'
import { merchantRoutes } from './merchants/routes.ts'
import { whyRoutes } from './merchants/why-routes.ts'
import { officeRoutes } from './office.ts'
import { overviewRoutes } from './overview/routes.ts'
import { peopleRoutes } from './people/routes.ts'
import { queueRoutes } from './queue/routes.ts'
import { requisiteRoutes } from './requisites/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { sourceRoutes } from './sources/routes.ts'
import { uploadRoutes } from './statements/upload-routes.ts'
import type { Uploads } from './statements/uploads.ts'
import { dayRoutes } from './transfers/day-routes.ts'
import { transferRoutes } from './transfers/routes.ts'
import { typeRoutes } from './types/routes.ts'
import type { DeskTools } from './visit.ts'

/** Returns what ends the work on uploaded files. */
export function deskRoutes(given: Omit<DeskTools, 'background' | 'now'>): Pick<Uploads, 'close'> {
  const now = cachedDatabaseTime(given.context.db)
  const tools = { ...given, now, background: createBackground(given.context, given.log) }
  overviewRoutes(tools)
  queueRoutes(tools)
  approvalRoutes(tools)
  depositRoutes(tools)
  transferRoutes(tools)
  dayRoutes(tools)
  const uploads = uploadRoutes(tools)
  requisiteRoutes(tools)
  officeRoutes(tools)
  merchantRoutes(tools)
  whyRoutes(tools)
  typeRoutes(tools)
  sourceRoutes(tools)
  peopleRoutes(tools)
  settingsRoutes(tools)
  auditRoutes(tools)
  return uploads
}
