/** How a row of a file is understood, what it would become, and why: shown before anything is imported. */
import { type MessageOrText, message } from '../messages/message.ts'
import { type Currency, decimal } from '../money.ts'
import type { Prepared } from '../transfers/entry.ts'
import type { Share, TransferState } from '../transfers/transfer.ts'

export type ExplainedRow = {
  line: number
  day: string
  direction: 'credit' | 'debit'
  amount: string
  currency: Currency
  payer: string
  purpose: string
  /** `seen` and `paired`: the payment is stored already. `parked`: the file does not close its day. */
  becomes: TransferState | 'seen' | 'paired' | 'parked'
  rule: string
  reason: MessageOrText
  deposits: string[]
  /** Transfers that it tells again, or may be. */
  sameAs: string[]
}

type Row = { place: number; entry: Prepared }

/** What a row became; of a new or held one the transfer that it makes. */
type Result = {
  judged: { place: number | null }
  became: string
  transferId: string
  draft?: {
    state: TransferState
    heldWith: readonly string[]
    shares: readonly Share[]
    decision: { rule: string; reason: MessageOrText }
  }
}

export function explainRows(rows: readonly Row[], done: { results: readonly Result[] }): ExplainedRow[] {
  const results = new Map(done.results.map((result) => [result.judged.place, result]))
  return rows.map(({ place, entry }) => ({
    line: entry.line ?? 0,
    day: entry.bookedOn,
    direction: entry.direction,
    amount: decimal(entry.cents),
    currency: entry.currency,
    payer: entry.payerName,
    purpose: entry.purpose,
    ...outcomeOf(results.get(place)),
  }))
}

function outcomeOf(
  result: Result | undefined,
): Pick<ExplainedRow, 'becomes' | 'rule' | 'reason' | 'deposits' | 'sameAs'> {
  if (!result)
    return {
      becomes: 'parked',
      rule: 'parked',
      reason: message('day_is_not_closed'),
      deposits: [],
      sameAs: [],
    }
  const { became, draft, transferId } = result
  if (draft) {
    const { rule, reason } = draft.decision
    const deposits = draft.shares.map(({ depositId }) => depositId)
    return { becomes: draft.state, rule, reason, deposits, sameAs: [...draft.heldWith] }
  }
  const isPair = became === 'paired'
  return {
    becomes: isPair ? 'paired' : 'seen',
    rule: isPair ? 'paired' : 'known',
    reason: message(isPair ? 'payment_told_by_another_source' : 'payment_known_already'),
    deposits: [],
    sameAs: [transferId],
  }
}
