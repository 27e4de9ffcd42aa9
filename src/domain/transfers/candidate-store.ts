/** The deposits that a transfer may belong to. */
import { fragment, sql, type Tx } from '../../platform/db.ts'
import type { Reference } from '../deposits/reference.ts'
import type { Cents } from '../money.ts'
import { holidayDays } from './bank-text/days.ts'
import { clockDifferenceMs, type EndedDeposit, firstDay, isSentByDay } from './matching.ts'
import { referencesIn } from './purpose-references.ts'
import type { Payer } from './repetitions.ts'
import type { TransferFacts } from './transfer.ts'

type Wait = { accountId: string; depositId: string; reference: Reference; cents: Cents }

/** How many deposits are considered for one amount; where there are more, a person decides. */
export const waitingMost = 50

/**
 * The deposits that wait for these amounts, with those that a person confirmed before their money was reported, and those that
 * these references name on any account.
 */
export async function findWaiting(
  tx: Tx,
  facts: readonly { accountId: string; cents: Cents }[],
  references: readonly Reference[],
): Promise<Wait[]> {
  if (facts.length === 0 && references.length === 0) return []
  return tx.query<Wait>(sql`
    select d.account_id as "accountId", d.id as "depositId", d.reference, d.amount_cents as cents
    from (
      select distinct account_id, cents
      from unnest((select ${facts.map((entry) => entry.accountId)}::uuid[]), ${facts.map((entry) => entry.cents)}::bigint[])
        as k (account_id, cents)
    ) k
    cross join lateral (
      (select d.account_id, d.id, d.reference, d.amount_cents
      from deposits d
      where d.account_id = k.account_id
        and d.amount_cents = k.cents
        and d.state in ('created', 'expired')
        and d.late_until > (select inlet_now())
      limit ${waitingMost + 1})
      union all
      (select d.account_id, d.id, d.reference, d.amount_cents
      from deposits d
      where d.account_id = k.account_id
        and d.amount_cents = k.cents
        and d.state = 'confirmed'
        and d.labels @> '{manual}'
        and d.amount_cents > (select coalesce(sum(t.deposit_cents), 0) from transfers t where t.deposit_id = d.id)
        and d.final_at > (select inlet_now()) - make_interval(days => ${holidayDays}::int)
      limit 1)
    ) d
    union
    select d.account_id, d.id, d.reference, d.amount_cents
    from deposits d
    where d.reference = any((select ${references}::text[])::text[]) and d.holds_reference`)
}

type Sent = Pick<TransferFacts, 'accountId' | 'cents' | 'currency' | 'paidOn' | 'bookedOn' | 'bookedAt'>

/** `standsForMany`: there are more of its amount than are compared. */
type Ended = EndedDeposit['deposit'] & { standsForMany: boolean }

/** How many deposits of one amount that have ended since a payment are compared, and how many are returned of those that fit. */
const endedCompared = 500
const endedMost = 20

/**
 * Deposits of the amount of a payment that have ended without money, and that could be paid when it was sent, as `wasPayable` says. The
 * times of the payment are in the query: whatever else ended before or was issued after it takes nobody's place. One that was canceled
 * or rejected could be paid until then; so could one that was confirmed, until it was reversed: its money may be booked again.
 */
export async function findEnded(tx: Tx, payments: readonly Sent[]): Promise<(payment: Sent) => Ended[]> {
  const sent = [...new Map(payments.map((payment) => [sentKey(payment), payment])).values()]
  if (sent.length === 0) return () => []
  const rows = await tx.query<Ended & { place: number }>(sql`
    select k.place::int, d.id, d.currency, d.issued_at as "issuedAt", d.expires_at as "expiresAt", d.late_until as "lateUntil",
      d.position > ${endedCompared} as "standsForMany"
    from (
      select account_id, cents, booked_at, place, case when is_by_day then bank_midnight(currency, first_day) end as first_midnight,
        bank_midnight(currency, booked_on + 1) as next_midnight
      from unnest(
        (select ${sent.map((payment) => payment.accountId)}::uuid[]),
        ${sent.map((payment) => payment.cents)}::bigint[],
        ${sent.map((payment) => payment.currency)}::text[],
        ${sent.map(firstDay)}::date[],
        ${sent.map((payment) => payment.bookedOn)}::date[],
        ${sent.map((payment) => payment.bookedAt)}::timestamptz[],
        ${sent.map(isSentByDay)}::boolean[])
        with ordinality as p (account_id, cents, currency, first_day, booked_on, booked_at, is_by_day, place)
    ) k
    cross join lateral (
      select id, currency, issued_at, expires_at, late_until, position
      from (
        (select id, currency, issued_at, expires_at, late_until, row_number() over (order by late_until) as position
        from deposits
        where account_id = k.account_id
          and amount_cents = k.cents
          -- Not yet marked as expired, it has ended as well.
          and state in ('created', 'expired')
          and received_cents = 0
          and late_until >= least(k.booked_at, k.first_midnight)
          and late_until <= (select inlet_now())
        order by late_until
        limit ${endedCompared + 1})
        union all
        (select id, currency, issued_at, least(expires_at, final_at), least(late_until, final_at),
          row_number() over (order by final_at)
        from deposits
        where account_id = k.account_id
          and amount_cents = k.cents
          and state in ('canceled', 'rejected')
          and received_cents = 0
          and final_at >= least(k.booked_at, k.first_midnight)
        order by final_at
        limit ${endedCompared + 1})
        union all
        (select id, currency, issued_at, least(expires_at, final_at), least(late_until, final_at),
          row_number() over (order by final_at)
        from deposits
        where account_id = k.account_id
          and amount_cents = k.cents
          and state = 'reversed'
          and final_at >= least(k.booked_at, k.first_midnight)
        order by final_at
        limit ${endedCompared + 1})
      ) d
      where position > ${endedCompared}
        or (
          case
            when k.booked_at is null then issued_at < k.next_midnight
            else issued_at <= k.booked_at + make_interval(secs => ${clockDifferenceMs / 1_000}::int)
          end
          and (late_until >= k.booked_at or expires_at >= k.first_midnight))
      limit ${endedMost}
    ) d`)
  const found = Map.groupBy(rows, ({ place }) => sentKey(sent[place - 1]!))
  return (payment) => found.get(sentKey(payment)) ?? []
}

const sentKey = (payment: Sent): string =>
  [
    ...[payment.accountId, payment.cents, payment.currency],
    ...[firstDay(payment), payment.bookedOn, payment.bookedAt?.getTime()],
  ].join(':')

const notedMost = 1_000

/** Of the deposit `d`, a person noted several parts, or another sum than its amount; what was noted in full is found by its amount. */
const isNotedOtherwise = fragment`
  (d.received_cents <> d.amount_cents
    or (select count(*) from deposit_history h where h.deposit_id = d.id and h.evidence ? 'noted') > 1)`

/**
 * Deposits of these accounts of whose money a person noted another sum than their amount, or several parts, and no bank has reported
 * all of it: `cents` is that sum, or one of the parts.
 */
export const findNotedInOtherSums = (tx: Tx, accountIds: readonly string[]) =>
  tx.query<Wait>(sql`
    select d.account_id as "accountId", d.id as "depositId", d.reference, noted.cents
    from (
      (select id, account_id, reference, received_cents
      from deposits d
      where account_id = any((select ${accountIds}::uuid[])::uuid[])
        and state = 'confirmed'
        and labels @> '{manual}'
        and ${isNotedOtherwise}
        and final_at > (select inlet_now()) - make_interval(days => ${holidayDays}::int)
      limit ${notedMost})
      union all
      (select id, account_id, reference, received_cents
      from deposits d
      where account_id = any((select ${accountIds}::uuid[])::uuid[])
        and state in ('created', 'expired')
        and received_cents > 0
        and ${isNotedOtherwise}
        and late_until > (select inlet_now())
        and labels @> '{manual}'
      limit ${notedMost})
    ) d
    cross join lateral (
      select coalesce(sum(t.deposit_cents), 0)::bigint as cents from transfers t where t.deposit_id = d.id) brought
    cross join lateral (
      select d.received_cents - brought.cents as cents
      union
      select (h.evidence ->> 'noted')::bigint
      from deposit_history h
      where h.deposit_id = d.id and h.evidence ? 'noted'
    ) noted
    where d.received_cents > brought.cents and noted.cents > 0`)

/**
 * Which of these payments may be the money of a deposit that a person confirmed, or whose money a person noted, before a bank reported
 * it: they name it, or name none and are of its amount or of a sum that was noted.
 */
export async function findMaybeNoted<
  Payment extends Pick<TransferFacts, 'accountId' | 'cents' | 'purpose' | 'purposeParts'>,
>(tx: Tx, payments: readonly Payment[]): Promise<Set<Payment>> {
  const written = new Map(payments.map((payment) => [payment, referencesIn(payment).written]))
  const nameless = payments.filter((payment) => written.get(payment)!.length === 0)
  const waiting = await findWaiting(tx, nameless, [...written.values()].flat())
  const noted = nameless.length > 0 ? await findNotedInOtherSums(tx, nameless.map(accountOf)) : []
  const withoutMoney = await findWithoutMoney(
    tx,
    waiting.map(({ depositId }) => depositId),
  )
  const unpaid = waiting.filter(({ depositId }) => withoutMoney.has(depositId))
  return new Set(
    payments.filter((payment) => {
      const named = written.get(payment)!
      return named.length > 0
        ? unpaid.some((wait) => wait.accountId === payment.accountId && named.includes(wait.reference))
        : [...unpaid, ...noted].some(
            (wait) => wait.accountId === payment.accountId && wait.cents === payment.cents,
          )
    }),
  )
}

const accountOf = ({ accountId }: { accountId: string }): string => accountId

/** Those of these deposits that a person confirmed, or whose money a person noted, and that no bank has paid since. */
async function findWithoutMoney(tx: Tx, depositIds: readonly string[]): Promise<Set<string>> {
  if (depositIds.length === 0) return new Set()
  const rows = await tx.query<{ id: string }>(sql`
    select d.id
    from deposits d
    cross join lateral (
      select coalesce(sum(t.deposit_cents), 0) as cents from transfers t where t.deposit_id = d.id) brought
    where d.id = any((select ${depositIds}::uuid[])::uuid[])
      and d.labels @> '{manual}'
      and d.state in ('created', 'expired', 'confirmed')
      and ((d.state = 'confirmed' and d.amount_cents > brought.cents) or d.received_cents > brought.cents)`)
  return new Set(rows.map(({ id }) => id))
}

/** The deposits that each of these purposes names. */
export async function findNamedIn(
  tx: Tx,
  purposes: readonly string[],
): Promise<Map<string, Pick<Wait, 'depositId' | 'reference'>[]>> {
  const written = new Map(
    purposes.map((purpose) => [purpose, referencesIn({ purpose, purposeParts: [purpose] }).written]),
  )
  const named = Map.groupBy(await findWaiting(tx, [], [...written.values()].flat()), (wait) => wait.reference)
  return new Map(
    [...written].map(([purpose, references]) => [purpose, references.flatMap((one) => named.get(one) ?? [])]),
  )
}

/** The deposits that a purpose names; none where it names one of `except`. */
export async function findOtherNamedDeposits(
  tx: Tx,
  transfer: Pick<TransferFacts, 'purpose' | 'purposeParts'>,
  except: readonly (string | null)[],
): Promise<Wait[]> {
  const named = await findWaiting(tx, [], referencesIn(transfer).written)
  return named.some(({ depositId }) => except.includes(depositId)) ? [] : named
}

type Begun = Payer & { depositId: string; accountId: string }

/** How many parts of one deposit are looked at for their payers, and how many deposits and payers in all. */
const partsOfDeposit = 20
const begunMost = 2_000

/**
 * Deposits of these accounts that have a part of their money, with who sent it. Where there are too many to look at none is
 * returned, and a person decides about whatever names no deposit.
 */
export async function findBegun(
  tx: Tx,
  accountIds: readonly string[],
): Promise<{ begun: Begun[]; isCrowded: boolean }> {
  if (accountIds.length === 0) return { begun: [], isCrowded: false }
  const begun = await tx.query<Begun>(sql`
    select distinct d.id as "depositId", d.account_id as "accountId", t.payer_account as "payerAccount",
      t.payer_tax_id as "payerTaxId", t.payer_name as "payerName"
    from (
      select id, account_id
      from deposits
      where account_id = any(${accountIds}::uuid[])
        and state in ('created', 'expired')
        and received_cents > 0
        and received_cents < amount_cents
        and late_until > (select inlet_now())
      limit ${begunMost + 1}
    ) d
    cross join lateral (
      select payer_account, payer_tax_id, payer_name
      from transfers
      where deposit_id = d.id
      limit ${partsOfDeposit}
    ) t
    limit ${begunMost + 1}`)
  const isCrowded = begun.length > begunMost
  return { begun: isCrowded ? [] : begun, isCrowded }
}

/** Test and live never meet, and a merchant's own account serves nobody else: also by a person's hand. */
export const mayServe = (tx: Tx, transferId: string, depositId: string) =>
  tx.has(sql`
    select t.id
    from transfers t
    join receiving_accounts a on a.id = t.account_id
    join deposits d on d.id = ${depositId}
    join merchants m on m.id = d.merchant_id
    where t.id = ${transferId}
      and m.mode = a.mode
      and (a.merchant_id is null or a.merchant_id = d.merchant_id)`)
