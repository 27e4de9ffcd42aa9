/** The methods on the payment page: every direct type for this amount, and whether a requisite is free for it. */
import type { Cents, Currency } from '../money.ts'
import type { RequisiteGroup, Serving } from '../requisites/requisite.ts'
import type { Catalogue } from './payment-type.ts'

export type Offer = {
  code: string
  name: string
  group: RequisiteGroup
  isFree: boolean
}

export function offersFor(
  { types, limits }: Catalogue,
  { currency, amountCents }: { currency: Currency; amountCents: Cents },
  serving: readonly Serving[],
): Offer[] {
  return limits.flatMap(({ paymentType, currency: limitCurrency, minCents, maxCents }) => {
    const { code, name, group, bankCode } = types.get(paymentType)!
    if (group === 'select' || limitCurrency !== currency || amountCents < minCents || amountCents > maxCents)
      return []
    const isFree = serving.some(
      (requisite) => requisite.group === group && (bankCode === null || requisite.bankCode === bankCode),
    )
    return [{ code, name, group, isFree }]
  })
}
