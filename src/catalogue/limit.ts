/** Whether an amount may be asked for: currency, payment type, then range, each with its own refusal. */
import type { Cents, Currency } from '../money.ts'
import { Refusal } from '../refusals.ts'
import type { Catalogue, PaymentType } from './payment-type.ts'

export type Asked = { amountCents: Cents; currency: Currency; paymentType: string }

export function checkLimit(catalogue: Catalogue, { amountCents, currency, paymentType }: Asked): PaymentType {
  const inCurrency = catalogue.limits.filter((limit) => limit.currency === currency)
  if (inCurrency.length === 0) throw currencyNotSupported()
  const limit = inCurrency.find((candidate) => candidate.paymentType === paymentType)
  const type = catalogue.types.get(paymentType)
  if (!limit || !type) {
    throw new Refusal('payment_type_not_supported', {
      detail: `payment_type is not offered in ${currency}. Offered: ${inCurrency.map((one) => one.paymentType).join(', ')}.`,
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
    detail: 'currency must be one of RUB, UZS, KZT, TJS, and on offer here.',
    errors: [{ pointer: '#/currency', code: 'currency_not_supported', detail: 'Not offered here.' }],
  })
