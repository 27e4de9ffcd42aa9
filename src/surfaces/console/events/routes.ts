/** HTTP routes of the event feed. */

import { bounds } from '../../../platform/bounds.ts'
import { listEvents } from '../callback-store.ts'
import { type ConsoleTools, numberOf, sectionRoutes, viewer } from '../visit.ts'
import { eventPage } from './event-page.ts'

export function eventConsole(tools: ConsoleTools): void {
  const { live } = sectionRoutes(tools, 'events')
  const { db } = tools

  live('/events', viewer, async (context, visit) => {
    const before = numberOf(visit.query('before'))
    const limit = bounds.pageSizeDefault + 1
    const found = await listEvents(db, { merchantId: visit.merchantId, before, limit })
    const lines = found.slice(0, bounds.pageSizeDefault)
    const older = found.length > lines.length ? lines.at(-1)!.sequence : null
    return eventPage(context, { lines, older, isFirst: before === null })
  })
}
