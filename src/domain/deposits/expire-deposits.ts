/**
 * Expires overdue deposits and frees slots whose time has passed, in groups. Several processes share the work: each takes
 * rows that no other has locked. No merchant's deposits keep those of others waiting, however many end in one moment: each
 * group has some of every merchant in turn, and after it the slots follow that are due.
 */

import { bounds } from '../../platform/bounds.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { isContended, isDatabaseAway } from '../../platform/db-errors.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import type { DepositContext } from './change-deposit.ts'
import { decide } from './decide.ts'
import { lockIfOverdue, lockInTurn } from './overdue-store.ts'
import { lockDeposits } from './read-store.ts'
import { freeSlots } from './slot-store.ts'
import { heartbeat, saveChanges } from './store.ts'

type Find = (tx: Tx) => Promise<{ id: string }[]>

/** One group of overdue deposits; returns how many expired. */
export async function expireDeposits(
  { db, publicUrl, changed }: DepositContext,
  find: Find = merchantsInTurn(bounds.sweepGroup),
): Promise<number> {
  const expired = await db.transaction(async (tx) => {
    const found = await find(tx)
    const overdue = await lockDeposits(
      tx,
      found.map(({ id }) => id),
    )
    const changes = overdue.map(({ deposit, now, policy }) =>
      decide(deposit, { do: 'expire', actor: 'clock', reason: message('time_to_pay_is_over') }, now, policy),
    )
    await saveChanges(tx, changes, publicUrl)
    return changes.length
  })
  if (expired > 0) changed(Array.from({ length: expired }, () => 'expired' as const))
  return expired
}

/** Finds some overdue deposits of each merchant, and with the next call those of the merchants that follow. */
function merchantsInTurn(ofMerchant: number = bounds.sweepOfMerchant): Find {
  let from: MerchantId | null = null
  return async (tx) => {
    const found = await lockInTurn(tx, { from, ofMerchant, limit: bounds.sweepGroup })
    from = found.length < bounds.sweepGroup ? null : found.at(-1)!.merchantId
    return found
  }
}

/** Returns how many were looked at. */
export const freeExpiredSlots = (db: Db): Promise<number> =>
  db.transaction((tx) => freeSlots(tx, bounds.sweepGroup))

/** Expires everything overdue and frees slots, but not right after a downtime: the heartbeat delays expiry then. */
export async function sweepDeposits(context: DepositContext): Promise<void> {
  const { expiryAllowed } = await heartbeat(context.db, bounds.awayMs, bounds.expiryDelayMs)
  if (!expiryAllowed) return
  const inTurn = merchantsInTurn()
  try {
    // The group after a full one may begin behind the last merchant with overdue deposits.
    for (let group: number, before = 0; ; before = group) {
      group = await expireDeposits(context, inTurn)
      await freeAllSlots(context.db)
      if (group === 0 && before < bounds.sweepGroup) return
    }
  } catch (error) {
    if (isContended(error) || isDatabaseAway(error)) throw error
    await expireOneByOne(context)
    throw error
  }
}

/** One that cannot be written must not keep the others from expiring; the fault of the group is logged. */
async function expireOneByOne(context: DepositContext): Promise<void> {
  const inTurn = merchantsInTurn()
  for (let found: number = bounds.sweepGroup; found === bounds.sweepGroup; ) {
    const ids = await context.db.transaction(inTurn)
    for (const { id } of ids) await expireDeposits(context, (tx) => lockIfOverdue(tx, id)).catch(() => {})
    found = ids.length
  }
  await freeAllSlots(context.db)
}

async function freeAllSlots(db: Db): Promise<void> {
  while ((await freeExpiredSlots(db)) === bounds.sweepGroup);
}
