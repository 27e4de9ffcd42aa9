/**
 * Expires overdue deposits and frees slots and references whose time has passed, in groups. Several processes share
 * the work: each takes rows that no other has locked.
 */

import { bounds } from '../../platform/bounds.ts'
import type { Db } from '../../platform/db.ts'
import { isContended, isDatabaseAway } from '../../platform/db-errors.ts'
import { message } from '../messages/message.ts'
import type { DepositContext } from './change-deposit.ts'
import { decide } from './decide.ts'
import { listOverdue, lockOverdue } from './read-store.ts'
import { freeSlots } from './slot-store.ts'
import { freeReferences, heartbeat, saveChanges } from './store.ts'

/** One group of overdue deposits, or one of them; returns how many expired. */
export async function expireDeposits(
  { db, publicUrl, changed }: DepositContext,
  only: string | null = null,
): Promise<number> {
  const expired = await db.transaction(async (tx) => {
    const overdue = await lockOverdue(tx, bounds.sweepGroup, only)
    const changes = overdue.map(({ deposit, now, policy }) =>
      decide(deposit, { do: 'expire', actor: 'clock', reason: message('time_to_pay_is_over') }, now, policy),
    )
    await saveChanges(tx, changes, publicUrl)
    return changes.length
  })
  if (expired > 0) changed(Array.from({ length: expired }, () => 'expired' as const))
  return expired
}

export const freeExpiredSlots = (db: Db): Promise<number> =>
  db.transaction(
    async (tx) =>
      (await freeSlots(tx, bounds.sweepGroup)) +
      (await freeReferences(tx, bounds.sweepGroup, bounds.referenceDays)),
  )

/** Expires and frees everything overdue, but not right after a downtime: the heartbeat delays expiry then. */
export async function sweepDeposits(context: DepositContext): Promise<void> {
  const { expiryAllowed } = await heartbeat(context.db, bounds.awayMs, bounds.expiryDelayMs)
  if (!expiryAllowed) return
  try {
    while ((await expireDeposits(context)) === bounds.sweepGroup);
  } catch (error) {
    if (isContended(error) || isDatabaseAway(error)) throw error
    await expireOneByOne(context)
    throw error
  }
  while ((await freeExpiredSlots(context.db)) >= bounds.sweepGroup);
}

/** One that cannot be written must not keep the others of its group from expiring; the fault of the group is logged. */
async function expireOneByOne(context: DepositContext): Promise<void> {
  for (const id of await listOverdue(context.db, bounds.sweepGroup))
    await expireDeposits(context, id).catch(() => {})
  while ((await freeExpiredSlots(context.db)) >= bounds.sweepGroup);
}
