/** A planned deposit with the result of every rule. */
import type { Cents, Currency } from '../../../domain/money.ts'
import type { AccountLoad, Obstacle } from '../../../domain/requisites/choice.ts'
import type { RequisiteKind } from '../../../domain/requisites/requisite.ts'
import type { CustomerLimits, ReachedLimit } from '../../../domain/rules/customer-limit.ts'
import type { List, ListKind } from '../../../domain/rules/listing.ts'

/** A requisite that serves the payment type, with its limits and its load. */
export type RequisiteLoad = {
  id: string
  kind: RequisiteKind
  number: string
  bankName: string
  accountId: string
  accountLabel: string
  isOn: boolean
  minCents: Cents | null
  maxCents: Cents | null
  dailyCents: Cents | null
  openLimit: number | null
  openDeposits: number
  dayCents: Cents
  account: AccountLoad
}

export type DepositExplanation = {
  amountCents: Cents
  currency: Currency
  isMerchantOn: boolean
  range: { minCents: Cents; maxCents: Cents } | null
  isOffered: boolean
  listing: { list: List; kind: ListKind; reason: string } | null
  customerUse: {
    limits: CustomerLimits
    openDeposits: number
    dayCents: Cents
    monthCents: Cents
    reached: ReachedLimit['limit'] | null
  } | null
  requisites: readonly (RequisiteLoad & { obstacle: Obstacle | 'off' | null })[]
}

/** Whether any rule except the requisites refuses it. */
export const isRefused = ({ isMerchantOn, isOffered, listing, customerUse }: DepositExplanation): boolean =>
  !isMerchantOn || !isOffered || listing?.list === 'block' || (customerUse?.reached ?? null) !== null
