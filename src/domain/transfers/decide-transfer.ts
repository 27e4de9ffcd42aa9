/**
 * Decisions of a person about a transfer, and the frame of them all: each is stored with its actor, its reason and what was
 * before; undoing one adds another, and none is ever deleted.
 */

import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { type Change, statesEntered } from '../deposits/decide.ts'
import { type MessageOrText, message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { storedState } from './decision-store.ts'
import { lookAgain, matchAnew } from './look-again.ts'
import { moveReports } from './report-store.ts'
import { emptied, partsOf, saveActs, takeBack } from './revoke-transfer.ts'
import { findTransferAccount, isBeingUndone, lockAccounts, lockTransfer } from './store.ts'
import { canBecome, type Transfer } from './transfer.ts'

export type TransferAct = {
  transferId: string
  actor: string
  reason: MessageOrText
  evidence?: unknown
}

type Decided = {
  transfer: Transfer
  changes?: readonly Change[]
  rule: string
  evidence?: object
  /** Everything is known of these now: what was held because of them is looked at again. */
  resolved?: readonly Transfer[]
  isOpenAgain?: boolean
}

/** With the transfer as it was before the decision, and all changes of deposits. */
export type DecidedTransfer = { transfer: Transfer; before: Transfer; changes: Change[] }

export type Decision = (tx: Tx, transfer: Transfer) => Promise<Decided>

export async function decideTransfer(
  context: DepositContext,
  act: TransferAct,
  decision: Decision,
): Promise<DecidedTransfer> {
  const [done] = await decideTransfers(context, async (tx) => [
    await decideTransferWithin(tx, context, act, decision),
  ])
  return done!
}

export async function decideTransfers(
  { db, changed }: DepositContext,
  decide: (tx: Tx) => Promise<DecidedTransfer[]>,
): Promise<DecidedTransfer[]> {
  const done = await db.transaction(decide)
  changed(statesEntered(done.flatMap(({ changes }) => changes)))
  return done
}

export async function decideTransferWithin(
  tx: Tx,
  { publicUrl }: DepositContext,
  { transferId, actor, reason, evidence = {} }: TransferAct,
  decision: Decision,
): Promise<DecidedTransfer> {
  const before = await lockUndecided(tx, transferId)
  const { transfer, rule, evidence: more, ...decided } = await decision(tx, before)
  const changes = [...(decided.changes ?? [])]
  const shown = { ...(evidence as object), before: storedState(before), ...more }
  const saved = [{ transfer, decision: { actor, rule, reason, evidence: shown } }]
  // Reports are of the payment that counts, before and after.
  const isMoved = transfer.duplicateOf !== before.duplicateOf
  if (isMoved && before.duplicateOf)
    await moveReports(tx, { from: before.duplicateOf, to: transferId, isBack: true })
  await saveActs(tx, changes, { saved, actor, publicUrl })
  if (isMoved && transfer.duplicateOf) await moveReports(tx, { from: transferId, to: transfer.duplicateOf })
  if (decided.isOpenAgain)
    changes.push(...(await matchAnew(tx, [(await lockTransfer(tx, transferId))!], publicUrl)))
  if (decided.resolved) changes.push(...(await lookAgain(tx, decided.resolved, publicUrl)))
  return { transfer: (await lockTransfer(tx, transferId))!, before, changes }
}

export async function lockUndecided(tx: Tx, transferId: string): Promise<Transfer> {
  const account = await findTransferAccount(tx, transferId)
  if (!account) throw new Refusal('not_found', { detail: message('no_transfer_with_id') })
  await lockAccounts(tx, [account])
  // No decision is possible while the import of its only file is being undone.
  if (await isBeingUndone(tx, transferId))
    throw new Refusal('state_conflict', { detail: message('import_of_its_file_ended') })
  return (await lockTransfer(tx, transferId))!
}

export function refuseUnless(
  isPossible: boolean,
  { state }: Transfer,
  what: 'matched' | 'set_aside' | 'same_as_another' | 'told_from_repetition' | 'taken_back' | 'given_back',
): void {
  if (isPossible) return
  throw new Refusal('state_conflict', {
    detail: message(`transfer_cannot_be_${what}`, { state }),
    more: { state },
  })
}

/**
 * The transfer leaves the queue without a deposit. A reversal becomes a debit. A held one is owed to no one, because there may be
 * no second payment.
 */
export const setAside = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (_tx, transfer) => {
    refuseUnless(canBecome(transfer.state, 'set_aside'), transfer, 'set_aside')
    const state = transfer.state === 'reversal' ? 'debit' : 'set_aside'
    const rule = transfer.state === 'held' ? 'held_set_aside' : 'by_hand'
    return { rule, transfer: { ...transfer, state }, resolved: [transfer] }
  })
/** A person records that the bank revoked the transfer: what it settled is undone. */
export const revokeByHand = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (tx, transfer) => {
    const isPossible = transfer.direction === 'credit' && !['revoked', 'duplicate'].includes(transfer.state)
    refuseUnless(isPossible, transfer, 'taken_back')
    const changes = await takeBack(tx, partsOf(transfer), act)
    return { changes, rule: 'revoked', transfer: emptied(transfer), resolved: [transfer] }
  })
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
    const left = transfer.cents - transfer.refundCents
    const back = cents ?? left
    if (back < 1n || back > left) {
      throw new Refusal('invalid_value', { detail: message('give_back_more_than_left') })
    }
    const shares = transfer.shares.toReversed().map(({ depositId: of, cents }) => ({ of, cents }))
    const parts = firstOf([{ of: null, cents: transfer.openCents }, ...shares], back)
    const decided = await withRefund(tx, transfer, parts, act)
    const isWhole = decided.transfer.state === 'refunded'
    // A refund is not a revocation by the bank: a partial one must not reverse a deposit unnoticed.
    if (!isWhole && !mayReverse && decided.changes.some(({ deposit }) => deposit.state === 'reversed')) {
      throw new Refusal('state_conflict', { detail: message('rest_would_not_pay_deposit') })
    }
    return decided
  })

/** Money of a transfer that goes back; null: what no deposit has. */
type Refunded = { of: string | null; cents: Cents }

/** So much of these parts, the first of them first. */
export function firstOf(parts: readonly Refunded[], most: Cents): Refunded[] {
  let left = most
  return parts.flatMap((part) => {
    const cents = part.cents < left ? part.cents : left
    left -= cents
    return cents > 0n ? [{ ...part, cents }] : []
  })
}

export async function withRefund(
  tx: Tx,
  transfer: Transfer,
  parts: readonly Refunded[],
  { actor, reason }: Pick<TransferAct, 'actor' | 'reason'>,
): Promise<Decided & { changes: Change[] }> {
  const takenOf = new Map(parts.map(({ of, cents }) => [of, cents]))
  const shares = transfer.shares
    .map((share) => {
      const taken = takenOf.get(share.depositId) ?? 0n
      // A refund first uses up the surplus that was to be kept.
      const keptCents = share.keptCents > taken ? share.keptCents - taken : 0n
      return { ...share, cents: share.cents - taken, keptCents }
    })
    .filter(({ cents }) => cents > 0n)
  const refundCents = parts.reduce((sum, { cents }) => sum + cents, transfer.refundCents)
  const openCents = transfer.openCents - (takenOf.get(null) ?? 0n)
  const isEmptied = transfer.shares.length > 0 && shares.length === 0
  const state = refundCents === transfer.cents ? 'refunded' : isEmptied ? 'unmatched' : transfer.state
  const ofDeposits = parts.flatMap(({ of, cents }) =>
    of === null ? [] : [{ transferId: transfer.id, depositId: of, cents }],
  )
  const changes = await takeBack(tx, ofDeposits, { actor, reason })
  return { changes, rule: 'refund', transfer: { ...transfer, state, shares, openCents, refundCents } }
}
