/** A person undoes a decision: the transfer is what it was before. */

import type { Queryable, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { type Change, decide } from '../deposits/decide.ts'
import { lockDeposits } from '../deposits/read-store.ts'
import { message } from '../messages/message.ts'
import { decideTransfer, type TransferAct } from './decide-transfer.ts'
import { readLastAct, type StoredState } from './decision-store.ts'
import { isInTime } from './payment-times.ts'
import { partsOf, takeBack } from './revoke-transfer.ts'
import { type LockedTransfer, lockTransfer } from './store.ts'
import { moveReports, moveReportsBack } from './told-store.ts'
import type { Share } from './transfer.ts'

/** Decisions that can be undone while nothing followed; what a bank has done cannot. */
const undoable = new Set(['by_hand', 'split', 'same_payment', 'not_repeated', 'held_set_aside', 'not_owed'])

/** Undoes the last decision of a person: the transfer is what it was before, whatever the matcher made of it since. */
export const undoDecision = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (tx, transfer) => {
    const before = await undoableState(tx, transfer)
    if (!before) throw new Refusal('state_conflict', { detail: message('decision_cannot_be_undone') })
    const taken = await takeBack(tx, partsOf(transfer), act)
    if (transfer.duplicateOf) await moveReportsBack(tx, { from: transfer.duplicateOf, to: transfer.id })
    const sameAs = before.duplicate_of
    if (sameAs) await refuseUncounted(tx, sameAs)
    const shares = before.shares.map(({ deposit, cents }) => ({
      depositId: deposit,
      cents: BigInt(cents),
      keptCents: 0n,
    }))
    const isOpen = shares.length === 0 && transfer.direction === 'credit' && !sameAs
    return {
      waves: [...taken, await giveBack(tx, transfer, shares, taken.flat(), act)],
      rule: 'undone',
      transfer: {
        ...transfer,
        state: before.state,
        heldWith: before.held_with,
        duplicateOf: sameAs,
        shares,
        openCents: isOpen ? transfer.cents : 0n,
      },
      after: async () => {
        if (sameAs) await moveReports(tx, { from: transfer.id, to: sameAs })
        return []
      },
    }
  })

/** What a transfer was before the last decision of a person, if that can be undone. */
export async function undoableState(
  db: Queryable,
  { id, refundCents }: Pick<LockedTransfer, 'id' | 'refundCents'>,
): Promise<StoredState | null> {
  const last = await readLastAct(db, id)
  return last && undoable.has(last.rule) && refundCents === 0n ? last.before : null
}

/** What is the same payment as another needs that one to count. */
async function refuseUncounted(tx: Tx, sameAs: string): Promise<void> {
  const { state } = (await lockTransfer(tx, sameAs))!
  if (state === 'duplicate' || state === 'revoked')
    throw new Refusal('state_conflict', {
      detail: message('other_payment_does_not_count', { state }),
      more: { state },
    })
}

/** The deposits get again what they had of a transfer; `taken`: what was taken from them in the same act. */
async function giveBack(
  tx: Tx,
  transfer: LockedTransfer,
  shares: readonly Share[],
  taken: readonly Change[],
  { actor, reason }: TransferAct,
): Promise<Change[]> {
  const ids = shares.map(({ depositId }) => depositId)
  const locked = new Map((await lockDeposits(tx, ids)).map((found) => [found.deposit.id, found]))
  const current = new Map(taken.map(({ deposit }) => [deposit.id, deposit]))
  return shares.map(({ depositId, cents }) => {
    const { deposit, now, policy } = locked.get(depositId)!
    const evidence = { transfer: transfer.id, rule: 'undone' }
    const inTime = isInTime(deposit, transfer)
    const act = { do: 'receive', cents, inTime, actor, reason, evidence } as const
    return decide(current.get(depositId) ?? deposit, act, now, policy)
  })
}
