import { bounds } from '../../platform/bounds.ts'
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import { sqlState, violates } from '../../platform/db-errors.ts'
import { sendAll } from '../../platform/pipelined.ts'
import type { EventDraft } from '../callbacks/callback.ts'
import { enqueueEvents } from '../callbacks/store.ts'
import type { MerchantId } from '../merchants/merchant.ts'
import { message, messageJson } from '../messages/message.ts'
import { type LoadMove, moveLoads } from '../requisites/load-store.ts'
import type { Change } from './decide.ts'
import type { Deposit } from './deposit.ts'
import { insertHistory } from './history-store.ts'
import { wireFields } from './order.ts'
import { recordOf } from './record.ts'
import { referenceTurn } from './reference-store.ts'
import type { SentRequest } from './sent-request.ts'
import { moveSlots } from './slot-store.ts'

/** A deposit about to be written: the database adds the times. */
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
  fingerprint: string
  requisiteId: string | null
  accountId: string | null
  /** The account has limits over all its requisites. */
  isAccountLimited: boolean
  holdsSlot: boolean
  /** Time to pay or, in the selection flow, to choose a method. */
  openMinutes: number
  lateGraceHours: number
  sent: SentRequest
}

/**
 * Writes new deposits with their slots and the loads of their requisites, and returns them by id. One whose order_id or reference is
 * taken is missing. Where a slot or the last room of a requisite is taken, it fails with `isLostRace`, and nothing is written.
 *
 * The loads come last: all creates of a requisite wait for each other there.
 */
export async function insertDeposits(
  db: Queryable,
  drafts: readonly DepositDraft[],
): Promise<Map<string, Deposit>> {
  if (drafts.length === 0) return new Map()
  const added = fragment`
    clock as materialized (
      -- Once for the statement: without this the planner would ask it for each time of each row.
      select inlet_now() as now
    ), added as (
      insert into deposits
        (id, merchant_id, order_id, flow, fingerprint, state, amount_cents, currency, payment_type, customer,
         customer_phone_number, callback_url, success_url, reject_url, requisite_id, account_id, shown,
         reference, reference_turn, page_token, sent, created_at, issued_at, expires_at, late_until)
      select
        id, merchant_id, order_id, flow, decode(fingerprint, 'hex'), state, amount_cents, currency,
        payment_type, customer, customer_phone_number, callback_url, success_url, reject_url, requisite_id,
        account_id, shown, reference, ${referenceTurn}, page_token, sent, now, case when shown is not null then now end,
        now + make_interval(mins => open_minutes), now + make_interval(mins => open_minutes, hours => late_grace_hours)
      from json_to_recordset(${JSON.stringify(drafts.map(rowFrom))}::json) as n (
        id uuid, merchant_id uuid, order_id text, flow text, fingerprint text, state text,
        amount_cents bigint, currency text, payment_type text, customer text, customer_phone_number text,
        callback_url text, success_url text, reject_url text, requisite_id uuid, account_id uuid, shown jsonb,
        reference text, page_token text, sent jsonb, open_minutes int, late_grace_hours int)
      cross join clock
      order by merchant_id, order_id
      on conflict do nothing
      returning id, amount_cents, currency, requisite_id, account_id, created_at, expires_at, late_until
    )`
  const loaded = fragment`
    loaded as materialized (
      select add_loads(
        array_agg(requisite_id), array_agg(deposits), array_agg(cents), array_agg(smallest), array_agg(largest),
        ${drafts.some((draft) => draft.isAccountLimited)})
      from (
        select
          requisite_id, count(*)::int as deposits, sum(amount_cents)::bigint as cents, min(amount_cents) as smallest,
          max(amount_cents) as largest
        from added
        where requisite_id is not null
        group by requisite_id
        order by requisite_id
      ) increases`
  const written = fragment`
    select id, created_at, expires_at, late_until
    from added
    cross join loaded`
  const slots = drafts.filter((draft) => draft.holdsSlot).map(({ id }) => id)
  const rows = await db.query<WrittenTimes & { id: string }>(
    slots.length === 0
      ? sql`with ${added}, ${loaded}) ${written}`
      : sql`
          with ${added}, slotted as (
            insert into deposit_slots (currency, amount_cents, account_id, deposit_id, free_at)
            select currency, amount_cents, account_id, id, late_until
            from added
            where id = any((select ${slots}::uuid[])::uuid[])
            order by currency, amount_cents, account_id
            returning deposit_id
          ), ${loaded}
            -- The count makes the loads wait for the slots.
            where (select count(*) from slotted) >= 0
          ) ${written}`,
  )
  const timesOf = new Map(rows.map((row) => [row.id, row]))
  const deposits = new Map<string, Deposit>()
  for (const draft of drafts) {
    const times = timesOf.get(draft.id)
    if (times) deposits.set(draft.id, depositOf(draft, times))
  }
  return deposits
}

/** A slot or the last room of a requisite or its account was taken meanwhile, and nothing was written. */
export const isLostRace = (error: unknown): boolean =>
  sqlState(error) === 'IN001' || violates(error, 'deposit_slot_once')

/** Changes of deposits in their order, and what else is written with them. */
type ChangedPart = { changes: readonly Change[]; beside: readonly (() => Promise<void>)[] }

export const saveChanges = (tx: Tx, changes: readonly Change[], publicUrl: string): Promise<void> =>
  saveInParts(tx, [{ changes, beside: [] }], publicUrl)

/**
 * The only function that changes deposits: the row, its history, the load and slot of its requisite, its event and
 * callback, in the caller's transaction. The caller has locked the deposits; loads, slots and counters are locked here,
 * after everything else, because creates and other changes wait for them.
 *
 * It does not wait for answers: while the database writes one part, the caller prepares the next.
 */
export async function saveInParts(
  tx: Tx,
  parts: Iterable<ChangedPart> | AsyncIterable<ChangedPart>,
  publicUrl: string,
): Promise<void> {
  const all: Change[] = []
  async function* statements() {
    for await (const { changes, beside } of parts) {
      all.push(...changes)
      for (const wave of wavesOf(changes)) {
        yield () => updateDeposits(tx, wave)
        yield () => insertHistory(tx, wave)
      }
      yield* beside
    }
    yield () => moveLoads(tx, all.flatMap(loadMoveOf))
    yield () => moveSlots(tx, all)
    const events = all.flatMap((change) => eventOf(change, publicUrl))
    yield () => enqueueEvents(tx, events)
  }
  await sendAll(statements())
}

/** One statement changes no deposit twice. */
function wavesOf(changes: readonly Change[]): Change[][] {
  const waves: Change[][] = []
  const waveOf = new Map<string, number>()
  for (const change of changes) {
    const wave = waveOf.get(change.deposit.id) ?? 0
    waveOf.set(change.deposit.id, wave + 1)
    waves[wave] ??= []
    waves[wave].push(change)
  }
  return waves
}

/** The event that the merchant gets for a change, if any. */
const eventOf = ({ event, deposit, at }: Change, publicUrl: string): EventDraft[] => {
  if (!event) return []
  const { id, merchantId, callbackUrl } = deposit
  return [{ type: event, merchantId, depositId: id, callbackUrl, at, data: recordOf(deposit, at, publicUrl) }]
}

/** Sums the part of a deposit's surplus that operators decided to keep, from its shares of transfers. */
export async function sumKept(tx: Tx, depositIds: readonly string[]): Promise<void> {
  if (depositIds.length === 0) return
  await tx.query(sql`
    update deposits d
    set surplus_kept_cents = kept.cents
    from (
      select d.id, coalesce(sum(s.kept_cents), 0) as cents
      from deposits d
      left join allocations s on s.deposit_id = d.id
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
      reference_turn = case when n.reference is null then d.reference_turn else ${referenceTurn} end,
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
        unnest((select ${changes.map(({ deposit }) => deposit.id)}::uuid[])) as id,
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

/**
 * Test mode only, which the query checks itself: moves the deadlines and slots of a merchant's open deposits closer by
 * some minutes, with a history entry each, as long as a history has few. In groups by id; returns the ids that moved. No deadline moves before the
 * creation of its deposit.
 */
export async function bringDeadlinesForward(
  tx: Tx,
  group: { merchantId: MerchantId; minutes: number; after: string | null; limit: number },
): Promise<string[]> {
  const { merchantId, minutes, after, limit } = group
  const reason = message('test_clock_went_on')
  const looked = await tx.query<{ id: string }>(sql`
    select d.id
    from deposits d
    join merchants m on m.id = d.merchant_id
    where d.merchant_id = ${merchantId}
      and m.mode = 'test'
      and (d.state in ('builded', 'created') or (d.state = 'expired' and d.late_until > inlet_now()))
      -- Under review a deposit stays open, and its deadlines can come no closer.
      and d.late_until > d.created_at + interval '1 millisecond'
      and (${after}::uuid is null or d.id > ${after}::uuid)
    order by d.id
    limit ${limit}
    for no key update of d`)
  // This is a separate statement, so that it sees the history of transactions that the locks waited for.
  const rows = await tx.query<{ id: string }>(sql`
    with moved as (
      update deposits d
      set
        expires_at = greatest(
          d.expires_at - make_interval(mins => ${minutes}::int), d.created_at + interval '1 millisecond'),
        late_until = greatest(
          d.late_until - make_interval(mins => ${minutes}::int), d.created_at + interval '1 millisecond')
      where d.id = any(${looked.map(({ id }) => id)}::uuid[])
      returning d.id, d.state
    ), freed as (
      update deposit_slots s
      set free_at = s.free_at - make_interval(mins => ${minutes}::int)
      from moved
      where s.deposit_id = moved.id
    ), noted as (
      insert into deposit_history
        (deposit_id, entry, at, action, from_state, to_state, actor, reason, message, evidence)
      select
        moved.id, 1 + t.entry, (select inlet_now()), 'pass_time', moved.state, moved.state, 'sandbox', ${reason.text},
        ${messageJson(reason)}::jsonb, jsonb_build_object('minutes', ${minutes}::int)
      from moved
      cross join lateral (select max(t.entry) as entry from deposit_timeline t where t.deposit_id = moved.id) t
      where t.entry < ${bounds.passTimeEntries}
    )
    select id from moved`)
  return rows.map((row) => row.id).sort()
}

type Heartbeat = { expiryAllowed: boolean }

/** Records that a process runs. After a downtime expiry is delayed, so that money that arrived meanwhile is taken first. */
export async function heartbeat(db: Queryable, awayMs: number, delayMs: number): Promise<Heartbeat> {
  const [row] = await db.query<{ expiry_allowed: boolean }>(sql`
    update upkeep
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

type WrittenTimes = { created_at: Date; expires_at: Date; late_until: Date }

/** The deposit that a draft became. */
const depositOf = (draft: DepositDraft, time: WrittenTimes): Deposit => ({
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
function rowFrom(draft: DepositDraft) {
  const { cents, ...fields } = wireFields(draft)
  return {
    ...fields,
    id: draft.id,
    merchant_id: draft.merchantId,
    order_id: draft.orderId,
    flow: draft.flow,
    fingerprint: draft.fingerprint,
    state: draft.state,
    amount_cents: cents,
    requisite_id: draft.requisiteId,
    account_id: draft.accountId,
    shown: draft.shown,
    reference: draft.reference,
    page_token: draft.pageToken,
    open_minutes: draft.openMinutes,
    late_grace_hours: draft.lateGraceHours,
    sent: draft.sent,
  }
}
