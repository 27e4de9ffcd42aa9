/**
 * The test clock: time passes for the deposits of one test merchant only. Their deadlines move
 * closer, and the usual sweep expires them. Not possible in production.
 */
import { bounds } from '../../platform/bounds.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { bringSlotsForward } from '../deposits/slot-store.ts'
import { bringDeadlinesForward } from '../deposits/store.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { findMerchant } from '../merchants/store.ts'
import { message } from '../messages/message.ts'

type PassTime = { merchantId: MerchantId; minutes: number; isProduction: boolean }

/** Returns how many deposits were changed. The hooks run in the first transaction. */
export async function passTime(
  { db, changed }: DepositContext,
  { merchantId, minutes, isProduction }: PassTime,
  hooks?: Hooks,
): Promise<{ deposits: number }> {
  if (isProduction) {
    throw new Refusal('not_found', { detail: message('test_clock_cannot_move_in_production') })
  }
  if ((await findMerchant(db, merchantId))?.mode !== 'test') {
    throw new Refusal('not_found', { detail: message('no_test_mode_merchant_with_id') })
  }
  let deposits = 0
  let after: string | null = null
  do {
    const group = { merchantId, minutes, after, limit: bounds.sweepGroup }
    const groupHooks = after === null ? hooks : undefined
    const moved: string[] = await perform(db, groupHooks, (tx) => bringDeadlinesForward(tx, group))
    deposits += moved.length
    after = moved.length === bounds.sweepGroup ? moved.at(-1)! : null
  } while (after !== null)
  await db.transaction((tx) => bringSlotsForward(tx, { merchantId, minutes }))
  changed()
  return { deposits }
}
