/** Deposits that have ended without all of their money, and that a payment without a reference may be for. */
import { fragment, sql, type Tx } from '../../platform/db.ts'
import type { EndedDeposit } from './matching.ts'
import { bookingDelayMs, clockDifferenceMs, firstDay, isSentByDay } from './payment-times.ts'
import type { TransferFacts } from './transfer.ts'

/** The facts that show when a payment was sent. */
export type Sent = Pick<
  TransferFacts,
  'accountId' | 'cents' | 'currency' | 'paidOn' | 'bookedOn' | 'bookedAt'
>

/**
 * A table of payments, each with its place in the list, the first midnight of the days on which it may have been sent, and `issued_by`:
 * the time by which the requisites that it was sent to had been issued. `day_of` is that midnight where only the day is known.
 */
export const sentPayments = (sent: readonly Sent[]) => fragment`
  select account_id, cents, currency, booked_at, place, first_day, bank_midnight(currency, first_day) as first_midnight,
    case when is_by_day then bank_midnight(currency, first_day) end as day_of,
    coalesce(
      booked_at + make_interval(secs => ${clockDifferenceMs / 1_000}::int),
      bank_midnight(currency, booked_on + 1) - interval '1 millisecond') as issued_by
  from unnest(
    (select ${sent.map((payment) => payment.accountId)}::uuid[]),
    ${sent.map((payment) => payment.cents)}::bigint[],
    ${sent.map((payment) => payment.currency)}::text[],
    ${sent.map(firstDay)}::date[],
    ${sent.map((payment) => payment.bookedOn)}::date[],
    ${sent.map((payment) => payment.bookedAt)}::timestamptz[],
    ${sent.map(isSentByDay)}::boolean[])
    with ordinality as p (account_id, cents, currency, first_day, booked_on, booked_at, is_by_day, place)`

/** Keeps one of the payments with equal facts, so that each case is looked up once. */
export const distinctSent = (payments: readonly Sent[]): Sent[] => [
  ...new Map(payments.map((payment) => [sentKey(payment), payment])).values(),
]

const sentKey = (payment: Sent): string =>
  [
    ...[payment.accountId, payment.cents, payment.currency],
    ...[firstDay(payment), payment.bookedOn, payment.bookedAt?.getTime()],
  ].join(':')

/** `standsForMany`: more deposits of this amount have ended than are compared. */
type Ended = EndedDeposit['deposit'] & { standsForMany: boolean }

/** How many deposits of one sum that have ended since a payment are compared, and how many of the fitting ones are returned. */
const maxCompared = 500
const maxReturned = 20

/**
 * Deposits that have ended, and that could be paid when a payment was sent, as `wasPayable` says: those of its amount, and
 * those that lack just this sum. The times of the payment are in the query, so that deposits that ended before it or were
 * issued after it do not count towards the maximum. One that was canceled or rejected could be paid until then; so could one
 * that was confirmed, until it was reversed: its money may be booked again.
 */
export async function findEnded(tx: Tx, payments: readonly Sent[]): Promise<(payment: Sent) => Ended[]> {
  const sent = distinctSent(payments)
  if (sent.length === 0) return () => []
  const delay = fragment`make_interval(secs => ${bookingDelayMs / 1_000}::int)`
  const rows = await tx.query<Ended & { place: number }>(sql`
    select k.place::int, d.id, d.currency, d.issued_at as "issuedAt", d.expires_at as "expiresAt", d.late_until as "lateUntil",
      d.position > ${maxCompared} as "standsForMany"
    from (${sentPayments(sent)}) k
    cross join lateral (
      select id, currency, issued_at, least(expires_at, final_at) as expires_at,
        least(late_until, final_at + ${delay}) as late_until, position
      from (
        (select id, currency, issued_at, expires_at, late_until, null::timestamptz as final_at,
          row_number() over (order by late_until) as position
        from deposits
        where account_id = k.account_id
          and amount_cents = k.cents
          -- Not yet marked as expired, it has ended as well.
          and state in ('created', 'expired')
          and late_until >= least(k.booked_at, k.day_of)
          and late_until <= (select inlet_now())
        order by late_until
        limit ${maxCompared + 1})
        union all
        (select id, currency, issued_at, expires_at, late_until, final_at, row_number() over (order by final_at)
        from deposits
        where account_id = k.account_id
          and amount_cents = k.cents
          and state in ('canceled', 'rejected', 'reversed')
          and final_at >= least(k.booked_at - ${delay}, k.day_of)
        order by final_at
        limit ${maxCompared + 1})
        union all
        (select id, currency, issued_at, expires_at, late_until, final_at,
          row_number() over (order by coalesce(final_at, late_until))
        from deposits
        where account_id = k.account_id
          and amount_cents - received_cents = k.cents
          and received_cents > 0
          and received_cents < amount_cents
          and state <> 'confirmed'
          and coalesce(final_at, late_until) >= least(k.booked_at - ${delay}, k.day_of)
          and coalesce(final_at, late_until) <= (select inlet_now())
        order by coalesce(final_at, late_until)
        limit ${maxCompared + 1})
      ) d
      where position > ${maxCompared}
        or (
          issued_at <= k.issued_by
          and (least(late_until, final_at + ${delay}) >= k.booked_at or least(expires_at, final_at) >= k.day_of))
      limit ${maxReturned}
    ) d`)
  const found = Map.groupBy(rows, ({ place }) => sentKey(sent[place - 1]!))
  return (payment) => found.get(sentKey(payment)) ?? []
}
