/**
 * The rules that protect approvals themselves: how many people decide, and who they are. If one admin could change that
 * alone, no approval would be worth anything. A stricter change takes effect at once; a looser one is a proposal, and a
 * second person decides it even where one operator may decide everything else. Pure.
 */

import { parseNetwork } from '../../platform/network.ts'
import { type Currency, currencies } from '../money.ts'
import {
  type Membership,
  type MerchantRole,
  type OperatorRole,
  operatorRoles,
  type Person,
} from '../people/person.ts'
import type { ApprovalSettings, Proposal } from './proposal.ts'

/** Acts by which a bank's source could report more money, or anybody with its token could. */
const sourceActs = [
  'source_add',
  'source_account_add',
  'source_networks',
  'source_enable',
  'account_voice',
] as const

/** Acts that change who decides, or how many do. */
const guardActs = ['settings_change', 'person_invite', 'person_role', 'person_reset', 'person_enable']

/** The acts in the audit log that raise an alarm for a day. */
export const approvalRuleActs: readonly string[] = [
  ...[...guardActs, ...sourceActs].flatMap((act) => [`propose_${act}`, `approve_${act}`]),
  ...guardActs,
  'person_disable',
]

/**
 * How long a proposer waits to approve alone where no one else has ever decided, and how long two people cannot approve
 * each other's proposals after one gave the other access, or one person gave it to both. `proposal_second_person` in the database
 * enforces the first.
 */
export const waitingHours = 24

/**
 * Each role of the desk may do all that the role before it may: auditors look, operators work, approvers also decide,
 * admins also set up. A test compares this with the policies of the routes.
 */
export const addsRights = (before: OperatorRole | null, after: OperatorRole | null): boolean =>
  rank(after) > rank(before)

const rank = (role: OperatorRole | null): number => (role ? operatorRoles.indexOf(role) : -1)

/**
 * Whether one admin alone may neither reset this person's access nor enable it again. Of a live merchant all its people count: one whom
 * an admin has reset may be made an owner later. So do people who left the desk, or one admin could end a colleague's role first.
 */
export const isAccessGuarded = (
  { wasAtDesk }: Pick<Person, 'wasAtDesk'>,
  memberships: readonly Pick<Membership, 'mode'>[],
): boolean => wasAtDesk || memberships.some(({ mode }) => mode === 'live')

/** Whether a change of the settings lets one person do more. A sum that is not set always needs a second person, like zero. */
export const isLooserSettings = (before: ApprovalSettings, wanted: ApprovalSettings): boolean =>
  (wanted.isSingleOperator && !before.isSingleOperator) ||
  currencies.some((currency) => sumAlone(wanted, currency) > sumAlone(before, currency))

const sumAlone = ({ secondPersonAbove }: ApprovalSettings, currency: Currency): bigint =>
  BigInt(secondPersonAbove[currency] ?? 0)

export type Circumstances = {
  proposal: Pick<Proposal, 'isGuard' | 'subject' | 'proposedBy' | 'proposedAt'>
  /** The person who wants to approve. */
  personId: string
  isSingleOperator: boolean
  /** Someone besides the proposer may decide, or was once able to. */
  hasOtherDecider: boolean
  /** When one of the two last gave the other access, or one person gave it to both. */
  admittedAt: Date | null
  now: Date
}

/** In which capacity a person may approve a proposal; or why not, and from when on if only time is missing. */
export type ApprovalRight =
  | { is: 'second_person' | 'single_operator' | 'delayed' }
  | { is: 'never'; because: 'own' | 'subject' }
  | { is: 'later'; because: 'own' | 'admitted'; from: Date }

export const mayApprove = (right: ApprovalRight): boolean => right.is !== 'never' && right.is !== 'later'

export function approvalRight(circumstances: Circumstances): ApprovalRight {
  const { proposal, personId, isSingleOperator, hasOtherDecider, admittedAt, now } = circumstances
  // Nobody gives themselves rights, or a link to their own account, also when somebody else asked for it.
  if (proposal.subject === `person:${personId}`) return { is: 'never', because: 'subject' }
  if (proposal.proposedBy !== personId) {
    const from = admittedAt && afterWaiting(admittedAt)
    return from && from > now ? { is: 'later', because: 'admitted', from } : { is: 'second_person' }
  }
  if (!proposal.isGuard) return isSingleOperator ? { is: 'single_operator' } : { is: 'never', because: 'own' }
  if (hasOtherDecider) return { is: 'never', because: 'own' }
  const from = afterWaiting(proposal.proposedAt)
  return from > now ? { is: 'later', because: 'own', from } : { is: 'delayed' }
}

/**
 * In which capacity a person may import an uploaded file. `alone`: its amounts are small enough for one person.
 * `not_decider`: only approvers and admins may.
 */
export type ImportRight = ApprovalRight | { is: 'alone' } | { is: 'not_decider' }

export const mayImport = (right: ImportRight): boolean =>
  right.is === 'alone' || (right.is !== 'not_decider' && mayApprove(right))

/** The current rights of the person who made a proposal. */
export type Proposer = {
  isDisabled: boolean
  operatorRole: OperatorRole | null
  /** At the merchant that the proposal is about. */
  merchantRole: MerchantRole | null
}

const afterWaiting = (at: Date): Date => new Date(at.getTime() + waitingHours * 3_600_000)

/** Whether a bank could call from a new network. */
export function addsNetworks(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0) return false
  const known = new Set(before.map(normalizedNetwork))
  return after.length === 0 || after.some((network) => !known.has(normalizedNetwork(network)))
}

function normalizedNetwork(text: string): string {
  const network = parseNetwork(text)
  return network ? network.join('/') : text
}
