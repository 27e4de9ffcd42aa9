/** A person says whether two transfers are one payment. */

import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { message } from '../messages/message.ts'
import { type Decision, decideTransfer, refuseUnless, type TransferAct } from './decide-transfer.ts'
import { saveDecisions } from './decision-store.ts'
import { type Confirmed, refuseNamed } from './give-transfer.ts'
import { findOtherNamedDeposits } from './match-store.ts'
import { partsOf, takeBack } from './revoke-transfer.ts'
import { findRepetitions, lockTransfer, lockTransfers } from './store.ts'
import { canBecome, type Transfer } from './transfer.ts'

/**
 * The transfer is another report of `sameAs`, which remains, with the reports of both. What it settled is undone; if that
 * reverses a deposit, `mayReverse` must be true, else the person has to sign in again.
 */
export const samePayment = (context: DepositContext, act: TransferAct & SameAs) =>
  decideTransfer(context, act, calledSame(act))

type SameAs = Confirmed & { sameAs: string; mayReverse?: boolean }

export const calledSame =
  ({
    sameAs,
    mayReverse = true,
    despiteReference = false,
    actor,
    reason,
  }: SameAs & Pick<TransferAct, 'actor' | 'reason'>): Decision =>
  async (tx, transfer) => {
    refuseUnless(canBecome(transfer.state, 'duplicate'), transfer, 'same_as_another')
    if (transfer.refundCents > 0n)
      throw new Refusal('state_conflict', { detail: message('part_of_transfer_given_back') })
    const original = sameAs === transfer.id ? undefined : await lockTransfer(tx, sameAs)
    if (!original || original.accountId !== transfer.accountId || original.direction !== transfer.direction)
      throw new Refusal('not_found', { detail: message('no_other_payment_on_account') })
    refuseUncounted(original)
    // Only one that may be the other, less a fee or corrected, may have another amount; otherwise a person could lose money.
    const isSuspected = transfer.heldWith.includes(sameAs) || original.heldWith.includes(transfer.id)
    if (original.cents !== transfer.cents && !isSuspected)
      throw new Refusal('state_conflict', { detail: message('other_payment_has_another_amount') })
    // The other payment counts for a deposit. If this one names another deposit, it may be the money of that one.
    if (!despiteReference && original.shares.length > 0)
      await refuseNamed(tx, transfer, [
        ...original.shares.map(({ depositId }) => depositId),
        ...(await findOtherNamedDeposits(tx, original, [])).map(({ depositId }) => depositId),
      ])
    const changes = await takeBack(tx, partsOf(transfer), { actor, reason })
    if (!mayReverse && changes.some(({ deposit }) => deposit.state === 'reversed'))
      throw new Refusal('step_up_required')
    // What repeats this transfer repeats the other now.
    const evidence = { same_as: [sameAs] }
    const decision = { actor, rule: 'same_payment', reason, evidence }
    const again = await lockTransfers(tx, await findRepetitions(tx, transfer.id))
    await saveDecisions(
      tx,
      again.map((one) => ({ transfer: { ...one, duplicateOf: sameAs }, decision })),
    )
    return {
      changes,
      rule: 'same_payment',
      transfer: { ...transfer, shares: [], openCents: 0n, state: 'duplicate', duplicateOf: sameAs },
      evidence,
      resolved: [transfer, original],
    }
  }

/** What is the same payment as another needs that one to count. */
export function refuseUncounted({ state }: Transfer): void {
  if (state === 'duplicate' || state === 'revoked')
    throw new Refusal('state_conflict', {
      detail: message('other_payment_does_not_count', { state }),
      more: { state },
    })
}

/** A held transfer, or one that was called the same as another, is a payment of its own: it is matched. */
export const declareGenuine = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (_tx, transfer) => {
    refuseUnless(
      transfer.state === 'duplicate' || transfer.state === 'held',
      transfer,
      'told_from_repetition',
    )
    const genuine = {
      state: 'ambiguous' as const,
      duplicateOf: null,
      heldWith: [],
      openCents: transfer.cents,
    }
    return {
      rule: 'not_repeated',
      transfer: { ...transfer, ...genuine },
      isOpenAgain: true,
      resolved: [transfer],
    }
  })
