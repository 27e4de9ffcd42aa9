/** Money that a bank may still report for deposits that a person confirmed, or for which a person recorded money. */
import { fragment, sql, type Tx } from '../../platform/db.ts'
import type { Cents } from '../money.ts'
import { holidayDays } from './bank-text/days.ts'
import { findWaiting, maxWaiting, type Wait } from './candidate-store.ts'
import { distinctSent, type Sent, sentPayments } from './ended-store.ts'
import { namedReferencesIn } from './purpose-references.ts'
import type { TransferFacts } from './transfer.ts'

/** `cents`: one of the sums that may still be reported. `missingCents`: everything that no bank has reported yet. */
export type StillToCome = Wait & { missingCents: Cents }

/** How many sums are compared with the payments of one group. If there are more, a person decides. */
const maxStillToCome = 1_000

/** The sum that banks have reported for the deposit `d`. */
const reportedSum = fragment`
  (select coalesce(sum(t.deposit_cents), 0)::bigint as cents from transfers t where t.deposit_id = d.id)`

/** The deposit `d` can get money. */
const isOpen = fragment`
  (d.state = 'confirmed' or (d.state in ('created', 'expired') and d.late_until > (select inlet_now())))`

/**
 * Deposits that a person confirmed, or recorded money for, and that may still get exactly the sum of one of these payments:
 * their amount, the missing sum with or without the recorded money, all recorded money, or one recorded part. For an ended
 * deposit only recorded parts count; `findEnded` finds the rest. `mayStillCome` decides whether the payment was sent in time.
 */
export async function findStillToCome(
  tx: Tx,
  payments: readonly Sent[],
): Promise<{ toCome: StillToCome[]; isCrowded: boolean }> {
  const sent = distinctSent(payments)
  if (sent.length === 0) return { toCome: [], isCrowded: false }
  const toCome = await tx.query<StillToCome>(sql`
    with k as (${sentPayments(sent)})
    select d.account_id as "accountId", d.id as "depositId", d.reference, d.amount_cents as cents,
      d.missing_cents as "missingCents"
    from k
    cross join lateral (
      select d.account_id, d.id, d.reference, d.amount_cents,
        greatest(d.amount_cents, d.received_cents) - b.cents as missing_cents
      from deposits d
      cross join lateral ${reportedSum} b
      where d.account_id = k.account_id
        and d.amount_cents = k.cents
        and d.state = 'confirmed'
        and d.labels @> '{manual}'
        and d.final_at >= bank_midnight(k.currency, k.first_day - ${holidayDays}::int)
        and d.issued_at <= k.issued_by
        and d.amount_cents > b.cents
      limit ${maxWaiting + 1}
    ) d
    union
    (select d.account_id, d.id, d.reference, sums.cents, greatest(d.amount_cents, d.received_cents) - b.cents
    from (
      select account_id, min(bank_midnight(currency, first_day - ${holidayDays}::int)) as since, max(issued_by) as issued_by,
        array_agg(distinct cents) as asked, min(cents) as least_cents
      from k
      group by account_id
    ) a
    cross join lateral (
      select id, account_id, reference, state, late_until, amount_cents, received_cents
      from deposits
      where account_id = a.account_id
        and labels @> '{manual}'
        and received_cents > 0
        and greatest(amount_cents, received_cents) >= a.least_cents
        and coalesce(final_at, late_until) >= a.since
        and issued_at <= a.issued_by
      -- Joined otherwise, all of their index would be read.
      offset 0
    ) d
    cross join lateral ${reportedSum} b
    cross join lateral (
      select unnest(array[
        d.amount_cents, d.amount_cents - b.cents, d.amount_cents - d.received_cents, d.received_cents - b.cents]) as cents
      where ${isOpen}
      union
      select (h.evidence ->> 'noted')::bigint
      from deposit_history h
      where h.deposit_id = d.id and h.evidence ? 'noted'
    ) sums
    where b.cents < greatest(d.amount_cents, d.received_cents) and sums.cents = any(a.asked)
    limit ${maxStillToCome + 1})`)
  return { toCome, isCrowded: toCome.length > maxStillToCome }
}

/**
 * Which of these payments may be money that a person confirmed or recorded before a bank reported it: they name the deposit,
 * or name none and have a sum that it may still get.
 */
export async function findMaybeNoted<Payment extends Sent & Pick<TransferFacts, 'purpose' | 'purposeParts'>>(
  tx: Tx,
  payments: readonly Payment[],
): Promise<Set<Payment>> {
  const written = new Map(payments.map((payment) => [payment, namedReferencesIn(payment).written]))
  const named = await findWaiting(tx, [], [...written.values()].flat())
  const lacking = await findLackingMoney(
    tx,
    named.map(({ depositId }) => depositId),
  )
  const unpaid = named.filter(({ depositId }) => lacking.has(depositId))
  const nameless = payments.filter((payment) => written.get(payment)!.length === 0)
  const { toCome } = await findStillToCome(tx, nameless)
  return new Set(
    payments.filter((payment) => {
      const names = written.get(payment)!
      return names.length > 0
        ? unpaid.some((wait) => wait.accountId === payment.accountId && names.includes(wait.reference))
        : toCome.some((wait) => wait.accountId === payment.accountId && wait.cents === payment.cents)
    }),
  )
}

/** Those of these deposits that a person confirmed, or recorded money for, and whose full amount banks have not reported since. */
async function findLackingMoney(tx: Tx, depositIds: readonly string[]): Promise<Set<string>> {
  if (depositIds.length === 0) return new Set()
  const rows = await tx.query<{ id: string }>(sql`
    select d.id
    from deposits d
    cross join lateral ${reportedSum} b
    where d.id = any((select ${depositIds}::uuid[])::uuid[])
      and d.labels @> '{manual}'
      and d.state in ('created', 'expired', 'confirmed')
      and ((d.state = 'confirmed' and d.amount_cents > b.cents) or d.received_cents > b.cents)`)
  return new Set(rows.map(({ id }) => id))
}
