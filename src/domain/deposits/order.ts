/** Decides whether two requests with one order_id are equal, and names the fields in which they differ. */

import { hash } from 'node:crypto'
import { Refusal } from '../../platform/refusals.ts'
import type { Flow } from '../catalogue/payment-type.ts'
import type { Merchant } from '../merchants/merchant.ts'
import type { Deposit } from './deposit.ts'
import { type DepositRequest, requestFields } from './record.ts'

/**
 * A digest over the flow and the named values. Equal for JSON, form and v2 of the same data; names are part of
 * it, so a success_url sent again as reject_url differs although both sign alike.
 */
export function fingerprint(flow: Flow, request: DepositRequest): string {
  let text = `["${flow}"`
  for (const [name, property] of sortedFields) {
    const value = request[property]
    if (value !== null) text += `,["${name}",${JSON.stringify(value.toString())}]`
  }
  return hash('sha256', `${text}]`, 'hex')
}

type Wire = Record<Exclude<keyof typeof requestFields, 'order_id'>, string | null>

const { order_id: _order, ...compared } = requestFields
const comparedFields = Object.entries(compared)
const sortedFields = comparedFields.toSorted()

/** Reported like a field when the same order was sent to the other endpoint. */
const operation = 'the operation'

export function differingFields(deposit: Deposit, flow: Flow, request: DepositRequest): string[] {
  const before: Record<string, unknown> = wireFields(deposit)
  const names = Object.entries(wireFields(request))
    .filter(([name, value]) => before[name] !== value)
    .map(([name]) => name)
  if (deposit.flow !== flow) return [operation, ...names]
  // The customer's choice has replaced the type of the request.
  return flow === 'build' ? names.filter((name) => name !== 'payment_type') : names
}

export type StoredOrder = { deposit: Deposit; fingerprint: string; now: Date }

/** The result of an accepted request: a new deposit, or, if replayed, the existing one of that order. */
export type Acknowledged = { deposit: Deposit; now: Date; replayed: boolean }

/** Answers an existing order with its deposit; refuses it, naming the fields, if the request differs. */
export function repeated(
  { deposit, now, fingerprint: before }: StoredOrder,
  flow: Flow,
  request: DepositRequest,
): Acknowledged {
  if (before === fingerprint(flow, request)) return { deposit, now, replayed: true }
  const names = differingFields(asSent(deposit, before), flow, request)
  throw new Refusal('order_id_reused', {
    detail: `Differs in: ${names.join(', ')}.`,
    errors: names.map((name) => ({
      pointer: name === operation ? '#' : `#/${name}`,
      code: 'differs',
      detail: 'It differs from the first request with this order_id.',
    })),
  })
}

/** Where the customer returns to: what the request names, else what the merchant has set by now. */
export const returnsOf = (
  merchant: Pick<Merchant, 'successUrl' | 'rejectUrl'>,
  request: Pick<DepositRequest, 'successUrl' | 'rejectUrl'>,
) => ({
  successUrl: request.successUrl ?? merchant.successUrl,
  rejectUrl: request.rejectUrl ?? merchant.rejectUrl,
})

/**
 * A deposit with the values of its request. The stored deposit may have others: return addresses from the merchant's
 * settings, and the type that the customer chose. The fingerprint shows which values were sent.
 */
export function asSent(deposit: Deposit, before: string): Deposit {
  const types = deposit.flow === 'build' ? [deposit.paymentType, 'uzs_select'] : [deposit.paymentType]
  const readings = types.flatMap((paymentType) =>
    [deposit.successUrl, null].flatMap((successUrl) =>
      [deposit.rejectUrl, null].map((rejectUrl) => ({ ...deposit, paymentType, successUrl, rejectUrl })),
    ),
  )
  return readings.find((reading) => fingerprint(deposit.flow, reading) === before) ?? deposit
}

/** The values of a request under their names on the wire, without its order. */
export function wireFields(request: Omit<DepositRequest, 'orderId'>): Wire {
  const fields: Record<string, string | null> = {}
  for (const [name, property] of comparedFields) fields[name] = request[property]?.toString() ?? null
  return fields as Wire
}
