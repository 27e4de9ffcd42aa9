/** A person undoes a decision: the transfer is what it was before. */

import type { Queryable } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { message } from '../messages/message.ts'
import { decideTransfer, type TransferAct } from './decide-transfer.ts'
import { readLastAct, type StoredState } from './decision-store.ts'
import { receive } from './give-transfer.ts'
import { partsOf, takeBack } from './revoke-transfer.ts'
import { refuseUncounted } from './same-payment.ts'
import { lockTransfer } from './store.ts'
import type { Transfer } from './transfer.ts'

/** Decisions that can be undone while nothing followed; what a bank has done cannot. */
const undoable = new Set(['by_hand', 'split', 'same_payment', 'not_repeated', 'held_set_aside', 'not_owed'])

/** Undoes the last decision of a person: the transfer is what it was before, whatever the matcher made of it since. */
export const undoDecision = (context: DepositContext, act: TransferAct) =>
  decideTransfer(context, act, async (tx, transfer) => {
    const before = await undoableState(tx, transfer)
    if (!before) throw new Refusal('state_conflict', { detail: message('decision_cannot_be_undone') })
    const taken = await takeBack(tx, partsOf(transfer), act)
    const sameAs = before.duplicate_of
    if (sameAs) refuseUncounted((await lockTransfer(tx, sameAs))!)
    const shares = before.shares.map(({ deposit, cents }) => ({
      depositId: deposit,
      cents: BigInt(cents),
      keptCents: 0n,
    }))
    const isOpen = shares.length === 0 && transfer.direction === 'credit' && !sameAs
    return {
      changes: [
        ...taken,
        ...(await receive(tx, transfer, { ...act, shares, rule: 'undone', before: taken })),
      ],
      rule: 'undone',
      transfer: {
        ...transfer,
        state: before.state,
        heldWith: before.held_with,
        duplicateOf: sameAs,
        shares,
        openCents: isOpen ? transfer.cents : 0n,
      },
    }
  })

/** What a transfer was before the last decision of a person, if that can be undone. */
export async function undoableState(
  db: Queryable,
  { id, refundCents }: Pick<Transfer, 'id' | 'refundCents'>,
): Promise<StoredState | null> {
  const last = await readLastAct(db, id)
  return last && undoable.has(last.rule) && refundCents === 0n ? last.before : null
}
