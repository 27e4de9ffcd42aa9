/**
 * Expires overdue deposits and frees slots and references whose time has passed, in groups. Several processes share
 * the work: each takes rows that no other has locked. No merchant's deposits keep those of others waiting, however many
 * end in one moment: after each full group some of every merchant follow, and the slots that are due.
 */

import { bounds } from '../../platform/bounds.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { isContended, isDatabaseAway } from '../../platform/db-errors.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message } from '../messages/message.ts'
import type { DepositContext } from './change-deposit.ts'
import { decide } from './decide.ts'
import { lockIfOverdue, lockInTurn, lockOldest } from './overdue-store.ts'
import { lockDeposits } from './read-store.ts'
import { freeSlots } from './slot-store.ts'
import { freeReferences, heartbeat, saveChanges } from './store.ts'

type Find = (tx: Tx) => Promise<{ id: string }[]>

const oldest = (tx: Tx) => lockOldest(tx, bounds.sweepGroup)

/** One group of overdue deposits; returns how many expired. */
export async function expireDeposits(
  { db, publicUrl, changed }: DepositContext,
  find: Find = oldest,
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
function merchantsInTurn(): Find {
  let from: MerchantId | null = null
  return async (tx) => {
    const found = await lockInTurn(tx, { from, ofMerchant: bounds.sweepOfMerchant, limit: bounds.sweepGroup })
    from = found.length < bounds.sweepGroup ? null : found.at(-1)!.merchantId
    return found
  }
}

/** Returns how many were looked at. */
export const freeExpiredSlots = (db: Db): Promise<number> =>
  db.transaction((tx) => freeSlots(tx, bounds.sweepGroup))

/** Nobody waits for a reference, so this is apart from the sweep. */
export async function freeOldReferences(db: Db): Promise<void> {
  const freeGroup = () => db.transaction((tx) => freeReferences(tx, bounds.sweepGroup, bounds.referenceDays))
  while ((await freeGroup()) === bounds.sweepGroup);
}

/** Expires everything overdue and frees slots, but not right after a downtime: the heartbeat delays expiry then. */
export async function sweepDeposits(context: DepositContext): Promise<void> {
  const { expiryAllowed } = await heartbeat(context.db, bounds.awayMs, bounds.expiryDelayMs)
  if (!expiryAllowed) return
  const inTurn = merchantsInTurn()
  try {
    for (let isMore = true; isMore; ) {
      isMore = (await expireDeposits(context)) === bounds.sweepGroup
      if (isMore) await expireDeposits(context, inTurn)
      await freeAllSlots(context.db)
    }
  } catch (error) {
    if (isContended(error) || isDatabaseAway(error)) throw error
    await expireOneByOne(context)
    throw error
  }
}

/** One that cannot be written must not keep the others of its group from expiring; the fault of the group is logged. */
async function expireOneByOne(context: DepositContext): Promise<void> {
  const expireEach = async (find: Find): Promise<boolean> => {
    const found = await context.db.transaction(find)
    for (const { id } of found) await expireDeposits(context, (tx) => lockIfOverdue(tx, id)).catch(() => {})
    return found.length === bounds.sweepGroup
  }
  await expireEach(oldest)
  const inTurn = merchantsInTurn()
  while (await expireEach(inTurn));
  await freeAllSlots(context.db)
}

async function freeAllSlots(db: Db): Promise<void> {
  while ((await freeExpiredSlots(db)) === bounds.sweepGroup);
}
