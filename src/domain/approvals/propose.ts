/**
 * Stores a proposal that a second person decides. It is validated now as far as possible: a proposal that could not be
 * applied is refused immediately.
 */

import { newId } from '../../platform/clock.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { violates } from '../../platform/db-errors.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import { appendAudit } from '../audit/store.ts'
import { obstacle } from '../deposits/deposit.ts'
import { readTimeline } from '../deposits/read-store.ts'
import { type MessageOrText, message } from '../messages/message.ts'
import { readStatement } from '../statements/store.ts'
import { sumUndo } from '../statements/undo/store.ts'
import { refuseRefunded, refuseUndone } from '../statements/undo/undo-statement.ts'
import { describeMatch } from './match-changes.ts'
import type { Decider, Described, ProposalKind, ProposedChange } from './proposal.ts'
import { insertProposal } from './store.ts'

export type ProposalRequest = { change: ProposedChange; by: Decider; reason: MessageOrText }

export const propose = (db: Db, request: ProposalRequest, hooks?: Hooks) =>
  perform(db, hooks, (tx) => proposeWithin(tx, request))

export async function proposeWithin(
  tx: Tx,
  { change, by, reason }: ProposalRequest,
): Promise<{ id: string }> {
  const why = `${reason}`
  if (why.length < 1 || why.length > 500)
    throw new Refusal('invalid_value', { detail: message('reason_length') })
  const id = newId()
  const { subject, merchantId, asked, audited } = await describe(tx, change)
  const kind: ProposalKind = change.kind
  try {
    await insertProposal(tx, {
      id,
      kind,
      subject,
      merchantId,
      asked,
      reason,
      proposedBy: by.personId,
      isGuard: false,
    })
  } catch (error) {
    if (violates(error, 'proposal_open_once'))
      throw new Refusal('already_exists', { detail: message('same_proposal_is_open') })
    throw error
  }
  await appendAudit(tx, {
    personId: by.personId,
    actor: by.email,
    act: `propose_${kind}`,
    subject,
    merchantId,
    reason: why,
    after: { proposal: id, ...audited },
    requestId: by.requestId,
  })
  return { id }
}

async function describe(tx: Tx, change: ProposedChange): Promise<Described> {
  switch (change.kind) {
    case 'confirm': {
      const found = await readTimeline(tx, change.depositId)
      if (!found) throw notFound('deposit')
      const { deposit, now } = found
      const problem = obstacle(deposit, 'confirm', now)
      if (problem) throw new Refusal('state_conflict', { detail: problem, more: { state: deposit.state } })
      const values = {
        depositId: deposit.id,
        state: deposit.state,
        cents: deposit.amountCents.toString(),
        receivedCents: deposit.receivedCents.toString(),
        currency: deposit.currency,
      }
      return {
        subject: `deposit:${deposit.id}`,
        merchantId: deposit.merchantId,
        asked: values,
        audited: values,
      }
    }
    case 'match':
    case 'split':
    case 'match_several':
      return describeMatch(tx, change)
    case 'statement_undo': {
      const statement = await readStatement(tx, change.statementId)
      if (!statement) throw notFound('statement')
      refuseUndone(statement)
      if (statement.undoStartedAt)
        throw new Refusal('state_conflict', { detail: message('import_is_being_undone') })
      await refuseRefunded(tx, statement.id)
      const sums = await sumUndo(tx, statement.id)
      const values = {
        label: statement.fileName,
        sums: sums.map(({ cents, ...sum }) => ({ ...sum, cents: cents.toString() })),
      }
      return { subject: `statement:${statement.id}`, merchantId: null, asked: values, audited: values }
    }
  }
}

const notFound = (what: 'deposit' | 'merchant' | 'statement') =>
  new Refusal('not_found', { detail: message(`no_${what}_with_id`) })
