/** A merchant's console as the place where declared sections stand. */
import { findProposal } from '../../domain/approvals/store.ts'
import { Refusal } from '../../platform/refusals.ts'
import { actOfRequest, decideRequest } from '../../sections/decide-request.ts'
import type { Context } from '../../sections/section.ts'
import { allSections, consoleSections } from '../../sections/sections.ts'
import type { OfficeContext, Place } from '../office/context.ts'
import { type OfficeTools, sectionRoutes } from '../office/routes.ts'
import type { KnownVisit } from '../staff/guarded-routes.ts'
import { consoleRoot, staffPath } from '../staff/paths.ts'
import { deciderOf, idOf } from '../staff/visit.ts'
import { merchantPage, sectionAt } from './frame.ts'
import { consolePath } from './paths.ts'
import { type ConsoleTools, readConsoleContext, viewer } from './visit.ts'

/** What the acts of declared sections work with, for this visit to the console. */
async function contextOf(tools: ConsoleTools, visit: KnownVisit): Promise<Context> {
  const { context, vault, outbound, isTrustedHost, keysChanged } = tools
  return {
    ...context,
    vault,
    outbound,
    isTrustedHost,
    merchantId: visit.merchantId,
    personId: visit.visitor.person.id,
    now: await tools.now(),
    timeZone: visit.visitor.person.timeZone,
    language: visit.language,
    merchantsChanged: () => keysChanged(visit.merchantId),
    sections: allSections,
    begin: async (_key, work) => void (await work(context)),
  }
}

/** The frame of declared pages in the console. */
async function pagesOf(tools: ConsoleTools, visit: KnownVisit): Promise<Omit<OfficeContext, 'isOpen'>> {
  const [console, now] = await Promise.all([readConsoleContext(tools.db, visit), tools.now()])
  const home = staffPath(consoleRoot, visit.merchantId)
  const place: Place = {
    pathOf: (path) => `${home}${path}`,
    page: ({ path, notice = null, ...page }) =>
      merchantPage({ ...console, said: notice }, { ...page, section: sectionAt(path) }),
  }
  return { ...console, now, place, here: visit.request.url.split('?', 1)[0]! }
}

export function officeConsole(tools: ConsoleTools): void {
  const office: OfficeTools = {
    routes: tools.routes,
    limits: tools.limits,
    route: (path) => `${consoleRoot}${path}`,
    contextOf: (visit) => contextOf(tools, visit),
    pagesOf: (visit) => pagesOf(tools, visit),
    proposalAt: () => null,
    withdrawAt: ({ merchantId }, id) => consolePath('/requests/:id/withdraw', merchantId, id),
  }
  for (const section of consoleSections) sectionRoutes(office, section)

  /** Requests are decided at the desk; whoever made one may withdraw it here. */
  tools.routes.post(consolePath.route('/requests/:id/withdraw'), viewer, async (visit) => {
    const id = idOf(visit)
    const request = await findProposal(tools.db, id)
    const wanted = request?.merchantId === visit.merchantId && actOfRequest(allSections, request)
    const isOwn = request?.proposedBy === visit.visitor.person.id
    if (!isOwn || !wanted || wanted.section.read.for !== 'merchant') throw new Refusal('not_found')
    const by = { ...deciderOf(visit), isFresh: visit.visitor.session.isFresh }
    await decideRequest(await contextOf(tools, visit), { id, verdict: 'withdrawn', by, reason: '' })
    const { path } = wanted.section
    return visit.reply.redirect(`${staffPath(consoleRoot, visit.merchantId)}${path}?done=withdrawn`, 303)
  })
}
