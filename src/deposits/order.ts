/** When two requests for one order_id are the same request, and in which fields they differ when they are not. */
import { createHash } from 'node:crypto'
import type { Deposit, Flow } from './deposit.ts'
import type { DepositRequest } from './record.ts'

/**
 * A digest over the flow and the named values. Equal for JSON, form and v2 of the same data; names are part of
 * it, so a success_url sent again as reject_url differs although both sign alike.
 */
export function fingerprint(flow: Flow, request: DepositRequest): Buffer {
  const pairs = Object.entries(wireFields(request))
    .filter(([, value]) => value !== null)
    .sort(([left], [right]) => (left < right ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([flow, ...pairs]))
    .digest()
}

export function differingFields(deposit: Deposit, flow: Flow, request: DepositRequest): string[] {
  const before: Record<string, unknown> = wireFields(deposit)
  const names = Object.entries(wireFields(request))
    .filter(([name, value]) => before[name] !== value)
    .map(([name]) => name)
  return deposit.flow === flow ? names : ['the operation', ...names]
}

const wireFields = (of: Omit<DepositRequest, 'customer' | 'orderId'> & { customer: string | null }) => ({
  cents: of.amountCents.toString(),
  currency: of.currency,
  payment_type: of.paymentType,
  customer: of.customer,
  customer_phone_number: of.customerPhoneNumber,
  callback_url: of.callbackUrl,
  success_url: of.successUrl,
  reject_url: of.rejectUrl,
})
