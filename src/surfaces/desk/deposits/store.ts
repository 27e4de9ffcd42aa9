/** Who works on what, and the lists of the desk. */
import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import { type TransferState, transferStates } from '../../../domain/transfers/transfer.ts'
import { type Queryable, sql, type Tx } from '../../../platform/db.ts'
import type { Holder } from '../queue/queue.ts'
import type { CallbackRow, DepositRow, SettledRow, TransferRow } from './rows.ts'

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

/** Gives an item to somebody: a free one, or one's own. Returns who holds it now, which may be a third. */
export async function giveClaim(
  tx: Tx,
  { item, from, to, minutes }: { item: string; from: string; to: string; minutes: number },
): Promise<Holder> {
  await tx.query(sql`
    insert into work_claims (item, person_id, until)
    values (${item}, ${to}, inlet_now() + ${minutes}::int * interval '1 minute')
    on conflict (item) do update
    set person_id = excluded.person_id, until = excluded.until
    where work_claims.until <= inlet_now() or work_claims.person_id in (${from}, ${to})`)
  // The row is locked, whoever's it is; and it may be over by now, which counts from the next asking on.
  const [holder] = await tx.query<Holder>(sql`
    select c.person_id as "personId", p.name, c.until
    from work_claims c
    join people p on p.id = c.person_id
    where c.item = ${item}`)
  return holder!
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
      where d.id in (
        select id from deposits where reference = ${search.reference} and holds_reference
        union all
        select id from deposits where reference = ${search.reference} and not holds_reference)
      order by d.id desc
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
    select
      c.type, c.made_at as "madeAt", c.attempts, c.last_status as "lastStatus", c.acked_at as "ackedAt",
      coalesce(c.url, m.callback_url) is null as "lacksAddress"
    from callbacks c
    join merchants m on m.id = c.merchant_id
    where c.deposit_id = ${depositId}
    order by c.sequence
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
