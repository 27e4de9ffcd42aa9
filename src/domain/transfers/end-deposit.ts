/**
 * Ends a deposit that may have received money: its transfers become unmatched in the same transaction. Receiving
 * accounts are locked before the deposit, as everywhere.
 */

import { bounds } from '../../platform/bounds.ts'
import type { Tx } from '../../platform/db.ts'
import { isContended, isDatabaseAway } from '../../platform/db-errors.ts'
import {
  type Changed,
  changeDepositWithin,
  type DepositAct,
  type DepositContext,
  performChange,
} from '../deposits/change-deposit.ts'
import { isFinal } from '../deposits/deposit.ts'
import { lockDeposits } from '../deposits/read-store.ts'
import { releaseEnded, releaseMoneyOf } from './revoke-transfer.ts'
import { findOverWithMoney, findSettlingAccounts, lockAccounts } from './store.ts'

export const rejectDeposit = (context: DepositContext, act: DepositAct) => end(context, act, 'reject')

export const reverseDeposit = (context: DepositContext, act: DepositAct) => end(context, act, 'reverse')

const end = (
  context: DepositContext,
  { hooks, ...act }: DepositAct,
  verb: 'reject' | 'reverse',
): Promise<Changed> =>
  performChange(context, hooks, async (tx) => {
    await lockAccounts(tx, await findSettlingAccounts(tx, act.depositId))
    const change = await changeDepositWithin(tx, context, { ...act, do: verb })
    await releaseEnded(tx, [change], act.actor)
    return change
  })

/**
 * Releases the money of underpaid deposits whose grace has passed, for a person to decide. One that is locked, or whose
 * account is, waits for the next time; one that cannot be written keeps no other. Returns how many were released.
 */
export async function releaseMoneyOfExpired({ db }: Pick<DepositContext, 'db'>): Promise<number> {
  let released = 0
  const faults: unknown[] = []
  for (const id of await findOverWithMoney(db, bounds.endedAtOnce)) {
    try {
      await db.transaction((tx) => releaseMoneyWithin(tx, id))
      released++
    } catch (error) {
      if (isDatabaseAway(error)) throw error
      if (!isContended(error)) faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
  return released
}

async function releaseMoneyWithin(tx: Tx, id: string): Promise<void> {
  await lockAccounts(tx, await findSettlingAccounts(tx, id))
  const [locked] = await lockDeposits(tx, [id])
  if (!locked) return
  const { deposit, now } = locked
  const isOver = deposit.state === 'expired' && isFinal(deposit, now)
  if (isOver) await releaseMoneyOf(tx, deposit, 'clock')
}
