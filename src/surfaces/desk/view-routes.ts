/** HTTP routes of saved views; everybody who can read a list may save views of it. */

import { dropView, saveView } from '../../domain/people/saved-views/change-views.ts'
import type { Filtered, ViewOwner, ViewPlace } from '../../domain/people/saved-views/saved-view.ts'
import type { KnownVisit } from '../staff/guarded-routes.ts'
import { viewFrom, viewIdOf, viewLine } from '../staff/saved-views/view-forms.ts'
import { auditLine } from '../staff/visit.ts'
import { depositFilter } from './deposits/list-page.ts'
import { deskPath } from './paths.ts'
import { transferFilter } from './transfers/list-page.ts'
import { type DeskTools, read, sectionRoutes } from './visit.ts'

const lists = [
  ['deposits', 'desk_deposits', depositFilter],
  ['transfers', 'desk_transfers', transferFilter],
] as const satisfies [section: string, place: ViewPlace, filter: (say: KnownVisit['field']) => Filtered][]

export const deskViews = ({ visitor }: KnownVisit, place: ViewPlace): ViewOwner => ({
  personId: visitor.person.id,
  place,
  merchantId: null,
})

export function viewRoutes(tools: DeskTools): void {
  const { db } = tools.context

  for (const [section, place, filter] of lists) {
    const { post } = sectionRoutes(tools, section)
    post(`/${section}/save-view`, read, async (visit) => {
      const owner = deskViews(visit, place)
      const view = viewFrom(visit, filter(visit.field))
      await saveView(db, owner, view, { audit: auditLine(visit, viewLine('save', owner, view)) })
      return { to: `${deskPath(`/${section}`)}?${view.query}`, notice: 'saved' }
    })

    post(`/${section}/drop-view`, read, async (visit) => {
      const owner = deskViews(visit, place)
      await dropView(db, owner, viewIdOf(visit), {
        audit: (view) => auditLine(visit, viewLine('drop', owner, view)),
      })
      return { to: deskPath(`/${section}`), notice: 'view_deleted' }
    })
  }
}
