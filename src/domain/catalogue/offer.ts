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
  return limits.flatMap(({ paymentType, currency: of, minCents, maxCents }) => {
    const { code, name, group, bankCode } = types.get(paymentType)!
    if (group === 'select' || of !== currency || amountCents < minCents || amountCents > maxCents) return []
    const isFree = serving.some(
      (one) => one.group === group && (bankCode === null || one.bankCode === bankCode),
    )
    return [{ code, name, group, isFree }]
  })
}
