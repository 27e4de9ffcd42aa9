/** Transfers, their decisions and their sources in the database. */
import type { Reference } from '../deposits/reference.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Cents, Currency } from '../money.ts'
import { fragment, type Queryable, sql, type Tx } from '../platform/db.ts'
import { fingerprint, type Transfer, type TransferFacts, type TransferState } from './transfer.ts'

export type Source = { id: string; name: string; mode: Mode; kind: 'push' | 'statement' | 'sandbox' }

/** A transfer as it is about to be written: what the bank said, and what was decided about it. */
export type TransferDraft = TransferFacts & {
  id: string
  sourceId: string
  occurrence: number
  state: TransferState
  depositId: string | null
  duplicateOf: string | null
}

export type DecisionDraft = {
  transferId: string
  state: TransferState
  depositId: string | null
  actor: string
  rule: string
  reason: string
  evidence: unknown
}

export type LockedAccount = { id: string; mode: Mode; currency: Currency }

/** These accounts, locked: one import of an account at a time, or two files could each add what the other has. */
export async function lockAccounts(tx: Tx, ids: readonly string[]): Promise<Map<string, LockedAccount>> {
  const rows = await tx.query<LockedAccount>(sql`
    select id, mode, currency
    from receiving_accounts
    where id = any(${ids}::uuid[])
    order by id
    for no key update`)
  return new Map(rows.map((row) => [row.id, row]))
}

export type Known = {
  id: string
  accountId: string
  bankId: string
  direction: 'credit' | 'debit'
  version: bigint
  state: TransferState
  cents: Cents
  depositId: string | null
}

/** What this source has told of these entries before, by the bank's own ids. */
export async function findByBankIds(
  tx: Tx,
  sourceId: string,
  keys: readonly { accountId: string; bankId: string; direction: string }[],
): Promise<Known[]> {
  return tx.query<Known>(sql`
    select t.id, t.account_id as "accountId", t.bank_id as "bankId", t.direction, t.version, t.state, t.cents,
      t.deposit_id as "depositId"
    from unnest(
      ${keys.map((key) => key.accountId)}::uuid[],
      ${keys.map((key) => key.bankId)}::text[],
      ${keys.map((key) => key.direction)}::text[]) as k (account_id, bank_id, direction)
    join transfers t
      on t.account_id = k.account_id and t.bank_id = k.bank_id and t.direction = k.direction
    where t.source_id = ${sourceId}`)
}

/** Which of these rows without a bank's id are known, as `account:fingerprint:occurrence`. */
export async function findByFingerprints(
  tx: Tx,
  keys: readonly { accountId: string; fingerprint: Buffer; occurrence: number }[],
): Promise<Set<string>> {
  const rows = await tx.query<{ account_id: string; fingerprint: string; occurrence: number }>(sql`
    select t.account_id, encode(t.fingerprint, 'hex') as fingerprint, t.occurrence
    from unnest(
      ${keys.map((key) => key.accountId)}::uuid[],
      ${keys.map((key) => key.fingerprint.toString('hex'))}::text[],
      ${keys.map((key) => key.occurrence)}::int[]) as k (account_id, fingerprint, occurrence)
    join transfers t
      on t.account_id = k.account_id and t.fingerprint = decode(k.fingerprint, 'hex')
      and t.occurrence = k.occurrence
    where t.bank_id is null`)
  return new Set(rows.map((row) => `${row.account_id}:${row.fingerprint}:${row.occurrence}`))
}

export type Twin = {
  id: string
  /** Told with the bank's id, by the entry that is looked for. */
  hasId: boolean
  accountId: string
  bookedOn: string
  cents: Cents
  payerAccount: string
  documentNumber: string
}

/**
 * The same payments as told before in another way: by another source, or, in files, with the bank's ids by one format
 * and without them by another; never within one file. Each way of telling repeats a payment once.
 */
export async function findTwins(
  tx: Tx,
  sourceId: string,
  facts: readonly Pick<
    TransferFacts,
    'accountId' | 'bookedOn' | 'cents' | 'payerAccount' | 'documentNumber' | 'bankId' | 'statementId'
  >[],
): Promise<Twin[]> {
  return tx.query<Twin>(sql`
    select t.id, k.has_id as "hasId", t.account_id as "accountId", t.booked_on as "bookedOn", t.cents,
      t.payer_account as "payerAccount", t.document_number as "documentNumber"
    from (
      select distinct account_id, booked_on, cents, payer_account, document_number, has_id
      from unnest(
        ${facts.map((one) => one.accountId)}::uuid[],
        ${facts.map((one) => one.bookedOn)}::date[],
        ${facts.map((one) => one.cents)}::bigint[],
        ${facts.map((one) => one.payerAccount)}::text[],
        ${facts.map((one) => one.documentNumber)}::text[],
        ${facts.map((one) => one.bankId !== null)}::boolean[])
        as k (account_id, booked_on, cents, payer_account, document_number, has_id)
    ) k
    join transfers t
      on t.account_id = k.account_id and t.booked_on = k.booked_on and t.cents = k.cents
      and t.document_number = k.document_number and t.payer_account = k.payer_account
    where (t.source_id <> ${sourceId} or (t.bank_id is not null) <> k.has_id)
      and (t.statement_id is null or t.statement_id is distinct from ${facts[0]?.statementId ?? null}::uuid)
      and t.direction = 'credit'
      and t.state <> 'duplicate'
      and not exists (
        select from transfers d
        where d.duplicate_of = t.id and d.source_id = ${sourceId} and (d.bank_id is not null) = k.has_id)
    order by t.id`)
}

/** The credits that a reversal may mean: of its amount, under the bank's id or the number of its document. */
export async function findReversed(
  tx: Tx,
  { accountId, cents, bankId, documentNumber }: TransferFacts,
): Promise<Known[]> {
  return tx.query<Known>(sql`
    select id, account_id as "accountId", coalesce(bank_id, '') as "bankId", direction, version, state, cents,
      deposit_id as "depositId"
    from transfers
    where account_id = ${accountId}
      and cents = ${cents}
      and direction = 'credit'
      and state not in ('revoked', 'duplicate', 'refunded')
      and (bank_id = ${bankId} or (${documentNumber} <> '' and document_number = ${documentNumber}))
    limit 2`)
}

export type Wait = { accountId: string; depositId: string }

/** At most so many deposits are looked at for one amount: with two a person decides anyway. */
const waitingMost = 50

/** The deposits that wait for these amounts, and those that these references name, wherever they are. */
export async function findWaiting(
  tx: Tx,
  facts: readonly { accountId: string; cents: Cents }[],
  references: readonly Reference[],
): Promise<Wait[]> {
  return tx.query<Wait>(sql`
    select d.account_id as "accountId", d.id as "depositId"
    from (
      select distinct account_id, cents
      from unnest(${facts.map((one) => one.accountId)}::uuid[], ${facts.map((one) => one.cents)}::bigint[])
        as k (account_id, cents)
    ) k
    cross join lateral (
      select d.account_id, d.id
      from deposits d
      where d.account_id = k.account_id
        and d.amount_cents = k.cents
        and d.state in ('created', 'expired')
        and d.late_until > (select inlet_now())
      limit ${waitingMost}
    ) d
    union
    select d.account_id, d.id
    from deposits d
    where d.reference = any(${references}::text[]) and d.holds_reference`)
}

/** Writes transfers as they were decided. The database refuses one whose coins do not add up. */
export async function insertTransfers(tx: Tx, drafts: readonly TransferDraft[]): Promise<void> {
  if (drafts.length === 0) return
  await tx.query(sql`
    insert into transfers
      (id, source_id, account_id, direction, cents, currency, booked_on, booked_at, paid_on, document_number,
       payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id, version, fingerprint, occurrence,
       statement_id, line, raw, taken_at, state, deposit_id, duplicate_of, deposit_cents, open_cents)
    select
      id, source_id, account_id, direction, cents, currency, booked_on, booked_at, paid_on, document_number,
      payer_name, payer_account, payer_tax_id, payer_bank, purpose, bank_id, version, decode(fingerprint, 'hex'),
      occurrence, statement_id, line, raw, (select inlet_now()), state, deposit_id, duplicate_of,
      case when state = 'matched' then cents else 0 end,
      case when state in ('unmatched', 'ambiguous', 'set_aside') then cents else 0 end
    from json_to_recordset(${JSON.stringify(drafts.map(rowFrom))}::json) as n (
      id uuid, source_id uuid, account_id uuid, direction text, cents bigint, currency text, booked_on date,
      booked_at timestamptz, paid_on date, document_number text, payer_name text, payer_account text,
      payer_tax_id text, payer_bank text, purpose text, bank_id text, version bigint, fingerprint text,
      occurrence int, statement_id uuid, line int, raw text, state text, deposit_id uuid, duplicate_of uuid)`)
}

export async function insertDecisions(tx: Tx, drafts: readonly DecisionDraft[]): Promise<void> {
  if (drafts.length === 0) return
  await tx.query(sql`
    insert into transfer_decisions (transfer_id, entry, at, state, deposit_id, actor, rule, reason, evidence)
    select
      n.transfer_id,
      1 + coalesce((select max(d.entry) from transfer_decisions d where d.transfer_id = n.transfer_id), 0),
      (select inlet_now()), n.state, n.deposit_id, n.actor, n.rule, n.reason, n.evidence
    from json_to_recordset(${JSON.stringify(
      drafts.map((draft) => ({
        transfer_id: draft.transferId,
        state: draft.state,
        deposit_id: draft.depositId,
        actor: draft.actor,
        rule: draft.rule,
        reason: draft.reason,
        evidence: draft.evidence,
      })),
    )}::json) as n (
      transfer_id uuid, state text, deposit_id uuid, actor text, rule text, reason text, evidence jsonb)`)
}

export type LockedTransfer = Transfer & {
  sourceId: string
  mode: Mode
  duplicateOf: string | null
  depositCents: Cents
  refundCents: Cents
  openCents: Cents
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
}

const transferColumns = fragment`
  t.id, t.source_id, t.account_id, a.mode, t.direction, t.cents, t.currency, t.booked_on, t.booked_at, t.paid_on,
  t.document_number, t.payer_name, t.payer_account, t.payer_tax_id, t.payer_bank, t.purpose, t.bank_id, t.version,
  t.statement_id, t.line, t.raw, t.taken_at, t.state, t.deposit_id, t.duplicate_of, t.deposit_cents, t.refund_cents, t.open_cents`

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

/** The only way a transfer changes: its state, where its coins are, and the line that says why. */
export async function saveDecision(
  tx: Tx,
  transfer: Pick<
    LockedTransfer,
    'id' | 'state' | 'depositId' | 'depositCents' | 'refundCents' | 'openCents' | 'version'
  >,
  decision: Omit<DecisionDraft, 'transferId' | 'state' | 'depositId'>,
): Promise<void> {
  const { id, state, depositId, depositCents, refundCents, openCents, version } = transfer
  await tx.query(sql`
    update transfers
    set
      state = ${state},
      deposit_id = ${depositId},
      duplicate_of = case when ${state} = 'duplicate' then duplicate_of end,
      deposit_cents = ${depositCents},
      refund_cents = ${refundCents},
      open_cents = ${openCents},
      version = ${version}
    where id = ${id}`)
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
  reason: string
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
  const decisions = await db.query<Decision>(sql`
    select at, state, deposit_id, actor, rule, reason, evidence
    from transfer_decisions
    where transfer_id = ${id}
    order by entry`)
  return { transfer: transferFrom(row), decisions }
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

export async function insertSource(
  tx: Tx,
  source: { id: string; name: string; mode: Mode; tokenDigest: Buffer },
): Promise<void> {
  await tx.query(sql`
    insert into bank_sources (id, name, mode, kind, token_digest)
    values (${source.id}, ${source.name}, ${source.mode}, 'push', ${source.tokenDigest})`)
}

/** The source that a token belongs to, and that it was used. A disabled one is nobody's. */
export async function findSourceByToken(db: Queryable, tokenDigest: Buffer): Promise<Source | undefined> {
  const [row] = await db.query<Source>(sql`
    update bank_sources
    set last_used_at = inlet_now()
    where token_digest = ${tokenDigest} and enabled
    returning id, name, mode, kind`)
  return row
}

export async function setSourceEnabled(tx: Tx, id: string, enabled: boolean): Promise<boolean> {
  const rows = await tx.query(sql`update bank_sources set enabled = ${enabled} where id = ${id} returning id`)
  return rows.length > 0
}

export async function listSources(db: Queryable) {
  return db.query<Source & { enabled: boolean; last_used_at: Date | null }>(sql`
    select id, name, mode, kind, enabled, last_used_at
    from bank_sources
    order by created_at, id`)
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

const rowFrom = (draft: TransferDraft) => ({
  id: draft.id,
  source_id: draft.sourceId,
  account_id: draft.accountId,
  direction: draft.direction,
  cents: draft.cents.toString(),
  currency: draft.currency,
  booked_on: draft.bookedOn,
  booked_at: draft.bookedAt,
  paid_on: draft.paidOn,
  document_number: draft.documentNumber,
  payer_name: draft.payerName,
  payer_account: draft.payerAccount,
  payer_tax_id: draft.payerTaxId,
  payer_bank: draft.payerBank,
  purpose: draft.purpose,
  bank_id: draft.bankId,
  version: draft.version.toString(),
  fingerprint: fingerprint(draft).toString('hex'),
  occurrence: draft.occurrence,
  statement_id: draft.statementId,
  line: draft.line,
  raw: draft.raw,
  state: draft.state,
  deposit_id: draft.depositId,
  duplicate_of: draft.duplicateOf,
})

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
  version: row.version,
  statementId: row.statement_id,
  line: row.line,
  raw: row.raw,
  takenAt: row.taken_at,
  state: row.state,
  depositId: row.deposit_id,
  duplicateOf: row.duplicate_of,
  depositCents: row.deposit_cents,
  refundCents: row.refund_cents,
  openCents: row.open_cents,
})
