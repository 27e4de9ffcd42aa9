/** Slots in the database: while a deposit holds one, no other waits for the same amount on the same account. */
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
 * would confirm the next deposit of this amount.
 */
export async function moveSlots(tx: Tx, changes: readonly Change[]): Promise<void> {
  const moved = changes.filter(
    ({ before, deposit }) =>
      (deposit.state === 'confirmed' && before.state !== 'confirmed') || deposit.lateUntil > before.lateUntil,
  )
  if (moved.length === 0) return
  await tx.query(sql`
    update deposit_slots s
    set free_at = case
        when d.state <> 'confirmed' then d.late_until
        when d.labels @> '{manual}'
          and d.amount_cents > (select coalesce(sum(t.deposit_cents), 0) from transfers t where t.deposit_id = d.id)
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

/** Frees slots whose time has passed, oldest first, but none of an open deposit. Returns how many. */
export async function freeSlots(tx: Tx, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from deposit_slots
    where deposit_id in (
      select s.deposit_id
      from deposit_slots s
      join deposits d on d.id = s.deposit_id
      where s.free_at <= inlet_now()
        and d.state not in ('builded', 'created')
        -- What a person still has to decide keeps its amount to itself.
        and not d.labels @> '{review}'
      order by s.free_at
      limit ${limit}
      for update of s skip locked)
    returning deposit_id`)
  return rows.length
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
