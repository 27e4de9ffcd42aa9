/** HTTP routes of the page that explains why a deposit would be refused. */

import { readTypeNames } from '../../../domain/catalogue/store.ts'
import { findMerchant } from '../../../domain/merchants/store.ts'
import { centsFrom, isCurrency } from '../../../domain/money.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { readPart } from '../../staff/long-list.ts'
import { idOf } from '../../staff/visit.ts'
import { type DeskTools, deskOf, read, sectionRoutes } from '../visit.ts'
import { explain } from './explain.ts'
import { whyPage } from './why-page.ts'

export function whyRoutes(tools: DeskTools): void {
  const { get } = sectionRoutes(tools, 'merchants')
  const { db } = tools.context

  get('/merchants/:id/why', read, async (visit) => {
    const [desk, merchant, names] = await Promise.all([
      deskOf(tools, visit),
      findMerchant(db, idOf(visit)),
      readTypeNames(db),
    ])
    if (!merchant) throw new Refusal('not_found')
    const asked = {
      type: visit.query('type'),
      currency: visit.query('currency'),
      amount: visit.query('amount').trim().slice(0, 20),
      customer: visit.query('customer').trim().slice(0, 200),
    }
    const { currency, type: paymentType } = asked
    const amountCents = centsFrom(asked.amount)
    const explanation =
      amountCents && isCurrency(currency)
        ? await explain(db, merchant, {
            amountCents,
            currency,
            paymentType,
            customer: asked.customer || null,
          })
        : null
    const requisites = await readPart(visit, 'after', async ({ after, limit }) => {
      const all = explanation?.requisites ?? []
      const from = all.findIndex(({ id }) => id === after) + 1
      return all.slice(from, from + limit)
    })
    return whyPage(desk, { merchant, names, asked, explanation, requisites })
  })
}
