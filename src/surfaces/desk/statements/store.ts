/** The queries of a statement's rows: their current states, and their transfers. */

import { isParked } from '../../../domain/transfers/report-store.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import type { ParkedSum, StatementTransfer, StateSum } from './rows.ts'

/** The current states of the transfers that a statement tells, with their sums per currency. */
export const sumStatement = (db: Queryable, id: string) =>
  db.query<StateSum>(sql`
    select t.state, t.currency, count(*)::int as rows, sum(t.cents) as cents
    from report_rows r
    join transfers t on t.id = r.transfer_id
    where r.statement_id = ${id}
    group by t.state, t.currency
    order by count(*) desc, t.state, t.currency`)

/** What the rows of a statement tell, in the order of the file. */
export const listTransfersOf = (
  db: Queryable,
  { id, after, limit }: { id: string; after: number | null; limit: number },
) =>
  db.query<StatementTransfer>(sql`
    select t.id, r.place, r.line, r.outcome, t.state, t.direction, t.cents, t.currency, t.booked_on as "bookedOn",
      t.payer_name as "payerName"
    from report_rows r
    join transfers t on t.id = r.transfer_id
    where r.statement_id = ${id} and r.place > coalesce(${after}::int, -1)
    order by r.place
    limit ${limit}`)

/** The rows of a statement that are parked. */
export const sumParked = (db: Queryable, id: string) =>
  db.one<ParkedSum>(sql`
    select count(*)::int as rows, min(booked_on) as "firstDay", max(booked_on) as "lastDay"
    from report_rows
    where statement_id = ${id} and ${isParked}`)
