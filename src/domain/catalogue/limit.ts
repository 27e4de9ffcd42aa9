/** The limits as merchants see them, and the check of an amount against them. */

import { Refusal } from '../../platform/refusals.ts'
import { Type } from '../../platform/schema.ts'
import type { Cents, Currency } from '../money.ts'
import { type Catalogue, type Flow, flowOf, flows, type PaymentType } from './payment-type.ts'

/** Spec 4.3 leaves the shape open: this is ours. */
export const LimitAnswer = Type.Object(
  {
    currencies: Type.Array(Type.String()),
    payment_types: Type.Array(Type.String()),
    limits: Type.Array(
      Type.Object({
        operation: Type.Enum([...flows], { description: 'The operation that takes this type.' }),
        currency: Type.String(),
        payment_type: Type.String(),
        min_cents: Type.Integer(),
        max_cents: Type.Integer(),
        available: Type.Boolean({ description: 'False while no requisite can take a deposit of this type.' }),
      }),
    ),
  },
  { title: 'LimitAnswer' },
)

type Asked = { amountCents: Cents; currency: Currency; paymentType: string }

/** Currency, payment type, then range, each with its own refusal. */
export function checkLimit(
  { types, limits }: Catalogue,
  { amountCents, currency, paymentType }: Asked,
  flow: Flow,
): PaymentType {
  const inCurrency = limits.filter(
    (limit) => limit.currency === currency && flowOf(types.get(limit.paymentType)!) === flow,
  )
  if (inCurrency.length === 0) throw currencyNotSupported()
  const limit = inCurrency.find((candidate) => candidate.paymentType === paymentType)
  const type = types.get(paymentType)
  if (!limit || !type) {
    throw new Refusal('payment_type_not_supported', {
      detail: `payment_type is not offered in ${currency}. Offered: ${inCurrency.map((limit) => limit.paymentType).join(', ')}.`,
      errors: [
        { pointer: '#/payment_type', code: 'payment_type_not_supported', detail: 'Not offered here.' },
      ],
    })
  }
  if (amountCents < limit.minCents || amountCents > limit.maxCents) {
    const detail = `cents must lie between ${limit.minCents} and ${limit.maxCents} for ${paymentType} in ${currency}.`
    throw new Refusal('amount_out_of_range', {
      detail,
      errors: [{ pointer: '#/cents', code: 'amount_out_of_range', detail }],
      more: { min_cents: Number(limit.minCents), max_cents: Number(limit.maxCents) },
    })
  }
  return type
}

export const currencyNotSupported = () =>
  new Refusal('currency_not_supported', {
    detail: 'This operation is not offered in this currency: see GET /api/v1/requests/limit.',
    errors: [{ pointer: '#/currency', code: 'currency_not_supported', detail: 'Not offered here.' }],
  })
