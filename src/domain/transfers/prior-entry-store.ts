/**
 * Finds earlier reports of payments that a bank reports again. The first array of each query is in a subselect, as in
 * deposits/read-store.ts, so that PostgreSQL keeps the plan.
 */

import { fragment, sql, type Tx } from '../../platform/db.ts'
import { type PriorEntry, suspicions } from './bank-entries.ts'
import { reportedDays } from './bank-text/days.ts'
import { lastRule, standingRule } from './decision-store.ts'
import { type Payer, type PriorTransfer, taxIdOf } from './repetitions.ts'
import type { Channel, TransferFacts } from './transfer.ts'

/**
 * The transfers of this source with these bank ids, the newest of each id first. Only the newest of very many are read: an
 * entry that repeats an earlier one then counts as another payment with a known id, and a person decides.
 */
export const findByBankIds = (
  tx: Tx,
  sourceId: string,
  keys: readonly { accountId: string; bankId: string; direction: string }[],
) =>
  tx.query<PriorEntry>(sql`
    select ${knownColumns}, ${isUndone} as "isUndone", ${depositReference} as "depositReference"
    from (
      select distinct account_id, bank_id, direction
      from unnest(
        (select ${keys.map((key) => key.accountId)}::uuid[]),
        ${keys.map((key) => key.bankId)}::text[],
        ${keys.map((key) => key.direction)}::text[]) as k (account_id, bank_id, direction)
    ) k
    cross join lateral (
      select id, account_id, bank_id, direction, version, occurrence, fingerprint, state, cents, currency, deposit_id,
        statement_id, booked_on, payer_account, purpose
      from transfers
      where account_id = k.account_id and bank_id = k.bank_id and direction = k.direction
        and source_id = ${sourceId}
      order by version desc, occurrence desc
      limit ${maxPerBankId}
    ) t`)

const maxPerBankId = 1_000

/** The reference of the deposit that the transfer `t` counts for: its purpose may name another, and so may a later report. */
const depositReference = fragment`(select d.reference from deposits d where d.id = t.deposit_id)`

/** The entry was revoked by the undo of its import, not by the bank. */
const isUndone = fragment`
  case when t.state = 'revoked' then coalesce(${lastRule} = 'import_undone', false) else false end`

/** The transfer `t` was revoked by the bank, not replaced by the parts of its entry. */
export const isRevokedByBank = fragment`
  coalesce((
    select x.rule = 'revoked' and x.evidence -> 'in_parts' is null
    from transfer_decisions x
    where x.transfer_id = t.id
    order by x.entry desc
    limit 1), false)`

const knownColumns = fragment`
  t.id, t.account_id as "accountId", t.bank_id as "bankId", t.direction, t.version, t.occurrence, t.fingerprint,
  t.state, t.cents, t.currency, t.deposit_id as "depositId", t.statement_id as "statementId",
  t.booked_on as "bookedOn", t.payer_account as "payerAccount", t.purpose`

/**
 * Which of these rows without a bank id are stored, by `account:fingerprint:occurrence`. Each is looked up separately:
 * with a join, a plan that was made while the table was small would read all of it for every group.
 */
export async function findByFingerprints(
  tx: Tx,
  keys: readonly { accountId: string; fingerprint: Buffer; occurrence: number }[],
): Promise<Map<string, { id: string; statementId: string | null; isUndone: boolean }>> {
  type Row = { key: string; id: string; statementId: string | null; isUndone: boolean }
  const rows = await tx.query<Row>(sql`
    select k.account_id || ':' || encode(k.fingerprint, 'hex') || ':' || k.occurrence as key, t.id, t."statementId",
      t."isUndone"
    from unnest(
      (select ${keys.map((key) => key.accountId)}::uuid[]),
      ${keys.map((key) => key.fingerprint)}::bytea[],
      ${keys.map((key) => key.occurrence)}::int[]) as k (account_id, fingerprint, occurrence)
    cross join lateral (
      select t.id, t.statement_id as "statementId", ${isUndone} as "isUndone"
      from transfers t
      where t.account_id = k.account_id
        and t.fingerprint = k.fingerprint
        and t.occurrence = k.occurrence
        and t.bank_id is null
      limit 1) t`)
  return new Map(rows.map(({ key, ...transfer }) => [key, transfer]))
}

/** Which source delivered a group of entries, and in which format. Two entries of one origin are two payments. */
export type EntryOrigin = { sourceId: string; channel: Channel; statementId: string | null }

/**
 * The row `t` is from a file whose document numbers and ids come from other columns or fields than those of this file: as in another
 * format, the same payment may have another number there.
 */
export const hasOtherNumberColumns = (statementId: string | null) => fragment`
  coalesce((
    select other_file.numbered_by <> this_file.numbered_by
    from statements other_file, statements this_file
    where other_file.id = t.statement_id and this_file.id = (select ${statementId}::uuid)), false)`

/** The row `t` is from another source or format, or from another kind of messages or tables, than a group of entries. */
export const isReportedInAnotherWay = ({ sourceId, channel, statementId }: EntryOrigin) => fragment`
  (t.source_id <> ${sourceId} or t.channel <> ${channel} or ${hasOtherNumberColumns(statementId)})`

export const priorFacts = fragment`
  t.account_id as "accountId", t.source_id as "sourceId", t.state, t.booked_on as "bookedOn", t.cents,
  t.sent_cents as "sentCents", t.channel,
  t.document_number as "documentNumber", t.payer_account as "payerAccount", t.payer_name as "payerName",
  t.payer_tax_id as "payerTaxId", t.purpose, t.bank_id as "bankId", t.statement_id as "statementId",
  t.version, t.refund_cents as "refundCents", ${depositReference} as "depositReference"`

/**
 * Credits under these entry references or bank ids, of any source but not of this file. For a duplicate, the payment that
 * it repeats. Includes credits that the bank revoked, but not those revoked with their import or replaced by parts.
 */
export const findByEntries = (
  tx: Tx,
  statementId: string | null,
  keys: readonly { accountId: string; reference: string }[],
) =>
  tx.query<PriorTransfer & { reference: string }>(sql`
    select k.reference, t.id, ${priorFacts}, max(f.entry_cents) as "entryCents",
      bool_or(exists (
        select from transfer_repeats r where r.transfer_id = f.id and r.statement_id = ${statementId}::uuid))
        as "isReportedHere",
      t.state in ('ambiguous', 'set_aside')
        and ${standingRule} = any(${suspicions}::text[]) as "isSuspected"
    from (
      select distinct account_id, reference
      from unnest(
        (select ${keys.map((key) => key.accountId)}::uuid[]),
        ${keys.map((key) => key.reference)}::text[]) as k (account_id, reference)
    ) k
    cross join lateral (
      -- BETWEEN and ORDER BY mean the same as an equals sign, but only the index of references supports them: a plan that was made
      -- while the table was empty would otherwise read all transfers of the account.
      (select id, duplicate_of, statement_id, entry_cents
      from transfers
      where account_id = k.account_id and entry_reference between k.reference and k.reference
      order by entry_reference)
      union
      select id, duplicate_of, statement_id, entry_cents
      from transfers
      where account_id = k.account_id and bank_id = k.reference and direction = 'credit'
    ) f
    join transfers t on t.id = coalesce(f.duplicate_of, f.id)
    where t.direction = 'credit'
      and t.state <> 'duplicate'
      and (f.statement_id is null or f.statement_id is distinct from ${statementId}::uuid)
      and (t.statement_id is null or t.statement_id is distinct from ${statementId}::uuid)
      and (t.state <> 'revoked' or ${isRevokedByBank})
    group by k.reference, t.id
    order by t.id`)

/** How many payments of one day, with one document number, from payers who may be those of a group of entries are compared. */
const maxOfDocument = 1_000

/**
 * Credits of other files or sources with these document numbers and days that this file does not repeat, from payers who may be these. A
 * duplicate is returned under the id of the payment that it repeats. Includes credits that the bank revoked, as above. Of too many of one
 * number one stands for all: some banks give all payments one, so those that this source reported in this format with ids, or that these
 * entries repeat (`repeatedIds`), are left out.
 */
export const findByDocuments = (
  tx: Tx,
  { sourceId, channel, statementId, repeatedIds }: EntryOrigin & { repeatedIds: readonly string[] },
  facts: readonly (Pick<TransferFacts, 'accountId' | 'bookedOn' | 'documentNumber' | 'bankId'> & Payer)[],
) =>
  tx.query<PriorTransfer>(sql`
    select coalesce(t.duplicate_of, t.id) as id, ${priorFacts}, t.entry_cents as "entryCents",
      t.position > ${maxOfDocument}::int as "standsForMany", ${hasOtherNumberColumns(statementId)} as "hasOtherNumbers"
    from (
      select distinct account_id, booked_on, document_number
      from unnest(
        (select ${facts.map((entry) => entry.accountId)}::uuid[]),
        ${facts.map((entry) => entry.bookedOn)}::date[],
        ${facts.map((entry) => entry.documentNumber)}::text[]) as k (account_id, booked_on, document_number)
    ) k
    cross join lateral (
      -- BETWEEN and ORDER BY as above: with any other index a kept plan would read all payments of the day for each document.
      select id, duplicate_of, account_id, source_id, state, booked_on, cents, sent_cents, channel, document_number, payer_account,
        payer_name, payer_tax_id, purpose, bank_id, statement_id, version, refund_cents, entry_cents, deposit_id,
        row_number() over () as position
      from transfers t
      where account_id = k.account_id
        and booked_on = k.booked_on
        and document_number between k.document_number and k.document_number
        and document_number <> ''
        and direction = 'credit'
        and (
          payer_account = ''
          or payer_account = any((select ${[...new Set(facts.map((entry) => entry.payerAccount))]}::text[])::text[])
          or (payer_tax_id <> '' and payer_tax_id = any((select ${[...new Set(facts.map(taxIdOf))]}::text[])::text[]))
          or (select ${facts.some((entry) => entry.payerAccount === '')}::boolean))
        and not (
          source_id = (select ${sourceId}::uuid)
          and (
            (bank_id is not null
              and (select ${facts.every((entry) => entry.bankId !== null)}::boolean)
              and not ${hasOtherNumberColumns(statementId)})
            or (channel = (select ${channel}::text) and id in (select unnest(${repeatedIds}::uuid[])))))
        and (state <> 'revoked' or ${isRevokedByBank})
        -- In a subselect the value is unknown to the planner, which would otherwise plan again each time.
        and (statement_id is null or statement_id is distinct from (select ${statementId}::uuid))
        -- OFFSET 0 forces the lookup by transfer: a file may repeat ten thousand rows.
        and not exists (
          select
          from (select statement_id from transfer_repeats where transfer_id = t.id offset 0) r
          where r.statement_id = (select ${statementId}::uuid))
      order by document_number
      limit ${maxOfDocument + 1}
    ) t
    order by t.id`)

/** For how long after a payment a debit may reverse it. */
export const reversibleDays = 60

type Reversible = PriorEntry & Pick<TransferFacts, 'documentNumber' | 'payerName'>

/** The credits `t` with the account and amount of a debit, of the days that it may reverse. */
const creditsBefore = ({ accountId, cents, bookedOn }: TransferFacts) => fragment`
    select ${knownColumns}, false as "isUndone", t.document_number as "documentNumber", t.payer_name as "payerName"
    from transfers t
    where t.account_id = ${accountId}
      and t.cents = ${cents}
      and t.booked_on between ${bookedOn}::date - ${reversibleDays}::int and ${bookedOn}::date
      and t.direction = 'credit'`

/** The credits that a debit may reverse: they have its amount, and its bank id or document number. */
export const findReversible = (tx: Tx, debit: TransferFacts) =>
  tx.query<Reversible>(sql`
    ${creditsBefore(debit)}
      and t.state not in ('revoked', 'duplicate', 'refunded')
      and (t.bank_id = ${debit.bankId} or (${debit.documentNumber} <> '' and t.document_number = ${debit.documentNumber}))
    limit 50`)

/**
 * Credits with the document number of this debit that the bank has revoked already: the debit may report that revocation again.
 * If this source has reported a debit with this document number before, that was the revocation, and this is another one.
 */
export const findRevokedByBank = (tx: Tx, sourceId: string, debit: TransferFacts) =>
  tx.query<Reversible>(sql`
    ${creditsBefore(debit)}
      and t.state = 'revoked'
      and ${debit.documentNumber} <> ''
      and t.document_number = ${debit.documentNumber}
      and ${isRevokedByBank}
      and not exists (
        select
        from transfers o
        where o.account_id = t.account_id
          and o.cents = t.cents
          and o.booked_on between t.booked_on and ${debit.bookedOn}::date
          and o.direction = 'debit'
          and o.source_id = ${sourceId}
          and o.document_number = t.document_number)
    limit 50`)

/** Whether another source or file reported a debit of this amount and document on one of these days: it may be the same reversal. */
export const isDebitReportedElsewhere = (
  tx: Tx,
  sourceId: string,
  { accountId, cents, documentNumber, bookedOn, paidOn, channel, statementId }: TransferFacts,
) =>
  tx.has(sql`
    select t.id
    from transfers t
    where t.account_id = ${accountId}
      and t.booked_on = any(${reportedDays({ bookedOn, paidOn })}::date[])
      and t.cents = ${cents}
      and t.direction = 'debit'
      and t.state <> 'revoked'
      and t.document_number in ('', ${documentNumber})
      and (t.source_id <> ${sourceId} or t.channel <> ${channel} or t.statement_id <> ${statementId}::uuid)
    limit 1`)

type OpenReversal = Pick<
  TransferFacts,
  'accountId' | 'cents' | 'bankId' | 'documentNumber' | 'payerAccount' | 'payerName' | 'bookedOn'
> & { id: string }

/**
 * Reversals that arrived before the payments that they reverse, with the amounts of these credits. Found by the index of
 * states, as above; at most a thousand per account.
 */
export const findOpenReversals = (tx: Tx, credits: readonly Pick<TransferFacts, 'accountId' | 'cents'>[]) =>
  tx.query<OpenReversal>(sql`
    select t.id, t.account_id as "accountId", t.cents, t.bank_id as "bankId", t.document_number as "documentNumber",
      t.payer_account as "payerAccount", t.payer_name as "payerName", t.booked_on as "bookedOn"
    from (select distinct unnest((select ${credits.map((credit) => credit.accountId)}::uuid[])) as account_id) k
    cross join lateral (
      select id, account_id, cents, bank_id, document_number, payer_account, payer_name, booked_on
      from transfers
      where account_id = k.account_id
        and state between 'reversal' and 'reversal'
        and cents = any(${[...new Set(credits.map((credit) => credit.cents))]}::bigint[])
      order by state
      limit 1000
    ) t`)
