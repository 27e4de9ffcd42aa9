/** A requested deposit before it is written: whether its amount and type are on offer, and what will be stored. */

import { Refusal } from '../../platform/refusals.ts'
import { checkLimit, currencyNotSupported } from '../catalogue/limit.ts'
import { offersFor } from '../catalogue/offer.ts'
import { type Catalogue, type Flow, flowOf, type PaymentType } from '../catalogue/payment-type.ts'
import type { Merchant } from '../merchants/merchant.ts'
import type { Candidate } from '../requisites/choice.ts'
import type { MerchantRules } from '../rules/listing.ts'
import { fingerprint, returnsOf } from './order.ts'
import { newPage } from './page-token.ts'
import { paymentTimes } from './payment-times.ts'
import type { DepositRequest } from './record.ts'
import type { Reference } from './reference.ts'
import type { SentRequest } from './sent-request.ts'
import { shownOf } from './shown.ts'
import type { DepositDraft } from './store.ts'

export type CreateDeposit = {
  flow: Flow
  merchant: Merchant
  request: DepositRequest
  /** The merchant's payment types and limits. A repeated order is answered even if they have changed. */
  catalogue: Catalogue
  rules: MerchantRules
  sent: SentRequest
}

/** Returns the type, or refuses the amount. */
export function checkOrder({ flow, catalogue, request }: CreateDeposit): PaymentType {
  const type = checkLimit(catalogue, request, flow)
  if (flow === 'build') refuseEmptyChoice({ catalogue, request })
  return type
}

/** Refuses an amount that no payment type takes: the customer could choose nothing on the page. */
function refuseEmptyChoice({ catalogue, request }: Pick<CreateDeposit, 'catalogue' | 'request'>): void {
  if (offersFor(catalogue, request, []).length > 0) return
  const { currency } = request
  const choices = catalogue.limits.filter(
    (limit) => limit.currency === currency && flowOf(catalogue.types.get(limit.paymentType)!) === 'create',
  )
  if (choices.length === 0) throw currencyNotSupported()
  const detail = `No payment type takes this amount in ${currency}, so the customer would have no choice.`
  throw new Refusal('amount_out_of_range', {
    detail,
    errors: [{ pointer: '#/cents', code: 'amount_out_of_range', detail }],
    more: {
      min_cents: Math.min(...choices.map(({ minCents }) => Number(minCents))),
      max_cents: Math.max(...choices.map(({ maxCents }) => Number(maxCents))),
    },
  })
}

/** Without a requisite: the customer chooses it. */
export const draftOf = (
  { flow, merchant, request, sent }: CreateDeposit,
  requisite: Candidate | null,
  reference: Reference | null,
): DepositDraft => ({
  ...request,
  ...returnsOf(merchant, request),
  ...newPage(),
  merchantId: merchant.id,
  flow,
  state: requisite ? 'created' : 'builded',
  fingerprint: fingerprint(flow, request),
  requisiteId: requisite?.id ?? null,
  accountId: requisite?.accountId ?? null,
  isAccountLimited: requisite !== null && requisite.account !== null,
  shown: requisite && shownOf(requisite, reference!),
  reference,
  holdsSlot: requisite !== null && !requisite.carriesReference,
  // Before the choice no money can be late.
  ...(requisite
    ? paymentTimes(merchant, requisite)
    : { openMinutes: merchant.settings.choiceMinutes, lateGraceHours: 0 }),
  sent,
})
