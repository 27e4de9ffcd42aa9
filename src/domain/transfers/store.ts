/** Transfers and the accounts they arrive on, in the database. */

import { bounds } from '../../platform/bounds.ts'
import { fragment, type Queryable, sql, type Tx, unprepared } from '../../platform/db.ts'
import { pipelined } from '../../platform/pipelined.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type MessageOrText, messageJson, withReason } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import { type AmountMatching, carriesReference, requisiteKinds } from '../requisites/requisite.ts'
import { type Allocation, allocationFrom, allocationsOf, insertAllocations } from './allocation-store.ts'
import { type Transfer, type TransferFacts, type TransferState, transferStates } from './transfer.ts'
import type { Role } from './voice.ts'

/** A transfer about to be written: the bank's facts, who told it, and the first decision. */
export type TransferDraft = Omit<TransferFacts, 'purposeParts'> & {
  id: string
  sourceId: string
  version: bigint
  role: Role
  names: readonly string[]
  state: TransferState
  heldWith: readonly string[]
  shares: readonly { depositId: string; cents: Cents }[]
  decision: Pick<DecisionDraft, 'rule' | 'reason' | 'evidence'>
}

export type DecisionDraft = {
  transferId: string
  state: TransferState
  depositIds: readonly string[]
  actor: string
  rule: string
  reason: MessageOrText
  evidence: unknown
}

export type LockedAccount = {
  id: string
  mode: Mode
  currency: Currency
  amountMatching: AmountMatching
  /** Whether some of the account's deposits may be matched by their amounts. */
  matchesAmounts: boolean
  /** Its bank was heard of just now. */
  isHeard: boolean
}

/** Locks these accounts. Only one import of an account runs at a time, or two files could both add the same payment. */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<Map<string, LockedAccount>> {
  const rows = await tx.query<LockedAccount>(sql`
    select id, mode, currency, amount_matching as "amountMatching",
      amount_matching = 'always'
        or (amount_matching = 'by_kind'
          and exists (select from requisites r where r.account_id = a.id and r.kind = any(${nameless}::text[])))
        as "matchesAmounts",
      coalesce(heard_at > (select inlet_now()) - interval '30 seconds', false) as "isHeard"
    from receiving_accounts a
    where id = any((select ${ids}::uuid[])::uuid[])
    order by id
    for no key update`)
  return new Map(rows.map((row) => [row.id, row]))
}

const nameless = requisiteKinds.filter((kind) => !carriesReference(kind))

/**
 * Writes transfers with their shares of deposits and the first decision about each. The database refuses one whose amounts do
 * not add up. Arrays are unnested in the select list: as a table of so many columns they would be materialised first.
 */
export async function insertTransfers(tx: Tx, drafts: readonly TransferDraft[]): Promise<void> {
  if (drafts.length === 0) return
  const written = tx.run(sql`
    insert into transfers
      (id, source_id, account_id, channel, direction, cents, currency, booked_on, booked_at, paid_on, document_number,
       payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id, version, is_sum, names, raw, taken_at, told_early_at,
       told_booked_at, state, held_with, deposit_cents, open_cents)
    select
      id, source_id, account_id, channel, direction, cents, currency, booked_on, booked_at, paid_on, document_number,
      payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id, version, is_sum, string_to_array(names, ' '), raw,
      (select inlet_now()), case when role = 'early' then (select inlet_now()) end,
      case when role = 'booked' then (select inlet_now()) end, state, string_to_array(held_with, ' ')::uuid[],
      case when state = 'matched' then cents else 0 end,
      case when state in ('unmatched', 'ambiguous', 'held', 'set_aside') then cents else 0 end
    from (
      select
        unnest(${drafts.map((draft) => draft.id)}::uuid[]) as id,
        unnest(${drafts.map((draft) => draft.sourceId)}::uuid[]) as source_id,
        unnest(${drafts.map((draft) => draft.accountId)}::uuid[]) as account_id,
        unnest(${drafts.map((draft) => draft.channel)}::text[]) as channel,
        unnest(${drafts.map((draft) => draft.direction)}::text[]) as direction,
        unnest(${drafts.map((draft) => draft.cents)}::bigint[]) as cents,
        unnest(${drafts.map((draft) => draft.currency)}::text[]) as currency,
        unnest(${drafts.map((draft) => draft.bookedOn)}::date[]) as booked_on,
        unnest(${drafts.map((draft) => draft.bookedAt)}::timestamptz[]) as booked_at,
        unnest(${drafts.map((draft) => draft.paidOn)}::date[]) as paid_on,
        unnest(${drafts.map((draft) => draft.documentNumber)}::text[]) as document_number,
        unnest(${drafts.map((draft) => draft.payerName)}::text[]) as payer_name,
        unnest(${drafts.map((draft) => draft.payerAccount)}::text[]) as payer_account,
        unnest(${drafts.map((draft) => draft.payerTaxId)}::text[]) as payer_tax_id,
        unnest(${drafts.map((draft) => draft.payerBank)}::text[]) as payer_bank,
        unnest(${drafts.map((draft) => draft.purpose)}::text[]) as purpose,
        unnest(${drafts.map((draft) => draft.bankId)}::text[]) as bank_id,
        unnest(${drafts.map((draft) => draft.version)}::bigint[]) as version,
        unnest(${drafts.map((draft) => draft.hasSeveralPayments ?? false)}::boolean[]) as is_sum,
        unnest(${drafts.map((draft) => draft.names.join(' '))}::text[]) as names,
        unnest(${drafts.map((draft) => draft.raw)}::text[]) as raw,
        unnest(${drafts.map((draft) => draft.role)}::text[]) as role,
        unnest(${drafts.map((draft) => draft.state)}::text[]) as state,
        unnest(${drafts.map((draft) => draft.heldWith.join(' '))}::text[]) as held_with
    ) n`)
  const allocated = insertAllocations(
    tx,
    drafts.flatMap(({ id, shares }) => shares.map((share) => ({ transferId: id, ...share }))),
  )
  const decided = tx.run(sql`
    insert into transfer_decisions (transfer_id, entry, at, state, deposit_ids, actor, rule, reason, message, evidence)
    select
      unnest(${drafts.map((draft) => draft.id)}::uuid[]), 1, (select inlet_now()),
      unnest(${drafts.map((draft) => draft.state)}::text[]),
      string_to_array(unnest(${drafts.map(({ shares }) => shares.map(({ depositId }) => depositId).join(' '))}::text[]), ' ')::uuid[],
      'matcher',
      unnest(${drafts.map((draft) => draft.decision.rule)}::text[]),
      unnest(${drafts.map((draft) => `${draft.decision.reason}`)}::text[]),
      unnest(${drafts.map((draft) => messageJson(draft.decision.reason))}::jsonb[]),
      unnest(${drafts.map((draft) => JSON.stringify(draft.decision.evidence))}::jsonb[])`)
  await pipelined([written, allocated, decided])
}

export type LockedTransfer = Omit<Transfer, 'shares'> & {
  sourceId: string
  mode: Mode
  version: bigint
  names: string[]
  toldEarlyAt: Date | null
  toldBookedAt: Date | null
  /** What a held one may be. */
  heldWith: string[]
  duplicateOf: string | null
  /** Which deposits have which part of it; the oldest deposit first. */
  shares: Allocation[]
  depositCents: Cents
  refundCents: Cents
  openCents: Cents
  /** Since when its open amount is owed to the payer. */
  dueSince: Date | null
}

type TransferRow = Omit<LockedTransfer, 'purposeParts'>

const transferColumns = fragment`
  t.id, t.source_id as "sourceId", t.account_id as "accountId", a.mode, t.direction, t.cents, t.currency,
  t.booked_on as "bookedOn", t.booked_at as "bookedAt", t.paid_on as "paidOn",
  t.document_number as "documentNumber", t.payer_name as "payerName", t.payer_account as "payerAccount",
  t.payer_tax_id as "payerTaxId", t.payer_bank as "payerBank", t.purpose, t.bank_id as "bankId", t.channel, t.version,
  t.names, t.raw, t.taken_at as "takenAt", t.told_early_at as "toldEarlyAt", t.told_booked_at as "toldBookedAt", t.state,
  t.held_with as "heldWith", t.duplicate_of as "duplicateOf", ${allocationsOf} as shares, t.deposit_cents as "depositCents",
  t.refund_cents as "refundCents", t.open_cents as "openCents", t.due_since as "dueSince"`

/** Whether the only files that tell this transfer are being undone. */
export const isBeingUndone = (tx: Tx, transferId: string): Promise<boolean> =>
  tx.has(sql`
    select r.transfer_id
    from report_rows r
    join statements s on s.id = r.statement_id
    where r.transfer_id = ${transferId}
    group by r.transfer_id
    having bool_and(s.undo_started_at is not null)`)

/** The transfers that are marked as duplicates of this one. */
export async function findRepetitions(tx: Tx, id: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    sql`select id from transfers where duplicate_of = ${id} order by id`,
  )
  return rows.map((row) => row.id)
}

/** Held transfers that may be this payment, or one of the same day and amount. */
export async function findHeldWith(
  tx: Tx,
  { id, accountId }: { id: string; accountId: string },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id
    from transfers
    where account_id = ${accountId} and state = 'held' and held_with @> array[${id}::uuid]
    order by id`)
  return rows.map((row) => row.id)
}

/** The account of a transfer, which every decision about it locks first. */
export async function findTransferAccount(db: Queryable, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ account_id: string }>(sql`select account_id from transfers where id = ${id}`)
  return row?.account_id
}

export async function lockTransfer(tx: Tx, id: string): Promise<LockedTransfer | undefined> {
  const [row] = await tx.query<TransferRow>(sql`
    select ${transferColumns}
    from transfers t
    join receiving_accounts a on a.id = t.account_id
    where t.id = ${id}
    for no key update of t`)
  return row && transferFrom(row)
}

export async function lockTransfers(tx: Tx, ids: readonly string[]): Promise<LockedTransfer[]> {
  const rows = await tx.query<TransferRow>(sql`
    select ${transferColumns}
    from transfers t
    join receiving_accounts a on a.id = t.account_id
    where t.id = any(${ids}::uuid[])
    order by t.id
    for no key update of t`)
  return rows.map(transferFrom)
}

/** The accounts whose transfers settle a deposit, which are locked before it ends. */
export async function findSettlingAccounts(tx: Tx, depositId: string): Promise<string[]> {
  const rows = await tx.query<{ account_id: string }>(sql`
    select distinct t.account_id
    from allocations s
    join transfers t on t.id = s.transfer_id
    where s.deposit_id = ${depositId}`)
  return rows.map((row) => row.account_id)
}

/** Held booked rows of a day, and what was told early and never booked of the fourteen days around it, in the order of telling. */
export async function findDoubtsOfDay(
  db: Queryable,
  { accountId, day }: { accountId: string; day: string },
): Promise<{ held: LockedTransfer[]; early: LockedTransfer[] }> {
  const rows = await db.query<TransferRow>(sql`
    select ${transferColumns}
    from transfers t
    join receiving_accounts a on a.id = t.account_id
    where t.account_id = ${accountId}
      and t.direction = 'credit'
      and ((t.state = 'held' and t.booked_on = ${day} and t.told_booked_at is not null)
        or (t.told_booked_at is null and t.state not in ('revoked', 'duplicate', 'refunded')
          and t.booked_on between ${day}::date - 14 and ${day}::date + 14))
    order by t.booked_on, t.taken_at, t.id
    limit 2000`)
  const found = rows.map(transferFrom)
  const isBooked = ({ toldBookedAt }: LockedTransfer) => toldBookedAt !== null
  return { held: found.filter(isBooked), early: found.filter((one) => !isBooked(one)) }
}

/** Where a look at ended deposits stopped. */
export type EndedPlace = { lateUntil: string; id: string }

/**
 * Deposits that are over for good, and still have money of somebody; what a person has to decide is not over. What was released
 * stays among those that are looked at for 90 days, so a look has an end: `next` is where another begins, null after all.
 */
export async function findOverWithMoney(
  db: Queryable,
  { after, look }: { after: EndedPlace | null; look: number },
): Promise<{ ids: string[]; next: EndedPlace | null }> {
  const rows = await db.query<EndedPlace & { hasMoney: boolean }>(sql`
    select d.id, d.late_until::text as "lateUntil",
      (select true from allocations s where s.deposit_id = d.id limit 1) is not null as "hasMoney"
    from (
      select id, late_until
      from deposits
      where state = 'expired'
        and received_cents > 0
        and not labels @> '{review}'
        and (late_until, id) > (
          coalesce(${after?.lateUntil}::timestamptz, inlet_now() - interval '90 days'),
          coalesce(${after?.id}::uuid, '00000000-0000-0000-0000-000000000000'))
        and late_until <= inlet_now()
      order by late_until, id
      limit ${look}
    ) d
    order by d.late_until, d.id`)
  const ids = rows.filter(({ hasMoney }) => hasMoney).map(({ id }) => id)
  const last = rows.length < look ? undefined : rows.at(-1)
  return { ids, next: last ? { lateUntil: last.lateUntil, id: last.id } : null }
}

type TransferFilter = {
  state: TransferState | null
  accountId: string | null
  depositId: string | null
  /** The last transfer of the page before. */
  before: string | null
  limit: number
}

/** Newest first: the few newest of each state that is asked for, put in one order. */
export async function listTransfers(db: Queryable, filter: TransferFilter): Promise<LockedTransfer[]> {
  const { state, accountId, depositId, before, limit } = filter
  // Planned for what is asked for: each filter has an index of its own.
  const rows = await db.query<TransferRow>(
    unprepared(sql`
      select ${transferColumns}
      from unnest(${state ? [state] : transferStates}::text[]) as s (state)
      cross join lateral (
        select id
        from transfers
        where state = s.state
          and (${accountId}::uuid is null or account_id = ${accountId})
          and (${depositId}::uuid is null or id in (select transfer_id from allocations where deposit_id = ${depositId}))
          and (${before}::uuid is null or (taken_at, id) < (select taken_at, id from transfers where id = ${before}))
        order by taken_at desc, id desc
        limit ${limit}
      ) newest
      join transfers t on t.id = newest.id
      join receiving_accounts a on a.id = t.account_id
      order by t.taken_at desc, t.id desc
      limit ${limit}`),
  )
  return rows.map(transferFrom)
}

type Decision = {
  at: Date
  state: TransferState
  deposit_ids: string[]
  actor: string
  rule: string
  reason: MessageOrText
  evidence: unknown
}

/** A transfer with its newest decisions, oldest first: a bank may report one entry anew without end. */
export async function readTransfer(
  db: Queryable,
  id: string,
): Promise<{ transfer: LockedTransfer; decisions: Decision[] } | undefined> {
  const [row] = await db.query<TransferRow>(sql`
    select ${transferColumns}
    from transfers t
    join receiving_accounts a on a.id = t.account_id
    where t.id = ${id}`)
  if (!row) return undefined
  const decisions = await db.query<Decision & { message: unknown }>(sql`
    select at, state, deposit_ids, actor, rule, reason, message, evidence
    from transfer_decisions
    where transfer_id = ${id}
    order by entry desc
    limit ${bounds.decisionsRead}`)
  return { transfer: transferFrom(row), decisions: decisions.reverse().map(withReason) }
}

/** Our accounts by account number. */
export async function findAccountsByNumber(
  db: Queryable,
  mode: Mode,
  numbers: readonly string[],
): Promise<Map<string, { id: string; currency: Currency }>> {
  const rows = await db.query<{ number: string; id: string; currency: Currency }>(sql`
    select number, id, currency
    from receiving_accounts
    where mode = ${mode} and number = any(${numbers}::text[])`)
  return new Map(rows.map(({ number, id, currency }) => [number, { id, currency }]))
}

const transferFrom = (row: TransferRow): LockedTransfer => ({
  ...row,
  shares: row.shares.map(allocationFrom),
  purposeParts: [row.purpose],
})
