/** Transfers and their decisions in the database. What is known of a payment that is told again: known/store.ts. */

import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Reference } from '../deposits/reference.ts'
import { sumKept } from '../deposits/store.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type MessageOrText, messageJson, withReason } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import type { AmountMatching } from '../requisites/requisite.ts'
import { maskedRaw } from './masked-raw.ts'
import type { Payer } from './repetitions.ts'
import type { Channel, Transfer, TransferFacts, TransferState } from './transfer.ts'

export type Source = { id: string; name: string; mode: Mode; kind: 'push' | 'statement' | 'sandbox' }

/** A transfer as it is about to be written: what the bank said, and what was decided about it. */
export type TransferDraft = TransferFacts & {
  id: string
  sourceId: string
  fingerprint: Buffer
  occurrence: number
  state: TransferState
  depositId: string | null
  duplicateOf: string | null
  decision: Pick<DecisionDraft, 'rule' | 'reason' | 'evidence'>
}

export type DecisionDraft = {
  transferId: string
  state: TransferState
  depositId: string | null
  actor: string
  rule: string
  reason: MessageOrText
  evidence: unknown
}

export type LockedAccount = { id: string; mode: Mode; currency: Currency; amountMatching: AmountMatching }

/** These accounts, locked: one import of an account at a time, or two files could each add what the other has. */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<Map<string, LockedAccount>> {
  const rows = await tx.query<LockedAccount>(sql`
    select id, mode, currency, amount_matching as "amountMatching"
    from receiving_accounts
    where id = any(${ids}::uuid[])
    order by id
    for no key update`)
  return new Map(rows.map((row) => [row.id, row]))
}

export type Wait = { accountId: string; depositId: string; reference: Reference; cents: Cents }

/** So many deposits are looked at for one amount; where there are more, a person decides. */
export const waitingMost = 50

/** The deposits that wait for these amounts, and those that these references name, wherever they are. */
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
      from unnest(${facts.map((one) => one.accountId)}::uuid[], ${facts.map((one) => one.cents)}::bigint[])
        as k (account_id, cents)
    ) k
    cross join lateral (
      select d.account_id, d.id, d.reference, d.amount_cents
      from deposits d
      where d.account_id = k.account_id
        and d.amount_cents = k.cents
        and d.state in ('created', 'expired')
        and d.late_until > (select inlet_now())
      limit ${waitingMost + 1}
    ) d
    union
    select d.account_id, d.id, d.reference, d.amount_cents
    from deposits d
    where d.reference = any(${references}::text[]) and d.holds_reference`)
}

/** Deposits of these accounts that have a part of their money, with who sent it. */
export async function findBegun(
  tx: Tx,
  accountIds: readonly string[],
): Promise<(Payer & { depositId: string; accountId: string })[]> {
  return tx.query(sql`
    select d.id as "depositId", d.account_id as "accountId", t.payer_account as "payerAccount",
      t.payer_tax_id as "payerTaxId", t.payer_name as "payerName"
    from (
      select id, account_id
      from deposits
      where account_id = any(${accountIds}::uuid[])
        and state in ('created', 'expired')
        and received_cents > 0
        and received_cents < amount_cents
        and late_until > (select inlet_now())
      limit 1000
    ) d
    join transfers t on t.deposit_id = d.id`)
}

/**
 * Writes transfers with the first decision about each. The database refuses one whose coins do not add up. Arrays are
 * unnested side by side in the select list: as a table of so many columns they would be stored and joined first.
 */
export async function insertTransfers(tx: Tx, drafts: readonly TransferDraft[]): Promise<void> {
  if (drafts.length === 0) return
  await tx.query(sql`
    insert into transfers
      (id, source_id, account_id, direction, cents, currency, booked_on, booked_at, paid_on, document_number,
       payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id, entry_reference,
       entry_cents, channel, version, fingerprint, occurrence, statement_id, line, raw, taken_at, state, deposit_id,
       duplicate_of, deposit_cents, open_cents)
    select
      id, source_id, account_id, direction, cents, currency, booked_on, booked_at, paid_on, document_number,
      payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id, entry_reference, entry_cents,
      channel, version, fingerprint, occurrence, statement_id, line, raw, (select inlet_now()), state, deposit_id, duplicate_of,
      case when state = 'matched' then cents else 0 end,
      case when state in ('unmatched', 'ambiguous', 'set_aside') then cents else 0 end
    from (
      select
        unnest(${drafts.map((draft) => draft.id)}::uuid[]) as id,
        unnest(${drafts.map((draft) => draft.sourceId)}::uuid[]) as source_id,
        unnest(${drafts.map((draft) => draft.accountId)}::uuid[]) as account_id,
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
        unnest(${drafts.map((draft) => draft.bankEntry?.reference ?? null)}::text[]) as entry_reference,
        unnest(${drafts.map((draft) => draft.bankEntry?.cents ?? null)}::bigint[]) as entry_cents,
        unnest(${drafts.map((draft) => draft.channel)}::text[]) as channel,
        unnest(${drafts.map((draft) => draft.version)}::bigint[]) as version,
        unnest(${drafts.map((draft) => draft.fingerprint)}::bytea[]) as fingerprint,
        unnest(${drafts.map((draft) => draft.occurrence)}::int[]) as occurrence,
        unnest(${drafts.map((draft) => draft.statementId)}::uuid[]) as statement_id,
        unnest(${drafts.map((draft) => draft.line)}::int[]) as line,
        unnest(${drafts.map((draft) => draft.raw)}::text[]) as raw,
        unnest(${drafts.map((draft) => draft.state)}::text[]) as state,
        unnest(${drafts.map((draft) => draft.depositId)}::uuid[]) as deposit_id,
        unnest(${drafts.map((draft) => draft.duplicateOf)}::uuid[]) as duplicate_of
    ) n`)
  await tx.query(sql`
    insert into transfer_decisions (transfer_id, entry, at, state, deposit_id, actor, rule, reason, message, evidence)
    select
      unnest(${drafts.map((draft) => draft.id)}::uuid[]), 1, (select inlet_now()),
      unnest(${drafts.map((draft) => draft.state)}::text[]),
      unnest(${drafts.map((draft) => draft.depositId)}::uuid[]), 'matcher',
      unnest(${drafts.map((draft) => draft.decision.rule)}::text[]),
      unnest(${drafts.map((draft) => `${draft.decision.reason}`)}::text[]),
      unnest(${drafts.map((draft) => messageJson(draft.decision.reason))}::jsonb[]),
      unnest(${drafts.map((draft) => JSON.stringify(draft.decision.evidence))}::jsonb[])`)
}

export async function insertDecisions(tx: Tx, drafts: readonly DecisionDraft[]): Promise<void> {
  if (drafts.length === 0) return
  await tx.query(sql`
    insert into transfer_decisions (transfer_id, entry, at, state, deposit_id, actor, rule, reason, message, evidence)
    select
      n.transfer_id,
      1 + coalesce((select max(d.entry) from transfer_decisions d where d.transfer_id = n.transfer_id), 0),
      (select inlet_now()), n.state, n.deposit_id, n.actor, n.rule, n.reason, n.message, n.evidence
    from unnest(
      ${drafts.map((draft) => draft.transferId)}::uuid[],
      ${drafts.map((draft) => draft.state)}::text[],
      ${drafts.map((draft) => draft.depositId)}::uuid[],
      ${drafts.map((draft) => draft.actor)}::text[],
      ${drafts.map((draft) => draft.rule)}::text[],
      ${drafts.map((draft) => `${draft.reason}`)}::text[],
      ${drafts.map((draft) => messageJson(draft.reason))}::jsonb[],
      ${drafts.map((draft) => JSON.stringify(draft.evidence))}::jsonb[])
      as n (transfer_id, state, deposit_id, actor, rule, reason, message, evidence)`)
}

export type LockedTransfer = Transfer & {
  sourceId: string
  mode: Mode
  duplicateOf: string | null
  depositCents: Cents
  refundCents: Cents
  openCents: Cents
  /** Since when what is open of it is owed to its payer. */
  dueSince: Date | null
  /** What a person said is nobody's claim, of its part of a deposit's surplus. */
  keptCents: Cents
}

type TransferRow = {
  id: string
  source_id: string
  account_id: string
  mode: Mode
  direction: 'credit' | 'debit'
  cents: bigint
  currency: Currency
  booked_on: string
  booked_at: Date | null
  paid_on: string | null
  document_number: string
  payer_name: string
  payer_account: string
  payer_tax_id: string
  payer_bank: string
  purpose: string
  bank_id: string | null
  entry_reference: string | null
  entry_cents: bigint | null
  channel: Channel
  version: bigint
  statement_id: string | null
  line: number | null
  raw: string
  taken_at: Date
  state: TransferState
  deposit_id: string | null
  duplicate_of: string | null
  deposit_cents: bigint
  refund_cents: bigint
  open_cents: bigint
  due_since: Date | null
  kept_cents: bigint
}

const transferColumns = fragment`
  t.id, t.source_id, t.account_id, a.mode, t.direction, t.cents, t.currency, t.booked_on, t.booked_at, t.paid_on,
  t.document_number, t.payer_name, t.payer_account, t.payer_tax_id, t.payer_bank, t.purpose, t.bank_id,
  t.entry_reference, t.entry_cents, t.channel, t.version, t.statement_id, t.line, t.raw, t.taken_at, t.state, t.deposit_id, t.duplicate_of, t.deposit_cents, t.refund_cents, t.open_cents,
  t.due_since, t.kept_cents`

/** How much of a revoked transfer had been paid back before. What was revoked twice had nothing left the second time. */
export async function readRefunded(tx: Tx, id: string): Promise<Cents> {
  const [row] = await tx.query<{ cents: Cents }>(sql`
    select coalesce(evidence ->> 'refunded', '0')::bigint as cents
    from transfer_decisions
    where transfer_id = ${id} and rule = 'revoked' and evidence ->> 'before' is distinct from 'revoked'
    order by entry desc
    limit 1`)
  return row?.cents ?? 0n
}

/** By which rule the last decision about a transfer was made. */
export async function readLastRule(tx: Tx, id: string): Promise<string> {
  const [row] = await tx.query<{ rule: string }>(sql`
    select rule
    from transfer_decisions
    where transfer_id = ${id}
    order by entry desc
    limit 1`)
  return row?.rule ?? ''
}

/** Whether it was found, as it came in, that a transfer may be the same payment as another. */
export async function isSuspected(tx: Tx, id: string, of: string): Promise<boolean> {
  const [row] = await tx.query<{ isSuspected: boolean }>(sql`
    select exists (
      select from transfer_decisions where transfer_id = ${id} and evidence -> 'same_as' ? ${of}
    ) as "isSuspected"`)
  return row!.isSuspected
}

/** Whether the file of a transfer is taken back, and no other file tells of it; or the file itself is. */
export async function isBeingUndone(
  tx: Tx,
  of: { transferId: string } | { statementId: string },
): Promise<boolean> {
  const { transferId = null, statementId = null } = of as { transferId?: string; statementId?: string }
  const rows = await tx.query(sql`
    select s.id
    from statements s
    where s.id = coalesce(${statementId}::uuid, (select statement_id from transfers where id = ${transferId}::uuid))
      and s.undo_started_at is not null
      and not exists (
        select from transfer_repeats r
        join statements o on o.id = r.statement_id
        where r.transfer_id = ${transferId}::uuid and r.became is null and o.undo_started_at is null)`)
  return rows.length > 0
}

/** The tellings that repeat a payment. */
export async function findRepetitions(tx: Tx, id: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    sql`select id from transfers where duplicate_of = ${id} order by id`,
  )
  return rows.map((row) => row.id)
}

/**
 * The telling of another source that took the place of this transfer when its import was undone, or that it had repeated,
 * if it counts still.
 */
export async function findInstead(tx: Tx, id: string): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    select t.id
    from (
      select d.transfer_id as id
      from transfer_decisions d
      where d.rule = 'original_undone' and d.evidence ->> 'instead_of' = ${id}::text
      union
      select (d.evidence ->> 'duplicate_of')::uuid
      from transfer_decisions d
      where d.transfer_id = ${id}::uuid and d.rule = 'import_undone' and d.evidence ->> 'duplicate_of' is not null
    ) i
    join transfers o on o.id = i.id
    join transfers t on t.id = coalesce(o.duplicate_of, o.id)
    where t.id <> ${id}::uuid and t.state not in ('duplicate', 'revoked')
    order by t.id
    limit 1`)
  return row?.id
}

/** Which account a transfer belongs to: the first lock of every decision about it. */
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

/** The only way a transfer changes: its state, where its coins are, whether they are owed, and the line that says why. */
export async function saveDecision(
  tx: Tx,
  transfer: Pick<
    LockedTransfer,
    | 'id'
    | 'state'
    | 'depositId'
    | 'duplicateOf'
    | 'depositCents'
    | 'refundCents'
    | 'openCents'
    | 'keptCents'
    | 'version'
  >,
  decision: Omit<DecisionDraft, 'transferId' | 'state' | 'depositId'>,
): Promise<void> {
  const { id, state, depositId, duplicateOf, depositCents, refundCents, openCents, keptCents, version } =
    transfer
  const [before] = await tx.query<{ depositId: string | null }>(sql`
    with before as (
      select deposit_id from transfers where id = ${id}
    )
    update transfers
    set
      state = ${state},
      deposit_id = ${depositId},
      duplicate_of = case when ${state} = 'duplicate' then ${duplicateOf}::uuid end,
      deposit_cents = ${depositCents},
      refund_cents = ${refundCents},
      open_cents = ${openCents},
      -- What has left the deposit is kept by nobody.
      kept_cents = least(${keptCents}::bigint, ${depositCents}::bigint),
      version = ${version},
      due_since = case
        when (${state} = 'set_aside' and ${decision.rule} = 'by_hand') or ${decision.rule} = 'deposit_ended'
          then coalesce(due_since, inlet_now())
        -- A part was given back, or the bank wrote it anew: the rest is owed as it was.
        when ${decision.rule} in ('refund', 'new_version') and ${openCents}::bigint > 0 then due_since
      end
    where id = ${id}
    returning (select deposit_id from before) as "depositId"`)
  await sumKept(
    tx,
    [before?.depositId, depositId].filter((one) => one != null),
  )
  await insertDecisions(tx, [{ ...decision, transferId: id, state, depositId }])
}

/** Test and live never meet, and a merchant's own account serves nobody else: also by a person's hand. */
export async function mayServe(tx: Tx, transferId: string, depositId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select t.id
    from transfers t
    join receiving_accounts a on a.id = t.account_id
    join deposits d on d.id = ${depositId}
    join merchants m on m.id = d.merchant_id
    where t.id = ${transferId}
      and m.mode = a.mode
      and (a.merchant_id is null or a.merchant_id = d.merchant_id)`)
  return rows.length > 0
}

/** The accounts whose transfers settle a deposit: the first locks of whoever ends it. */
export async function findSettlingAccounts(tx: Tx, depositId: string): Promise<string[]> {
  const rows = await tx.query<{ account_id: string }>(
    sql`select distinct account_id from transfers where deposit_id = ${depositId}`,
  )
  return rows.map((row) => row.account_id)
}

/** Deposits that are over for good, and still have money of somebody. What a person has to decide is not over. */
export async function findOverWithMoney(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select d.id
    from deposits d
    where d.state = 'expired'
      and d.received_cents > 0
      and not d.labels @> '{review}'
      and d.late_until between inlet_now() - interval '90 days' and inlet_now()
      and exists (select from transfers t where t.deposit_id = d.id)
    limit ${limit}`)
  return rows.map((row) => row.id)
}

/** The transfers that settle a deposit. */
export async function findSettling(tx: Tx, depositId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    sql`select id from transfers where deposit_id = ${depositId} order by id`,
  )
  return rows.map((row) => row.id)
}

export type TransferFilter = {
  state: TransferState | null
  accountId: string | null
  depositId: string | null
  /** The last transfer of the page before. */
  before: string | null
  limit: number
}

/** Newest first, by keyset. */
export async function listTransfers(db: Queryable, filter: TransferFilter): Promise<LockedTransfer[]> {
  const { state, accountId, depositId, before, limit } = filter
  const rows = await db.query<TransferRow>(sql`
    select ${transferColumns}
    from transfers t
    join receiving_accounts a on a.id = t.account_id
    where (${state}::text is null or t.state = ${state})
      and (${accountId}::uuid is null or t.account_id = ${accountId})
      and (${depositId}::uuid is null or t.deposit_id = ${depositId})
      and (${before}::uuid is null or (t.taken_at, t.id) < (
        select taken_at, id from transfers where id = ${before}))
    order by t.taken_at desc, t.id desc
    limit ${limit}`)
  return rows.map(transferFrom)
}

export type Decision = {
  at: Date
  state: TransferState
  deposit_id: string | null
  actor: string
  rule: string
  reason: MessageOrText
  evidence: unknown
}

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
    select at, state, deposit_id, actor, rule, reason, message, evidence
    from transfer_decisions
    where transfer_id = ${id}
    order by entry`)
  return { transfer: transferFrom(row), decisions: decisions.map(withReason) }
}

/** The source of this kind; made when it is first asked for. */
export async function sourceOfKind(
  tx: Tx,
  kind: 'statement' | 'sandbox',
  mode: Mode,
  id: string,
): Promise<Source> {
  await tx.query(sql`
    insert into bank_sources (id, name, mode, kind)
    values (${id}, ${kind}, ${mode}, ${kind})
    on conflict do nothing`)
  const [row] = await tx.query<Source>(sql`
    select id, name, mode, kind
    from bank_sources
    where kind = ${kind} and mode = ${mode}`)
  return row!
}

/** Our accounts by the numbers that statements know them by. */
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
  id: row.id,
  sourceId: row.source_id,
  accountId: row.account_id,
  mode: row.mode,
  direction: row.direction,
  cents: row.cents,
  currency: row.currency,
  bookedOn: row.booked_on,
  bookedAt: row.booked_at,
  paidOn: row.paid_on,
  documentNumber: row.document_number,
  payerName: row.payer_name,
  payerAccount: row.payer_account,
  payerTaxId: row.payer_tax_id,
  payerBank: row.payer_bank,
  purpose: row.purpose,
  purposeParts: [row.purpose],
  bankId: row.bank_id,
  bankEntry:
    row.entry_reference === null ? null : { reference: row.entry_reference, cents: row.entry_cents! },
  channel: row.channel,
  version: row.version,
  statementId: row.statement_id,
  line: row.line,
  // Older rows have it whole.
  raw: maskedRaw(row.raw, { payer: row.payer_account }),
  takenAt: row.taken_at,
  state: row.state,
  depositId: row.deposit_id,
  duplicateOf: row.duplicate_of,
  depositCents: row.deposit_cents,
  refundCents: row.refund_cents,
  openCents: row.open_cents,
  dueSince: row.due_since,
  keptCents: row.kept_cents,
})
