/** A transfer: one bank entry as the bank wrote it, and its state. */
import { hash } from 'node:crypto'
import type { Reference } from '../deposits/reference.ts'
import type { Cents, Currency } from '../money.ts'

/**
 * `debit`: money that left the account, stored for the totals and never matched. `reversal`: a debit that takes back a
 * credit which a person has to name.
 */
export const transferStates = [
  'unmatched',
  'matched',
  'ambiguous',
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
  matched: ['unmatched', 'ambiguous', 'set_aside'],
  set_aside: ['unmatched', 'ambiguous', 'reversal'],
  duplicate: ['unmatched', 'ambiguous', 'set_aside', 'matched'],
  refunded: ['unmatched', 'ambiguous', 'set_aside', 'matched'],
} as const satisfies Partial<Record<TransferState, readonly TransferState[]>>

export const canBecome = (state: TransferState, to: keyof typeof decidedFrom): boolean =>
  (decidedFrom[to] as readonly TransferState[]).includes(state)

/**
 * Rules by which a transfer is decided without a reference in its report: a later report of the payment may name another
 * deposit.
 */
export const rulesWithoutName: readonly string[] = [
  'by_hand',
  'payer_rest',
  'refund',
  'revoked',
  'set_aside_suspected',
  'not_owed',
  'deposit_ended',
]

/** Into the account, or out of it. */
export const directions = ['credit', 'debit'] as const
type Direction = (typeof directions)[number]

/** The formats of banks' files. */
export const formatNames = ['1c', 'camt', 'csv', 'xlsx', 'mt940'] as const
export type FormatName = (typeof formatNames)[number]

/** A file format, a bank's push, or the sandbox bank of test mode. */
export const channels = [...formatNames, 'push', 'sandbox'] as const
export type Channel = (typeof channels)[number]

/** A payment as a bank writes it. */
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
  /** The bank wrote the account in full before it was masked: it is no card. Otherwise its mask may be that of a card. */
  isPayerAccountWhole?: boolean
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
  /** The bank's entry that this payment is all or a part of, and the amount of that entry. */
  bankEntry: { reference: string; cents: Cents } | null
  /** The amount that was sent, if the bank states that it has kept a fee. Not stored. */
  sentCents?: Cents | null
  /**
   * References that another report may show: from a masked text, or from one of which the purpose is only a part; see
   * `findBesidePurpose`. Not stored.
   */
  referencesBeside?: readonly Reference[]
  /** Two equal entries of one channel are two payments; of two channels they may be one. */
  channel: Channel
  version: bigint
  statementId: string | null
  line: number | null
  raw: string
  /** The bank states that the entry is one sum for several payments. Not stored. */
  hasSeveralPayments?: boolean
}

export type Transfer = TransferFacts & {
  id: string
  takenAt: Date
  state: TransferState
  depositId: string | null
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
