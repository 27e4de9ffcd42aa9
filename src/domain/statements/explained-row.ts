/** How a row of a file is understood, what it would become, and why: shown before anything is imported. */
import { type MessageOrText, message } from '../messages/message.ts'
import { type Currency, decimal } from '../money.ts'
import { keyOf, type Prepared } from '../transfers/bank-entries.ts'
import type { TransferState } from '../transfers/transfer.ts'

export type ExplainedRow = {
  line: number
  day: string
  direction: 'credit' | 'debit'
  amount: string
  currency: Currency
  payer: string
  purpose: string
  /** `seen`: the payment is stored already, and the row adds nothing. */
  becomes: TransferState | 'seen'
  rule: string
  reason: MessageOrText
  deposit: string | null
  /** Transfers that it repeats or corrects, certainly or possibly. */
  sameAs: string[]
}

/** An entry that is new, with what was decided about it. */
type DecidedEntry = Parameters<typeof keyOf>[0] & {
  state: TransferState
  depositId: string | null
  duplicateOf: string | null
  decision: { rule: string; reason: MessageOrText; evidence: unknown }
}

/** The rows of a group in their order, with the decisions about new ones. */
export function explainRows(group: readonly Prepared[], drafts: readonly DecidedEntry[]): ExplainedRow[] {
  const decided = new Map(drafts.map((draft) => [keyOf(draft), draft]))
  return group.map((entry) => {
    const draft = decided.get(keyOf(entry))
    return {
      line: entry.line ?? 0,
      day: entry.bookedOn,
      direction: entry.direction,
      amount: decimal(entry.cents),
      currency: entry.currency,
      payer: entry.payerName,
      purpose: entry.purpose,
      ...(draft ? outcomeOf(draft) : alreadyStored),
    }
  })
}

const alreadyStored = {
  becomes: 'seen',
  rule: 'seen_before',
  reason: message('payment_known_already'),
  deposit: null,
  sameAs: [] as string[],
} as const

function outcomeOf({ state, depositId, duplicateOf, decision }: DecidedEntry) {
  const { same_as: sameAs = [] } = decision.evidence as { same_as?: string[] }
  return {
    becomes: state,
    rule: decision.rule,
    reason: decision.reason,
    deposit: depositId,
    sameAs: duplicateOf ? [duplicateOf] : [...sameAs],
  }
}
