/** A merchant asks for a payment page: the order is taken, the customer chooses the method later. */
import { bounds } from '../bounds.ts'
import { checkLimit } from '../catalogue/limit.ts'
import type { Catalogue } from '../catalogue/payment-type.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { newId, randomToken } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { Refusal } from '../refusals.ts'
import { type Acknowledged, fingerprint, repeated } from './order.ts'
import type { DepositRequest } from './record.ts'
import { type DepositDraft, findOrders, insertDeposits } from './store.ts'

export type BuildDeposit = {
  merchant: Merchant
  request: DepositRequest
  /** What is on offer to the merchant. A repeated order is answered whatever the offer is by now. */
  catalogue: Catalogue
  requestId: string
}

export async function buildDeposit(
  db: Db,
  { merchant, request, catalogue, requestId }: BuildDeposit,
): Promise<Acknowledged> {
  // The same order may be taken between looking and writing: then it is there at the next look.
  for (let attempt = 0; attempt < bounds.transactionAttempts; attempt++) {
    const [known] = await findOrders(db, [{ merchantId: merchant.id, orderId: request.orderId }])
    if (known) return repeated(known, 'build', request)
    checkLimit(catalogue, request, 'build')
    const [deposit] = await db.transaction((tx) =>
      insertDeposits(tx, [draftOf(merchant, request, requestId)]),
    )
    if (deposit) return { deposit, now: deposit.createdAt, replayed: false }
  }
  throw new Refusal('request_in_progress', { retryAfterSeconds: 1 })
}

const draftOf = (merchant: Merchant, request: DepositRequest, requestId: string): DepositDraft => ({
  ...request,
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
  // Nobody knows yet where to send money: none can be late.
  lateGraceHours: 0,
  requestId,
})
