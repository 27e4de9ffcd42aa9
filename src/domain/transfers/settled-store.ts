/**
 * Transfers that settled a deposit, or had settled one before they were refunded. If another source or format reports them
 * again, they must not count twice.
 */

import { fragment, sql, type Tx } from '../../platform/db.ts'
import type { Cents } from '../money.ts'
import { holidayDays, reportedDays } from './bank-text/days.ts'
import {
  findInOtherFiles,
  findReportedElsewhere,
  isNotRepeatedBy,
  type RepeatingOrigin,
  type ReportedPayment,
  reportedColumns,
} from './other-reports-store.ts'
import { mayBeSame } from './possible-repetition.ts'
import { isReportedInAnotherWay, isRevokedByBank } from './prior-entry-store.ts'
import type { LockedTransfer } from './store.ts'
import type { TransferFacts } from './transfer.ts'

/**
 * The transfers that settled these deposits, came from elsewhere, and that this file or source has not repeated; and what other
 * files of this format reported them, which may have got another day and number there. Only those of the amounts and about the
 * days of these payments: a deposit may have been paid in very many parts.
 */
export async function findSettled(
  tx: Tx,
  origin: RepeatingOrigin,
  depositIds: readonly string[],
  facts: readonly PaidAbout[],
): Promise<ReportedPayment[]> {
  if (depositIds.length === 0) return []
  const isOfThese = isAbout(facts)
  const settled = await tx.query<ReportedPayment>(sql`
    select ${reportedColumns(origin)}
    from transfers t
    where t.deposit_id = any(${depositIds}::uuid[])
      and (t.source_id <> ${origin.sourceId} or t.statement_id is distinct from ${origin.statementId}::uuid)
      and ${isOfThese}
      and ${isNotRepeatedBy(origin)}`)
  if (origin.statementId === null) return settled
  const reportedAgain = await tx.query<ReportedPayment>(sql`
    select ${reportedColumns(origin, fragment`o`)}
    from transfers o
    join transfers t on t.duplicate_of = o.id
    where o.deposit_id = any(${depositIds}::uuid[])
      and t.source_id = ${origin.sourceId}
      and t.channel = ${origin.channel}
      and t.statement_id <> ${origin.statementId}::uuid
      and ${isOfThese}
      and ${isNotRepeatedBy(origin)}`)
  return [...settled, ...reportedAgain]
}

/** A payment, with a deposit that it names or whose rest it may be. */
type MeantPayment = Pick<TransferFacts, 'cents' | 'sentCents'> & { depositId: string }

/**
 * The payments of these deposits, and those that they have lost (`lost`), that may be one of the payments that are meant for them, before or
 * after the fee of a bank: see `mayBeSameLessFee`. They were reported in another way, perhaps also by this file (see `isBeforeFee`), or by
 * another file in the same way, and not by this one. Of very many of one deposit, one stands for all.
 */
export async function findBeforeFee(
  tx: Tx,
  origin: RepeatingOrigin,
  meant: readonly MeantPayment[],
  lost: readonly LostPayment[],
): Promise<ReportedPayment[]> {
  if (meant.length === 0) return []
  const ranges = new Map(
    [...Map.groupBy(meant, ({ depositId }) => depositId)].map(([id, payments]) => [id, feeRange(payments)]),
  )
  const isPerhapsBeforeFee = fragment`
    (t.cents between k.least and k.most or t.sent_cents between k.least and k.most)
    and (
      ${isReportedInAnotherWay(origin)}
      or (t.statement_id <> (select ${origin.statementId}::uuid) and ${isNotRepeatedBy(origin)}))`
  const settled = await tx.query<BeforeFee>(sql`
    select ${reportedColumns(origin)}, found.stands_for_many as "standsForMany", ${isReportedInAnotherWay(origin)} as "isInAnotherWay"
    from (
      select found.id, found.stands_for_many
      from unnest(
        (select ${[...ranges.keys()]}::uuid[]),
        ${[...ranges.values()].map(({ least }) => least)}::bigint[],
        ${[...ranges.values()].map(({ most }) => most)}::bigint[]) as k (deposit_id, least, most)
      cross join lateral (
        select t.id, row_number() over () > ${maxBeforeFee}::int as stands_for_many
        from transfers t
        where t.deposit_id = k.deposit_id
          and ${isPerhapsBeforeFee}
        limit ${maxBeforeFee + 1}::int
      ) found
    ) found
    join transfers t on t.id = found.id`)
  const meantLost = lost.filter(({ depositId }) => ranges.has(depositId))
  if (meantLost.length === 0) return settled.map(asBeforeFee)
  const released = await tx.query<BeforeFee>(sql`
    select ${reportedColumns(origin, fragment`t`, fragment`k.deposit_id`)}, ${isReportedInAnotherWay(origin)} as "isInAnotherWay"
    from unnest(
      (select ${meantLost.map(({ depositId }) => depositId)}::uuid[]),
      ${meantLost.map(({ transferId }) => transferId)}::uuid[],
      ${meantLost.map(({ depositId }) => ranges.get(depositId)!.least)}::bigint[],
      ${meantLost.map(({ depositId }) => ranges.get(depositId)!.most)}::bigint[])
      as k (deposit_id, transfer_id, least, most)
    join transfers t on t.id = k.transfer_id
    where t.deposit_id is distinct from k.deposit_id
      and ${isPerhapsBeforeFee}`)
  return [...settled, ...released].map(asBeforeFee)
}

type BeforeFee = ReportedPayment & { isInAnotherWay: boolean }
const asBeforeFee = ({ isInAnotherWay, ...payment }: BeforeFee): ReportedPayment => ({
  ...payment,
  isBeforeFee: true,
  isReportedElsewhere: isInAnotherWay,
})

/** How many payments of one deposit are compared before and after a fee. */
const maxBeforeFee = 200

/** The amounts that these payments may have in another report: see `differByFee`. */
function feeRange(payments: readonly MeantPayment[]): { least: Cents; most: Cents } {
  let [least, most] = [payments[0]!.cents, 0n]
  for (const { cents, sentCents } of payments) {
    if (cents < least) least = cents
    for (const sent of [cents, sentCents ?? 0n]) if (sent > most) most = sent
  }
  return { least: (least * 9n) / 10n, most: (most * 10n) / 9n + 1n }
}

/** How much of the received money of these deposits was recorded by a person and is in no transfer. */
export async function findNoted(tx: Tx, depositIds: readonly string[]): Promise<Map<string, Cents>> {
  if (depositIds.length === 0) return new Map()
  const rows = await tx.query<{ id: string; cents: Cents }>(sql`
    select d.id, d.received_cents - coalesce(brought.cents, 0) as cents
    from deposits d
    cross join lateral (
      select sum(t.deposit_cents)::bigint as cents from transfers t where t.deposit_id = d.id) brought
    where d.id = any((select ${depositIds}::uuid[])::uuid[]) and d.labels @> '{manual}'`)
  return new Map(rows.map(({ id, cents }) => [id, cents]))
}

type PaidAbout = Pick<TransferFacts, 'cents' | 'bookedOn' | 'paidOn'>

/** The transfer `t` is of the amounts and about the days of these payments. */
const isAbout = (facts: readonly PaidAbout[]) => fragment`
  t.cents = any(${[...new Set(facts.map((entry) => entry.cents))]}::bigint[])
  and t.booked_on = any(${[...new Set(facts.flatMap((entry) => reportedDays(entry, holidayDays)))]}::date[])`

/** A payment that had settled a deposit before it was refunded or revoked. */
type LostPayment = { depositId: string; transferId: string }

/** Few deposits have lost money. */
export const findLost = (tx: Tx, depositIds: readonly string[]): Promise<LostPayment[]> =>
  tx.query(sql`
    select distinct deposit_id as "depositId", evidence ->> 'transfer' as "transferId"
    from deposit_history
    where deposit_id = any((select ${depositIds}::uuid[])::uuid[]) and action = 'receive' and evidence ? 'transfer'`)

/** Reported again by another source and with another day, a payment that its deposit has lost must not settle it again. */
export async function findLostAbout(
  tx: Tx,
  origin: RepeatingOrigin,
  lost: readonly LostPayment[],
  facts: readonly PaidAbout[],
): Promise<ReportedPayment[]> {
  if (lost.length === 0) return []
  return tx.query<ReportedPayment>(sql`
    select ${reportedColumns(origin, fragment`t`, fragment`h.deposit_id`)}
    from unnest(
      (select ${lost.map(({ depositId }) => depositId)}::uuid[]),
      ${lost.map(({ transferId }) => transferId)}::uuid[]) as h (deposit_id, transfer_id)
    join transfers t on t.id = h.transfer_id
    where t.deposit_id is distinct from h.deposit_id
      and (t.source_id <> ${origin.sourceId} or t.statement_id is distinct from ${origin.statementId}::uuid)
      and ${isAbout(facts)}
      and ${isNotRepeatedBy(origin)}`)
}

/**
 * Payments of these amounts and about these days whose money a person, or the payer alone, gave to a deposit, or that were given
 * back, taken back, set aside or left without their deposit. Their reports may have named no deposit, and this one does: perhaps a
 * deposit created since, whose reference was guessed. Such payments are few; all payments of a common amount would be many.
 */
export async function findDecided(
  tx: Tx,
  origin: RepeatingOrigin,
  facts: readonly (PaidAbout & Pick<TransferFacts, 'accountId'>)[],
): Promise<ReportedPayment[]> {
  if (facts.length === 0) return []
  const days = facts.flatMap((entry) => reportedDays(entry, holidayDays)).sort()
  // Lists in a `select` of their own, so that the plan is kept, and an order that only the index of decided payments has.
  const decided = await tx.query<{ id: string }>(sql`
    select t.id
    from (
      select distinct account_id, cents
      from unnest(
        (select ${facts.map((entry) => entry.accountId)}::uuid[]),
        (select ${facts.map((entry) => entry.cents)}::bigint[])) as k (account_id, cents)
    ) k
    cross join lateral (
      select id
      from transfers
      where is_decided
        and account_id = k.account_id
        and cents between k.cents and k.cents
        and booked_on between (select ${days[0]}::date) and (select ${days.at(-1)}::date)
      order by cents, booked_on
      offset 0
    ) t`)
  if (decided.length === 0) return []
  return tx.query<ReportedPayment>(sql`
    select ${reportedColumns(origin)}
    from transfers t
    where t.id = any(${decided.map(({ id }) => id)}::uuid[])
      and t.direction = 'credit'
      and (
        t.deposit_id is not null
        or t.due_since is not null
        or t.state in ('refunded', 'set_aside')
        or (t.state = 'revoked' and ${isRevokedByBank}))
      and (t.source_id <> ${origin.sourceId} or t.statement_id is distinct from ${origin.statementId}::uuid)
      and ${isAbout(facts)}
      and ${isNotRepeatedBy(origin)}`)
}

/**
 * The transfers that count for a deposit and that this one may be the same payment as. They may have come after it: a statement
 * names the deposit of a payment that a push reported without its purpose, and that still waits for a person.
 */
export async function findCounting(tx: Tx, transfer: LockedTransfer): Promise<string[]> {
  const { sourceId, channel, statementId } = transfer
  const origin = { sourceId, channel, statementId, repeatedIds: [] }
  const reported = [
    ...(await findReportedElsewhere(tx, origin, [transfer])),
    ...(await findInOtherFiles(tx, origin, [transfer])),
  ]
  const counting = reported.filter(({ depositId, standsForMany }) => depositId !== null && !standsForMany)
  return [...new Set(counting.filter((other) => mayBeSame(other, transfer)).map(({ id }) => id))]
}
