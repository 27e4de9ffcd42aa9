/** A transfer: one entry of a bank, as the bank wrote it, and what has become of it. */
import { hash } from 'node:crypto'
import type { Cents, Currency } from '../money.ts'

/**
 * `debit`: money that left the account; kept for the totals, never matched. `reversal`: the bank takes money back, and
 * a person has to say whose.
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

/** What a person may make of a transfer, and in which states of it. */
const decidedFrom = {
  matched: ['unmatched', 'ambiguous', 'set_aside'],
  set_aside: ['unmatched', 'ambiguous', 'reversal'],
  duplicate: ['unmatched', 'ambiguous', 'set_aside', 'matched'],
  refunded: ['unmatched', 'ambiguous', 'set_aside', 'matched'],
} as const satisfies Partial<Record<TransferState, readonly TransferState[]>>

export const canBecome = (state: TransferState, to: keyof typeof decidedFrom): boolean =>
  (decidedFrom[to] as readonly TransferState[]).includes(state)

/** Into the account, or out of it. */
export const directions = ['credit', 'debit'] as const
type Direction = (typeof directions)[number]

/** The formats of banks' files. */
export const formatNames = ['1c', 'camt', 'csv', 'xlsx', 'mt940'] as const
export type FormatName = (typeof formatNames)[number]

/** The format of a file, a bank's push, or the bank of test mode. */
export const channels = [...formatNames, 'push', 'sandbox'] as const
export type Channel = (typeof channels)[number]

/** What a bank says of an entry, from whatever source. */
export type TransferFacts = {
  accountId: string
  direction: Direction
  cents: Cents
  currency: Currency
  bookedOn: string
  bookedAt: Date | null
  /** The earliest day the bank knows of: lateness is judged by it. */
  paidOn: string | null
  documentNumber: string
  payerName: string
  payerAccount: string
  payerTaxId: string
  payerBank: string
  purpose: string
  /** The purpose in pieces as they stood, because banks break it inside a word. */
  purposeParts: readonly string[]
  bankId: string | null
  /** The bank's entry that this payment is all or a part of, and the amount of that entry. */
  bankEntry: { reference: string; cents: Cents } | null
  /** In which form it was told: two payments that are told in one form are two. */
  channel: Channel
  version: bigint
  statementId: string | null
  line: number | null
  raw: string
}

export type Transfer = TransferFacts & {
  id: string
  takenAt: Date
  state: TransferState
  depositId: string | null
}

/**
 * What makes two rows without a bank's id look the same. Fields stay apart and letters stay letters: stripped to
 * Latin and joined, two payers with one amount on one day would become one.
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
