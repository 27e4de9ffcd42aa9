/** A request for an act of a section, which a second person decides, because an insider could divert money by it. */
import type { MessageOrText } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'

export type ProposalState = 'open' | 'approved' | 'refused' | 'withdrawn'

export type Proposal = {
  id: string
  /** The names of the section and the act: `source.enable`. */
  kind: string
  /** What it is about: `deposit:…`, `transfer:…`, `account:…`, `merchant:…`, `person:…`. */
  subject: string
  merchantId: string | null
  /** The row, the fields as they were typed, and what the person saw. */
  asked: Record<string, unknown>
  reason: MessageOrText
  proposedBy: string
  proposerName: string
  proposedAt: Date
  state: ProposalState
  /** It changes who decides, or how many do. */
  isGuard: boolean
  /** Null while it is open. */
  decidedAt: Date | null
  decidedReason: string | null
  deciderName: string | null
}

/** The person who proposes or decides. */
export type Decider = { personId: string; email: string; requestId: string | null }

/** Whether one operator may approve alone, and above which amounts a manual confirmation needs a second person. */
export type ApprovalSettings = {
  isSingleOperator: boolean
  secondPersonAbove: Partial<Record<Currency, string>>
}

/** A currency without an amount always needs a second person. */
export const needsSecondPerson = (
  { secondPersonAbove }: ApprovalSettings,
  { cents, currency }: { cents: Cents; currency: Currency },
): boolean => {
  const above = secondPersonAbove[currency]
  return above === undefined || cents > BigInt(above)
}
