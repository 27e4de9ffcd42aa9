/** The desk as the place where declared sections stand. */
import type { Context } from '../../sections/section.ts'
import { allSections, deskSections } from '../../sections/sections.ts'
import type { OfficeContext, Place } from '../office/context.ts'
import { type OfficeTools, sectionRoutes } from '../office/routes.ts'
import type { KnownVisit } from '../staff/guarded-routes.ts'
import { deskRoot } from '../staff/paths.ts'
import { deskPage, sectionAt } from './frame.ts'
import { deskPath } from './paths.ts'
import { type DeskTools, deskOf } from './visit.ts'

/** What the acts of declared sections work with, for this visit to the desk. */
async function deskContextOf(tools: DeskTools, visit: KnownVisit): Promise<Context> {
  const { context, vault, outbound, directory, isTrustedHost, background } = tools
  return {
    ...context,
    vault,
    outbound,
    isTrustedHost,
    merchantId: null,
    personId: visit.visitor.person.id,
    now: await tools.now(),
    timeZone: visit.visitor.person.timeZone,
    language: visit.language,
    merchantsChanged: (merchantId) => directory.forget(merchantId),
    sections: allSections,
    begin: background.begin,
  }
}

/** The frame of declared pages at the desk. */
async function pagesOf(tools: DeskTools, visit: KnownVisit): Promise<Omit<OfficeContext, 'isOpen'>> {
  const desk = await deskOf(tools, visit)
  const place: Place = {
    pathOf: (path) => `${deskRoot}${path}`,
    page: ({ path, notice = null, ...page }) =>
      deskPage({ ...desk, notice: null, said: notice }, { ...page, section: sectionAt(path) }),
  }
  return { ...desk, place }
}

export const officeToolsOf = (tools: DeskTools): OfficeTools => ({
  routes: tools.routes,
  limits: tools.limits,
  route: (path) => `${deskRoot}${path}`,
  contextOf: (visit) => deskContextOf(tools, visit),
  pagesOf: (visit) => pagesOf(tools, visit),
  proposalAt: (id) => deskPath('/approvals/:id', id),
})

export function officeRoutes(tools: DeskTools): void {
  const office = officeToolsOf(tools)
  for (const section of deskSections) sectionRoutes(office, section)
}
