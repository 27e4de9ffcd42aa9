/** The queries of a statement's rows: their current states, what each one told, and those that wait. */
import { type Queryable, sql } from '../../platform/db.ts'
import type { Cents, Currency } from '../money.ts'
import { isParked } from '../transfers/report-store.ts'
import type { Transfer, TransferState } from '../transfers/transfer.ts'

type StateSum = { state: TransferState; currency: Currency; rows: number; cents: Cents }

export const sumStatement = (db: Queryable, id: string) =>
  db.query<StateSum>(sql`
    select t.state, t.currency, count(*)::int as rows, sum(t.cents) as cents
    from report_rows r
    join transfers t on t.id = r.transfer_id
    where r.statement_id = ${id}
    group by t.state, t.currency
    order by count(*) desc, t.state, t.currency`)

export type RowOutcome = 'new' | 'paired' | 'known' | 'held'

export type StatementRow = Pick<
  Transfer,
  'id' | 'state' | 'direction' | 'cents' | 'currency' | 'bookedOn' | 'payerName'
> & { place: number; line: number; outcome: RowOutcome }

export const listStatementRows = (
  db: Queryable,
  asked: {
    id: string
    outcome: RowOutcome | null
    state: string | null
    after: number | null
    limit: number
  },
) =>
  db.query<StatementRow>(sql`
    select t.id, r.place, r.line, r.outcome, t.state, t.direction, t.cents, t.currency, t.booked_on as "bookedOn",
      t.payer_name as "payerName"
    from report_rows r
    join transfers t on t.id = r.transfer_id
    where r.statement_id = ${asked.id} and r.place > coalesce(${asked.after}::int, -1)
      and (${asked.outcome}::text is null or r.outcome = ${asked.outcome})
      and (${asked.state}::text is null or t.state = ${asked.state})
    order by r.place
    limit ${asked.limit}`)

type ParkedSum = { rows: number; firstDay: string | null; lastDay: string | null }

export const sumParked = (db: Queryable, id: string) =>
  db.one<ParkedSum>(sql`
    select count(*)::int as rows, min(booked_on) as "firstDay", max(booked_on) as "lastDay"
    from report_rows
    where statement_id = ${id} and ${isParked}`)
