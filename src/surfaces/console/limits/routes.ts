/** HTTP routes of the merchant's limits. */

import { readOffers } from '../store.ts'
import { type ConsoleTools, sectionRoutes, viewer } from '../visit.ts'
import { limitPage } from './limit-page.ts'

export function limitConsole(tools: ConsoleTools): void {
  const { get } = sectionRoutes(tools, 'limits')
  const { db } = tools

  get('/limits', viewer, async (context, visit) => limitPage(context, await readOffers(db, visit.merchantId)))
}
