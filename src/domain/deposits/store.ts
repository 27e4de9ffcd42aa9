/** Deposits, their slots and their history in the database. */

import { fragment, type Queryable, sql, type Tx, unprepared } from '../../platform/db.ts'
import type { EventDraft } from '../callbacks/callback.ts'
import { enqueueEvents } from '../callbacks/store.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { type Currency, currencies } from '../money.ts'
import { type LoadMove, moveLoads } from '../requisites/store.ts'
import type { Change, Policy } from './decide.ts'
import type { Deposit, DepositState, Flow, FoundDeposit, FoundPage, Label, Shown } from './deposit.ts'
import type { StoredOrder } from './order.ts'
import { recordOf } from './record.ts'
import type { Reference } from './reference.ts'
import type { SentRequest } from './sent-request.ts'

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
  labels: Label[]
  claimed_at: Date | null
  extended: boolean
  created_at: Date
  issued_at: Date | null
  expires_at: Date
  late_until: Date
  final_at: Date | null
}

const depositColumns = fragment`
  d.id, d.merchant_id, d.order_id, d.flow, d.state, d.amount_cents, d.currency, d.payment_type, d.customer,
  d.customer_phone_number, d.callback_url, d.success_url, d.reject_url, d.shown, d.reference, d.page_token,
  d.received_cents, d.labels, d.claimed_at, d.extended, d.created_at, d.issued_at, d.expires_at, d.late_until, d.final_at`

/** A deposit as it is about to be written: the database adds the times. */
export type DepositDraft = Omit<
  Deposit,
  | 'receivedCents'
  | 'labels'
  | 'claimedAt'
  | 'extended'
  | 'createdAt'
  | 'issuedAt'
  | 'expiresAt'
  | 'lateUntil'
  | 'finalAt'
> & {
  fingerprint: Buffer
  requisiteId: string | null
  accountId: string | null
  holdsSlot: boolean
  /** Until the payment is due, or the choice. */
  openMinutes: number
  lateGraceHours: number
  sent: SentRequest
}

export type OrderKey = { merchantId: MerchantId; orderId: string }

/**
 * The deposits that these orders already have. Planned anew each time: a plan kept from the time when the table was
 * small would go on reading every deposit of the merchant (300 ms a group at 16,000 deposits).
 */
export async function findOrders(db: Queryable, keys: readonly OrderKey[]): Promise<StoredOrder[]> {
  const rows = await db.query<DepositRow & { fingerprint: Buffer; now: Date }>(
    unprepared(sql`
    select ${depositColumns}, d.fingerprint, (select inlet_now()) as now
    from unnest(
      ${keys.map((key) => key.merchantId)}::uuid[],
      ${keys.map((key) => key.orderId)}::text[]) as k (merchant_id, order_id)
    cross join lateral (
      select ${depositColumns}, d.fingerprint
      from deposits d
      where d.merchant_id = k.merchant_id and d.order_id = k.order_id
      limit 1) d`),
  )
  return rows.map((row) => ({ deposit: depositFrom(row), fingerprint: row.fingerprint, now: row.now }))
}

export type SlotDraft = Pick<
  DepositDraft,
  'id' | 'currency' | 'amountCents' | 'accountId' | 'openMinutes' | 'lateGraceHours'
>

/**
 * Takes the slots of these deposits, in one order everywhere so that two groups cannot wait for each other.
 * Returns the deposits that got theirs.
 */
export async function takeSlots(tx: Tx, drafts: readonly SlotDraft[]): Promise<Set<string>> {
  const rows = await tx.query<{ deposit_id: string }>(sql`
    insert into deposit_slots (currency, amount_cents, account_id, deposit_id, free_at)
    select currency, amount_cents, account_id, deposit_id, (select inlet_now()) + make_interval(mins => minutes)
    from unnest(
      ${drafts.map((draft) => draft.currency)}::text[],
      ${drafts.map((draft) => draft.amountCents)}::bigint[],
      ${drafts.map((draft) => draft.accountId)}::uuid[],
      ${drafts.map((draft) => draft.id)}::uuid[],
      ${drafts.map((draft) => draft.openMinutes + draft.lateGraceHours * 60)}::int[])
      as s (currency, amount_cents, account_id, deposit_id, minutes)
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
  const rows = await tx.query<Pick<DepositRow, 'id' | 'created_at' | 'expires_at' | 'late_until'>>(sql`
    with added as (
      insert into deposits
        (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, customer,
         customer_phone_number, callback_url, success_url, reject_url, requisite_id, account_id, shown,
         reference, page_token, created_at, issued_at, expires_at, late_until)
      select
        id, merchant_id, order_id, flow, decode(fingerprint, 'hex'), state, amount_cents, currency,
        payment_type, customer, customer_phone_number, callback_url, success_url, reject_url, requisite_id,
        account_id, shown, reference, page_token, (select inlet_now()),
        case when shown is not null then (select inlet_now()) end,
        (select inlet_now()) + make_interval(mins => open_minutes),
        (select inlet_now()) + make_interval(mins => open_minutes, hours => late_grace_hours)
      from json_to_recordset(${JSON.stringify(drafts.map(rowFrom))}::json) as n (
        id uuid, merchant_id uuid, order_id text, flow text, fingerprint text, state text,
        amount_cents bigint, currency text, payment_type text, customer text, customer_phone_number text,
        callback_url text, success_url text, reject_url text, requisite_id uuid, account_id uuid, shown jsonb,
        reference text, page_token text, open_minutes int, late_grace_hours int)
      order by merchant_id, order_id
      on conflict do nothing
      returning id, flow, state, created_at, expires_at, late_until
    ), noted as (
      insert into deposit_history (deposit_id, entry, at, action, to_state, actor, evidence)
      select a.id, 1, a.created_at, a.flow, a.state, 'merchant',
        jsonb_build_object('request', r.request, 'key', r.key, 'scheme', r.scheme)
      from added a
      join unnest(
        ${drafts.map((draft) => draft.id)}::uuid[],
        ${drafts.map((draft) => draft.sent.request)}::text[],
        ${drafts.map((draft) => draft.sent.key)}::text[],
        ${drafts.map((draft) => draft.sent.scheme)}::text[]) as r (id, request, key, scheme) on r.id = a.id
    )
    select id, created_at, expires_at, late_until from added`)
  const times = new Map(rows.map((row) => [row.id, row]))
  return drafts.flatMap((draft) => {
    const time = times.get(draft.id)
    return time ? [depositOf(draft, time)] : []
  })
}

/** What a rule has to say about deposits, on their timeline. Nothing else changes. */
export async function insertNotes(
  tx: Tx,
  notes: readonly { depositId: string; reason: string }[],
): Promise<void> {
  if (notes.length === 0) return
  await tx.query(sql`
    insert into deposit_history (deposit_id, entry, at, action, from_state, to_state, actor, reason)
    select
      d.id, 1 + (select max(h.entry) from deposit_history h where h.deposit_id = d.id), (select inlet_now()), 'note',
      d.state, d.state, 'rule', n.reason
    from unnest(
      ${notes.map((note) => note.depositId)}::uuid[],
      ${notes.map((note) => note.reason)}::text[]) as n (deposit_id, reason)
    join deposits d on d.id = n.deposit_id`)
}

/** The deposits with these ids, locked in order of id: the first lock of every change. */
export async function lockDeposits(tx: Tx, ids: readonly string[]): Promise<LockedDeposit[]> {
  const rows = await tx.query<DepositRow & PolicyRow & { now: Date }>(sql`
    select ${depositColumns}, (select inlet_now()) as now, ${policyColumns}
    from deposits d
    join merchants m on m.id = d.merchant_id
    where d.id = any(${ids}::uuid[])
    order by d.id
    for no key update of d`)
  return rows.map(lockedFrom)
}

/**
 * The oldest deposits past their deadline, locked; those that somebody else works on are left to them, and those
 * that wait for a person's decision are left to the person.
 */
export async function lockOverdue(tx: Tx, limit: number): Promise<LockedDeposit[]> {
  const rows = await tx.query<DepositRow & PolicyRow & { now: Date }>(sql`
    with overdue as (
      select id
      from deposits
      where state in ('builded', 'created') and expires_at <= inlet_now() and not labels @> '{review}'
      order by expires_at
      limit ${limit}
      for no key update skip locked
    )
    select ${depositColumns}, inlet_now() as now, ${policyColumns}
    from overdue
    join deposits d on d.id = overdue.id
    join merchants m on m.id = d.merchant_id
    order by d.id`)
  return rows.map(lockedFrom)
}

/**
 * The only way a deposit changes: its row, its history, the load and slot of its requisite, its event and its
 * callback, in the caller's transaction. The deposits are locked; loads, slots and counters follow in order.
 */
export async function saveChanges(tx: Tx, changes: readonly Change[], publicUrl: string): Promise<void> {
  if (changes.length === 0) return
  await updateDeposits(tx, changes)
  await insertHistory(tx, changes)
  await moveLoads(tx, changes.flatMap(loadMoveOf))
  await moveSlots(tx, changes)
  await enqueueEvents(
    tx,
    changes.flatMap((change) => eventOf(change, publicUrl)),
  )
}

/** What the merchant is told of a change, if anything. */
const eventOf = ({ event, deposit, at }: Change, publicUrl: string): EventDraft[] => {
  if (!event) return []
  const { id, merchantId, callbackUrl } = deposit
  return [{ type: event, merchantId, depositId: id, callbackUrl, at, data: recordOf(deposit, at, publicUrl) }]
}

/** What is nobody's claim of a deposit's surplus is what was said of its payments. */
export async function sumKept(tx: Tx, depositIds: readonly string[]): Promise<void> {
  if (depositIds.length === 0) return
  await tx.query(sql`
    update deposits d
    set surplus_kept_cents = kept.cents
    from (
      select d.id, coalesce(sum(t.kept_cents), 0) as cents
      from deposits d
      left join transfers t on t.deposit_id = d.id
      where d.id = any(${depositIds}::uuid[])
      group by d.id
    ) kept
    where d.id = kept.id and d.surplus_kept_cents <> kept.cents`)
}

async function updateDeposits(tx: Tx, changes: readonly Change[]): Promise<void> {
  await tx.query(sql`
    update deposits d
    set
      state = n.state,
      payment_type = coalesce(n.payment_type, d.payment_type),
      requisite_id = coalesce(n.requisite_id, d.requisite_id),
      account_id = coalesce(n.account_id, d.account_id),
      shown = coalesce(n.shown, d.shown),
      reference = coalesce(n.reference, d.reference),
      issued_at = coalesce(n.issued_at, d.issued_at),
      received_cents = n.received_cents,
      labels = n.labels::text[],
      claimed_at = n.claimed_at,
      extended = n.extended,
      expires_at = n.expires_at,
      late_until = n.late_until,
      final_at = n.final_at
    from (
      select
        unnest(${changes.map(({ deposit }) => deposit.id)}::uuid[]) as id,
        unnest(${changes.map(({ deposit }) => deposit.state)}::text[]) as state,
        unnest(${changes.map(({ deposit }) => deposit.receivedCents)}::bigint[]) as received_cents,
        unnest(${changes.map(({ deposit }) => `{${deposit.labels}}`)}::text[]) as labels,
        unnest(${changes.map(({ deposit }) => deposit.claimedAt)}::timestamptz[]) as claimed_at,
        unnest(${changes.map(({ deposit }) => deposit.extended)}::boolean[]) as extended,
        unnest(${changes.map(({ deposit }) => deposit.expiresAt)}::timestamptz[]) as expires_at,
        unnest(${changes.map(({ deposit }) => deposit.lateUntil)}::timestamptz[]) as late_until,
        unnest(${changes.map(({ deposit }) => deposit.finalAt)}::timestamptz[]) as final_at,
        -- Only a choice brings these. Otherwise they stay as they stand: read and written again they could lose what
        -- this code does not know.
        unnest(${changes.map(({ issued }) => issued?.paymentType)}::text[]) as payment_type,
        unnest(${changes.map(({ issued }) => issued?.requisiteId)}::uuid[]) as requisite_id,
        unnest(${changes.map(({ issued }) => issued?.accountId)}::uuid[]) as account_id,
        unnest(${changes.map(({ issued }) => issued && JSON.stringify(issued.shown))}::jsonb[]) as shown,
        unnest(${changes.map(({ issued }) => issued?.reference)}::text[]) as reference,
        unnest(${changes.map(({ issued, deposit }) => issued && deposit.issuedAt)}::timestamptz[]) as issued_at
    ) n
    where d.id = n.id`)
}

async function insertHistory(tx: Tx, changes: readonly Change[]): Promise<void> {
  const lines = changes.flatMap(({ deposit, history, at }) =>
    history.map((line, index) => ({ ...line, depositId: deposit.id, place: index + 1, at })),
  )
  await tx.query(sql`
    insert into deposit_history (deposit_id, entry, at, action, from_state, to_state, actor, reason, evidence)
    select
      n.deposit_id, n.place + h.entry, n.at, n.action, n.from_state, n.to_state, n.actor, n.reason, n.evidence
    from (
      select
        unnest(${lines.map((line) => line.depositId)}::uuid[]) as deposit_id,
        unnest(${lines.map((line) => line.place)}::int[]) as place,
        unnest(${lines.map((line) => line.at)}::timestamptz[]) as at,
        unnest(${lines.map((line) => line.action)}::text[]) as action,
        unnest(${lines.map((line) => line.fromState)}::text[]) as from_state,
        unnest(${lines.map((line) => line.toState)}::text[]) as to_state,
        unnest(${lines.map((line) => line.actor)}::text[]) as actor,
        unnest(${lines.map((line) => line.reason)}::text[]) as reason,
        unnest(${lines.map((line) => line.evidence && JSON.stringify(line.evidence))}::jsonb[]) as evidence
    ) n
    join (
      select deposit_id, max(entry) as entry
      from deposit_history
      where deposit_id = any(${changes.map(({ deposit }) => deposit.id)}::uuid[])
      group by deposit_id
    ) h on h.deposit_id = n.deposit_id`)
}

/** A confirmed deposit keeps its amount to the end of the bank's day; every other to the end of the late grace. */
async function moveSlots(tx: Tx, changes: readonly Change[]): Promise<void> {
  const moved = changes.filter(
    ({ before, deposit }) =>
      (deposit.state === 'confirmed' && before.state !== 'confirmed') || deposit.lateUntil > before.lateUntil,
  )
  if (moved.length === 0) return
  await tx.query(sql`
    update deposit_slots s
    set free_at = case when d.state = 'confirmed' then bank_day_end(d.currency, inlet_now()) else d.late_until end
    from deposits d
    where d.id = s.deposit_id
      and s.deposit_id in (
        select deposit_id
        from deposit_slots
        where deposit_id = any(${moved.map((change) => change.deposit.id)}::uuid[])
        order by currency, amount_cents, account_id
        for update)`)
}

/** Leaving `created` frees a place on the requisite; unpaid amounts leave the day's sum, late ones join it. */
function loadMoveOf({ before, deposit }: Change): LoadMove[] {
  if (before.state === deposit.state) return []
  const paid = deposit.state === 'confirmed'
  if (before.state === 'created') {
    return [{ depositId: deposit.id, deposits: -1, cents: paid ? 0n : -deposit.amountCents, today: false }]
  }
  return before.state === 'expired' && paid
    ? [{ depositId: deposit.id, deposits: 0, cents: deposit.amountCents, today: true }]
    : []
}

/** Slots whose time is over, oldest first; never that of a deposit that is still open. Returns how many became free. */
export async function freeSlots(tx: Tx, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from deposit_slots
    where deposit_id in (
      select s.deposit_id
      from deposit_slots s
      join deposits d on d.id = s.deposit_id
      where s.free_at <= inlet_now()
        and d.state not in ('builded', 'created')
        -- What a person still has to decide keeps its amount to itself.
        and not d.labels @> '{review}'
      order by s.free_at
      limit ${limit}
      for update of s skip locked)
    returning deposit_id`)
  return rows.length
}

/**
 * Test mode only, and the merchant's mode is asked here once more: the deadlines of its open deposits come so many
 * minutes closer, with the slots that hang on them and a line of history each. In groups by id; returns the ids that
 * moved. No deadline comes before the deposit itself.
 */
export async function pullDeadlines(
  tx: Tx,
  group: { merchantId: MerchantId; minutes: number; after: string | null; limit: number },
): Promise<string[]> {
  const { merchantId, minutes, after, limit } = group
  const rows = await tx.query<{ id: string }>(sql`
    with looked as (
      select d.id
      from deposits d
      join merchants m on m.id = d.merchant_id
      where d.merchant_id = ${merchantId}
        and m.mode = 'test'
        and (d.state in ('builded', 'created') or (d.state = 'expired' and d.late_until > inlet_now()))
        and (${after}::uuid is null or d.id > ${after}::uuid)
      order by d.id
      limit ${limit}
      for no key update of d
    ), moved as (
      update deposits d
      set
        expires_at = greatest(
          d.expires_at - make_interval(mins => ${minutes}::int), d.created_at + interval '1 millisecond'),
        late_until = greatest(
          d.late_until - make_interval(mins => ${minutes}::int), d.created_at + interval '1 millisecond')
      from looked
      where d.id = looked.id
      returning d.id, d.state
    ), freed as (
      update deposit_slots s
      set free_at = s.free_at - make_interval(mins => ${minutes}::int)
      from moved
      where s.deposit_id = moved.id
    )
    insert into deposit_history (deposit_id, entry, at, action, from_state, to_state, actor, reason, evidence)
    select
      moved.id, 1 + (select max(h.entry) from deposit_history h where h.deposit_id = moved.id),
      (select inlet_now()), 'pass_time', moved.state, moved.state, 'sandbox', 'The test clock went on.',
      jsonb_build_object('minutes', ${minutes}::int)
    from moved
    returning deposit_id as id`)
  return rows.map((row) => row.id).sort()
}

/** Test mode only, as above: the amounts that closed deposits still keep become free so many minutes sooner. */
export async function pullSlots(
  tx: Tx,
  { merchantId, minutes }: { merchantId: MerchantId; minutes: number },
): Promise<void> {
  await tx.query(sql`
    update deposit_slots
    set free_at = free_at - make_interval(mins => ${minutes}::int)
    where deposit_id in (
      select s.deposit_id
      from deposit_slots s
      join deposits d on d.id = s.deposit_id
      join merchants m on m.id = d.merchant_id
      where d.merchant_id = ${merchantId}
        and m.mode = 'test'
        and d.state not in ('builded', 'created', 'expired')
      order by s.currency, s.amount_cents, s.account_id
      for update of s)`)
}

/** References of deposits closed long ago may name new ones. */
export async function freeReferences(tx: Tx, limit: number, days: number): Promise<number> {
  const rows = await tx.query(sql`
    update deposits
    set holds_reference = false
    where id in (
      select id
      from deposits
      where holds_reference
        and state not in ('builded', 'created')
        and late_until <= inlet_now() - make_interval(days => ${days}::int)
      order by late_until
      limit ${limit}
      for no key update skip locked)
    returning id`)
  return rows.length
}

export type Heartbeat = { expiryAllowed: boolean }

/** This process is here. After nobody was, expiry waits: money that arrived meanwhile must be seen first. */
export async function heartbeat(db: Queryable, awayMs: number, delayMs: number): Promise<Heartbeat> {
  const [row] = await db.query<{ expiry_allowed: boolean }>(sql`
    update heartbeat
    set
      expiry_from = case
        when last_beat > '-infinity' and last_beat < now() - make_interval(secs => ${awayMs / 1000})
        then inlet_now() + make_interval(secs => ${delayMs / 1000})
        else expiry_from
      end,
      last_beat = now()
    returning expiry_from <= inlet_now() as expiry_allowed`)
  return { expiryAllowed: row!.expiry_allowed }
}

/** The first of a block of numbers for references; nobody else gets any of them. */
export async function takeReferenceBlock(db: Queryable): Promise<number> {
  const [row] = await db.query<{ first: bigint }>(sql`select nextval('deposit_reference_block') as first`)
  return Number(row!.first)
}

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

/** For the payment page and the bill: whoever holds a token may see its deposit. */
export async function findDepositsByToken(
  db: Queryable,
  tokens: readonly string[],
): Promise<Map<string, FoundPage>> {
  const rows = await db.query<DepositRow & { now: Date } & Omit<FoundPage, keyof FoundDeposit>>(sql`
    select ${depositColumns}, inlet_now() as now, m.name as "merchantName", m.mode = 'test' as "testMode",
      m.language as "merchantLanguage", d.state = 'rejected' and exists (
        select from deposit_history h
        where h.deposit_id = d.id and h.action = 'reject' and h.actor = 'customer') as "gaveUp"
    from deposits d
    join merchants m on m.id = d.merchant_id
    where d.page_token = any(${tokens}::text[])`)
  return new Map(
    rows.map((row) => {
      const { now, merchantName, testMode, merchantLanguage, gaveUp } = row
      return [
        row.page_token,
        { deposit: depositFrom(row), now, merchantName, testMode, merchantLanguage, gaveUp },
      ]
    }),
  )
}

/** What can change on an open page, of many pages at once. */
export type PageMark = Pick<
  Deposit,
  'pageToken' | 'state' | 'labels' | 'receivedCents' | 'claimedAt' | 'expiresAt'
>

export async function readPageMarks(db: Queryable, tokens: readonly string[]): Promise<PageMark[]> {
  return db.query<PageMark>(sql`
    select page_token as "pageToken", state, labels, received_cents as "receivedCents", claimed_at as "claimedAt",
      expires_at as "expiresAt"
    from deposits
    where page_token = any(${tokens}::text[])`)
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

/** Newest first, by keyset: a page costs the same however deep it lies, and however rare its state is. */
export async function listDeposits(
  db: Queryable,
  { merchantId, ...filter }: DepositFilter,
): Promise<FoundDeposit[]> {
  const rows = await (merchantId === null ? listOfAll(db, filter) : listOfMerchant(db, merchantId, filter))
  return rows.map((row) => ({ deposit: depositFrom(row), now: row.now }))
}

type Listed = DepositRow & { now: Date }

/** For whoever has the command line. */
const listOfAll = (db: Queryable, { state, from, to, after, limit }: Omit<DepositFilter, 'merchantId'>) =>
  db.query<Listed>(sql`
    select ${depositColumns}, inlet_now() as now
    from deposits d
    where (${state}::text is null or d.state = ${state})
      and (${from}::timestamptz is null or d.created_at >= ${from})
      and (${to}::timestamptz is null or d.created_at < ${to})
      and (${after}::uuid is null or (d.created_at, d.id) < (
        select created_at, id from deposits where id = ${after}))
    order by d.created_at desc, d.id desc
    limit ${limit}`)

/**
 * Every merchant may ask a hundred times a second, on the connections of all creates: what is read begins and ends in an
 * index. Of one state the newest of each currency and method are merged.
 */
const listOfMerchant = (
  db: Queryable,
  merchantId: MerchantId,
  { state, from, to, after, limit }: Omit<DepositFilter, 'merchantId'>,
) =>
  state === null
    ? db.query<Listed>(sql`
        with place as materialized (
          select created_at as at, id
          from deposits
          where id = ${after} and merchant_id = ${merchantId}
          union all
          select 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'
          where ${after}::uuid is null
        )
        select ${depositColumns}, inlet_now() as now
        from deposits d
        where d.merchant_id = ${merchantId}
          and d.created_at >= coalesce(${from}::timestamptz, '-infinity')
          and d.created_at < coalesce(${to}::timestamptz, 'infinity')
          and (d.created_at, d.id) < ((select at from place), (select id from place))
        order by d.created_at desc, d.id desc
        limit ${limit}`)
    : db.query<Listed>(sql`
        with place as materialized (
          select created_at as at, id
          from deposits
          where id = ${after} and merchant_id = ${merchantId}
          union all
          select 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'
          where ${after}::uuid is null
        )
        select ${depositColumns}, inlet_now() as now
        from deposits d
        where d.id = any(array(
          select k.id
          from unnest(${currencies}::text[]) as c (currency)
          cross join payment_types t
          cross join lateral (
            select d.id, d.created_at
            from deposits d
            where d.merchant_id = ${merchantId}
              and d.state = ${state}
              and d.currency = c.currency
              and d.payment_type = t.code
              and d.created_at >= coalesce(${from}::timestamptz, '-infinity')
              and d.created_at < coalesce(${to}::timestamptz, 'infinity')
              and (d.created_at, d.id) < ((select at from place), (select id from place))
            order by d.created_at desc, d.id desc
            limit ${limit}) k
          order by k.created_at desc, k.id desc
          limit ${limit}))
        order by d.created_at desc, d.id desc`)

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

/** Some deposits with the account each waits on, as they are. */
export async function readDeposits(
  db: Queryable,
  ids: readonly string[],
): Promise<(FoundDeposit & { accountId: string | null })[]> {
  const rows = await db.query<DepositRow & { now: Date; account_id: string | null }>(sql`
    select ${depositColumns}, d.account_id, inlet_now() as now
    from deposits d
    where d.id = any(${ids}::uuid[])
    order by d.id`)
  return rows.map((row) => ({ deposit: depositFrom(row), now: row.now, accountId: row.account_id }))
}

type PolicyRow = {
  underpaid_policy: Policy['underpaidPolicy']
  underpaid_tolerance_cents: bigint
  overpaid_policy: Policy['overpaidPolicy']
  late_policy: Policy['latePolicy']
}

const policyColumns = fragment`
  m.underpaid_policy, m.underpaid_tolerance_cents, m.overpaid_policy, m.late_policy`

/** A deposit that nobody else can change now, with its merchant's policy and the time. */
export type LockedDeposit = FoundDeposit & { policy: Policy }

const lockedFrom = (row: DepositRow & PolicyRow & { now: Date }): LockedDeposit => ({
  deposit: depositFrom(row),
  now: row.now,
  policy: {
    underpaidPolicy: row.underpaid_policy,
    underpaidToleranceCents: row.underpaid_tolerance_cents,
    overpaidPolicy: row.overpaid_policy,
    latePolicy: row.late_policy,
  },
})

/** The deposit that a draft became. */
const depositOf = (
  draft: DepositDraft,
  time: Pick<DepositRow, 'created_at' | 'expires_at' | 'late_until'>,
): Deposit => ({
  ...draft,
  receivedCents: 0n,
  labels: [],
  claimedAt: null,
  extended: false,
  createdAt: time.created_at,
  issuedAt: draft.shown && time.created_at,
  expiresAt: time.expires_at,
  lateUntil: time.late_until,
  finalAt: null,
})

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
  open_minutes: draft.openMinutes,
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
  claimedAt: row.claimed_at,
  extended: row.extended,
  createdAt: row.created_at,
  issuedAt: row.issued_at,
  expiresAt: row.expires_at,
  lateUntil: row.late_until,
  finalAt: row.final_at,
})
