/** The operator's desk over HTTP: declared sections, and the pages that are written by hand. */

import { cachedDatabaseTime } from '../../platform/db.ts'
import { deskSections } from '../../sections/sections.ts'
import { sectionRoutes } from '../office/routes.ts'
import { createBackground } from './background.ts'
import { type DeskTools, officeToolsOf } from './desk.ts'
import { overviewRoutes } from './overview/routes.ts'
import { queueRoutes } from './queue/routes.ts'
import { uploadRoutes } from './statements/upload-routes.ts'
import type { Uploads } from './statements/uploads.ts'
import { whyRoutes } from './why/why-routes.ts'

/** Returns what ends the work on uploaded files. */
export function deskRoutes(given: Omit<DeskTools, 'background' | 'now'>): Pick<Uploads, 'close'> {
  const now = cachedDatabaseTime(given.context.db)
  const tools = { ...given, now, background: createBackground(given.context, given.log) }
  const office = officeToolsOf(tools)
  overviewRoutes(tools, office)
  queueRoutes(tools, office)
  const uploads = uploadRoutes(tools, office)
  for (const section of deskSections) sectionRoutes(office, section)
  whyRoutes(tools, office)
  return uploads
}
