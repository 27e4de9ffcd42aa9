/** A deposit: its states, and what is true of it at a moment. */
import type { MerchantId } from '../merchants/merchant.ts'
import type { Cents, Currency } from '../money.ts'
import type { RequisiteKind } from '../requisites/requisite.ts'
import type { Reference } from './reference.ts'

/** Spelling is the wire's. */
export const depositStates = [
  'builded',
  'created',
  'confirmed',
  'rejected',
  'expired',
  'canceled',
  'reversed',
] as const
export type DepositState = (typeof depositStates)[number]

export type Flow = 'create' | 'build'

/** What the customer was shown. A snapshot: later changes of the requisite do not reach it. */
export type Shown = {
  kind: RequisiteKind
  number: string
  name: string
  bank_name: string
  bic?: string
  payment_reason?: string
  seller: string
}

export type Deposit = {
  id: string
  merchantId: MerchantId
  orderId: string
  flow: Flow
  state: DepositState
  amountCents: Cents
  currency: Currency
  paymentType: string
  customer: string | null
  customerPhoneNumber: string | null
  callbackUrl: string | null
  successUrl: string | null
  rejectUrl: string | null
  shown: Shown | null
  reference: Reference | null
  pageToken: string
  receivedCents: Cents
  labels: string[]
  createdAt: Date
  expiresAt: Date
  lateUntil: Date
  finalAt: Date | null
}

/** An expired deposit is final only once late money is no longer waited for. */
export function isFinal({ state, lateUntil }: Pick<Deposit, 'state' | 'lateUntil'>, now: Date): boolean {
  if (state === 'expired') return now >= lateUntil
  return state !== 'builded' && state !== 'created'
}
