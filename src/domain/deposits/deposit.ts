/**
 * A deposit: its states and the one table of its transitions. The API, the payment page, the buttons of the consoles,
 * the documents and the tests read this table; the database enforces it again.
 */
import type { Flow } from '../catalogue/payment-type.ts'
import type { Brand } from '../merchants/brand.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { type Message, type MessageOrText, message } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import type { RequisiteKind } from '../requisites/requisite.ts'
import type { Reference } from './reference.ts'

/** Spelled as in the API. */
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

/** The requisite as the customer was shown it: a snapshot that later changes of the requisite do not affect. */
export type Shown = {
  kind: RequisiteKind
  number: string
  name: string
  bank_name: string
  bic?: string
  payment_reason?: string
  seller: string
  /** For the bill and the page only; the merchant's record does not contain these. */
  corr_account?: string
  tax_id?: string
  kpp?: string
  kbe?: string
  knp?: string
  /** A link or code that the bank itself gave, checked when it was saved (requisites/bank-link.ts). */
  link?: string
}

/**
 * Marks on a deposit; they combine. `review`: money is there, but a person has to decide. `manual`: a person
 * decided.
 */
export const labels = ['underpaid', 'overpaid', 'late', 'review', 'manual'] as const
export type Label = (typeof labels)[number]

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
  labels: Label[]
  claimedAt: Date | null
  extended: boolean
  createdAt: Date
  /** When the customer got the requisites; null before the choice. */
  issuedAt: Date | null
  expiresAt: Date
  lateUntil: Date
  finalAt: Date | null
}

/** A deposit and the database's time, read together. */
export type FoundDeposit = { deposit: Deposit; now: Date }

/** One of a list: without its addresses, which no list shows and which may be most of its bytes. */
export type ListedDeposit = Omit<Deposit, 'callbackUrl' | 'successUrl' | 'rejectUrl'>

/** A deposit with what its payment page needs. */
export type FoundPage = FoundDeposit & {
  merchantName: string
  testMode: boolean
  merchantLanguage: string | null
  brand: Brand
  /** The customer rejected it. */
  gaveUp: boolean
}

/** From which states an action is possible and to which it leads; `same` keeps the state. Expired: within the grace. */
export const transitions = {
  choose_method: { from: ['builded'], to: 'created' },
  claim: { from: ['created', 'expired'], to: 'same' },
  receive: { from: ['created', 'expired', 'confirmed'], to: 'same' },
  confirm: { from: ['created', 'expired'], to: 'confirmed' },
  reject: { from: ['builded', 'created', 'expired'], to: 'rejected' },
  cancel: { from: ['builded', 'created'], to: 'canceled' }, // Only while no money is seen.
  expire: { from: ['builded', 'created'], to: 'expired' },
  reverse: { from: ['confirmed'], to: 'reversed' },
} as const satisfies Record<string, { from: readonly DepositState[]; to: DepositState | 'same' }>

export type ActionName = keyof typeof transitions

/** Why an action is impossible now, as a sentence; undefined when it is possible. */
export function obstacle(
  {
    state,
    receivedCents,
    expiresAt,
    lateUntil,
    labels,
  }: Pick<Deposit, 'state' | 'receivedCents' | 'expiresAt' | 'lateUntil' | 'labels'>,
  action: ActionName,
  now: Date,
): Message | undefined {
  const { from } = transitions[action]
  if (!(from as readonly DepositState[]).includes(state)) {
    return message(`deposit_cannot_be_${pastTense[action]}`, { state })
  }
  // A review can be decided even after the late grace.
  const isDecision = labels.includes('review') && (action === 'confirm' || action === 'reject')
  if (state === 'expired' && now >= lateUntil && !isDecision) return message('time_for_late_money_is_over')
  // The sweep may not have expired it yet.
  if (action === 'choose_method' && now >= expiresAt) return message('time_to_choose_method_is_over')
  if (action === 'cancel' && receivedCents > 0n) return message('money_for_deposit_has_been_seen')
  return undefined
}

/** Under review it can lose its money even after the late grace: nobody may confirm what is no longer there. */
export const canLoseMoney = (
  deposit: Pick<Deposit, 'state' | 'receivedCents' | 'expiresAt' | 'lateUntil' | 'labels'>,
  now: Date,
): boolean =>
  (deposit.state === 'expired' && deposit.labels.includes('review')) || !obstacle(deposit, 'receive', now)

/** An expired deposit is final only after its late grace. */
export function isFinal(
  { state, lateUntil, labels }: Pick<Deposit, 'state' | 'lateUntil' | 'labels'>,
  now: Date,
): boolean {
  if (state === 'expired') return now >= lateUntil && !labels.includes('review')
  return state !== 'builded' && state !== 'created'
}

const pastTense = {
  choose_method: 'given_method',
  claim: 'claimed',
  receive: 'paid',
  confirm: 'confirmed',
  reject: 'rejected',
  cancel: 'canceled',
  expire: 'expired',
  reverse: 'reversed',
} as const satisfies Record<ActionName, string>

/** A line of a deposit's history. */
export type HistoryEntry = {
  at: Date
  action: string
  from_state: DepositState | null
  to_state: DepositState
  actor: string
  reason: MessageOrText | null
  evidence: unknown
}
