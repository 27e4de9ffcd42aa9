/** Creates a deposit in the selection flow: the customer chooses the method later, on the payment page. */
import { bounds } from '../../platform/bounds.ts'
import { newId, randomToken } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { checkLimit, currencyNotSupported } from '../catalogue/limit.ts'
import { offersFor } from '../catalogue/offer.ts'
import { type Catalogue, flowOf } from '../catalogue/payment-type.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { checkCustomers, limitsOf, recheckCustomers } from '../rules/check-customers.ts'
import type { MerchantRules } from '../rules/listing.ts'
import { insertNotes } from './history-store.ts'
import { type Acknowledged, fingerprint, repeated, returnsOf } from './order.ts'
import { findOrders } from './read-store.ts'
import type { DepositRequest } from './record.ts'
import type { SentRequest } from './sent-request.ts'
import { type DepositDraft, insertDeposits } from './store.ts'

type BuildDeposit = {
  merchant: Merchant
  request: DepositRequest
  /** The merchant's payment types and limits. A repeated order is answered even if they have changed. */
  catalogue: Catalogue
  rules: MerchantRules
  sent: SentRequest
}

export async function buildDeposit(db: Db, asked: BuildDeposit): Promise<Acknowledged> {
  const { merchant, request, catalogue, sent } = asked
  // Another request may write the same order after the read: then the next read finds it.
  for (let attempt = 0; attempt < bounds.transactionAttempts; attempt++) {
    const [known] = await findOrders(db, [{ merchantId: merchant.id, orderId: request.orderId }])
    if (known) return repeated(known, 'build', request)
    checkLimit(catalogue, request, 'build')
    refuseEmptyChoice(catalogue, request)
    const verdict = (await checkCustomers(db, [asked])).get(asked)
    if (verdict && 'refused' in verdict) throw verdict.refused
    const draft = draftOf(merchant, request, sent)
    const deposit = await db.transaction(async (tx) => {
      const [overLimit] = (
        await recheckCustomers(tx, [{ ...draft, customerLimits: limitsOf(asked) }])
      ).values()
      if (overLimit) throw overLimit
      const [inserted] = await insertDeposits(tx, [draft], { withLoads: false })
      const made = inserted?.deposit
      if (made && verdict) await insertNotes(tx, [{ depositId: made.id, reason: verdict.watched }])
      return made
    })
    if (deposit) return { deposit, now: deposit.createdAt, replayed: false }
  }
  throw new Refusal('request_in_progress', { retryAfterSeconds: 1 })
}

/** Refuses an amount that no payment type takes: the customer could choose nothing on the page. */
function refuseEmptyChoice(catalogue: Catalogue, request: DepositRequest): void {
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

const draftOf = (merchant: Merchant, request: DepositRequest, sent: SentRequest): DepositDraft => ({
  ...request,
  ...returnsOf(merchant, request),
  id: newId(),
  merchantId: merchant.id,
  flow: 'build',
  state: 'builded',
  fingerprint: fingerprint('build', request),
  requisiteId: null,
  accountId: null,
  shown: null,
  reference: null,
  pageToken: randomToken(16),
  holdsSlot: false,
  openMinutes: merchant.settings.choiceMinutes,
  // The customer has no requisites yet, so no money can be late.
  lateGraceHours: 0,
  sent,
})
