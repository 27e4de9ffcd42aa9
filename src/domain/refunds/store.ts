/** Refunds that are owed, oldest first. Each kind has its own partial index, so the list is cheap at any size. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import { readMessage } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import type { Share } from '../transfers/transfer.ts'
import { type Refund, type RefundPlace, type RefundTotal, surplusParts } from './refund.ts'

const isOverpaid = fragment`d.state = 'confirmed' and d.received_cents - d.amount_cents > d.surplus_kept_cents`

type RefundFilter = { mode: Mode | null; after: RefundPlace | null; limit: number }

/** A deposit may bring several refunds, so a page may be longer than its limit; `next` is null at the end. */
export async function listRefunds(
  db: Queryable,
  { mode, after, limit }: RefundFilter,
): Promise<{ refunds: Refund[]; next: RefundPlace | null }> {
  const { since, id } = after ?? { since: new Date(0), id: '00000000-0000-0000-0000-000000000000' }
  const places = await db.query<RefundPlace & { isDeposit: boolean }>(sql`
    select since, id, is_deposit as "isDeposit"
    from (
      (select t.due_since as since, t.id, false as is_deposit
       from transfers t
       join receiving_accounts a on a.id = t.account_id
       where t.due_since is not null
         and (t.due_since, t.id) > (${since}::timestamptz, ${id}::uuid)
         and (${mode}::text is null or a.mode = ${mode})
       order by t.due_since, t.id
       limit ${limit + 1})
      union all
      (select d.final_at, d.id, true
       from deposits d
       join merchants m on m.id = d.merchant_id
       where ${isOverpaid}
         and (d.final_at, d.id) > (${since}::timestamptz, ${id}::uuid)
         and (${mode}::text is null or m.mode = ${mode})
       order by d.final_at, d.id
       limit ${limit + 1})
    ) due
    order by since, id
    limit ${limit + 1}`)
  const shown = places.slice(0, limit)
  const shownIds = (isDeposit: boolean) =>
    shown.filter((place) => place.isDeposit === isDeposit).map(({ id }) => id)
  const [left, surpluses] = [
    await readOpenTransfers(db, shownIds(false)),
    await readSurpluses(db, shownIds(true)),
  ]
  const byId = Map.groupBy([...left, ...surpluses], ({ key }) => key)
  const last = shown.at(-1)
  return {
    // A refund that was paid between the two queries is missing.
    refunds: shown.flatMap(({ id }) => (byId.get(id) ?? []).map(({ key: _key, ...refund }) => refund)),
    next: places.length > limit && last ? { since: last.since, id: last.id } : null,
  }
}

type Keyed = Refund & { key: string }

const transferColumns = fragment`
  t.id as "transferId", t.booked_on as "bookedOn", t.purpose, a.label as "accountLabel", a.mode, t.currency,
  json_build_object('name', t.payer_name, 'account', t.payer_account, 'taxId', t.payer_tax_id, 'bank', t.payer_bank)
    as payer`

/** Open amounts of transfers, with the deposit that has ended, if any. */
async function readOpenTransfers(db: Queryable, ids: readonly string[]): Promise<Keyed[]> {
  if (ids.length === 0) return []
  const rows = await db.query<Keyed & { note: string; message: unknown }>(sql`
    select t.id as key, t.due_since as since, t.open_cents as cents, ${transferColumns},
      case when x.rule = 'deposit_ended' then 'deposit_ended' else 'set_aside' end as why,
      coalesce(x.reason, '') as note, x.message, d.id as "depositId", d.order_id as "orderId", m.name as "merchantName"
    from transfers t
    join receiving_accounts a on a.id = t.account_id
    left join lateral (
      select rule, reason, message, evidence
      from transfer_decisions
      where transfer_id = t.id and rule <> 'refund'
      order by entry desc
      limit 1
    ) x on true
    left join deposits d on x.rule = 'deposit_ended' and d.id = (x.evidence ->> 'deposit')::uuid
    left join merchants m on m.id = d.merchant_id
    where t.id = any(${ids}::uuid[]) and t.due_since is not null`)
  return rows.map(({ message, ...row }) => ({ ...row, note: readMessage(message, row.note) }))
}

type SurplusRow = Pick<Refund, 'since' | 'mode' | 'currency' | 'depositId' | 'orderId' | 'merchantName'> & {
  key: string
  cents: Cents
}
type PartRow = Pick<Refund, 'transferId' | 'bookedOn' | 'purpose' | 'accountLabel' | 'mode' | 'payer'> & {
  currency: Currency
  key: string
  depositCents: Cents
  keptCents: Cents
  takenAt: Date
}

/** Surpluses of deposits, split by payment. */
async function readSurpluses(db: Queryable, ids: readonly string[]): Promise<Keyed[]> {
  if (ids.length === 0) return []
  const rows = await db.query<SurplusRow>(sql`
    select d.id as key, d.final_at as since, m.mode, d.currency, d.id as "depositId", d.order_id as "orderId",
      m.name as "merchantName", d.received_cents - d.amount_cents as cents
    from deposits d
    join merchants m on m.id = d.merchant_id
    where d.id = any(${ids}::uuid[]) and ${isOverpaid}`)
  const parts = Map.groupBy(
    await db.query<PartRow>(sql`
      select s.deposit_id as key, s.cents as "depositCents", s.kept_cents as "keptCents", t.taken_at as "takenAt",
        ${transferColumns}
      from allocations s
      join transfers t on t.id = s.transfer_id
      join receiving_accounts a on a.id = t.account_id
      where s.deposit_id = any(${ids}::uuid[])
      order by t.taken_at desc, t.id desc`),
    ({ key }) => key,
  )
  const byHand = {
    ...{ transferId: null, payer: null, bookedOn: null, purpose: '', accountLabel: null },
    ...{ depositCents: 0n, keptCents: 0n, takenAt: new Date(0) },
  }
  return rows.flatMap((row) =>
    surplusParts(row.cents, parts.get(row.key) ?? []).map(({ part, cents }): Keyed => {
      const { depositCents: _has, keptCents: _kept, takenAt, ...facts } = part ?? byHand
      // The surplus may arrive long after the confirmation.
      const since = takenAt > row.since ? takenAt : row.since
      return { ...facts, ...row, since, why: 'overpaid', cents, note: '' }
    }),
  )
}

/** All that is owed of one transfer, as one refund. */
export async function findRefund(db: Queryable, transferId: string): Promise<Refund | undefined> {
  const deposits = await db.query<{ id: string }>(sql`
    select deposit_id as id from allocations where transfer_id = ${transferId}`)
  const surpluses = await readSurpluses(
    db,
    deposits.map(({ id }) => id),
  )
  const parts = [
    ...(await readOpenTransfers(db, [transferId])),
    ...surpluses.filter((part) => part.transferId === transferId),
  ]
  const [first] = parts
  if (!first) return undefined
  const { key: _key, ...refund } = first
  return { ...refund, cents: parts.reduce((sum, { cents }) => sum + cents, 0n) }
}

export const sumRefunds = (db: Queryable, mode: Mode | null) =>
  db.query<RefundTotal>(sql`
    select mode, currency, sum(refunds)::int as refunds, sum(cents) as cents
    from (
      select a.mode, t.currency, count(*) as refunds, sum(t.open_cents) as cents
      from transfers t
      join receiving_accounts a on a.id = t.account_id
      where t.due_since is not null
      group by a.mode, t.currency
      union all
      select m.mode, d.currency, count(*), sum(d.received_cents - d.amount_cents - d.surplus_kept_cents)
      from deposits d
      join merchants m on m.id = d.merchant_id
      where ${isOverpaid}
      group by m.mode, d.currency
    ) due
    where ${mode}::text is null or mode = ${mode}
    group by mode, currency
    order by mode, currency`)

/** What is owed of the shares that a payment has of these deposits; the caller has locked them. */
export async function readOwed(tx: Tx, depositIds: readonly string[], transferId: string): Promise<Share[]> {
  const refunds = await readSurpluses(tx, depositIds)
  return refunds
    .filter((place) => place.transferId === transferId)
    .map(({ key, cents }) => ({ depositId: key, cents }))
}
