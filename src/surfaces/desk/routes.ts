/** The operator's desk over HTTP: every section registers its guarded routes. */

import { cachedDatabaseTime } from '../../platform/db.ts'
import { whyRoutes } from './merchants/why-routes.ts'
import { officeRoutes } from './office.ts'
import { overviewRoutes } from './overview/routes.ts'
import { queueRoutes } from './queue/routes.ts'
import { mappingRoutes } from './statements/mappings/routes.ts'
import { statementRoutes } from './statements/routes.ts'
import { createUndos } from './statements/undos.ts'
import { uploadRoutes } from './statements/upload-routes.ts'
import type { Uploads } from './statements/uploads.ts'
import type { DeskTools } from './visit.ts'

/** Returns what ends the work on uploaded files. */
export function deskRoutes(given: Omit<DeskTools, 'undos' | 'now'>): Pick<Uploads, 'close'> {
  const now = cachedDatabaseTime(given.context.db)
  const tools = { ...given, now, undos: createUndos(given.context, given.log) }
  overviewRoutes(tools)
  queueRoutes(tools)
  mappingRoutes(tools)
  const uploads = uploadRoutes(tools)
  statementRoutes(tools)
  officeRoutes(tools)
  whyRoutes(tools)
  return uploads
}
