/**
 * A person records that the owed part of a transfer was paid back, or that it is not owed. Never more than is owed: a
 * deposit keeps at least its amount.
 */

import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { lockDeposits } from '../deposits/read-store.ts'
import { message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { decideTransfer, type TransferAct, withRefund } from '../transfers/decide-transfer.ts'
import type { LockedTransfer } from '../transfers/store.ts'
import { readOwed } from './store.ts'

/** `cents`: null is all that is owed. */
export const payBack = (context: DepositContext, { cents, ...act }: TransferAct & { cents: Cents | null }) =>
  decideTransfer(context, act, async (tx, transfer) => {
    const owed = await readOwedCents(tx, transfer)
    const paidCents = cents ?? owed
    if (paidCents < 1n || paidCents > owed)
      throw new Refusal('invalid_value', { detail: message('pay_back_more_than_owed') })
    return withRefund(tx, transfer, paidCents, act)
  })

/** The merchant credited it, or no payer is owed it: it leaves the list of refunds, and its booking stays. */
export const declareNotOwed = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (tx, transfer) => {
    const owed = await readOwedCents(tx, transfer)
    // A transfer without a deposit stays set aside, but is no longer due.
    const kept: LockedTransfer = transfer.depositId
      ? { ...transfer, keptCents: transfer.keptCents + owed }
      : { ...transfer, state: 'set_aside' }
    return { changes: [], rule: 'not_owed', transfer: kept }
  })

/** The open amount of a due transfer without a deposit; of one with a deposit, its part of the surplus. */
async function readOwedCents(
  tx: Tx,
  { id, state, depositId, openCents, dueSince }: LockedTransfer,
): Promise<Cents> {
  if (depositId) await lockDeposits(tx, [depositId])
  const owed = depositId ? await readOwed(tx, depositId, id) : dueSince ? openCents : 0n
  if (owed === 0n)
    throw new Refusal('state_conflict', {
      detail: message('nothing_of_transfer_is_owed'),
      more: { state },
    })
  return owed
}
