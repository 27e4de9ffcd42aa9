/** A proposal: a change that one person requests and a second one decides, because an insider could divert money by it. */
import type { Mode } from '../merchants/merchant.ts'
import type { MessageOrText } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import type { OperatorRole } from '../people/person.ts'
import type { AmountMatching, RequisiteDraft, RequisiteLimits } from '../requisites/requisite.ts'
import type { Ids } from '../transfers/channel.ts'
import type { Source } from '../transfers/source.ts'
import type { Share } from '../transfers/transfer.ts'
import type { Role } from '../transfers/voice.ts'

export const proposalKinds = [
  'requisite_add',
  'requisite_on',
  'requisite_limits',
  'account_limits',
  'account_matching',
  'account_number',
  'confirm',
  'match',
  'split',
  'match_several',
  'merchant_rules',
  'callback_address',
  'return_addresses',
  'source_add',
  'source_account',
  'source_networks',
  'source_enable',
  'account_voice',
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

export type RequisiteAsked = {
  accountId: string
  draft: Omit<RequisiteDraft, 'currency'>
  bankCode: string | null
  limits: RequisiteLimits
  /** The person has acknowledged the warnings. */
  confirmed: boolean
}

/** Limits over all requisites of a receiving account; null is no limit. */
export type AccountLimits = { dayCents: Cents | null; monthCents: Cents | null; openDeposits: number | null }

export type LimitedKind = Extract<ProposalKind, 'account_limits' | 'requisite_limits'>

/** Limits by their names; null is none. */
export type LimitValues = Record<string, Cents | number | null>

/**
 * The changed limits, stricter and looser ones apart. A minimum above the current maximum, or the reverse, cannot be saved
 * before the other end changes: it counts as looser, and waits with it.
 */
export function sortLimits(
  before: LimitValues,
  wanted: LimitValues,
): { stricter: LimitValues; looser: LimitValues } {
  const isLooser = (name: string) => {
    const [was, is] = [before[name]!, wanted[name]!]
    if (is === null || was === null) return is === null
    // A higher minimum is stricter.
    return name === 'minCents' ? is < was : is > was
  }
  const isPast = (least: LimitValues[string] | undefined, most: LimitValues[string] | undefined) =>
    least != null && most != null && least > most
  const waits = (name: string) =>
    isLooser(name) ||
    (name === 'minCents' && isPast(wanted.minCents, before.maxCents)) ||
    (name === 'maxCents' && isPast(before.minCents, wanted.maxCents))
  const changed = Object.keys(wanted).filter((name) => wanted[name] !== before[name])
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, wanted[name] ?? null]))
  return {
    stricter: pick(changed.filter((name) => !waits(name))),
    looser: pick(changed.filter(waits)),
  }
}

/** The changes that can be proposed. */
export type ProposedChange =
  | { kind: 'requisite_add'; add: RequisiteAsked }
  | { kind: 'requisite_on'; target: 'requisite' | 'account'; id: string }
  | { kind: LimitedKind; id: string; limits: LimitValues }
  | { kind: 'confirm'; depositId: string }
  | { kind: 'callback_address'; merchantId: string; callbackUrl: string | null }
  | { kind: 'return_addresses'; merchantId: string; successUrl: string | null; rejectUrl: string | null }
  | MatchChange
  | MatchingRuleChange
  | SourceChange
  | VoiceChange
  | ApprovalRuleChange

/** Changes that give transfers to deposits. `despiteReference`: their purpose names another one, and the person knows it. */
export type MatchChange = { despiteReference?: boolean } & (
  | { kind: 'match'; transferId: string; depositId: string }
  | { kind: 'split'; transferId: string; shares: readonly Share[] }
  | { kind: 'match_several'; transferIds: readonly string[]; depositId: string }
)

/** Changes that would let less money, or money without a reference, confirm a deposit. */
export type MatchingRuleChange =
  | { kind: 'merchant_rules'; merchantId: string; rules: Record<string, string> }
  | { kind: 'account_matching'; id: string; amountMatching: AmountMatching }
  | { kind: 'account_number'; id: string; number: string }

/** Changes that would let a bank source report more money. */
export type SourceChange =
  | { kind: 'source_add'; name: string; mode: Mode; accounts: string[]; networks: string[] }
  | { kind: 'source_account'; id: string; accountId: string }
  | { kind: 'source_networks'; id: string; networks: string[] }
  | { kind: 'source_enable'; id: string }

/** Which source counts for an account, or tells early. `source`: as a person names it. */
export type VoiceChange = {
  kind: 'account_voice'
  id: string
  role: Role
  source: string
  fromDay: string
  ids?: Ids | undefined
}

/** A voice as a proposal keeps it. */
export type VoiceTexts = { source: Pick<Source, 'kind' | 'name' | 'channel'>; fromDay: string; ids: Ids }

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
