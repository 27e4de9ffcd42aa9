/** The queries of the desk's list of transfers. */

import type { Currency } from '../../../domain/money.ts'
import { type TransferState, transferStates } from '../../../domain/transfers/transfer.ts'
import { type Fragment, fragment, lastUuid, type Queryable, sql } from '../../../platform/db.ts'
import type { TransferRow } from '../deposits/rows.ts'
import type { HeldDay } from './rows.ts'

const rowColumns = fragment`
  t.id, t.taken_at as "takenAt", t.booked_on as "bookedOn", t.state, t.cents, t.currency, t.direction,
  t.payer_name as "payerName", t.purpose, 
  array(select deposit_id from allocations where transfer_id = t.id order by deposit_id) as deposits, a.label as "accountLabel", a.mode`

/** Incoming money that counts, with or without a deposit. */
export const moneyIn = ['unmatched', 'ambiguous', 'held', 'matched', 'refunded', 'set_aside'] as const

const statesOf = (state: TransferFilter['state']): readonly TransferState[] =>
  state === null ? transferStates : state === 'money_in' ? moneyIn : [state]

/** A day in a zone, and the filters within it. An empty value means any. */
type DayFilter = { day: string; zone: string; mode: string; currency: string }

type TransferFilter = {
  state: TransferState | 'money_in' | null
  accountId: string | null
  day?: DayFilter | null
  before: string | null
  limit: number
}

/** Newest first by state: the few newest of each state that is asked for, put in one order. */
export const searchTransfers = (db: Queryable, { accountId, day = null, ...filter }: TransferFilter) =>
  day !== null
    ? db.query<TransferRow>(sql`${newest(fragment`state = s.state and ${isOfDay(day, accountId)}`, filter)}`)
    : accountId === null
      ? db.query<TransferRow>(sql`${newest(fragment`state = s.state`, filter)}`)
      : db.query<TransferRow>(sql`${newest(fragment`account_id = ${accountId} and state = s.state`, filter)}`)

const isOfDay = ({ day, zone, mode, currency }: DayFilter, accountId: string | null) => fragment`
  taken_at >= (${day}::date::timestamp at time zone ${zone})
  and taken_at < ((${day}::date + 1)::timestamp at time zone ${zone})
  and (${accountId}::uuid is null or account_id = ${accountId})
  and (${currency} = '' or currency = ${currency})
  and (${mode} = '' or account_id in (select id from receiving_accounts where mode = ${mode}))`

const newest = (
  isAsked: Fragment,
  { state, before, limit }: Omit<TransferFilter, 'accountId' | 'day'>,
) => fragment`
  select ${rowColumns}
  from unnest(${statesOf(state)}::text[]) as s (state)
  cross join lateral (
    select id, taken_at, booked_on, state, cents, currency, direction, payer_name, purpose, account_id
    from transfers
    where ${isAsked}
      and (taken_at, id) < (
        coalesce((select taken_at from transfers where id = ${before}::uuid), 'infinity'),
        coalesce(${before}::uuid, ${lastUuid}))
    order by taken_at desc, id desc
    limit ${limit}
  ) t
  join receiving_accounts a on a.id = t.account_id
  order by t.taken_at desc, t.id desc
  limit ${limit}`

/** The days with the most booked rows on hold. */
export const listHeldDays = (db: Queryable, accountId: string | null, limit: number) =>
  db.query<HeldDay>(sql`
    select h.account_id as "accountId", a.label as "accountLabel", h.booked_on as "bookedOn", count(*)::int as rows
    from (
      select account_id, booked_on
      from transfers
      where state = 'held'
        and told_booked_at is not null
        and (${accountId}::uuid is null or account_id = ${accountId})
      order by taken_at, id
      limit 1000
    ) h
    join receiving_accounts a on a.id = h.account_id
    group by 1, 2, 3
    having count(*) > 1
    order by count(*) desc, h.booked_on, h.account_id
    limit ${limit}`)

export const readAccountLabel = (db: Queryable, id: string) =>
  db.find<{ label: string; currency: Currency }>(
    sql`select label, currency from receiving_accounts where id = ${id}`,
  )
