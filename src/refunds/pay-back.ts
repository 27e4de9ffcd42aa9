/**
 * A person notes that what was owed of a transfer has been paid back, or that nobody is owed it after all. Never more than
 * is owed: a deposit keeps at least what it asked for.
 */
import type { Ledger } from '../deposits/change-deposit.ts'
import { keepSurplus, lockDeposits } from '../deposits/store.ts'
import type { Cents } from '../money.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../refusals.ts'
import { decideTransfer, givenBack, type TransferAct } from '../transfers/decide-transfer.ts'
import type { LockedTransfer } from '../transfers/store.ts'
import { readSurplus } from './store.ts'

/** `cents`: null is all that is owed. */
export const payBack = (ledger: Ledger, { cents, ...act }: TransferAct & { cents: Cents | null }) =>
  decideTransfer(ledger, act, async (tx, transfer) => {
    const owed = await owedOf(tx, transfer)
    const back = cents ?? owed
    if (back < 1n || back > owed)
      throw new Refusal('invalid_value', { detail: 'At most what is owed can be paid back.' })
    return givenBack(tx, transfer, back, act)
  })

/** The merchant credited it, or it is no payer's money: it leaves the list, and stays where it is on the books. */
export const declareNotOwed = (ledger: Ledger, act: TransferAct) =>
  decideTransfer(ledger, act, async (tx, transfer) => {
    const owed = await owedOf(tx, transfer)
    if (transfer.depositId) await keepSurplus(tx, transfer.depositId, owed)
    return { changes: [], rule: 'not_owed', transfer }
  })

/** What is open of a transfer without a deposit; of one with a deposit what the deposit has too much. */
async function owedOf(tx: Tx, { state, depositId, depositCents, openCents }: LockedTransfer): Promise<Cents> {
  if (depositId) await lockDeposits(tx, [depositId])
  const surplus = depositId ? await readSurplus(tx, depositId) : openCents
  const owed = depositId && depositCents < surplus ? depositCents : surplus
  if (owed === 0n)
    throw new Refusal('state_conflict', {
      detail: 'Nothing of this transfer is owed to anybody.',
      more: { state },
    })
  return owed
}
