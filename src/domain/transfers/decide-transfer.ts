/**
 * Decisions of a person about a transfer: match it with a deposit, set it aside, record a refund. Every decision is
 * stored with its actor and reason; undoing one adds another, and none is ever deleted.
 */

import { newId } from '../../platform/clock.ts'
import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { type Change, decide, statesEntered } from '../deposits/decide.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { lockDeposits } from '../deposits/read-store.ts'
import { saveChanges } from '../deposits/store.ts'
import { type MessageOrText, message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { suspicions } from './bank-entries.ts'
import { findOtherNamedDeposits, mayServe } from './candidate-store.ts'
import {
  insertDecisions,
  isSuspected,
  readLastRule,
  readStandingRule,
  saveDecision,
} from './decision-store.ts'
import { isInTime } from './payment-times.ts'
import { insertAnother } from './repeat-store.ts'
import { emptied, releaseEnded, undo } from './revoke-transfer.ts'
import {
  findRepetitions,
  findTransferAccount,
  isBeingUndone,
  type LockedTransfer,
  lockAccounts,
  lockTransfer,
} from './store.ts'
import { canBecome } from './transfer.ts'

export type TransferAct = {
  transferId: string
  actor: string
  reason: MessageOrText
  evidence?: unknown
  /** Part of the act, so that no function that passes it on can lose them. */
  hooks?: Hooks<DecidedTransfer>
}
/** `despiteReference`: the person knows that the purpose names another deposit. */
type Confirmed = { despiteReference?: boolean }
type MatchAct = TransferAct & Confirmed & { depositId: string }

/** Matches the whole transfer with this deposit, whatever the matcher decided. */
export const matchByHand = (context: DepositContext, act: MatchAct) =>
  decideTransfer(context, act, matchedBy(act))

export const matchByHandWithin = (tx: Tx, context: DepositContext, act: Omit<MatchAct, 'hooks'>) =>
  decideTransferWithin(tx, context, act, matchedBy(act))

const matchedBy =
  ({ actor, reason, ...act }: MatchAct): Decision =>
  async (tx, transfer) => {
    const { depositId } = act
    const { deposit, now, policy } = await lockMatch(tx, transfer, act)
    const evidence = { transfer: transfer.id, rule: 'by_hand' }
    const inTime = isInTime(deposit, transfer)
    const receive = { do: 'receive', cents: transfer.cents, inTime, actor, reason, evidence } as const
    const change = decide(deposit, receive, now, policy)
    return {
      changes: [change],
      rule: 'by_hand',
      transfer: {
        ...transfer,
        state: 'matched',
        depositId,
        depositCents: transfer.cents,
        openCents: 0n,
      },
    }
  }

/** Locks the deposit of a manual match and refuses one that this transfer cannot be matched with. */
async function lockMatch(
  tx: Tx,
  transfer: LockedTransfer,
  { depositId, despiteReference = false }: Confirmed & { depositId: string },
) {
  refuseUnless(canBecome(transfer.state, 'matched'), transfer, 'matched')
  const [locked] = await lockDeposits(tx, [depositId])
  if (!locked || !(await mayServe(tx, transfer.id, depositId)))
    throw new Refusal('not_found', { detail: message('no_deposit_of_account_with_id') })
  if (locked.deposit.currency !== transfer.currency)
    throw new Refusal('invalid_value', { detail: message('deposit_is_in_another_currency') })
  if (transfer.refundCents > 0n)
    throw new Refusal('state_conflict', { detail: message('part_of_transfer_given_back') })
  if (!despiteReference) await refuseNamed(tx, transfer, [depositId])
  return locked
}

/** The payer wrote the reference of another deposit: a person who decides otherwise has to confirm that. */
async function refuseNamed(
  tx: Tx,
  transfer: LockedTransfer,
  except: readonly (string | null)[],
): Promise<void> {
  const [named] = await findOtherNamedDeposits(tx, transfer, except)
  if (!named) return
  throw new Refusal('state_conflict', {
    detail: message('purpose_names_another_deposit', { reference: named.reference }),
    more: { named: named.depositId },
  })
}

/** The transfer and the deposit of a proposed match, as they are now. */
export async function checkMatch(
  tx: Tx,
  { transferId, ...match }: Confirmed & { transferId: string; depositId: string },
): Promise<{ transfer: LockedTransfer; deposit: Deposit }> {
  const transfer = await lockUndecided(tx, transferId)
  const { deposit } = await lockMatch(tx, transfer, match)
  return { transfer, deposit }
}

/**
 * The transfer leaves the queue without a deposit. A reversal becomes a debit. A suspected repetition is owed to no
 * one, because there may be no second payment.
 */
export const setAside = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (tx, transfer) => {
    refuseUnless(canBecome(transfer.state, 'set_aside'), transfer, 'set_aside')
    const state = transfer.state === 'reversal' ? 'debit' : 'set_aside'
    const isSuspectedRepetition = suspicions.includes(await readStandingRule(tx, transfer.id))
    return {
      changes: [],
      rule: isSuspectedRepetition ? 'set_aside_suspected' : 'by_hand',
      transfer: { ...transfer, state },
    }
  })

/**
 * The transfer repeats or corrects another payment. What it settled is undone; if that reverses a deposit, `mayReverse`
 * must be true, else the person has to sign in again.
 */
export const markDuplicate = (
  context: DepositContext,
  {
    duplicateOf,
    mayReverse = true,
    despiteReference = false,
    ...act
  }: TransferAct & Confirmed & { duplicateOf: string; mayReverse?: boolean },
) =>
  decideTransfer(context, act, async (tx, transfer) => {
    refuseUnless(canBecome(transfer.state, 'duplicate'), transfer, 'same_as_another')
    if (transfer.refundCents > 0n)
      throw new Refusal('state_conflict', { detail: message('part_of_transfer_given_back') })
    const original = duplicateOf === transfer.id ? undefined : await lockTransfer(tx, duplicateOf)
    if (!original || original.accountId !== transfer.accountId || original.direction !== 'credit')
      throw new Refusal('not_found', { detail: message('no_other_payment_on_account') })
    if (original.state === 'duplicate' || original.state === 'revoked')
      throw new Refusal('state_conflict', {
        detail: message('other_payment_does_not_count', { state: original.state }),
        more: { state: original.state },
      })
    // Only a suspected correction may have another amount; otherwise a person could end a deposit or lose money.
    if (original.cents !== transfer.cents && !(await isSuspected(tx, transfer.id, duplicateOf)))
      throw new Refusal('state_conflict', { detail: message('other_payment_has_another_amount') })
    // The bank revoked this payment. If it left the queue as a duplicate, the other one would still count although its money
    // is gone.
    if (original.depositId && (await readLastRule(tx, transfer.id)) === 'told_of_revoked')
      throw new Refusal('state_conflict', { detail: message('taken_back_but_may_count') })
    // The other payment counts for a deposit. If this one names another deposit, it may be the money of that one.
    if (!despiteReference && original.depositId)
      await refuseNamed(tx, transfer, [original.depositId, ...(await namedBy(tx, original))])
    const from = { actor: act.actor, reason: act.reason, transferId: transfer.id }
    const changes = await undo(tx, transfer.depositId, transfer.depositCents, from)
    if (!mayReverse && changes.some(({ deposit }) => deposit.state === 'reversed'))
      throw new Refusal('step_up_required')
    // The repetitions of this transfer now point at the original, so that the bank's later changes reach it.
    for (const id of await findRepetitions(tx, transfer.id)) {
      const evidence = { same_as: [duplicateOf], instead_of: transfer.id }
      const again = { ...(await lockTransfer(tx, id))!, duplicateOf }
      await saveDecision(tx, again, { actor: act.actor, rule: 'same_payment', reason: act.reason, evidence })
    }
    const unsettled = { depositId: null, depositCents: 0n, openCents: 0n, keptCents: 0n }
    return {
      changes,
      rule: 'same_payment',
      transfer: { ...transfer, ...unsettled, state: 'duplicate', duplicateOf },
      evidence: { same_as: [duplicateOf] },
    }
  })

const namedBy = async (tx: Tx, transfer: LockedTransfer): Promise<string[]> =>
  (await findOtherNamedDeposits(tx, transfer, [])).map(({ depositId }) => depositId)

/** A transfer that was marked as a duplicate is a payment of its own. */
export const declareGenuine = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (_tx, transfer) => {
    refuseUnless(transfer.state === 'duplicate', transfer, 'told_from_repetition')
    const genuine = { state: 'ambiguous', duplicateOf: null, openCents: transfer.cents } as const
    return { changes: [], rule: 'not_repeated', transfer: { ...transfer, ...genuine } }
  })

/** A person records that the bank revoked the transfer: what it settled is undone. */
export const revokeByHand = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (tx, transfer) => {
    const isPossible = transfer.direction === 'credit' && !['revoked', 'duplicate'].includes(transfer.state)
    refuseUnless(isPossible, transfer, 'taken_back')
    const from = { actor: act.actor, reason: act.reason, transferId: transfer.id }
    const changes = await undo(tx, transfer.depositId, transfer.depositCents, from)
    return { changes, rule: 'revoked', ...emptied(transfer) }
  })

/** A row that equals one of another file is a payment of its own after all. */
export async function declareAnother(
  { db }: DepositContext,
  { transferId, statementId, line, actor, reason }: TransferAct & { statementId: string; line: number },
): Promise<string> {
  const id = newId()
  await db.transaction(async (tx) => {
    const account = await findTransferAccount(tx, transferId)
    if (account) await lockAccounts(tx, [account])
    await refuseWhileUndone(tx, { statementId })
    if (!account || !(await insertAnother(tx, { id, transferId, statementId, line })))
      throw new Refusal('not_found', { detail: message('no_row_of_file_repeats_transfer') })
    const common = { transferId: id, state: 'ambiguous', depositId: null, actor, reason } as const
    await insertDecisions(tx, [{ ...common, rule: 'another_payment', evidence: { equals: transferId } }])
  })
  return id
}

/**
 * Records that a bank returned the money, all of it or a part; Inlet itself moves no money. What was returned no longer
 * counts for the deposit.
 */
export const refund = (
  context: DepositContext,
  { cents, mayReverse = false, ...act }: TransferAct & { cents: Cents | null; mayReverse?: boolean },
) =>
  decideTransfer(context, act, async (tx, transfer) => {
    refuseUnless(canBecome(transfer.state, 'refunded'), transfer, 'given_back')
    const open = transfer.cents - transfer.refundCents
    const back = cents ?? open
    if (back < 1n || back > open) {
      throw new Refusal('invalid_value', { detail: message('give_back_more_than_left') })
    }
    const decided = await withRefund(tx, transfer, back, act)
    const isWhole = decided.transfer.state === 'refunded'
    // A refund is not a revocation by the bank: a partial one must not reverse a deposit unnoticed.
    if (!isWhole && !mayReverse && decided.changes.some(({ deposit }) => deposit.state === 'reversed')) {
      throw new Refusal('state_conflict', { detail: message('rest_would_not_pay_deposit') })
    }
    return decided
  })

/** The transfer without the refunded money, and the change of its deposit. */
export async function withRefund(
  tx: Tx,
  transfer: LockedTransfer,
  back: Cents,
  { actor, reason }: Pick<TransferAct, 'actor' | 'reason'>,
): Promise<Decided> {
  const refundCents = transfer.refundCents + back
  const isWhole = refundCents === transfer.cents
  const left = transfer.cents - refundCents
  if (!transfer.depositId) {
    const state = isWhole ? 'refunded' : transfer.state
    return { changes: [], rule: 'refund', transfer: { ...transfer, state, refundCents, openCents: left } }
  }
  const from = { actor, reason, transferId: transfer.id }
  const changes = await undo(tx, transfer.depositId, back, from)
  return {
    changes,
    rule: 'refund',
    transfer: {
      ...transfer,
      state: isWhole ? 'refunded' : 'matched',
      depositId: isWhole ? null : transfer.depositId,
      depositCents: left,
      refundCents,
      // A refund first uses up the surplus that was to be kept.
      keptCents: transfer.keptCents > back ? transfer.keptCents - back : 0n,
    },
  }
}

type Decided = { transfer: LockedTransfer; changes: Change[]; rule: string; evidence?: object }

/** With the transfer as it was before the decision. */
type DecidedTransfer = Decided & { before: LockedTransfer }

type Decision = (tx: Tx, transfer: LockedTransfer) => Promise<Decided>

export async function decideTransfer(
  context: DepositContext,
  { hooks, ...act }: TransferAct,
  decision: Decision,
): Promise<LockedTransfer> {
  const done = await perform(context.db, hooks, (tx) => decideTransferWithin(tx, context, act, decision))
  context.changed(statesEntered(done.changes))
  return done.transfer
}

async function decideTransferWithin(
  tx: Tx,
  { publicUrl }: DepositContext,
  { transferId, actor, reason, evidence = {} }: Omit<TransferAct, 'hooks'>,
  decision: Decision,
): Promise<DecidedTransfer> {
  const before = await lockUndecided(tx, transferId)
  const decided = await decision(tx, before)
  await saveChanges(tx, decided.changes, publicUrl)
  const shown = { ...(evidence as object), ...decided.evidence }
  await saveDecision(tx, decided.transfer, { actor, rule: decided.rule, reason, evidence: shown })
  await releaseEnded(tx, decided.changes, actor)
  return { ...decided, before }
}

async function lockUndecided(tx: Tx, transferId: string): Promise<LockedTransfer> {
  const account = await findTransferAccount(tx, transferId)
  if (!account) throw new Refusal('not_found', { detail: message('no_transfer_with_id') })
  await lockAccounts(tx, [account])
  await refuseWhileUndone(tx, { transferId })
  return (await lockTransfer(tx, transferId))!
}

/** No decision is possible while the import of the transfer's file is being undone. */
async function refuseWhileUndone(
  tx: Tx,
  target: { transferId: string } | { statementId: string },
): Promise<void> {
  if (await isBeingUndone(tx, target))
    throw new Refusal('state_conflict', { detail: message('import_of_its_file_ended') })
}

function refuseUnless(
  isPossible: boolean,
  { state }: LockedTransfer,
  what: 'matched' | 'set_aside' | 'same_as_another' | 'told_from_repetition' | 'taken_back' | 'given_back',
): void {
  if (isPossible) return
  throw new Refusal('state_conflict', {
    detail: message(`transfer_cannot_be_${what}`, { state }),
    more: { state },
  })
}
