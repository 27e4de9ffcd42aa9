/** What waits for people: one set of queries lists, counts and filters it. */

import type { Cents } from '../../../domain/money.ts'
import { isParked } from '../../../domain/transfers/report-store.ts'
import { bounds } from '../../../platform/bounds.ts'
import { type Fragment, fragment, type Queryable, sql } from '../../../platform/db.ts'
import { amountsFrom, isNarrowed, payerPattern, type QueueFilter } from './filter.ts'
import {
  type Choices,
  countedMost,
  inOrder,
  type Named,
  type Queue,
  type QueueAge,
  type QueueCounts,
  type QueueItem,
  type QueueKind,
  queueKinds,
  stateKinds,
} from './queue.ts'

// ── How many ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The customer says that the money was sent, and none has arrived. */
const isClaimed = fragment`
  claimed_at is not null
  and received_cents = 0
  and state in ('created', 'expired')
  and late_until > (select inlet_now())
  and not labels @> '{review}'`

/** The days that files have closed: accounts without files have none, however much was told early on them. */
const unbookedTransfers = fragment`
  (select distinct account_id, day from account_days) c
  join transfers t on t.account_id = c.account_id and t.booked_on = c.day
    and t.told_booked_at is null
    and t.state not in ('revoked', 'duplicate')
    and t.state = 'matched'`

/** The counts of every kind, for every page of the desk. */
export async function countQueue(db: Queryable): Promise<{ now: Date; kinds: QueueCounts }> {
  const rows = await db.query<{ now: Date; kind: string; count: number }>(sql`
    select inlet_now() as now, k.kind, (
      select count(*)::int from (select from transfers where state = k.kind limit ${countedMost + 1}) t) as count
    from unnest(${[...stateKinds]}::text[]) as k (kind)
    union all
    select inlet_now(), 'unbooked', (
      select count(*)::int from (select from ${unbookedTransfers} limit ${countedMost + 1}) t)
    union all
    select inlet_now(), 'parked', (
      select count(distinct statement_id)::int
      from (select statement_id from report_rows where ${isParked} limit ${countedMost + 1}) p)
    union all
    select inlet_now(), 'claimed', (
      select count(*)::int from (select from deposits where ${isClaimed} limit ${countedMost + 1}) d)
    union all
    select inlet_now(), 'review', (
      select count(*)::int from (
        select from deposits where labels @> '{review}' limit ${countedMost + 1}) d)
    union all
    select inlet_now(), 'proposal', (
      select count(*)::int from (select from proposals where state = 'open' limit ${countedMost + 1}) o)`)
  const counts = new Map(rows.map(({ kind, count }) => [kind, count]))
  const kinds = queueKinds.map((kind) => {
    const count = counts.get(kind)
    if (count === undefined) throw new Error(`Nobody counts the kind ${kind} of the queue.`)
    return [kind, count] as const
  })
  return { now: rows[0]!.now, kinds: Object.fromEntries(kinds) as QueueCounts }
}

// ── Which ─────────────────────────────────────────────────────────────────────────────────────────────────────────

type ListRow = Omit<QueueItem, 'holder' | 'id'> & {
  id: string | null
  holderId: string | null
  holderName: string | null
  until: Date | null
  count: number
  looked: number
}

/** The oldest items that pass the filter, of all kinds in one order, and how many of each kind pass. */
export async function readQueue(db: Queryable, filter: QueueFilter, limit: number): Promise<Queue> {
  const amounts = amountsFrom(filter.amount)
  const none = Object.fromEntries(queueKinds.map((kind) => [kind, 0])) as QueueCounts
  // If the amount cannot be read, nothing is shown rather than everything.
  if (!amounts) return { items: [], counts: none, isCut: false }
  const narrowed = isNarrowed(filter)
  const wanted: Wanted = {
    accountId: filter.accountId,
    merchantId: filter.merchantId,
    ...amounts,
    payer: payerPattern(filter.payer),
    hours: filter.olderThan,
    hasMoney: filter.accountId !== null || filter.amount !== '' || filter.payer !== '',
    look: narrowed ? bounds.queueLookedAt : countedMost + 1,
  }
  const lists = await Promise.all(
    queueKinds.map((kind) =>
      readers[kind](db, wanted, filter.kind === null || filter.kind === kind ? limit : 0),
    ),
  )
  const firsts = lists.map((rows) => rows[0]!)
  const counts = queueKinds.map((kind, place) => [kind, firsts[place]!.count])
  const items = lists.flatMap((rows) =>
    rows.flatMap((row) => (row.id === null ? [] : [itemFrom(row, row.id)])),
  )
  return {
    items: inOrder(items).slice(0, limit),
    counts: Object.fromEntries(counts) as QueueCounts,
    isCut: narrowed && firsts.some(({ looked }) => looked >= bounds.queueLookedAt),
  }
}

/** For each kind, how many wait, counted to the maximum + 1, and the oldest. */
export const readAges = (db: Queryable): Promise<QueueAge[]> =>
  Promise.all(
    queueKinds.map(async (kind) => {
      const [{ count, since } = { count: 0, since: null }] = await readers[kind](db, whole, 1)
      return { kind, count, since }
    }),
  )

const itemFrom = (
  { holderId, holderName, until, count: _count, looked: _looked, ...item }: ListRow,
  id: string,
): QueueItem => ({
  ...item,
  id,
  holder: holderId ? { personId: holderId, name: holderName!, until: until! } : null,
})

type Wanted = {
  accountId: string | null
  merchantId: string | null
  least: Cents | null
  most: Cents | null
  payer: string | null
  hours: number | null
  /** The filter asks for an account, an amount or a payer, which proposals do not have. */
  hasMoney: boolean
  look: number
}

const whole: Wanted = {
  ...{ accountId: null, merchantId: null, least: null, most: null, payer: null, hours: null },
  ...{ hasMoney: false, look: countedMost + 1 },
}

/** Each query returns at least one row with the count; its other columns are null if there are no items. */
const readers: Record<QueueKind, (db: Queryable, wanted: Wanted, limit: number) => Promise<ListRow[]>> = {
  ambiguous: (db, wanted, limit) => undecided(db, 'ambiguous', wanted, limit),
  unmatched: (db, wanted, limit) => undecided(db, 'unmatched', wanted, limit),
  held: (db, wanted, limit) => undecided(db, 'held', wanted, limit),
  reversal: (db, wanted, limit) => undecided(db, 'reversal', wanted, limit),
  unbooked: (db, wanted, limit) => {
    const { accountId, look } = wanted
    const looked = fragment`
      select t.id, t.taken_at as since, t.cents, t.payer_name, t.account_id
      from ${unbookedTransfers}
      where ${accountId}::uuid is null or t.account_id = ${accountId}::uuid
      order by t.taken_at, t.id
      limit ${look}`
    return db.query<ListRow>(sql`${transfersOf('unbooked', looked, wanted, limit)}`)
  },
  parked: (db, { accountId, merchantId, least, most, payer, hours, look }, limit) =>
    db.query<ListRow>(sql`
      with looked as materialized (
        select statement_id, account_id, cents, parked_at
        from report_rows
        where ${isParked}
        order by parked_at, statement_id, place
        limit ${look}
      ), found as materialized (
        select statement_id as id, account_id, min(parked_at) as since, sum(cents)::bigint as cents, count(*)::int as rows
        from looked
        where (${accountId}::uuid is null or account_id = ${accountId})
          and ${merchantId}::uuid is null
          and ${payer}::text is null
          and (${least}::bigint is null or cents >= ${least})
          and (${most}::bigint is null or cents <= ${most})
          and (${hours}::int is null or parked_at <= (select inlet_now()) - ${hours}::int * interval '1 hour')
        group by statement_id, account_id
      )
      select 'parked' as kind, f.id, f.since, f.cents, a.currency, a.mode, s.file_name as who, f.rows::text as what,
        f.account_id as "accountId", a.label as "accountLabel", null as "merchantName", null as "holderId",
        null as "holderName", null::timestamptz as until, n.count, n.looked
      from (
        select (select count(distinct id)::int from found) as count, (select count(*)::int from looked) as looked
      ) n
      left join (select id, account_id, since, cents, rows from found order by since, id limit ${limit}) f on true
      left join statements s on s.id = f.id
      left join receiving_accounts a on a.id = f.account_id
      order by f.since, f.id`),
  claimed: (db, wanted, limit) => undecidedDeposits(db, 'claimed', wanted, limit),
  review: (db, wanted, limit) => undecidedDeposits(db, 'review', wanted, limit),
  proposal: (db, { merchantId, hours, hasMoney, look }, limit) =>
    db.query<ListRow>(sql`
      with looked as materialized (
        select id, proposed_at as since, merchant_id
        from proposals
        where state = 'open' and not ${hasMoney}::boolean
        order by proposed_at, id
        limit ${look}
      ), found as materialized (
        select id, since
        from looked
        where (${merchantId}::uuid is null or merchant_id = ${merchantId})
          and (${hours}::int is null or since <= (select inlet_now()) - ${hours}::int * interval '1 hour')
        order by since, id
        limit ${countedMost + 1}
      )
      select 'proposal' as kind, o.id, f.since, null::bigint as cents, null as currency, null as mode,
        p.name as who, o.kind as what, null as "accountId", null as "accountLabel", m.name as "merchantName",
        null as "holderId", null as "holderName", null::timestamptz as until, n.count, n.looked
      from (select (select count(*)::int from found) as count, (select count(*)::int from looked) as looked) n
      left join (select id, since from found order by since, id limit ${limit}) f on true
      left join proposals o on o.id = f.id
      left join people p on p.id = o.proposed_by
      left join merchants m on m.id = o.merchant_id
      order by f.since, f.id`),
}

/** By what the kind means: each has its index, and the other part is not run. */
const undecidedDeposits = (
  db: Queryable,
  kind: 'claimed' | 'review',
  { accountId, merchantId, least, most, payer, hours, look }: Wanted,
  limit: number,
) =>
  db.query<ListRow>(sql`
    with looked as materialized (
      (
        select id, claimed_at as since, account_id, merchant_id, amount_cents, customer
        from deposits
        where ${kind}::text = 'claimed'
          and ${isClaimed}
        order by late_until
        limit ${look}
      )
      union all
      (
        select id, created_at, account_id, merchant_id, amount_cents, customer
        from deposits
        where ${kind}::text = 'review'
          and labels @> '{review}'
        order by final_at, id
        limit ${look}
      )
    ), found as materialized (
      select d.id, d.since
      from looked d
      where (${accountId}::uuid is null or d.account_id = ${accountId})
        and (${merchantId}::uuid is null or d.merchant_id = ${merchantId})
        and (${least}::bigint is null or d.amount_cents >= ${least})
        and (${most}::bigint is null or d.amount_cents <= ${most})
        and (${payer}::text is null or d.customer ~ ${payer})
        and (${hours}::int is null or d.since <= (select inlet_now()) - ${hours}::int * interval '1 hour')
      order by d.since, d.id
      limit ${countedMost + 1}
    )
    select ${kind}::text as kind, d.id, f.since, d.amount_cents as cents, d.currency, m.mode,
      coalesce(d.customer, '') as who, d.order_id as what, d.account_id as "accountId",
      a.label as "accountLabel", m.name as "merchantName", c.person_id as "holderId", p.name as "holderName",
      c.until, n.count, n.looked
    from (select (select count(*)::int from found) as count, (select count(*)::int from looked) as looked) n
    left join (select id, since from found order by since, id limit ${limit}) f on true
    left join deposits d on d.id = f.id
    left join merchants m on m.id = d.merchant_id
    left join receiving_accounts a on a.id = d.account_id
    left join work_claims c on c.item = 'deposit:' || d.id and c.until > (select inlet_now())
    left join people p on p.id = c.person_id
    order by f.since, f.id`)

/**
 * The merchants that a transfer may be for: the only one that its account serves, else those of the deposits that its
 * last decision looked at.
 */
const merchantsOf = fragment`
  select m.id, m.name
  from merchants m
  where m.id = a.merchant_id
  union
  select m.id, m.name
  from (
    select evidence
    from transfer_decisions
    where transfer_id = t.id and a.merchant_id is null
    order by entry desc
    limit 1
  ) last
  cross join lateral jsonb_array_elements(
    case when jsonb_typeof(last.evidence -> 'candidates') = 'array' then last.evidence -> 'candidates' else '[]' end
  ) as one (candidate)
  join deposits d on d.id = (
    case when one.candidate ->> 'deposit' ~ '^[0-9a-f-]{36}$' then one.candidate ->> 'deposit' end)::uuid
  join merchants m on m.id = d.merchant_id`

/**
 * Transfers by account if one is chosen, else by state: each branch has its index, and the other one is not run. The
 * oldest come first, so the age needs no index condition, which would make the planner read and sort all waiting rows.
 */
const undecided = (db: Queryable, state: (typeof stateKinds)[number], wanted: Wanted, limit: number) => {
  const { accountId, look } = wanted
  const looked = fragment`
    (
      select id, taken_at as since, cents, payer_name, account_id
      from transfers
      where ${accountId}::uuid is null
        and state = ${state}
      order by taken_at, id
      limit ${look}
    )
    union all
    (
      select id, taken_at, cents, payer_name, account_id
      from transfers
      where account_id = ${accountId}::uuid
        and state = ${state}
      order by taken_at, id
      limit ${look}
    )`
  return db.query<ListRow>(sql`${transfersOf(state, looked, wanted, limit)}`)
}

/** Those of the transfers that are looked at which pass the filter. */
const transfersOf = (
  kind: QueueKind,
  looked: Fragment,
  { merchantId, least, most, payer, hours }: Wanted,
  limit: number,
) => fragment`
  with looked as materialized (${looked}), found as materialized (
    select t.id, t.since
    from looked t
    where (${hours}::int is null or t.since <= (select inlet_now()) - ${hours}::int * interval '1 hour')
      and (${least}::bigint is null or t.cents >= ${least})
      and (${most}::bigint is null or t.cents <= ${most})
      and (${payer}::text is null or t.payer_name ~ ${payer})
      and (${merchantId}::uuid is null or exists (
        select
        from receiving_accounts a
        cross join lateral (${merchantsOf}) mine
        where a.id = t.account_id and mine.id = ${merchantId}))
    order by t.since, t.id
    limit ${countedMost + 1}
  )
  select ${kind}::text as kind, t.id, f.since, t.cents, t.currency, a.mode, t.payer_name as who, t.purpose as what,
    t.account_id as "accountId", a.label as "accountLabel",
    (select string_agg(mine.name, ', ' order by mine.name) from (${merchantsOf}) mine) as "merchantName",
    c.person_id as "holderId", p.name as "holderName", c.until, n.count, n.looked
  from (select (select count(*)::int from found) as count, (select count(*)::int from looked) as looked) n
  left join (select id, since from found order by since, id limit ${limit}) f on true
  left join transfers t on t.id = f.id
  left join receiving_accounts a on a.id = t.account_id
  left join work_claims c on c.item = 'transfer:' || t.id and c.until > (select inlet_now())
  left join people p on p.id = c.person_id
  order by f.since, f.id`

// ── What a filter offers ──────────────────────────────────────────────────────────────────────────────────────────

/** The accounts and merchants to choose from. */
export async function readChoices(db: Queryable): Promise<Choices> {
  const rows = await db.query<Named & { list: keyof Choices }>(sql`
    (select 'accounts' as list, id, label as name, mode from receiving_accounts order by label, id limit 500)
    union all
    (select 'merchants', id, name, mode from merchants order by name, id limit 500)
`)
  const named = (what: keyof Choices) => rows.filter((row) => row.list === what)
  return { accounts: named('accounts'), merchants: named('merchants') }
}
