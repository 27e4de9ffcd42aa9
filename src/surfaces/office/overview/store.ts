/**
 * The days of an overview: of one merchant, or of all in a mode. Each merchant's deposits are read from one index, the newest up
 * to a maximum, so the cost of a day does not grow with the table.
 */
import { dayEnd, dayStart } from '../../../domain/deposits/search-store.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import type { Cents, Currency } from '../../../domain/money.ts'
import { type Queryable, sql } from '../../../platform/db.ts'

/** Deposits of a day that are counted. */
export const maxDayDeposits = 10_000

export type Scope = { mode: Mode; merchantId: string | null; zone: string }

/** What was created on a day, and how much of it is confirmed. */
export type DayLine = { currency: Currency; created: number; confirmed: number; cents: Cents }

/** `until`: the time of the day at which counting ends, such as `14:35`. */
export const readDay = (
  db: Queryable,
  { mode, merchantId, zone }: Scope,
  day: string,
  until: string | null = null,
) =>
  db.query<DayLine>(sql`
    select currency, count(*)::int as created, (count(*) filter (where state = 'confirmed'))::int as confirmed,
      coalesce(sum(amount_cents) filter (where state = 'confirmed'), 0) as cents
    from (
      select d.currency, d.state, d.amount_cents
      from merchants m
      cross join lateral (
        select currency, state, amount_cents
        from deposits
        where merchant_id = m.id
          and created_at >= ${dayStart({ day, zone })}
          and created_at < ${dayEnd({ day, until, zone })}
        order by created_at desc, id desc
        limit ${maxDayDeposits + 1}) d
      where m.mode = ${mode} and (${merchantId}::uuid is null or m.id = ${merchantId})
      limit ${maxDayDeposits + 1}) counted
    group by currency`)
