/** What the operator offers: payment types, and the amounts each takes per currency. */
import type { Cents, Currency } from '../money.ts'
import type { RequisiteGroup } from '../requisites/requisite.ts'

export type PaymentType = {
  code: string
  name: string
  group: RequisiteGroup
  /** Set for the types that take cards of one bank only. */
  bankCode: string | null
}

export type PaymentLimit = { paymentType: string; currency: Currency; minCents: Cents; maxCents: Cents }

/** Everything on offer, to everybody or to one merchant. Only what is switched on. */
export type Catalogue = { types: ReadonlyMap<string, PaymentType>; limits: readonly PaymentLimit[] }
