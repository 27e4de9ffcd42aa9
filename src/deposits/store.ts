/** Deposits, their slots and their history in the database. */
import type { MerchantId } from '../merchants/merchant.ts'
import type { Currency } from '../money.ts'
import { fragment, type Queryable, sql, type Tx } from '../platform/db.ts'
import type { Deposit, DepositState, Flow, Shown } from './deposit.ts'
import type { Reference } from './reference.ts'

type DepositRow = {
  id: string
  merchant_id: string
  order_id: string
  flow: Flow
  state: DepositState
  amount_cents: bigint
  currency: Currency
  payment_type: string
  customer: string | null
  customer_phone_number: string | null
  callback_url: string | null
  success_url: string | null
  reject_url: string | null
  shown: Shown | null
  reference: Reference | null
  page_token: string
  received_cents: bigint
  labels: string[]
  created_at: Date
  expires_at: Date
  late_until: Date
  final_at: Date | null
}

const depositColumns = fragment`
  d.id, d.merchant_id, d.order_id, d.flow, d.state, d.amount_cents, d.currency, d.payment_type, d.customer,
  d.customer_phone_number, d.callback_url, d.success_url, d.reject_url, d.shown, d.reference, d.page_token,
  d.received_cents, d.labels, d.created_at, d.expires_at, d.late_until, d.final_at`

/** A deposit as it is about to be written: the database adds the times. */
export type DepositDraft = Omit<
  Deposit,
  'receivedCents' | 'labels' | 'createdAt' | 'expiresAt' | 'lateUntil' | 'finalAt'
> & {
  fingerprint: Buffer
  requisiteId: string
  accountId: string
  holdsSlot: boolean
  paymentMinutes: number
  lateGraceHours: number
  requestId: string
}

export type OrderKey = { merchantId: MerchantId; orderId: string }
export type StoredOrder = { deposit: Deposit; fingerprint: Buffer; now: Date }

/** The deposits that these orders already have. */
export async function findOrders(db: Queryable, keys: readonly OrderKey[]): Promise<StoredOrder[]> {
  const rows = await db.query<DepositRow & { fingerprint: Buffer; now: Date }>(sql`
    select ${depositColumns}, d.fingerprint, inlet_now() as now
    from unnest(
      ${keys.map((key) => key.merchantId)}::uuid[],
      ${keys.map((key) => key.orderId)}::text[]) as k (merchant_id, order_id)
    join deposits d on d.merchant_id = k.merchant_id and d.order_id = k.order_id`)
  return rows.map((row) => ({ deposit: depositFrom(row), fingerprint: row.fingerprint, now: row.now }))
}

/**
 * Takes the slots of these deposits, in one order everywhere so that two groups cannot wait for each other.
 * Returns the deposits that got theirs.
 */
export async function takeSlots(tx: Tx, drafts: readonly DepositDraft[]): Promise<Set<string>> {
  const rows = await tx.query<{ deposit_id: string }>(sql`
    insert into deposit_slots (currency, amount_cents, account_id, deposit_id)
    select currency, amount_cents, account_id, deposit_id
    from unnest(
      ${drafts.map((draft) => draft.currency)}::text[],
      ${drafts.map((draft) => draft.amountCents)}::bigint[],
      ${drafts.map((draft) => draft.accountId)}::uuid[],
      ${drafts.map((draft) => draft.id)}::uuid[]) as s (currency, amount_cents, account_id, deposit_id)
    order by currency, amount_cents, account_id
    on conflict do nothing
    returning deposit_id`)
  return new Set(rows.map((row) => row.deposit_id))
}

/**
 * Writes new deposits with the first line of their history. One whose order_id or reference is taken is left
 * out: the caller sees it missing and looks again.
 */
export async function insertDeposits(tx: Tx, drafts: readonly DepositDraft[]): Promise<Deposit[]> {
  const rows = await tx.query<DepositRow>(sql`
    with added as (
      insert into deposits as d
        (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, customer,
         customer_phone_number, callback_url, success_url, reject_url, requisite_id, account_id, shown,
         reference, page_token, created_at, expires_at, late_until)
      select
        id, merchant_id, order_id, flow, decode(fingerprint, 'hex'), state, amount_cents, currency,
        payment_type, customer, customer_phone_number, callback_url, success_url, reject_url, requisite_id,
        account_id, shown, reference, page_token, inlet_now(),
        inlet_now() + make_interval(mins => payment_minutes),
        inlet_now() + make_interval(mins => payment_minutes, hours => late_grace_hours)
      from json_to_recordset(${JSON.stringify(drafts.map(rowFrom))}::json) as n (
        id uuid, merchant_id uuid, order_id text, flow text, fingerprint text, state text,
        amount_cents bigint, currency text, payment_type text, customer text, customer_phone_number text,
        callback_url text, success_url text, reject_url text, requisite_id uuid, account_id uuid, shown jsonb,
        reference text, page_token text, payment_minutes int, late_grace_hours int)
      order by merchant_id, order_id
      on conflict do nothing
      returning ${depositColumns}
    ), noted as (
      insert into deposit_history (deposit_id, entry, at, action, to_state, actor, evidence)
      select added.id, 1, added.created_at, 'create', added.state, 'merchant', jsonb_build_object('request', r.request)
      from added
      join unnest(
        ${drafts.map((draft) => draft.id)}::uuid[],
        ${drafts.map((draft) => draft.requestId)}::text[]) as r (id, request) on r.id = added.id
    )
    select ${depositColumns} from added d`)
  return rows.map(depositFrom)
}

/** The first of a block of numbers for references; nobody else gets any of them. */
export async function takeReferenceBlock(db: Queryable): Promise<number> {
  const [row] = await db.query<{ first: bigint }>(sql`select nextval('deposit_reference_block') as first`)
  return Number(row!.first)
}

export type FoundDeposit = { deposit: Deposit; now: Date }

export async function findDeposit(
  db: Queryable,
  { merchantId, id, orderId }: { merchantId: MerchantId; id?: string; orderId?: string },
): Promise<FoundDeposit | undefined> {
  const [row] = await (id === undefined
    ? db.query<DepositRow & { now: Date }>(sql`
        select ${depositColumns}, inlet_now() as now
        from deposits d
        where d.merchant_id = ${merchantId} and d.order_id = ${orderId}`)
    : db.query<DepositRow & { now: Date }>(sql`
        select ${depositColumns}, inlet_now() as now
        from deposits d
        where d.merchant_id = ${merchantId} and d.id = ${id}`))
  return row && { deposit: depositFrom(row), now: row.now }
}

/** For the payment page and the bill: whoever holds the token may see the deposit. */
export async function findDepositByToken(
  db: Queryable,
  token: string,
): Promise<(FoundDeposit & { merchantName: string; testMode: boolean }) | undefined> {
  const [row] = await db.query<DepositRow & { now: Date; merchant_name: string; test_mode: boolean }>(sql`
    select ${depositColumns}, inlet_now() as now, m.name as merchant_name, m.mode = 'test' as test_mode
    from deposits d
    join merchants m on m.id = d.merchant_id
    where d.page_token = ${token}`)
  return (
    row && {
      deposit: depositFrom(row),
      now: row.now,
      merchantName: row.merchant_name,
      testMode: row.test_mode,
    }
  )
}

export type DepositFilter = {
  merchantId: MerchantId | null
  state: DepositState | null
  from: string | null
  to: string | null
  /** The last deposit of the page before. */
  after: string | null
  limit: number
}

/** Newest first, by keyset: a page costs the same however deep it lies. */
export async function listDeposits(
  db: Queryable,
  { merchantId, state, from, to, after, limit }: DepositFilter,
): Promise<FoundDeposit[]> {
  const rows = await db.query<DepositRow & { now: Date }>(sql`
    select ${depositColumns}, inlet_now() as now
    from deposits d
    where (${merchantId}::uuid is null or d.merchant_id = ${merchantId})
      and (${state}::text is null or d.state = ${state})
      and (${from}::timestamptz is null or d.created_at >= ${from})
      and (${to}::timestamptz is null or d.created_at < ${to})
      and (${after}::uuid is null or (d.created_at, d.id) < (
        select created_at, id
        from deposits
        where id = ${after} and (${merchantId}::uuid is null or merchant_id = ${merchantId})))
    order by d.created_at desc, d.id desc
    limit ${limit}`)
  return rows.map((row) => ({ deposit: depositFrom(row), now: row.now }))
}

export type HistoryEntry = {
  at: Date
  action: string
  from_state: DepositState | null
  to_state: DepositState
  actor: string
  reason: string | null
  evidence: unknown
}

/** A deposit for the operator, whoever's it is, with everything that happened to it. */
export async function readTimeline(
  db: Queryable,
  id: string,
): Promise<(FoundDeposit & { history: HistoryEntry[] }) | undefined> {
  const [row] = await db.query<DepositRow & { now: Date }>(sql`
    select ${depositColumns}, inlet_now() as now
    from deposits d
    where d.id = ${id}`)
  if (!row) return undefined
  const history = await db.query<HistoryEntry>(sql`
    select at, action, from_state, to_state, actor, reason, evidence
    from deposit_history
    where deposit_id = ${id}
    order by entry`)
  return { deposit: depositFrom(row), now: row.now, history }
}

/** A draft under the names of its columns. Amounts go as text: JSON numbers are floats. */
const rowFrom = (draft: DepositDraft) => ({
  id: draft.id,
  merchant_id: draft.merchantId,
  order_id: draft.orderId,
  flow: draft.flow,
  fingerprint: draft.fingerprint.toString('hex'),
  state: draft.state,
  amount_cents: draft.amountCents.toString(),
  currency: draft.currency,
  payment_type: draft.paymentType,
  customer: draft.customer,
  customer_phone_number: draft.customerPhoneNumber,
  callback_url: draft.callbackUrl,
  success_url: draft.successUrl,
  reject_url: draft.rejectUrl,
  requisite_id: draft.requisiteId,
  account_id: draft.accountId,
  shown: draft.shown,
  reference: draft.reference,
  page_token: draft.pageToken,
  payment_minutes: draft.paymentMinutes,
  late_grace_hours: draft.lateGraceHours,
})

const depositFrom = (row: DepositRow): Deposit => ({
  id: row.id,
  merchantId: row.merchant_id,
  orderId: row.order_id,
  flow: row.flow,
  state: row.state,
  amountCents: row.amount_cents,
  currency: row.currency,
  paymentType: row.payment_type,
  customer: row.customer,
  customerPhoneNumber: row.customer_phone_number,
  callbackUrl: row.callback_url,
  successUrl: row.success_url,
  rejectUrl: row.reject_url,
  shown: row.shown,
  reference: row.reference,
  pageToken: row.page_token,
  receivedCents: row.received_cents,
  labels: row.labels,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lateUntil: row.late_until,
  finalAt: row.final_at,
})
