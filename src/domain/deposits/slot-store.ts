/** Slots in the database: while a deposit holds one, no other waits for the same amount on the same account. */
import { bounds } from '../../platform/bounds.ts'
import { sql, type Tx } from '../../platform/db.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import type { Change } from './decide.ts'
import type { Deposit } from './deposit.ts'

type SlotDraft = Pick<Deposit, 'id' | 'currency' | 'amountCents'> & {
  accountId: string | null
  openMinutes: number
  lateGraceHours: number
}

/** Returns whether the slot was free. */
export const takeSlot = (tx: Tx, draft: SlotDraft) =>
  tx.has(sql`
    insert into deposit_slots (currency, amount_cents, account_id, deposit_id, free_at)
    values
      (${draft.currency}, ${draft.amountCents}, ${draft.accountId}, ${draft.id},
       inlet_now() + make_interval(mins => ${draft.openMinutes}::int, hours => ${draft.lateGraceHours}::int))
    on conflict do nothing
    returning deposit_id`)

/**
 * A confirmed deposit holds its slot until the end of the bank's day; any other until the end of the late grace. One that a
 * person confirmed before its money was reported holds it for three more days: a bank may book the money that late, and it
 * would confirm the next deposit of this amount. What was open or under review past that time gets it back here, because
 * `freeSlots` may have put it off.
 */
export async function moveSlots(tx: Tx, changes: readonly Change[]): Promise<void> {
  const moved = changes.filter(
    ({ before, deposit, at }) =>
      (deposit.state === 'confirmed' && before.state !== 'confirmed') ||
      deposit.lateUntil > before.lateUntil ||
      (isReviewed(before) && !isReviewed(deposit)) ||
      (before.state === 'created' && deposit.state !== 'created' && deposit.lateUntil <= at),
  )
  if (moved.length === 0) return
  await tx.query(sql`
    update deposit_slots s
    set free_at = case
        when d.state not in ('confirmed', 'reversed') then d.late_until
        when d.labels @> '{manual}'
          and d.amount_cents > (select coalesce(sum(cents), 0) from allocations where deposit_id = d.id)
          then greatest(d.late_until, bank_day_end(d.currency, inlet_now() + interval '3 days'))
        else bank_day_end(d.currency, inlet_now())
      end
    from deposits d
    where d.id = s.deposit_id
      and s.deposit_id in (
        select deposit_id
        from deposit_slots
        where deposit_id = any((select ${moved.map((change) => change.deposit.id)}::uuid[])::uuid[])
        order by currency, amount_cents, account_id
        for update)`)
}

const isReviewed = ({ labels }: Deposit) => labels.includes('review')

/**
 * Frees slots whose time has passed, oldest first. What an open deposit holds, or one that a person still has to decide, is
 * put off, so that it is not looked at every second. Returns how many were looked at.
 */
export async function freeSlots(tx: Tx, limit: number): Promise<number> {
  // Locked by a statement of their own: the next one sees every change of their deposits that came before, and a later one
  // moves its slot after this transaction.
  const due = await tx.query<{ id: string }>(sql`
    select deposit_id as id
    from deposit_slots
    where free_at <= inlet_now()
    order by free_at
    limit ${limit}
    for update skip locked`)
  if (due.length === 0) return 0
  await tx.query(sql`
    with due as materialized (
      select d.id, d.state in ('builded', 'created') or d.labels @> '{review}' as is_held
      from deposits d
      where d.id = any((select ${due.map(({ id }) => id)}::uuid[])::uuid[])
    ), put_off as (
      update deposit_slots s
      set free_at = inlet_now() + make_interval(secs => ${bounds.heldSlotMs / 1000})
      from due
      where s.deposit_id = due.id and due.is_held
    )
    delete from deposit_slots s
    using due
    where s.deposit_id = due.id and not due.is_held`)
  return due.length
}

/** Test mode only, as in `bringDeadlinesForward`: slots of closed deposits become free some minutes earlier. */
export const bringSlotsForward = (
  tx: Tx,
  { merchantId, minutes }: { merchantId: MerchantId; minutes: number },
) =>
  tx.run(sql`
    update deposit_slots
    set free_at = free_at - make_interval(mins => ${minutes}::int)
    where deposit_id in (
      select s.deposit_id
      from deposit_slots s
      join deposits d on d.id = s.deposit_id
      join merchants m on m.id = d.merchant_id
      where d.merchant_id = ${merchantId}
        and m.mode = 'test'
        and d.state not in ('builded', 'created', 'expired')
      order by s.currency, s.amount_cents, s.account_id
      for update of s)`)
