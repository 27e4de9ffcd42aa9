/**
 * Performs one action on one deposit: lock it, decide, save. State, history, event and callback are one transaction, so
 * of two concurrent actions the second finds the deposit as the first left it.
 */

import type { Db, Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { type Act, type Action, type Change, decide, statesEntered } from './decide.ts'
import type { Deposit, DepositState } from './deposit.ts'
import { lockDeposits } from './read-store.ts'
import { saveChanges } from './store.ts'

/**
 * What every change needs: the database, our public address for the callback bodies, and a hook that is called after
 * the commit with the states that deposits have entered.
 */
export type DepositContext = {
  db: Db
  publicUrl: string
  changed: (entered?: readonly DepositState[]) => void
}

/** The hooks are part of the act, so that no verb that hands it on can lose them. */
export type DepositAct = Act & { depositId: string; hooks?: Hooks<Change> }
export type Changed = { deposit: Deposit; now: Date }
type DepositAction = Action & { depositId: string }

/** Records money without a transfer: that it left (negative cents). What arrived is noted as a transfer: see `noteMoney`. */
export const receiveMoney = (context: DepositContext, { hooks, ...act }: DepositAct & { cents: Cents }) =>
  performChange(context, hooks, (tx) => changeDepositWithin(tx, context, { ...act, do: 'receive' }))

export const confirmDeposit = (context: DepositContext, { hooks, ...act }: DepositAct) =>
  performChange(context, hooks, (tx) => changeDepositWithin(tx, context, { ...act, do: 'confirm' }))

/** Expires one deposit early, for test mode; the sweep expires overdue deposits in groups. */
export const expireDeposit = (context: DepositContext, { hooks, ...act }: DepositAct) =>
  performChange(context, hooks, (tx) => changeDepositWithin(tx, context, { ...act, do: 'expire' }))

/** The customer states that the money was sent. */
export const claimPayment = (context: DepositContext, { hooks, ...act }: DepositAct) =>
  performChange(context, hooks, (tx) => changeDepositWithin(tx, context, { ...act, do: 'claim' }))

/** Cancels an unpaid deposit; with `merchantId`, only if it belongs to that merchant. */
export const cancelDeposit = (
  context: DepositContext,
  { hooks, merchantId, ...act }: DepositAct & { merchantId: MerchantId | null },
) =>
  performChange(context, hooks, (tx) =>
    changeDepositWithin(tx, context, { ...act, do: 'cancel' }, merchantId),
  )

/** Wakes the code that waits for changes, once they are visible. */
export async function performChange(
  { db, changed }: DepositContext,
  hooks: Hooks<Change> | undefined,
  act: (tx: Tx) => Promise<Change>,
): Promise<Changed> {
  const change = await perform(db, hooks, act)
  if (change.history.length > 0) changed(statesEntered([change]))
  return { deposit: change.deposit, now: change.at }
}

export async function changeDepositWithin(
  tx: Tx,
  { publicUrl }: DepositContext,
  { depositId, ...action }: DepositAction,
  merchantId: MerchantId | null = null,
): Promise<Change> {
  const [locked] = await lockDeposits(tx, [depositId])
  if (!locked || (merchantId !== null && locked.deposit.merchantId !== merchantId)) {
    throw new Refusal('not_found', { detail: message('no_deposit_with_id') })
  }
  const decision = decide(locked.deposit, action, locked.now, locked.policy)
  if (decision.history.length > 0) await saveChanges(tx, [decision], publicUrl)
  return decision
}
