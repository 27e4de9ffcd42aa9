/** HTTP routes of the metrics. */

import { readTypeNames } from '../../../domain/catalogue/store.ts'
import { plotScript } from '../../staff/assets.ts'
import { wholeQueue } from '../queue/filter.ts'
import { readQueue } from '../queue/store.ts'
import { type DeskTools, deskOf, read, sectionRoutes } from '../visit.ts'
import { metricsPage } from './metrics-page.ts'
import { readDay, readFlow, sampleMost } from './store.ts'

export function metricsRoutes(tools: DeskTools): void {
  const { live } = sectionRoutes(tools, 'metrics')
  const { db } = tools.context

  live('/metrics', read, async (visit) => {
    const [
      desk,
      day,
      flow,
      {
        items: [oldest],
      },
      names,
    ] = await Promise.all([
      deskOf(tools, visit),
      readDay(db, visit.visitor.person.timeZone),
      readFlow(db),
      readQueue(db, wholeQueue, 1),
      readTypeNames(db),
    ])
    const plot = plotScript.name
    return metricsPage(desk, { day, flow, oldest: oldest?.since ?? null, sampleMost, plot, names })
  })
}
