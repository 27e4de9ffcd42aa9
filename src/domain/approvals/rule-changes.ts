/** Proposals that let less money, or money that is late, confirm a deposit: described, and applied once approved. */
import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { changeMerchantWithin } from '../merchants/change-merchant.ts'
import type { MerchantSettings } from '../merchants/merchant.ts'
import { findMerchant, lockMerchant } from '../merchants/store.ts'
import { message } from '../messages/message.ts'
import {
  type Described,
  type MatchingRuleChange,
  type Proposal,
  type ProposalKind,
  subjectId,
} from './proposal.ts'

export const isRuleKind = (kind: ProposalKind): kind is MatchingRuleChange['kind'] =>
  kind === 'merchant_rules'

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

const ruleTexts = (settings: MerchantSettings, names: readonly string[]): RuleTexts =>
  Object.fromEntries(names.map((name) => [name, String(settings[name as keyof MerchantSettings])]))

const rulesFrom = (texts: RuleTexts): Partial<MerchantSettings> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, ruleFrom(name, text)]))

const ruleFrom = (name: string, text: string): bigint | number | string =>
  name.endsWith('Cents') ? BigInt(text) : name.endsWith('Hours') ? Number(text) : text

export async function describeMatchingRuleChange(tx: Tx, change: MatchingRuleChange): Promise<Described> {
  const merchant = await findMerchant(tx, change.merchantId)
  if (!merchant) throw new Refusal('not_found', { detail: message('no_merchant_with_id') })
  const before = ruleTexts(merchant.settings, Object.keys(change.rules))
  const values = { label: merchant.name, before, rules: change.rules }
  return { subject: `merchant:${merchant.id}`, merchantId: merchant.id, asked: values, audited: values }
}

/** Refuses if the value has changed since the proposal. */
export async function applyRule(tx: Tx, { subject, asked }: Proposal): Promise<void> {
  const id = subjectId({ subject })
  const { before, rules } = asked as { before: RuleTexts; rules: RuleTexts }
  const now = ruleTexts((await lockMerchant(tx, id))!.settings, Object.keys(rules))
  if (Object.keys(rules).some((name) => now[name] !== before[name]))
    throw new Refusal('state_conflict', { detail: message('changed_since_proposed') })
  await changeMerchantWithin(tx, { merchantId: id, settings: rulesFrom(rules) })
}
