/** A transfer: one bank entry as the bank wrote it, and its state. */
import { hash } from 'node:crypto'
import type { Mode } from '../merchants/merchant.ts'
import type { MessageOrText } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import type { Channel } from './channel.ts'
import type { Role } from './voice.ts'

/**
 * `held`: it may be a payment that is known already, and a person decides. `debit`: money that left the account, stored for
 * the totals and never matched. `reversal`: a debit that takes back a credit which a person has to name.
 */
export const transferStates = [
  'unmatched',
  'matched',
  'ambiguous',
  'held',
  'duplicate',
  'revoked',
  'refunded',
  'set_aside',
  'debit',
  'reversal',
] as const
export type TransferState = (typeof transferStates)[number]

/** The states that a person may give a transfer, and from which states. */
const decidedFrom = {
  matched: ['unmatched', 'ambiguous', 'held', 'set_aside'],
  set_aside: ['unmatched', 'ambiguous', 'held', 'reversal'],
  duplicate: ['unmatched', 'ambiguous', 'held', 'set_aside', 'matched'],
  refunded: ['unmatched', 'ambiguous', 'set_aside', 'matched'],
} as const satisfies Partial<Record<TransferState, readonly TransferState[]>>

export const canBecome = (state: TransferState, to: keyof typeof decidedFrom): boolean =>
  (decidedFrom[to] as readonly TransferState[]).includes(state)

/** Into the account, or out of it. */
export const directions = ['credit', 'debit'] as const
type Direction = (typeof directions)[number]

export type Payment = {
  direction: Direction
  cents: Cents
  currency: Currency
  bookedOn: string
  bookedAt: Date | null
  /** The earliest day that the bank reports: it decides whether a payment is late. */
  paidOn: string | null
  documentNumber: string
  payerName: string
  payerAccount: string
  payerTaxId: string
  payerBank: string
  purpose: string
}

/** The bank's facts about an entry, from any source. */
export type TransferFacts = Payment & {
  accountId: string
  /** The purpose in its original pieces, because banks break it inside words. */
  purposeParts: readonly string[]
  bankId: string | null
  channel: Channel
  /** The bank states that the entry is one sum for several payments. Not stored. */
  hasSeveralPayments?: boolean
}

/** A part of a transfer that counts for a deposit. */
export type Share = { depositId: string; cents: Cents }

/** `keptCents`: the part of a deposit's surplus that a person decided to keep. */
export type Allocation = Share & { keptCents: Cents }

export type Transfer = TransferFacts & {
  id: string
  sourceId: string
  accountLabel: string
  mode: Mode
  version: bigint
  names: string[]
  takenAt: Date
  toldEarlyAt: Date | null
  toldBookedAt: Date | null
  state: TransferState
  /** What a held one may be. */
  heldWith: string[]
  duplicateOf: string | null
  /** Which deposits have which part of it; the oldest deposit first. */
  shares: Allocation[]
  depositCents: Cents
  refundCents: Cents
  openCents: Cents
  /** Since when its open amount is owed to the payer. */
  dueSince: Date | null
}

export type Decision = {
  at: Date
  state: TransferState
  deposit_ids: string[]
  actor: string
  rule: string
  reason: MessageOrText
  evidence: unknown
}

export type Told = {
  statementId: string
  fileName: string
  line: number
  transferId: string
  role: Role
  outcome: 'new' | 'paired' | 'known' | 'held'
}

/** A booked row that waits until a file closes its day. */
export type Parked = {
  statementId: string
  place: number
  line: number
  accountId: string
  accountLabel: string
  fileName: string
  sourceId: string
  currency: Currency
  bookedOn: string
  cents: Cents
  names: string[]
  parkedAt: Date
  facts: object
}

export type HeldDay = { accountId: string; accountLabel: string; bookedOn: string; rows: number }

/** `pairs`: a held row of a day, and what was told early of its amount. */
export type DayPairs = {
  pairs: { held: Transfer; early: Transfer }[]
  heldLeft: Transfer[]
  earlyLeft: Transfer[]
}

/**
 * Equal for rows without a bank id that have equal facts. Fields stay separate and letters unchanged: joined and
 * transliterated, two payers with one amount on one day would become one.
 */
export function fingerprint(facts: TransferFacts): Buffer {
  const texts = [facts.documentNumber, facts.payerAccount, facts.payerTaxId, facts.payerName, facts.purpose]
  const parts = [
    facts.accountId,
    facts.bookedOn,
    facts.direction,
    facts.currency,
    facts.cents.toString(),
    ...texts.map(plainText),
  ]
  return hash('sha256', JSON.stringify(parts), 'buffer')
}

const plainText = (text: string): string => text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim()
