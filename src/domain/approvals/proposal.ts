/** A proposal: a change that one person requests and a second one decides, because an insider could divert money by it. */
import type { MessageOrText } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import type { OperatorRole } from '../people/person.ts'
import type { Share } from '../transfers/transfer.ts'

const proposalKinds = [
  'confirm',
  'match',
  'split',
  'match_several',
  'merchant_rules',
  'callback_address',
  'return_addresses',
  'statement_undo',
  'approval_settings',
  'desk_invitation',
  'desk_role',
  'desk_enable',
  'desk_reset',
] as const
export type ProposalKind = (typeof proposalKinds)[number]

export type ProposalState = 'open' | 'approved' | 'refused' | 'withdrawn'

export type Proposal = {
  id: string
  kind: ProposalKind
  /** What it is about: `deposit:…`, `transfer:…`, `requisite:…`, `account:…`, `merchant:…`, `statement:…`, `source:…`, `person:…`, or `installation`. */
  subject: string
  merchantId: string | null
  asked: Record<string, unknown>
  reason: MessageOrText
  proposedBy: string
  proposerName: string
  proposedAt: Date
  state: ProposalState
  /** It changes who decides, or how many do. */
  isGuard: boolean
}

/** A request for an act of a section: its kind is their names, such as `source.enable`. */
export type ActRequest = Omit<Proposal, 'kind'> & { kind: string }

export type ProposalWithDecision = Proposal & {
  decidedAt: Date | null
  decidedReason: string | null
  deciderName: string | null
}

/** The id after the prefix of the subject. */
export const subjectId = ({ subject }: Pick<Proposal, 'subject'>): string =>
  subject.slice(subject.indexOf(':') + 1)

/** The person who proposes or decides. */
export type Decider = { personId: string; email: string; requestId: string | null }

/** The changes that can be proposed. */
export type ProposedChange =
  | { kind: 'confirm'; depositId: string }
  | { kind: 'callback_address'; merchantId: string; callbackUrl: string | null }
  | { kind: 'return_addresses'; merchantId: string; successUrl: string | null; rejectUrl: string | null }
  | { kind: 'statement_undo'; statementId: string }
  | MatchChange
  | MatchingRuleChange
  | ApprovalRuleChange

/** Changes that give transfers to deposits. `despiteReference`: their purpose names another one, and the person knows it. */
export type MatchChange = { despiteReference?: boolean } & (
  | { kind: 'match'; transferId: string; depositId: string }
  | { kind: 'split'; transferId: string; shares: readonly Share[] }
  | { kind: 'match_several'; transferIds: readonly string[]; depositId: string }
)

/** Changes that would let less money, or money without a reference, confirm a deposit. */
export type MatchingRuleChange = { kind: 'merchant_rules'; merchantId: string; rules: Record<string, string> }

/** Changes that would loosen approvals themselves: see guard.ts. */
export type ApprovalRuleChange =
  | { kind: 'approval_settings'; settings: Record<string, string | null> }
  | { kind: 'desk_invitation'; email: string; name: string; role: OperatorRole }
  | { kind: 'desk_role'; email: string; role: OperatorRole }
  | { kind: 'desk_enable' | 'desk_reset'; email: string }

/** A proposal as it is stored. */
export type Described = {
  subject: string
  merchantId: string | null
  asked: Record<string, unknown>
  /** What the audit record says of it: no number in full. */
  audited: Record<string, unknown>
}

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
