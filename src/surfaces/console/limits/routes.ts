/** HTTP routes of the merchant's limits. */

import { consolePath } from '../paths.ts'
import { readOffers } from '../store.ts'
import { type ConsoleTools, showPage, viewer } from '../visit.ts'
import { limitPage } from './limit-page.ts'

export function limitConsole({ routes, db }: ConsoleTools): void {
  routes.get(consolePath.route('/limits'), viewer, (visit) =>
    showPage(db, visit, async (context) => limitPage(context, await readOffers(db, visit.merchantId))),
  )
}
