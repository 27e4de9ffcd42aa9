/** HTTP route of the page that explains why a deposit would be refused. */

import { readTypeNames } from '../../../domain/catalogue/store.ts'
import { findMerchant } from '../../../domain/merchants/store.ts'
import { centsFrom, isCurrency } from '../../../domain/money.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { read } from '../../../sections/roles.ts'
import { handRoutes } from '../../office/hand-routes.ts'
import type { OfficeTools } from '../../office/routes.ts'
import { idOf } from '../../staff/visit.ts'
import type { DeskTools } from '../desk.ts'
import { deskPath } from '../paths.ts'
import { explain } from './explain.ts'
import { whyPage } from './why-page.ts'

export function whyRoutes({ context: { db } }: DeskTools, office: OfficeTools): void {
  handRoutes(office).get(deskPath.route('/merchants/:id/why'), read, async (office, visit) => {
    const [merchant, names] = await Promise.all([findMerchant(db, idOf(visit)), readTypeNames(db)])
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
    return whyPage(office, { merchant, names, asked, explanation })
  })
}
