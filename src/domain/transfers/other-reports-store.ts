/**
 * Finds payments of the same amount and day that were reported in another way: by another source, in another format, or in another
 * file. One payment that is reported twice must not count twice.
 */

import { type Fragment, fragment, sql, type Tx } from '../../platform/db.ts'
import { holidayDays, reportedDays } from './bank-text/days.ts'
import {
  accountPrefix,
  bankAccountPattern,
  channelsNumberedDifferently,
  channelsWithManySources,
  channelsWithPayerInText,
  documentDigits,
  isUnique,
  kazakhIbanPattern,
  lastFourDigits,
  type PossibleRepetition,
  reusedIdPattern,
} from './possible-repetition.ts'
import {
  type EntryOrigin,
  hasOtherNumberColumns,
  isReportedInAnotherWay,
  isRevokedByBank,
  priorFacts,
} from './prior-entry-store.ts'
import { type PriorTransfer, taxIdOf } from './repetitions.ts'
import { channels, type TransferFacts, type TransferState } from './transfer.ts'

type PaymentKey = Pick<TransferFacts, 'accountId' | 'bookedOn' | 'cents'>

/** How many payments of one amount and day are compared. Where there are more, a person decides. */
const maxCompared = 10_000

/**
 * The payments `found` of the amounts and days `k` of these entries: see `findPossibleDuplicates`. Of each amount and day no more
 * than `maxCompared` are read, and one more with `stands_for_many`, which says that there are more.
 */
const fromOtherReports = (
  { sourceId, channel }: EntryOrigin,
  entries: readonly (PaymentKey & Pick<TransferFacts, 'bankId'>)[],
) => fragment`
    from (
      select distinct account_id, booked_on, cents, has_id
      from unnest(
        (select ${entries.map((entry) => entry.accountId)}::uuid[]),
        ${entries.map((entry) => entry.bookedOn)}::date[],
        ${entries.map((entry) => entry.cents)}::bigint[],
        ${entries.map((entry) => entry.bankId !== null)}::boolean[]) as k (account_id, booked_on, cents, has_id)
    ) k
    cross join lateral (
      select ${comparedColumns}, row_number() over () > ${maxCompared}::int as stands_for_many
      from (
        (select ${comparedColumns}
        from transfers t
        where ${hasSameAmountAndDay}
          and t.channel = any(${channels.filter((other) => other !== channel)}::text[])
        order by t.cents)
        union all
        (select ${comparedColumns}
        from transfers t
        where ${hasSameAmountAndDay} and t.channel = ${channel} and (t.bank_id is null) = k.has_id
        order by t.cents)
        -- Other sources: as two ranges, because an index cannot serve <>.
        union all
        (select ${comparedColumns}
        from transfers t
        where ${channelsWithManySources.includes(channel)}::boolean
          and ${hasSameAmountAndDay} and t.channel = ${channel} and (t.bank_id is null) = (not k.has_id) and t.source_id < ${sourceId}
        order by t.cents)
        union all
        (select ${comparedColumns}
        from transfers t
        where ${channelsWithManySources.includes(channel)}::boolean
          and ${hasSameAmountAndDay} and t.channel = ${channel} and (t.bank_id is null) = (not k.has_id) and t.source_id > ${sourceId}
        order by t.cents)
      ) t
      limit ${maxCompared + 1}::int
    ) found`

/**
 * The payment `t` has the amount and day of `k`. `between` and `order by` change no result: they make the planner use the index on
 * account, day and amount. A generic plan that was cached while the table was small would otherwise read all payments of the account.
 */
const hasSameAmountAndDay = fragment`
  t.account_id = k.account_id and t.booked_on = k.booked_on and t.cents between k.cents and k.cents`

const comparedColumns = fragment`
  t.id, t.channel, t.document_number, t.payer_account, t.payer_account_is_whole, t.payer_tax_id, t.purpose, t.statement_id, t.direction, t.state`

const isCreditOfOtherFile = ({ statementId }: EntryOrigin) => fragment`
  (found.statement_id is null or found.statement_id is distinct from ${statementId}::uuid)
  and found.direction = 'credit'
  and found.state <> 'duplicate'`

type PossibleDuplicate = PaymentKey &
  Pick<TransferFacts, 'payerAccount' | 'payerTaxId' | 'documentNumber' | 'purpose' | 'bankId'>

/**
 * This source has not reported the payment `found` before in this format, with ids if these entries have ids, else without. Checked row
 * by row, here and below: a plan with `not exists` may read everything that the source has ever reported.
 */
const wasNotRepeated = ({ sourceId, channel }: EntryOrigin) => fragment`
  (
    select true
    from transfers d
    where d.duplicate_of = found.id
      and d.source_id = ${sourceId}
      and d.channel = ${channel}
      and (d.bank_id is not null) = k.has_id
    limit 1) is null`

/**
 * Payments of the same amounts and days from another source, in another format, or with bank ids where these entries have none;
 * never from the same file. They have the document number, payer, tax id or purpose of one of these entries, or were revoked, and this
 * source has not repeated them before. Each case is a query of its own, so that the rows of one file, which may all have one amount,
 * are not read once for each entry.
 *
 * `crowded`: one payment of each amount and day that has more payments than are compared. Of those amounts and days, payments are
 * also found by document number.
 */
export async function findPossibleDuplicates(
  tx: Tx,
  origin: EntryOrigin,
  entries: readonly PossibleDuplicate[],
): Promise<{ known: PriorTransfer[]; crowded: PriorTransfer[] }> {
  const rows = await tx.query<PriorTransfer>(sql`
    select t.id, ${priorFacts}, t.entry_cents as "entryCents", bool_or(found.stands_for_many) as "standsForMany"
    ${fromOtherReports(origin, entries)}
    join transfers t on t.id = found.id
    where found.stands_for_many
      or (
        ${isCreditOfOtherFile(origin)}
        and (
          found.document_number = any(${nonEmpty(entries.map((entry) => entry.documentNumber))}::text[])
          or found.payer_account = any(${nonEmpty(entries.map((entry) => entry.payerAccount))}::text[])
          or found.payer_tax_id = any(${nonEmpty(entries.map(taxIdOf))}::text[])
          or found.purpose = any(${nonEmpty(entries.map((entry) => entry.purpose))}::text[])
          or found.state = 'revoked')
        and ${wasNotRepeated(origin)})
    group by t.id
    order by t.id`)
  const [known, crowded] = [rows.filter((row) => !row.standsForMany), rows.filter((row) => row.standsForMany)]
  if (crowded.length === 0) return { known, crowded }
  const ids = new Set(known.map(({ id }) => id))
  const others = await findByDocumentNumber(tx, origin, entries)
  return { known: [...known, ...others.filter(({ id }) => !ids.has(id))], crowded }
}

const nonEmpty = (values: readonly string[]) => [...new Set(values.filter((value) => value !== ''))]

/** Payments of the same document number, amount and day that were reported in another way. Of very many with one number, any 1,000. */
const findByDocumentNumber = (tx: Tx, origin: EntryOrigin, entries: readonly PossibleDuplicate[]) =>
  tx.query<PriorTransfer>(sql`
    select distinct on (t.id) t.id, ${priorFacts}, t.entry_cents as "entryCents"
    from (
      select distinct account_id, booked_on, cents, document_number, has_id
      from unnest(
        (select ${entries.map((entry) => entry.accountId)}::uuid[]),
        ${entries.map((entry) => entry.bookedOn)}::date[],
        ${entries.map((entry) => entry.cents)}::bigint[],
        ${entries.map((entry) => entry.documentNumber)}::text[],
        ${entries.map((entry) => entry.bankId !== null)}::boolean[])
        as k (account_id, booked_on, cents, document_number, has_id)
    ) k
    cross join lateral (
      select ${comparedColumns}
      from transfers t
      where t.account_id = k.account_id
        and t.booked_on = k.booked_on
        and t.document_number = k.document_number
        and t.document_number <> ''
      limit 1000
    ) found
    join transfers t on t.id = found.id
    where t.cents = k.cents
      and (
        t.channel <> ${origin.channel}
        or (t.bank_id is null) = k.has_id
        or (${channelsWithManySources.includes(origin.channel)}::boolean and t.source_id <> ${origin.sourceId}))
      and ${isCreditOfOtherFile(origin)}
      and ${wasNotRepeated(origin)}
    order by t.id`)

/** A known payment, with the facts that show whether it is reported again. */
export type ReportedPayment = PossibleRepetition &
  Pick<TransferFacts, 'accountId' | 'statementId' | 'purpose' | 'channel'> & {
    state: TransferState
    sourceId: string
    /** From another source or in another format, and not yet reported by this source in this format, on whichever day. */
    isReportedElsewhere: boolean
  }

/** The columns of the payment `t`. If it is a repetition, `original` is the transfer that counts. */
export const reportedColumns = (
  origin: EntryOrigin,
  original = fragment`t`,
  depositId = fragment`${original}.deposit_id`,
) => fragment`
  ${original}.id, t.account_id as "accountId", ${depositId} as "depositId", t.source_id as "sourceId",
  t.statement_id as "statementId", t.channel, t.cents, t.booked_on as "bookedOn", ${original}.purpose, ${original}.state,
  t.document_number as "documentNumber", t.payer_account as "payerAccount",
  t.payer_account_is_whole as "isPayerAccountWhole", t.sent_cents as "sentCents",
  t.payer_tax_id as "payerTaxId", t.bank_id as "bankId",
  ${isReportedInAnotherWay(origin)}
    and (
      select true
      from transfers d
      where d.duplicate_of = t.id and d.source_id = ${origin.sourceId} and d.channel = ${origin.channel}
      limit 1) is null as "isReportedElsewhere"`

/** With the ids of known transfers that this group of entries repeats. */
export type RepeatingOrigin = EntryOrigin & { repeatedIds: readonly string[] }

/** Neither the payment `t` nor a duplicate of it is in this file, or repeated by this group of entries. */
export const isNotRepeatedBy = ({ sourceId, channel, statementId, repeatedIds }: RepeatingOrigin) => fragment`
  (
    select true
    from transfers d
    where d.duplicate_of = t.id
      and d.source_id = ${sourceId}
      and d.channel = ${channel}
      and (
        d.statement_id is not distinct from ${statementId}::uuid
        or d.id = any(${repeatedIds}::uuid[])
        or ${isRepeatedIn(statementId, fragment`d.id`)})
    limit 1) is null
  and t.id <> all(${repeatedIds}::uuid[])
  and not ${isRepeatedIn(statementId, fragment`t.id`)}`

const isRepeatedIn = (statementId: string | null, transferId: Fragment) => fragment`
  exists (
    select
    from (select statement_id from transfer_repeats where transfer_id = ${transferId} offset 0) r
    where r.statement_id = ${statementId}::uuid)`

/** How many payments of one amount, day and document number are returned. */
const maxOfDocument = 50

/** How many payments of one amount and day are returned. A person is shown twenty of them. */
const maxReported = 200

/**
 * Payments of these amounts and nearly these days that came from another source or in another format, as in
 * `findPossibleDuplicates`, and that this file or source has not repeated. Left out are those whose payer is certainly none of
 * these, however accounts are masked, unless the document number is the same or one of the payers is read from a text. One that stands
 * for many has neither number nor payer.
 */
export async function findReportedElsewhere(
  tx: Tx,
  origin: RepeatingOrigin,
  entries: readonly (PaymentKey &
    Pick<TransferFacts, 'bankId' | 'documentNumber' | 'payerAccount' | 'isPayerAccountWhole' | 'paidOn'>)[],
): Promise<ReportedPayment[]> {
  if (entries.length === 0) return []
  const onNearbyDays = entries.flatMap((entry) =>
    reportedDays(entry, holidayDays).map((bookedOn) => ({ ...entry, bookedOn })),
  )
  const documents = [...new Set(entries.map((entry) => documentDigits(entry.documentNumber)))].filter(
    (one) => one !== '',
  )
  const payers = [...new Set(entries.map((entry) => lastFourDigits(entry.payerAccount)))]
  const areWhole = entries.every((entry) => entry.isPayerAccountWhole)
  const prefixes = [...new Set(entries.map((entry) => accountPrefix(entry.payerAccount)))]
  const rows = await tx.query<ReportedPayment>(sql`
    select ${reportedColumns(origin)}, found.stands_for_many as "standsForMany"
    from (
      select found.id, found.stands_for_many or row_number() over of_payment > ${maxReported} as stands_for_many,
        row_number() over of_payment as position
      ${fromOtherReports(origin, onNearbyDays)}
      where found.stands_for_many
        or (
          ${isCreditOfOtherFile(origin)}
          and (${!areWhole || payers.includes('') || prefixes.length > 1 || channelsWithPayerInText.includes(origin.channel)}
            or found.channel = any(${channelsWithPayerInText}::text[])
            or not found.payer_account_is_whole
            or left(found.payer_account, 2) <> all(${prefixes}::text[])
            or found.payer_account ~ ${bankAccountPattern.source}
            or found.payer_account ~ ${kazakhIbanPattern.source}
            or right(found.payer_account, 4) = any(${payers}::text[])
            or right(found.payer_account, 4) !~ '^[0-9]{4}$'
            or ltrim(regexp_replace(found.document_number, '[^0-9]', '', 'g'), '0') = any(${documents}::text[])))
      window of_payment as (partition by k.account_id, k.booked_on, k.cents, k.has_id)
    ) found
    join transfers t on t.id = found.id
    where found.position <= ${maxReported + 1}
      and (found.stands_for_many or ${isNotRepeatedBy(origin)})`)
  return rows.map(withoutPayerIfCrowded)
}

/**
 * Payments of the same amounts from another file of the same format, which had no ids there, or ids that banks reuse, or are in a file
 * that is numbered by other fields; and which this file does not repeat exactly. Three cases:
 * - the same document number on nearly the same day, because a bank may book on the next day what it had reported before;
 * - the same day with or without a number, because a bank may report a payment in other words later, or in another layout;
 * - without a number there or here, or with one from another column, on `movedDays`: the days near that of the entry on which this file
 *   would also have it, if the bank had not moved it. A bank may give a number only when it books.
 *
 * If there are too many to compare, one stands for all.
 */
export async function findInOtherFiles(
  tx: Tx,
  origin: RepeatingOrigin,
  entries: readonly (PaymentKey & Pick<TransferFacts, 'bankId' | 'documentNumber' | 'paidOn'>)[],
  movedDays: (entry: Pick<TransferFacts, 'accountId' | 'bookedOn' | 'paidOn'>) => string[] = () => [],
): Promise<ReportedPayment[]> {
  const mayDiffer = channelsNumberedDifferently.includes(origin.channel)
  const withoutUniqueId = entries.filter(({ bankId }) => mayDiffer || bankId === null || !isUnique(bankId))
  if (origin.statementId === null || withoutUniqueId.length === 0) return []
  const numberedOnNearbyDays = withoutUniqueId
    .filter((entry) => entry.documentNumber !== '')
    .flatMap((entry) => reportedDays(entry).map((bookedOn) => ({ ...entry, bookedOn })))
  const onSameOrMovedDay = [
    ...withoutUniqueId.map((entry) => ({ ...entry, isMoved: false })),
    ...withoutUniqueId.flatMap((entry) =>
      movedDays(entry).map((bookedOn) => ({ ...entry, bookedOn, isMoved: true })),
    ),
  ]
  const isOfOtherFile = fragment`
    t.direction = 'credit'
    and t.channel = ${origin.channel}
    and (
      t.bank_id is null
      or t.bank_id ~ ${reusedIdPattern.source}
      or (${mayDiffer}::boolean and ${hasOtherNumberColumns(origin.statementId)}))
    and (t.state <> 'revoked' or ${isRevokedByBank})
    and t.statement_id <> ${origin.statementId}::uuid`
  const rows = await tx.query<ReportedPayment>(sql`
    select ${reportedColumns(origin, fragment`o`)}, found.stands_for_many as "standsForMany"
    from (
      select found.id, found.position > ${maxOfDocument}::int as stands_for_many
      from unnest(
        (select ${numberedOnNearbyDays.map((entry) => entry.accountId)}::uuid[]),
        ${numberedOnNearbyDays.map((entry) => entry.bookedOn)}::date[],
        ${numberedOnNearbyDays.map((entry) => entry.documentNumber)}::text[],
        ${numberedOnNearbyDays.map((entry) => entry.cents)}::bigint[]) as k (account_id, booked_on, document_number, cents)
      cross join lateral (
        select t.id, row_number() over (order by t.id) as position
        from transfers t
        where t.account_id = k.account_id
          and t.booked_on = k.booked_on
          and t.document_number = k.document_number
          and t.document_number <> ''
          and t.cents = k.cents
          and ${isOfOtherFile}
          and ${isNotRepeatedBy(origin)}
        order by t.id
        limit ${maxOfDocument + 1}
      ) found
      union
      select found.id, found.position > ${maxReported} as stands_for_many
      from (
        select distinct account_id, booked_on, cents, is_moved, is_unnumbered
        from unnest(
          (select ${onSameOrMovedDay.map((entry) => entry.accountId)}::uuid[]),
          ${onSameOrMovedDay.map((entry) => entry.bookedOn)}::date[],
          ${onSameOrMovedDay.map((entry) => entry.cents)}::bigint[],
          ${onSameOrMovedDay.map((entry) => entry.isMoved)}::boolean[],
          ${onSameOrMovedDay.map((entry) => entry.documentNumber === '')}::boolean[])
          as k (account_id, booked_on, cents, is_moved, is_unnumbered)
      ) k
      cross join lateral (
        select t.id, row_number() over () as position
        from transfers t
        where ${hasSameAmountAndDay}
          and ${isOfOtherFile}
          and (
            not k.is_moved
            or k.is_unnumbered
            or t.document_number = ''
            or ${hasOtherNumberColumns(origin.statementId)})
          and ${isNotRepeatedBy(origin)}
        limit ${maxReported + 1}
      ) found
    ) found
    join transfers t on t.id = found.id
    join transfers o on o.id = coalesce(t.duplicate_of, t.id)`)
  return rows.map(withoutPayerIfCrowded)
}

const withoutPayerIfCrowded = (row: ReportedPayment): ReportedPayment =>
  row.standsForMany ? { ...row, documentNumber: '', payerAccount: '' } : row
