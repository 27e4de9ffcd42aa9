/** The queue, who works on what, and the lists of the desk. */
import type { Mode } from '../../merchants/merchant.ts'
import type { Cents, Currency } from '../../money.ts'
import { type Queryable, sql, type Tx } from '../../platform/db.ts'
import { type TransferState, transferStates } from '../../transfers/transfer.ts'
import { type Holder, inOrder, type QueueItem, type QueueKind, queueKinds } from './queue.ts'
import type { CallbackRow, DepositRow, SettledRow, TransferRow } from './rows.ts'

type ItemRow = Omit<QueueItem, 'holder'> & {
  holderId: string | null
  holderName: string | null
  until: Date | null
}

const itemFrom = ({ holderId, holderName, until, ...item }: ItemRow): QueueItem => ({
  ...item,
  holder: holderId ? { personId: holderId, name: holderName!, until: until! } : null,
})

/** The oldest of each kind that is asked for, put in one order. */
export async function readQueue(db: Queryable, kind: QueueKind | null, limit: number): Promise<QueueItem[]> {
  const kinds = kind ? [kind] : queueKinds
  const lists = await Promise.all(kinds.map((one) => readers[one](db, limit)))
  return inOrder(lists.flat().map(itemFrom)).slice(0, limit)
}

const readers: Record<QueueKind, (db: Queryable, limit: number) => Promise<ItemRow[]>> = {
  ambiguous: (db, limit) => undecided(db, 'ambiguous', limit),
  unmatched: (db, limit) => undecided(db, 'unmatched', limit),
  reversal: (db, limit) => undecided(db, 'reversal', limit),
  claimed: (db, limit) =>
    db.query<ItemRow>(sql`
      select 'claimed' as kind, d.id, d.claimed_at as since, d.amount_cents as cents, d.currency, m.mode,
        coalesce(d.customer, '') as who, d.order_id as what, m.name as "merchantName",
        c.person_id as "holderId", p.name as "holderName", c.until
      from (
        select id, claimed_at
        from deposits
        where claimed_at is not null
          and received_cents = 0
          and state in ('created', 'expired')
          and late_until > (select inlet_now())
          and not labels @> '{review}'
        order by late_until
        limit 1000
      ) waiting
      join deposits d on d.id = waiting.id
      join merchants m on m.id = d.merchant_id
      left join work_claims c on c.item = 'deposit:' || d.id and c.until > (select inlet_now())
      left join people p on p.id = c.person_id
      order by waiting.claimed_at, d.id
      limit ${limit}`),
  review: (db, limit) =>
    db.query<ItemRow>(sql`
      select 'review' as kind, d.id, d.created_at as since, d.amount_cents as cents, d.currency, m.mode,
        coalesce(d.customer, '') as who, d.order_id as what, m.name as "merchantName",
        c.person_id as "holderId", p.name as "holderName", c.until
      from deposits d
      join merchants m on m.id = d.merchant_id
      left join work_claims c on c.item = 'deposit:' || d.id and c.until > (select inlet_now())
      left join people p on p.id = c.person_id
      where d.labels @> '{review}'
      order by d.created_at, d.id
      limit ${limit}`),
  proposal: (db, limit) =>
    db.query<ItemRow>(sql`
      select 'proposal' as kind, o.id, o.proposed_at as since, null::bigint as cents, null as currency, null as mode,
        p.name as who, o.kind as what, m.name as "merchantName",
        null as "holderId", null as "holderName", null::timestamptz as until
      from proposals o
      join people p on p.id = o.proposed_by
      left join merchants m on m.id = o.merchant_id
      where o.state = 'open'
      order by o.proposed_at, o.id
      limit ${limit}`),
}

const undecided = (
  db: Queryable,
  state: 'ambiguous' | 'unmatched' | 'reversal',
  limit: number,
): Promise<ItemRow[]> =>
  db.query<ItemRow>(sql`
    select ${state}::text as kind, t.id, t.taken_at as since, t.cents, t.currency, a.mode, t.payer_name as who,
      t.purpose as what, null as "merchantName", c.person_id as "holderId", p.name as "holderName", c.until
    from (
      select id, taken_at
      from transfers
      where state = ${state}
      order by taken_at, id
      limit ${limit}
    ) waiting
    join transfers t on t.id = waiting.id
    join receiving_accounts a on a.id = t.account_id
    left join work_claims c on c.item = 'transfer:' || t.id and c.until > (select inlet_now())
    left join people p on p.id = c.person_id
    order by waiting.taken_at, t.id`)

// ── Claims ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Takes a free item, or one's own for longer. Returns who holds it now: of two, the first. */
export async function takeClaim(
  db: Queryable,
  item: string,
  personId: string,
  minutes = 10,
): Promise<Holder> {
  await db.query(sql`
    insert into work_claims (item, person_id, until)
    values (${item}, ${personId}, inlet_now() + ${minutes}::int * interval '1 minute')
    on conflict (item) do update
    set person_id = excluded.person_id, until = greatest(work_claims.until, excluded.until)
    where work_claims.until <= inlet_now() or work_claims.person_id = excluded.person_id`)
  // Whoever held it may have let it go between the two.
  return (await readClaim(db, item)) ?? takeClaim(db, item, personId, minutes)
}

export async function readClaim(db: Queryable, item: string): Promise<Holder | undefined> {
  const [row] = await db.query<Holder>(sql`
    select c.person_id as "personId", p.name, c.until
    from work_claims c
    join people p on p.id = c.person_id
    where c.item = ${item} and c.until > inlet_now()`)
  return row
}

export async function readClaims(db: Queryable, items: readonly string[]): Promise<Map<string, Holder>> {
  const rows = await db.query<Holder & { item: string }>(sql`
    select c.item, c.person_id as "personId", p.name, c.until
    from work_claims c
    join people p on p.id = c.person_id
    where c.item = any(${items}::text[]) and c.until > inlet_now()`)
  return new Map(rows.map(({ item, ...holder }) => [item, holder]))
}

/** Who holds it, for as long as this transaction. */
export async function lockClaim(tx: Tx, item: string): Promise<Holder | undefined> {
  await tx.query(sql`select item from work_claims where item = ${item} for update`)
  return readClaim(tx, item)
}

export async function dropClaim(db: Queryable, item: string, personId: string): Promise<void> {
  await db.query(sql`delete from work_claims where item = ${item} and person_id = ${personId}`)
}

// ── Deposits ────────────────────────────────────────────────────────────────────────────────────────────────────

export type DepositSearch =
  | { by: 'newest' }
  | { by: 'order'; order: string }
  | { by: 'reference'; reference: string }
  | { by: 'amount'; cents: Cents }

/**
 * Newest first, of all merchants: each merchant's own index gives its few, and the newest of them are taken. Ids are
 * made in order of time, so the last of a page leads to the next.
 */
export async function searchDeposits(
  db: Queryable,
  search: DepositSearch,
  { before, limit }: { before: string | null; limit: number },
): Promise<DepositRow[]> {
  if (search.by === 'newest')
    return db.query<DepositRow>(sql`
      select d.id, d.created_at as "createdAt", d.order_id as "orderId", d.state, d.labels,
        d.amount_cents as cents, d.received_cents as "receivedCents", d.currency, d.payment_type as "paymentType",
        m.name as "merchantName", m.mode
      from (
        select id
        from deposits
        where id < coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by id desc
        limit ${limit}
      ) found
      join deposits d on d.id = found.id
      join merchants m on m.id = d.merchant_id
      order by d.id desc`)
  if (search.by === 'reference')
    return db.query<DepositRow>(sql`
      select d.id, d.created_at as "createdAt", d.order_id as "orderId", d.state, d.labels,
        d.amount_cents as cents, d.received_cents as "receivedCents", d.currency, d.payment_type as "paymentType",
        m.name as "merchantName", m.mode
      from deposits d
      join merchants m on m.id = d.merchant_id
      where d.reference = ${search.reference} and d.holds_reference
      limit ${limit}`)
  if (search.by === 'order')
    return db.query<DepositRow>(sql`
      select d.id, d.created_at as "createdAt", d.order_id as "orderId", d.state, d.labels,
        d.amount_cents as cents, d.received_cents as "receivedCents", d.currency, d.payment_type as "paymentType",
        m.name as "merchantName", m.mode
      from merchants m
      cross join lateral (
        select id, created_at, order_id, state, labels, amount_cents, received_cents, currency, payment_type
        from deposits
        where merchant_id = m.id and order_id = ${search.order}
        limit 1
      ) d
      order by d.created_at desc
      limit ${limit}`)
  return db.query<DepositRow>(sql`
    select d.id, d.created_at as "createdAt", d.order_id as "orderId", d.state, d.labels,
      d.amount_cents as cents, d.received_cents as "receivedCents", d.currency, d.payment_type as "paymentType",
      m.name as "merchantName", m.mode
    from merchants m
    cross join lateral (
      select id, created_at, order_id, state, labels, amount_cents, received_cents, currency, payment_type
      from deposits
      where merchant_id = m.id
        and amount_cents = ${search.cents}
        and (created_at, id) < (
          coalesce((select created_at from deposits where id = ${before}::uuid), 'infinity'),
          coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      order by created_at desc, id desc
      limit ${limit}
    ) d
    order by d.created_at desc, d.id desc
    limit ${limit}`)
}

export async function readDepositPlace(
  db: Queryable,
  id: string,
): Promise<{ merchantName: string; mode: Mode; accountLabel: string | null } | undefined> {
  const [row] = await db.query<{ merchantName: string; mode: Mode; accountLabel: string | null }>(sql`
    select m.name as "merchantName", m.mode, a.label as "accountLabel"
    from deposits d
    join merchants m on m.id = d.merchant_id
    left join receiving_accounts a on a.id = d.account_id
    where d.id = ${id}`)
  return row
}

export async function listSettled(db: Queryable, depositId: string): Promise<SettledRow[]> {
  return db.query<SettledRow>(sql`
    select id, state, cents, currency, booked_on as "bookedOn", payer_name as "payerName", purpose
    from transfers
    where deposit_id = ${depositId}
    order by taken_at, id
    limit 100`)
}

export async function listCallbacksOf(db: Queryable, depositId: string): Promise<CallbackRow[]> {
  return db.query<CallbackRow>(sql`
    select type, made_at as "madeAt", attempts, last_status as "lastStatus", acked_at as "ackedAt"
    from callbacks
    where deposit_id = ${depositId}
    order by sequence
    limit 100`)
}

// ── Transfers ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Newest first by state: the few newest of each state that is asked for, put in one order. */
export async function searchTransfers(
  db: Queryable,
  filter: { state: TransferState | null; accountId: string | null; before: string | null; limit: number },
): Promise<TransferRow[]> {
  const { state, accountId, before, limit } = filter
  const states = state ? [state] : transferStates
  if (accountId !== null)
    return db.query<TransferRow>(sql`
      select t.id, t.taken_at as "takenAt", t.booked_on as "bookedOn", t.state, t.cents, t.currency, t.direction,
        t.payer_name as "payerName", t.purpose, t.deposit_id as "depositId", a.label as "accountLabel", a.mode
      from unnest(${states}::text[]) as s (state)
      cross join lateral (
        select id, taken_at, booked_on, state, cents, currency, direction, payer_name, purpose, deposit_id, account_id
        from transfers
        where account_id = ${accountId}
          and state = s.state
          and (taken_at, id) < (
            coalesce((select taken_at from transfers where id = ${before}::uuid), 'infinity'),
            coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
        order by taken_at desc, id desc
        limit ${limit}
      ) t
      join receiving_accounts a on a.id = t.account_id
      order by t.taken_at desc, t.id desc
      limit ${limit}`)
  return db.query<TransferRow>(sql`
    select t.id, t.taken_at as "takenAt", t.booked_on as "bookedOn", t.state, t.cents, t.currency, t.direction,
      t.payer_name as "payerName", t.purpose, t.deposit_id as "depositId", a.label as "accountLabel", a.mode
    from unnest(${states}::text[]) as s (state)
    cross join lateral (
      select id, taken_at, booked_on, state, cents, currency, direction, payer_name, purpose, deposit_id, account_id
      from transfers
      where state = s.state
        and (taken_at, id) < (
          coalesce((select taken_at from transfers where id = ${before}::uuid), 'infinity'),
          coalesce(${before}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
      order by taken_at desc, id desc
      limit ${limit}
    ) t
    join receiving_accounts a on a.id = t.account_id
    order by t.taken_at desc, t.id desc
    limit ${limit}`)
}

export async function readAccountLabel(
  db: Queryable,
  id: string,
): Promise<{ label: string; currency: Currency } | undefined> {
  const [row] = await db.query<{ label: string; currency: Currency }>(
    sql`select label, currency from receiving_accounts where id = ${id}`,
  )
  return row
}
