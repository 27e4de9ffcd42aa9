/** Proposals that let less money, or money without a reference, confirm a deposit: described, and applied once approved. */
import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { MerchantSettings } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import { type AccountMatching, lockAccountMatching } from '../requisites/account-store.ts'
import {
  accountNumberIn,
  changeAccountNumberWithin,
  changeAccountWithin,
} from '../requisites/add-requisite.ts'
import { type AmountMatching, maskedNumber } from '../requisites/requisite.ts'
import {
  type Described,
  type MatchingRuleChange,
  type Proposal,
  type ProposalKind,
  subjectId,
} from './proposal.ts'

export const isRuleKind = (kind: ProposalKind): kind is MatchingRuleChange['kind'] =>
  kind === 'account_matching' || kind === 'account_number'

/** A merchant's rules by their names, as texts. */
type RuleTexts = Record<string, string>

/** Those of the wanted rules by which less money, or money that is late, would confirm without a person. */
export function looserRules(now: MerchantSettings, wanted: Partial<MerchantSettings>): RuleTexts {
  const becomes = <Name extends keyof MerchantSettings>(name: Name, value: MerchantSettings[Name]) =>
    wanted[name] === value && now[name] !== value
  const tolerance = wanted.underpaidToleranceCents ?? now.underpaidToleranceCents
  const isAccepted = becomes('underpaidPolicy', 'accept')
  const isLateConfirmed = becomes('latePolicy', 'confirm')
  const confirmsLate = (wanted.latePolicy ?? now.latePolicy) === 'confirm'
  const graces = (['lateGraceHours', 'lateGraceAccountHours'] as const)
    .map((name) => ({ name, hours: wanted[name] ?? now[name] }))
    .filter(({ name, hours }) => isLateConfirmed || (confirmsLate && hours > now[name]))
  return {
    ...(isAccepted && { underpaidPolicy: 'accept' }),
    // The approver of "accept" has to see the tolerance.
    ...((isAccepted || tolerance > now.underpaidToleranceCents) && {
      underpaidToleranceCents: tolerance.toString(),
    }),
    ...(becomes('overpaidPolicy', 'confirm') && { overpaidPolicy: 'confirm' }),
    ...(isLateConfirmed && { latePolicy: 'confirm' }),
    // The approver of late money has to see how late it may be.
    ...Object.fromEntries(graces.map(({ name, hours }) => [name, String(hours)])),
  }
}

export async function describeMatchingRuleChange(tx: Tx, change: MatchingRuleChange): Promise<Described> {
  const { label, ...now } = await lockMatching(tx, change.id)
  const described = (asked: Record<string, unknown>, audited = asked): Described => ({
    ...{ subject: `account:${change.id}`, merchantId: null },
    ...{ asked: { label, ...asked }, audited: { label, ...audited } },
  })
  if (change.kind === 'account_matching')
    return described({ before: now.amountMatching, amountMatching: change.amountMatching })
  const number = accountNumberIn(change.number)
  const masked = { before: now.number && maskedNumber(now.number), number: maskedNumber(number) }
  return described({ before: now.number, number }, masked)
}

/** Refuses if the value has changed since the proposal. */
export async function applyRule(tx: Tx, { kind, subject, asked }: Proposal): Promise<void> {
  const id = subjectId({ subject })
  const now = await lockMatching(tx, id)
  if ((kind === 'account_number' ? now.number : now.amountMatching) !== asked.before) throw changed()
  if (kind === 'account_number') await changeAccountNumberWithin(tx, id, String(asked.number))
  else await changeAccountWithin(tx, id, { amountMatching: asked.amountMatching as AmountMatching })
}

const changed = () => new Refusal('state_conflict', { detail: message('changed_since_proposed') })

export async function lockMatching(tx: Tx, id: string): Promise<AccountMatching> {
  const account = await lockAccountMatching(tx, id)
  if (account) return account
  throw new Refusal('not_found', { detail: message('no_receiving_account_with_id') })
}
