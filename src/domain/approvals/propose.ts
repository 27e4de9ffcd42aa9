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
import { findAccount } from '../requisites/account-store.ts'
import { type AddRequisite, refuseFindings, refuseInvertedLimits } from '../requisites/add-requisite.ts'
import { checkRequisite, maskedNumber } from '../requisites/requisite.ts'
import { findAccountOrRequisite } from '../requisites/store.ts'
import { readStatement } from '../statements/store.ts'
import { sumUndo } from '../statements/undo/store.ts'
import { refuseRefunded, refuseUndone } from '../statements/undo/undo-statement.ts'
import { limitTargets } from './limit-targets.ts'
import { describeMatch } from './match-changes.ts'
import type {
  Decider,
  Described,
  LimitedKind,
  LimitValues,
  ProposalKind,
  ProposedChange,
} from './proposal.ts'
import { describeMatchingRuleChange } from './rule-changes.ts'
import { describeSource } from './source-changes.ts'
import { insertProposal } from './store.ts'
import { describeVoice } from './voice-changes.ts'

type ProposalRequest = { change: ProposedChange; by: Decider; reason: MessageOrText }

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
    case 'requisite_add':
      return describeRequisite(tx, change.add)
    case 'requisite_on': {
      const found = await findAccountOrRequisite(tx, change.target, change.id)
      if (!found) throw notFound(change.target === 'account' ? 'receiving_account' : 'requisite')
      if (found.enabled) throw new Refusal('state_conflict', { detail: message('already_on') })
      const values = { of: change.target, id: change.id, label: found.label }
      return { subject: `${change.target}:${change.id}`, merchantId: null, asked: values, audited: values }
    }
    case 'account_limits':
    case 'requisite_limits':
      return describeLimits(tx, change.kind, change.id, change.limits)
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
    case 'account_voice':
      return describeVoice(tx, change)
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
    case 'account_matching':
    case 'account_number':
      return describeMatchingRuleChange(tx, change)
    case 'source_add':
    case 'source_account':
    case 'source_networks':
    case 'source_enable':
      return describeSource(tx, change)
  }
}

/** With the current limits: the approver sees them, and they must not have changed until then. */
async function describeLimits(
  tx: Tx,
  kind: LimitedKind,
  id: string,
  limits: LimitValues,
): Promise<Described> {
  const { target, lock } = limitTargets[kind]
  const current = await lock(tx, id)
  const { label, currency } = (await findAccountOrRequisite(tx, target, id))!
  const texts = (values: LimitValues) =>
    Object.fromEntries(Object.keys(limits).map((name) => [name, values[name]?.toString() ?? null]))
  const values = { label, currency, before: texts(current), limits: texts(limits) }
  return { subject: `${target}:${id}`, merchantId: null, asked: values, audited: values }
}

async function describeRequisite(tx: Tx, add: AddRequisite): Promise<Described> {
  const account = await findAccount(tx, add.accountId)
  if (!account) throw notFound('receiving_account')
  const { requisite, findings } = checkRequisite({ ...add.draft, currency: account.currency })
  refuseFindings(findings, add.confirmed)
  refuseInvertedLimits(add.limits)
  const { currency: _currency, ...draft } = requisite
  const { minCents, maxCents, dailyCents, openDeposits } = add.limits
  const text = (cents: bigint | null) => cents?.toString() ?? null
  return {
    subject: `account:${add.accountId}`,
    merchantId: null,
    asked: {
      accountId: add.accountId,
      currency: account.currency,
      draft,
      bankCode: add.bankCode,
      limits: {
        minCents: text(minCents),
        maxCents: text(maxCents),
        dailyCents: text(dailyCents),
        openDeposits,
      },
      confirmed: add.confirmed,
      warnings: findings.map(({ detail }) => detail),
      findings: findings.map(({ code }) => code),
    },
    audited: {
      kind: draft.kind,
      number: maskedNumber(draft.number),
      bank: draft.bankName,
      holder: draft.holder,
    },
  }
}

const notFound = (what: 'receiving_account' | 'requisite' | 'deposit' | 'merchant' | 'statement') =>
  new Refusal('not_found', { detail: message(`no_${what}_with_id`) })
