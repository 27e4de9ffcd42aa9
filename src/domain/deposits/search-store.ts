/** Searches over the deposits of all merchants. */
import { type Fragment, fragment, lastUuid, type Queryable, type Statement, sql } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import type { Deposit } from './deposit.ts'
import { depositColumns } from './read-store.ts'
import type { DaySearch, DepositRow, DepositSearch } from './search.ts'

type Place = { before: string | null; limit: number }

/** Newest first. The last deposit of a page leads to the next page. */
export async function searchDeposits(
  db: Queryable,
  search: DepositSearch,
  place: Place,
): Promise<DepositRow[]> {
  const found = await db.query<{ id: string }>(foundBy(search, place))
  const ids = found.map(({ id }) => id)
  const rows = new Map((await readDepositRows(db, ids)).map((row) => [row.deposit.id, row]))
  return ids.flatMap((id) => rows.get(id) ?? [])
}

export async function readDepositRows(db: Queryable, ids: readonly string[]): Promise<DepositRow[]> {
  if (ids.length === 0) return []
  const rows = await db.query<Deposit & Omit<DepositRow, 'deposit'>>(sql`
    select ${depositColumns}, (select inlet_now()) as now, m.mode, m.name as "merchantName",
      d.account_id as "accountId", a.label as "accountLabel"
    from deposits d
    join merchants m on m.id = d.merchant_id
    left join receiving_accounts a on a.id = d.account_id
    where d.id = any(${ids}::uuid[])`)
  return rows.map(({ now, mode, merchantName, accountId, accountLabel, ...deposit }) => ({
    ...{ deposit, now, mode, merchantName, accountId, accountLabel },
  }))
}

type DayRange = Pick<DaySearch, 'day' | 'zone'>

export const dayStart = ({ day, zone }: DayRange) => fragment`(${day}::date::timestamp at time zone ${zone})`

/** The end of the day, or of its part until a time such as `14:35`. */
export const dayEnd = ({ day, zone, until = null }: DayRange & { until?: string | null }) => fragment`
  ((${day}::date + coalesce((${until}::time)::interval, interval '1 day')) at time zone ${zone})`

/** Where the page after this deposit begins in a list by creation; without one, at its top. */
const createdBefore = (before: string | null) => fragment`(created_at, id) < (
  coalesce((select created_at from deposits where id = ${before}::uuid), 'infinity'),
  coalesce(${before}::uuid, ${lastUuid}))`

const ofMode = (mode: Mode | null) => fragment`(${mode}::text is null or m.mode = ${mode})`

/** The newest deposits of each merchant, which have an index, merged. */
const newestOfEach = (
  rows: Fragment,
  { merchants, limit }: { merchants: Fragment; limit: number },
) => fragment`
  select d.id
  from merchants m
  cross join lateral (${rows}) d
  where ${merchants}
  order by d.created_at desc, d.id desc
  limit ${limit}`

/** Each way is a statement of its own: its text is fixed where it is written. */
function foundBy(search: DepositSearch, { before, limit }: Place): Statement {
  const newest = fragment`order by created_at desc, id desc limit ${limit}`
  switch (search.by) {
    case 'id':
      return sql`select id from deposits where id = ${search.id}`
    case 'newest': {
      const { merchantId, state, mode } = search
      // Ids are ordered by time.
      if (merchantId === null && state === null && mode === null)
        return sql`
          select id
          from deposits
          where id < coalesce(${before}::uuid, ${lastUuid})
          order by id desc
          limit ${limit}`
      const isOnPage = fragment`merchant_id = m.id and ${createdBefore(before)}`
      // Each branch has its index, and the others are not run.
      const rows = fragment`
        (select id, created_at from deposits where ${state}::text is null and ${isOnPage} ${newest})
        union all
        (select id, created_at from deposits
          where state in ('builded', 'created') and state = ${state} and ${isOnPage} ${newest})
        union all
        (select id, created_at from deposits
          where state not in ('builded', 'created') and state = ${state} and ${isOnPage} ${newest})`
      const merchants = fragment`(${merchantId}::uuid is null or m.id = ${merchantId}) and ${ofMode(mode)}`
      return sql`${newestOfEach(rows, { merchants, limit })}`
    }
    case 'created': {
      const rows = fragment`
          select id, created_at
          from deposits
          where merchant_id = m.id
            and created_at >= ${dayStart(search)}
            and created_at < ${dayEnd(search)}
            and ${createdBefore(before)}
          ${newest}`
      return sql`${newestOfEach(rows, { merchants: ofMode(search.mode), limit })}`
    }
    case 'confirmed':
      return sql`
        select d.id
        from deposits d
        join merchants m on m.id = d.merchant_id
        where d.state = 'confirmed'
          and d.final_at >= ${dayStart(search)}
          and d.final_at < ${dayEnd(search)}
          and (d.final_at, d.id) < (
            coalesce((select final_at from deposits where id = ${before}::uuid), 'infinity'),
            coalesce(${before}::uuid, ${lastUuid}))
          and ${ofMode(search.mode)}
        order by d.final_at desc, d.id desc
        limit ${limit}`
    case 'reference':
      return sql`
        select id
        from deposits
        where reference = ${search.reference} and id < coalesce(${before}::uuid, ${lastUuid})
        order by id desc
        limit ${limit}`
    case 'name': {
      const rows = fragment`
          (select id, created_at from deposits
            where merchant_id = m.id and order_id = ${search.name} and ${createdBefore(before)} limit 1)
          union
          (select id, created_at from deposits
            where merchant_id = m.id and customer = ${search.name} and ${createdBefore(before)} ${newest})`
      return sql`${newestOfEach(rows, { merchants: fragment`true`, limit })}`
    }
    case 'amount': {
      const rows = fragment`
          select id, created_at
          from deposits
          where merchant_id = m.id and amount_cents = ${search.cents} and ${createdBefore(before)}
          ${newest}`
      return sql`${newestOfEach(rows, { merchants: fragment`true`, limit })}`
    }
    case 'payer':
      return sql`
        select distinct s.deposit_id as id
        from transfers t
        join allocations s on s.transfer_id = t.id
        where array[t.payer_name, t.payer_account, t.payer_tax_id] @> array[${search.payer}]
          and s.deposit_id < coalesce(${before}::uuid, ${lastUuid})
        order by 1 desc
        limit ${limit}`
  }
}
