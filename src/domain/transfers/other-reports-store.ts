/**
 * Payments of the same amounts and days that banks reported in another way: by another source, in another format, in another
 * file. Two ways to tell of one account must not make one payment count twice.
 */

import { type Fragment, fragment, sql, type Tx } from '../../platform/db.ts'
import { holidayDays, reportedDays } from './bank-text/days.ts'
import {
  beginningOf,
  endOf,
  isUnique,
  numberOf,
  ofAnybody,
  ofBank,
  usedAgain,
} from './possible-repetition.ts'
import { isRevokedByBank, priorFacts } from './prior-entry-store.ts'
import type { PriorTransfer } from './repetitions.ts'
import { type Channel, channels, type TransferFacts, type TransferState } from './transfer.ts'

/** Who delivered a group of entries, and in which format. Two entries of one origin are two payments. */
export type EntryOrigin = { sourceId: string; channel: Channel; statementId: string | null }

/**
 * The row `t` is of a table whose numbers are those of other columns than the numbers of this file: like another format, it may have
 * other numbers for the same payment.
 */
const isNumberedOtherwise = (statementId: string | null) => fragment`
  coalesce((
    select that.numbered_by <> this.numbered_by
    from statements that, statements this
    where that.id = t.statement_id and this.id = ${statementId}::uuid), false)`

const manySources: readonly Channel[] = ['push', 'sandbox']
const tables: readonly Channel[] = ['csv', 'xlsx']

type PaymentKey = Pick<TransferFacts, 'accountId' | 'bookedOn' | 'cents'>

/** Payments of one amount and day from elsewhere that are looked at. Where there are more, a person decides. */
const elsewhereMost = 10_000

/**
 * Payments `found` of the amounts and days of these entries, `k`: see `findPossibleDuplicates`. No more are read than
 * `elsewhereMost` of each amount and day; a row that `is_beyond` says that there are more.
 */
const fromElsewhere = (
  { sourceId, channel }: EntryOrigin,
  facts: readonly (PaymentKey & Pick<TransferFacts, 'bankId'>)[],
) => fragment`
    from (
      select distinct account_id, booked_on, cents, has_id
      from unnest(
        (select ${facts.map((entry) => entry.accountId)}::uuid[]),
        ${facts.map((entry) => entry.bookedOn)}::date[],
        ${facts.map((entry) => entry.cents)}::bigint[],
        ${facts.map((entry) => entry.bankId !== null)}::boolean[]) as k (account_id, booked_on, cents, has_id)
    ) k
    cross join lateral (
      select ${lookedAt}, row_number() over () > ${elsewhereMost}::int as is_beyond
      from (
        (select ${lookedAt}
        from transfers t
        where ${isOfPayment}
          and t.channel = any(${channels.filter((other) => other !== channel)}::text[])
        order by t.cents)
        union all
        (select ${lookedAt}
        from transfers t
        where ${isOfPayment} and t.channel = ${channel} and (t.bank_id is null) = k.has_id
        order by t.cents)
        -- Other sources: by two ranges, because an index cannot leave out a value.
        union all
        (select ${lookedAt}
        from transfers t
        where ${manySources.includes(channel)}::boolean
          and ${isOfPayment} and t.channel = ${channel} and (t.bank_id is null) = (not k.has_id) and t.source_id < ${sourceId}
        order by t.cents)
        union all
        (select ${lookedAt}
        from transfers t
        where ${manySources.includes(channel)}::boolean
          and ${isOfPayment} and t.channel = ${channel} and (t.bank_id is null) = (not k.has_id) and t.source_id > ${sourceId}
        order by t.cents)
      ) t
      limit ${elsewhereMost + 1}::int
    ) found`

/**
 * `between` and `order by` say no more than `=`, but only the index of payments serves them: a plan that was made and kept while
 * the table was small would otherwise read all payments of the account for each of these.
 */
const isOfPayment = fragment`
  t.account_id = k.account_id and t.booked_on = k.booked_on and t.cents between k.cents and k.cents`

const lookedAt = fragment`
  t.id, t.document_number, t.payer_account, t.purpose, t.statement_id, t.direction, t.state`

const isPaymentOutside = ({ statementId }: EntryOrigin) => fragment`
  (found.statement_id is null or found.statement_id is distinct from ${statementId}::uuid)
  and found.direction = 'credit'
  and found.state <> 'duplicate'`

type PossibleDuplicate = PaymentKey &
  Pick<TransferFacts, 'payerAccount' | 'documentNumber' | 'purpose' | 'bankId'>

/**
 * The payment `found` was not repeated before by this source, in this format and with or without ids as now. Asked row by
 * row, here and below: `not exists` may read everything that the source has ever reported.
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
 * Payments of the same amounts and days from another source, in another format, or with bank ids where these have none;
 * never from the same file. They share a document, payer or purpose with one of these or were taken back, and this source has not
 * repeated them before. Each case is looked up by itself, so that the rows of one file, which may all have one amount, are not
 * read once for each of them.
 *
 * `beyond`: a payment of each amount and day that has too many to look at. Of those, payments are also found by document.
 */
export async function findPossibleDuplicates(
  tx: Tx,
  origin: EntryOrigin,
  facts: readonly PossibleDuplicate[],
): Promise<{ known: PriorTransfer[]; beyond: PriorTransfer[] }> {
  const nonEmpty = (values: readonly string[]) => [...new Set(values.filter((value) => value !== ''))]
  const rows = await tx.query<PriorTransfer & { isBeyond: boolean }>(sql`
    select t.id, ${priorFacts}, t.entry_cents as "entryCents", bool_or(found.is_beyond) as "isBeyond"
    ${fromElsewhere(origin, facts)}
    join transfers t on t.id = found.id
    where found.is_beyond
      or (
        ${isPaymentOutside(origin)}
        and (
          found.document_number = any(${nonEmpty(facts.map((entry) => entry.documentNumber))}::text[])
          or found.payer_account = any(${nonEmpty(facts.map((entry) => entry.payerAccount))}::text[])
          or found.purpose = any(${nonEmpty(facts.map((entry) => entry.purpose))}::text[])
          or found.state = 'revoked')
        and ${wasNotRepeated(origin)})
    group by t.id
    order by t.id`)
  const [known, beyond] = [rows.filter((row) => !row.isBeyond), rows.filter((row) => row.isBeyond)]
  if (beyond.length === 0) return { known, beyond }
  const ids = new Set(known.map(({ id }) => id))
  const others = await findByCrowdedDocuments(tx, origin, facts)
  return { known: [...known, ...others.filter(({ id }) => !ids.has(id))], beyond }
}

/** Payments from elsewhere of the same document, amount and day. Of very many under one document number the first. */
const findByCrowdedDocuments = (tx: Tx, origin: EntryOrigin, facts: readonly PossibleDuplicate[]) =>
  tx.query<PriorTransfer>(sql`
    select distinct on (t.id) t.id, ${priorFacts}, t.entry_cents as "entryCents"
    from (
      select distinct account_id, booked_on, cents, document_number, has_id
      from unnest(
        (select ${facts.map((entry) => entry.accountId)}::uuid[]),
        ${facts.map((entry) => entry.bookedOn)}::date[],
        ${facts.map((entry) => entry.cents)}::bigint[],
        ${facts.map((entry) => entry.documentNumber)}::text[],
        ${facts.map((entry) => entry.bankId !== null)}::boolean[])
        as k (account_id, booked_on, cents, document_number, has_id)
    ) k
    cross join lateral (
      select ${lookedAt}
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
        or (${manySources.includes(origin.channel)}::boolean and t.source_id <> ${origin.sourceId}))
      and ${isPaymentOutside(origin)}
      and ${wasNotRepeated(origin)}
    order by t.id`)

/** A known payment, with the facts that show whether it is reported again. */
export type ReportedPayment = Pick<
  TransferFacts,
  | 'cents'
  | 'bookedOn'
  | 'documentNumber'
  | 'payerAccount'
  | 'payerTaxId'
  | 'bankId'
  | 'statementId'
  | 'channel'
  | 'purpose'
> & {
  id: string
  accountId: string
  depositId: string | null
  state: TransferState
  sourceId: string
  /** From another source or in another format, and not reported in this way yet, on whichever day. */
  isReportedElsewhere: boolean
  /** It stands for more payments than were looked at. */
  isBeyond?: boolean
}

/** Of the payment `t`. If it is a repetition, `original` is the transfer that counts. */
export const reportedColumns = (
  { sourceId, channel, statementId }: EntryOrigin,
  original = fragment`t`,
  depositId = fragment`${original}.deposit_id`,
) => fragment`
  ${original}.id, t.account_id as "accountId", ${depositId} as "depositId", t.source_id as "sourceId",
  t.statement_id as "statementId", t.channel, t.cents, t.booked_on as "bookedOn", ${original}.purpose, ${original}.state,
  t.document_number as "documentNumber", t.payer_account as "payerAccount",
  t.payer_tax_id as "payerTaxId", t.bank_id as "bankId",
  (t.source_id <> ${sourceId} or t.channel <> ${channel} or ${isNumberedOtherwise(statementId)})
    and (
      select true
      from transfers d
      where d.duplicate_of = t.id and d.source_id = ${sourceId} and d.channel = ${channel}
      limit 1) is null as "isReportedElsewhere"`

/** With the ids of known transfers that this delivery repeats word for word. */
export type RepeatingOrigin = EntryOrigin & { repeatedIds: readonly string[] }

/** Neither the payment `t` nor a duplicate of it is in this file, or repeated by this delivery. */
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

/** Payments of one amount and day that are returned: a person is shown twenty of them. */
const reportedMost = 200

/**
 * Payments of these amounts and about these days that came from another source or in another format, as in
 * `findPossibleDuplicates`, and that this file or source has not repeated; without those whose payer is, however it is
 * written, plainly none of these, unless the document is. One that stands for too many to look at has neither.
 */
export async function findReportedElsewhere(
  tx: Tx,
  origin: RepeatingOrigin,
  facts: readonly (PaymentKey &
    Pick<TransferFacts, 'bankId' | 'documentNumber' | 'payerAccount' | 'paidOn'>)[],
): Promise<ReportedPayment[]> {
  if (facts.length === 0) return []
  const onDays = facts.flatMap((entry) =>
    reportedDays(entry, holidayDays).map((bookedOn) => ({ ...entry, bookedOn })),
  )
  const documents = [...new Set(facts.map((entry) => numberOf(entry.documentNumber)))].filter(
    (one) => one !== '',
  )
  const payers = [...new Set(facts.map((entry) => endOf(entry.payerAccount)))]
  const beginnings = [...new Set(facts.map((entry) => beginningOf(entry.payerAccount)))]
  const rows = await tx.query<ReportedPayment>(sql`
    select ${reportedColumns(origin)}, found.is_beyond as "isBeyond"
    from (
      select found.id, found.is_beyond or row_number() over of_payment > ${reportedMost} as is_beyond,
        row_number() over of_payment as place
      ${fromElsewhere(origin, onDays)}
      where found.is_beyond
        or (
          ${isPaymentOutside(origin)}
          and (${payers.includes('') || beginnings.length > 1}
            or left(found.payer_account, 2) <> all(${beginnings}::text[])
            or found.payer_account ~ ${ofBank.source}
            or found.payer_account ~ ${ofAnybody.source}
            or right(found.payer_account, 4) = any(${payers}::text[])
            or right(found.payer_account, 4) !~ '^[0-9]{4}$'
            or ltrim(regexp_replace(found.document_number, '[^0-9]', '', 'g'), '0') = any(${documents}::text[])))
      window of_payment as (partition by k.account_id, k.booked_on, k.cents, k.has_id)
    ) found
    join transfers t on t.id = found.id
    where found.place <= ${reportedMost + 1}
      and (found.is_beyond or ${isNotRepeatedBy(origin)})`)
  return rows.map(asBeyond)
}

/**
 * Payments of the same amounts that another file of the same format reported without ids, under ids that banks use again, or in a table
 * that is numbered by other columns, and this one does not repeat to the letter: under one number about these days, because a bank may book on the next day what it had reported before; on the same day
 * with or without a number, because the bank may write it in other words later, or in another layout. Of what has no number also
 * on `movedDays`, those about its own on which this file would have to have it, had the bank not moved it. Where there are too many
 * to look at, one stands for all.
 */
export async function findOfOtherFiles(
  tx: Tx,
  origin: RepeatingOrigin,
  facts: readonly (PaymentKey & Pick<TransferFacts, 'bankId' | 'documentNumber' | 'paidOn'>)[],
  movedDays: (entry: Pick<TransferFacts, 'accountId' | 'bookedOn' | 'paidOn'>) => string[] = () => [],
): Promise<ReportedPayment[]> {
  const isTable = tables.includes(origin.channel)
  const bare = facts.filter(({ bankId }) => isTable || bankId === null || !isUnique(bankId))
  if (origin.statementId === null || bare.length === 0) return []
  const onDays = bare
    .filter((entry) => entry.documentNumber !== '')
    .flatMap((entry) => reportedDays(entry).map((bookedOn) => ({ ...entry, bookedOn })))
  const unnumbered = bare.filter((entry) => entry.documentNumber === '')
  const onDay = [
    ...bare.map((entry) => ({ ...entry, isMoved: false })),
    ...unnumbered.flatMap((entry) =>
      movedDays(entry).map((bookedOn) => ({ ...entry, bookedOn, isMoved: true })),
    ),
  ]
  const isOfOtherFile = fragment`
    t.direction = 'credit'
    and t.channel = ${origin.channel}
    and (
      t.bank_id is null
      or t.bank_id ~ ${usedAgain.source}
      or (${isTable}::boolean and ${isNumberedOtherwise(origin.statementId)}))
    and (t.state <> 'revoked' or ${isRevokedByBank})
    and t.statement_id <> ${origin.statementId}::uuid`
  const rows = await tx.query<ReportedPayment>(sql`
    select ${reportedColumns(origin, fragment`o`)}, found.is_beyond as "isBeyond"
    from (
      select found.id, false as is_beyond
      from unnest(
        (select ${onDays.map((entry) => entry.accountId)}::uuid[]),
        ${onDays.map((entry) => entry.bookedOn)}::date[],
        ${onDays.map((entry) => entry.documentNumber)}::text[],
        ${onDays.map((entry) => entry.cents)}::bigint[]) as k (account_id, booked_on, document_number, cents)
      cross join lateral (
        select t.id
        from transfers t
        where t.account_id = k.account_id
          and t.booked_on = k.booked_on
          and t.document_number = k.document_number
          and t.document_number <> ''
          and t.cents = k.cents
          and ${isOfOtherFile}
          and ${isNotRepeatedBy(origin)}
        order by t.id
        limit 50
      ) found
      union
      select found.id, found.place > ${reportedMost} as is_beyond
      from (
        select distinct account_id, booked_on, cents, is_moved
        from unnest(
          (select ${onDay.map((entry) => entry.accountId)}::uuid[]),
          ${onDay.map((entry) => entry.bookedOn)}::date[],
          ${onDay.map((entry) => entry.cents)}::bigint[],
          ${onDay.map((entry) => entry.isMoved)}::boolean[]) as k (account_id, booked_on, cents, is_moved)
      ) k
      cross join lateral (
        select t.id, row_number() over () as place
        from transfers t
        where ${isOfPayment}
          and ${isOfOtherFile}
          and (not k.is_moved or t.document_number = '')
          and ${isNotRepeatedBy(origin)}
        limit ${reportedMost + 1}
      ) found
    ) found
    join transfers t on t.id = found.id
    join transfers o on o.id = coalesce(t.duplicate_of, t.id)`)
  return rows.map(asBeyond)
}

const asBeyond = (row: ReportedPayment): ReportedPayment =>
  row.isBeyond ? { ...row, documentNumber: '', payerAccount: '' } : row
