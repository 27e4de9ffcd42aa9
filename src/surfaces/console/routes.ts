/** The merchant's console over HTTP. It calls the same domain functions as the API and has no powers of its own. */

import { findProposal } from '../../domain/approvals/store.ts'
import { cachedDatabaseTime } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { actOfRequest, decideRequest } from '../../sections/decide-request.ts'
import { viewer } from '../../sections/roles.ts'
import { allSections, consoleSections } from '../../sections/sections.ts'
import { sectionRoutes } from '../office/routes.ts'
import { consoleRoot, staffPath } from '../staff/paths.ts'
import { deciderOf, idOf } from '../staff/visit.ts'
import { bankRoutes } from './bank/routes.ts'
import { type ConsoleTools, contextOf, officeToolsOf } from './console.ts'
import { overviewRoutes } from './overview/routes.ts'
import { consolePath } from './paths.ts'
import { brandingRoutes } from './settings/branding-routes.ts'

export function consoleRoutes(given: Omit<ConsoleTools, 'now'>): void {
  const tools = { ...given, now: cachedDatabaseTime(given.db) }
  const office = officeToolsOf(tools)
  overviewRoutes(tools, office)
  for (const section of consoleSections) sectionRoutes(office, section)
  brandingRoutes(tools, office)
  bankRoutes(tools, office)

  /** Requests are decided at the desk; the person who made one may withdraw it here. */
  tools.routes.post(consolePath.route('/requests/:id/withdraw'), viewer, async (visit) => {
    const id = idOf(visit)
    const request = await findProposal(tools.db, id)
    const wanted = request?.merchantId === visit.merchantId && actOfRequest(allSections, request)
    const isOwn = request?.proposedBy === visit.visitor.person.id
    if (!isOwn || !wanted || wanted.section.read.for !== 'merchant') throw new Refusal('not_found')
    const by = { ...deciderOf(visit), isFresh: visit.visitor.session.isFresh }
    await decideRequest(await contextOf(tools, visit), { id, verdict: 'withdrawn', by, reason: '' })
    const home = staffPath(consoleRoot, visit.merchantId)
    return visit.reply.redirect(`${home}${wanted.section.path}?done=withdrawn`, 303)
  })
}
