/**
 * Decides a proposal. The decision, the change itself and the audit entry are one transaction: if the change fails, the
 * proposal stays open.
 */

import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { appendAudit } from '../audit/store.ts'
import { changeDepositWithin, type DepositContext } from '../deposits/change-deposit.ts'
import { type Change, statesEntered } from '../deposits/decide.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { lockDeposits } from '../deposits/read-store.ts'
import { changeMerchantWithin } from '../merchants/change-merchant.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { lockMerchant } from '../merchants/store.ts'
import { message } from '../messages/message.ts'
import { isDecider } from '../people/person.ts'
import { findPerson } from '../people/store.ts'
import {
  type AddRequisite,
  addRequisiteWithin,
  changeAccountWithin,
  setRequisiteWithin,
} from '../requisites/add-requisite.ts'
import { type ApprovalRight, approvalRight, changesApprovalRules, mayStillPropose } from './guard.ts'
import { applyApprovalRuleChange, type OneTimeLink } from './guarded-changes.ts'
import { limitTargets } from './limit-targets.ts'
import { applyMatch, isMatchKind, refuseChanged } from './match-changes.ts'
import { type Decider, type LimitedKind, type LimitValues, type Proposal, subjectId } from './proposal.ts'
import { applyRule, isRuleKind } from './rule-changes.ts'
import { applySource, isSourceKind, type SourceToken } from './source-changes.ts'
import { endProposal, lockProposal, readApprovalSettings, readIndependence, readProposer } from './store.ts'
import { applyVoice } from './voice-changes.ts'

type DecideProposal = {
  id: string
  verdict: 'approved' | 'refused' | 'withdrawn'
  by: Decider
  reason: string
}

/** With the secret that is shown once, only to the person who approved: a person's link, or a bank's token. */
type DecidedProposal = Proposal & { link: OneTimeLink | null; source: SourceToken | null }

export async function decideProposal(
  context: DepositContext,
  asked: DecideProposal,
): Promise<DecidedProposal> {
  const { id, verdict, by, reason } = asked
  const { proposal, changes } = await context.db.transaction(async (tx) => {
    const found = await lockProposal(tx, id)
    if (!found) throw new Refusal('not_found', { detail: message('no_proposal_with_id') })
    if (found.state !== 'open')
      throw new Refusal('state_conflict', { detail: message('proposal_decided_already') })
    if (verdict === 'withdrawn' && found.proposedBy !== by.personId)
      throw new Refusal('state_conflict', { detail: message('only_proposer_can_withdraw') })
    const right = verdict === 'approved' ? await rightTo(tx, found, by) : null
    const mark = right === 'single_operator' || right === 'delayed' ? right : null
    let changes: Change[] = []
    let link: OneTimeLink | null = null
    let source: SourceToken | null = null
    if (verdict === 'approved') {
      if (changesApprovalRules(found.kind)) link = await applyApprovalRuleChange(tx, found, by)
      else if (isRuleKind(found.kind)) await applyRule(tx, found)
      else if (isSourceKind(found.kind)) source = await applySource(tx, found)
      else if (found.kind === 'account_voice') await applyVoice(tx, found, `operator:${by.email}`)
      else changes = await apply(tx, context, found, by, mark === 'single_operator')
    }
    await endProposal(tx, { id, state: verdict, decidedBy: by.personId, reason, mark })
    await appendAudit(tx, {
      personId: by.personId,
      actor: by.email,
      act: `${verdict === 'approved' ? 'approve' : verdict === 'refused' ? 'refuse' : 'withdraw'}_${found.kind}`,
      subject: found.subject,
      merchantId: found.merchantId,
      reason,
      before: { proposal: id, state: 'open', proposed_by: found.proposerName },
      after: { proposal: id, state: verdict, ...(mark && { [mark]: true }) },
      requestId: by.requestId,
    })
    // The change may have waited for a lock, in which time either of the two may have lost access.
    if (verdict === 'approved') await refuseFormerPeople(tx, found, by)
    return { proposal: { ...found, state: verdict, link, source }, changes }
  })
  // Called after the commit, so that the changes are visible.
  if (changes.length > 0) context.changed(statesEntered(changes))
  return proposal
}

/** Both must still be who they were: the decider when the request arrived, the proposer when the proposal was made. */
async function refuseFormerPeople(tx: Tx, proposal: Proposal, { personId }: Decider): Promise<void> {
  const decider = await findPerson(tx, personId)
  if (!decider || decider.disabledAt || !isDecider(decider)) throw new Refusal('forbidden')
  if (!mayStillPropose(proposal.kind, await readProposer(tx, proposal)))
    throw new Refusal('state_conflict', { detail: message('proposer_may_ask_no_more') })
}

async function rightTo(
  tx: Tx,
  proposal: Proposal,
  by: Decider,
): Promise<Exclude<ApprovalRight['is'], 'never' | 'later'>> {
  await refuseFormerPeople(tx, proposal, by)
  const { personId } = by
  const { isSingleOperator } = await readApprovalSettings(tx)
  const independence = await readIndependence(tx, { proposedBy: proposal.proposedBy, personId })
  const right = approvalRight({ proposal, personId, isSingleOperator, ...independence })
  if (right.is === 'never')
    throw new Refusal('state_conflict', {
      detail: message(right.because === 'own' ? 'proposer_cannot_approve' : 'subject_cannot_approve'),
    })
  if (right.is !== 'later') return right.is
  const from = minuteText(right.from)
  const detail =
    right.because === 'own'
      ? message('sole_decider_must_wait', { from })
      : message('access_given_by_proposer_too_recent', { from })
  throw new Refusal('state_conflict', { detail })
}

function minuteText(at: Date): string {
  const text = new Date(Math.ceil(at.getTime() / 60_000) * 60_000).toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`
}

/** Returns what it changed of deposits. */
async function apply(
  tx: Tx,
  context: DepositContext,
  proposal: Proposal,
  by: Decider,
  isSingle: boolean,
): Promise<Change[]> {
  const { kind, asked } = proposal
  const isMatch = isMatchKind(kind)
  if (kind === 'confirm' || isMatch) {
    const act = {
      actor: `operator:${by.email}`,
      reason: proposal.reason,
      evidence: {
        proposal: proposal.id,
        proposed_by: proposal.proposerName,
        ...(isSingle && { single_operator: true }),
      },
    }
    if (isMatch) return applyMatch(tx, context, { ...act, proposal })
    const depositId = String(asked.depositId)
    const [locked] = await lockDeposits(tx, [depositId])
    refuseChanged(asked, receivedBy(locked!.deposit))
    return [await changeDepositWithin(tx, context, { ...act, depositId, do: 'confirm' })]
  }
  if (kind === 'callback_address') {
    const callbackUrl = asked.callbackUrl === null ? null : String(asked.callbackUrl)
    await changeAddresses(tx, proposal, { callbackUrl: asked.before as string | null }, { callbackUrl })
  } else if (kind === 'return_addresses') {
    const { before, successUrl, rejectUrl } = asked as Required<Addresses> & { before: Addresses }
    await changeAddresses(tx, proposal, before, { successUrl, rejectUrl })
  } else if (kind === 'account_limits' || kind === 'requisite_limits') await changeLimits(tx, kind, proposal)
  else if (kind === 'requisite_add') await addRequisiteWithin(tx, requisiteFrom(asked))
  else await switchOn(tx, asked)
  return []
}

const receivedBy = ({ receivedCents }: Deposit) => ({ receivedCents: receivedCents.toString() })

const switchOn = (tx: Tx, asked: Record<string, unknown>): Promise<unknown> =>
  asked.of === 'account'
    ? changeAccountWithin(tx, String(asked.id), { enabled: true })
    : setRequisiteWithin(tx, String(asked.id), true)

type Addresses = Partial<Pick<Merchant, 'callbackUrl' | 'successUrl' | 'rejectUrl'>>

/** Refuses if an address has changed since the proposal: it has to be proposed again. */
async function changeAddresses(
  tx: Tx,
  { merchantId }: Proposal,
  before: Addresses,
  addresses: Addresses,
): Promise<unknown> {
  const now = await lockMerchant(tx, merchantId!)
  if ((Object.keys(addresses) as (keyof Addresses)[]).some((name) => now?.[name] !== before[name]))
    throw new Refusal('state_conflict', { detail: message('address_changed_since_proposed') })
  return changeMerchantWithin(tx, { merchantId: merchantId!, ...addresses })
}

/** Refuses if a limit has changed since the proposal: it has to be proposed again. */
async function changeLimits(tx: Tx, kind: LimitedKind, { subject, asked }: Proposal): Promise<void> {
  const { lock, save } = limitTargets[kind]
  const id = subjectId({ subject })
  const [before, limits] = [limitsFrom(asked.before), limitsFrom(asked.limits)]
  const now = await lock(tx, id)
  if (Object.keys(limits).some((name) => now[name] !== before[name]))
    throw new Refusal('state_conflict', { detail: message('limits_changed_since_proposed') })
  await save(tx, id, limits)
}

function limitsFrom(value: unknown): LimitValues {
  const texts = Object.entries(value as Record<string, string | null>)
  const limit = (name: string, text: string) => (name === 'openDeposits' ? Number(text) : BigInt(text))
  return Object.fromEntries(texts.map(([name, text]) => [name, text === null ? null : limit(name, text)]))
}

/** It was checked when it was proposed; the database checks it again. */
function requisiteFrom(asked: Record<string, unknown>): AddRequisite {
  const limits = asked.limits as Record<string, string | number | null>
  const cents = (name: string) => (limits[name] == null ? null : BigInt(limits[name]))
  return {
    accountId: String(asked.accountId),
    draft: asked.draft as AddRequisite['draft'],
    bankCode: asked.bankCode == null ? null : String(asked.bankCode),
    limits: {
      minCents: cents('minCents'),
      maxCents: cents('maxCents'),
      dailyCents: cents('dailyCents'),
      openDeposits: limits.openDeposits == null ? null : Number(limits.openDeposits),
    },
    confirmed: asked.confirmed === true,
  }
}
