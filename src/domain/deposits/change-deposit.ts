/**
 * One act on one deposit: lock it, decide, save. State, history, event and callback are one transaction, so two
 * acts at once leave one outcome: the second finds the deposit as the first left it.
 */

import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { type Act, type Action, type Change, decide } from './decide.ts'
import type { Deposit, DepositState } from './deposit.ts'
import { lockDeposits, saveChanges } from './store.ts'

/**
 * What every change needs: the database, our address for the records it tells, and whom to wake afterwards, with
 * the states that were entered.
 */
export type DepositContext = {
  db: Db
  publicUrl: string
  changed: (entered?: readonly DepositState[]) => void
}

export type DepositAct = Act & { depositId: string }
export type Changed = { deposit: Deposit; now: Date }

/** The matcher or an operator saw money, or saw it leave (negative cents). */
export const receiveMoney = (context: DepositContext, { cents, ...act }: DepositAct & { cents: Cents }) =>
  change(context, act.depositId, { ...act, do: 'receive', cents })

export const confirmDeposit = (context: DepositContext, act: DepositAct) =>
  change(context, act.depositId, { ...act, do: 'confirm' })

/** Before its time, where test mode lets time pass; the sweep has a way of its own, in groups. */
export const expireDeposit = (context: DepositContext, act: DepositAct) =>
  change(context, act.depositId, { ...act, do: 'expire' })

/** The customer says that money is on its way. */
export const claimPayment = (context: DepositContext, act: DepositAct) =>
  change(context, act.depositId, { ...act, do: 'claim' })

/** The merchant withdraws a deposit nobody has paid yet; an operator may do it in the merchant's name. */
export const cancelDeposit = (
  context: DepositContext,
  { of, ...act }: DepositAct & { of: MerchantId | null },
) => change(context, act.depositId, { ...act, do: 'cancel' }, of)

/** What else belongs to the same transaction, before the deposit is locked and after it was saved. */
export type Around = { before?: (tx: Tx) => Promise<void>; after?: (tx: Tx, change: Change) => Promise<void> }

export async function change(
  { db, publicUrl, changed }: DepositContext,
  depositId: string,
  action: Action,
  of: MerchantId | null = null,
  around: Around = {},
): Promise<Changed> {
  const { before, deposit, at } = await db.transaction(async (tx) => {
    await around.before?.(tx)
    const [locked] = await lockDeposits(tx, [depositId])
    if (!locked || (of !== null && locked.deposit.merchantId !== of)) {
      throw new Refusal('not_found', { detail: message('no_deposit_with_id') })
    }
    const decision = decide(locked.deposit, action, locked.now, locked.policy)
    await saveChanges(tx, [decision], publicUrl)
    await around.after?.(tx, decision)
    return decision
  })
  changed(before.state === deposit.state ? [] : [deposit.state])
  return { deposit, now: at }
}
