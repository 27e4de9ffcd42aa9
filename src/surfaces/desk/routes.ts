/** The operator's desk over HTTP: every section registers its guarded routes. */

import { cachedDatabaseTime } from '../../platform/db.ts'
import { createBackground } from './background.ts'
import { whyRoutes } from './merchants/why-routes.ts'
import { officeRoutes } from './office.ts'
import { overviewRoutes } from './overview/routes.ts'
import { queueRoutes } from './queue/routes.ts'
import { uploadRoutes } from './statements/upload-routes.ts'
import type { Uploads } from './statements/uploads.ts'
import type { DeskTools } from './visit.ts'

/** Returns what ends the work on uploaded files. */
export function deskRoutes(given: Omit<DeskTools, 'background' | 'now'>): Pick<Uploads, 'close'> {
  const now = cachedDatabaseTime(given.context.db)
  const tools = { ...given, now, background: createBackground(given.context, given.log) }
  overviewRoutes(tools)
  queueRoutes(tools)
  const uploads = uploadRoutes(tools)
  officeRoutes(tools)
  whyRoutes(tools)
  return uploads
}
