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
import { decideTransfer, firstOf, type TransferAct, withRefund } from '../transfers/decide-transfer.ts'
import type { Share, Transfer } from '../transfers/transfer.ts'
import { readOwed } from './store.ts'

/** `cents`: null is all that is owed. */
export const payBack = (context: DepositContext, { cents, ...act }: TransferAct & { cents: Cents | null }) =>
  decideTransfer(context, act, async (tx, transfer) => {
    const owed = await readOwedParts(tx, transfer)
    const paidCents = cents ?? owed.cents
    if (paidCents < 1n || paidCents > owed.cents)
      throw new Refusal('invalid_value', { detail: message('pay_back_more_than_owed') })
    // What no deposit has goes back first.
    const shares = owed.shares.map(({ depositId: of, cents }) => ({ of, cents }))
    return withRefund(tx, transfer, firstOf([{ of: null, cents: owed.openCents }, ...shares], paidCents), act)
  })

/** The merchant credited it, or no payer is owed it: it leaves the list of refunds, and its booking stays. */
export const declareNotOwed = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (tx, transfer) => {
    const owed = await readOwedParts(tx, transfer)
    const keptOf = new Map(owed.shares.map(({ depositId, cents }) => [depositId, cents]))
    const shares = transfer.shares.map((share) => ({
      ...share,
      keptCents: share.keptCents + (keptOf.get(share.depositId) ?? 0n),
    }))
    // A transfer without a deposit stays set aside, but is no longer due.
    const state = shares.length > 0 ? transfer.state : 'set_aside'
    return { rule: 'not_owed', transfer: { ...transfer, state, shares } }
  })

type Owed = { openCents: Cents; shares: Share[]; cents: Cents }

/** The open amount of a due transfer, and its parts of the surpluses of its deposits. */
async function readOwedParts(
  tx: Tx,
  { id, state, shares: all, openCents: open, dueSince }: Transfer,
): Promise<Owed> {
  const depositIds = all.map(({ depositId }) => depositId)
  if (depositIds.length > 0) await lockDeposits(tx, depositIds)
  const shares = depositIds.length > 0 ? await readOwed(tx, depositIds, id) : []
  const openCents = dueSince ? open : 0n
  const cents = shares.reduce((total, share) => total + share.cents, openCents)
  if (cents === 0n)
    throw new Refusal('state_conflict', {
      detail: message('nothing_of_transfer_is_owed'),
      more: { state },
    })
  return { openCents, shares, cents }
}
