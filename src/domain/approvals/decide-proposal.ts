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
import { message } from '../messages/message.ts'
import { isDecider } from '../people/person.ts'
import { findPerson } from '../people/store.ts'
import type { UndoSum } from '../statements/undo/undo-report.ts'
import { beginUndoWithin } from '../statements/undo/undo-statement.ts'
import { type ApprovalRight, approvalRight, mayStillPropose } from './guard.ts'
import { applyMatch, isMatchKind, refuseChanged } from './match-changes.ts'
import { type Decider, type Proposal, subjectId } from './proposal.ts'
import { endProposal, lockProposal, readApprovalSettings, readIndependence, readProposer } from './store.ts'

type DecideProposal = {
  id: string
  verdict: 'approved' | 'refused' | 'withdrawn'
  by: Decider
  reason: string
}


export async function decideProposal(
  context: DepositContext,
  asked: DecideProposal,
): Promise<Proposal> {
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
    if (verdict === 'approved') changes = await apply(tx, context, found, by, mark === 'single_operator')
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
    return { proposal: { ...found, state: verdict }, changes }
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
  // A large file is undone in many transactions: this one only marks it, and a worker does the rest.
  await beginUndoWithin(tx, undoFrom(proposal, by))
  return []
}

const receivedBy = ({ receivedCents }: Deposit) => ({ receivedCents: receivedCents.toString() })

const undoFrom = ({ subject, reason, asked }: Proposal, { email, personId, requestId }: Decider) => ({
  statementId: subjectId({ subject }),
  reason: `${reason}`,
  seen: (asked.sums as (Omit<UndoSum, 'cents'> & { cents: string })[]).map(({ cents, ...sum }) => ({
    ...sum,
    cents: BigInt(cents),
  })),
  by: { actor: `operator:${email}`, personId, requestId },
})
