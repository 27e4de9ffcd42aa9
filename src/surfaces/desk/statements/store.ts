/** The queries of imported statements, of the current states of their rows, and of their transfers. */

import { readReport } from '../../../domain/statements/store.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import type { StatementFound, StatementRow, StatementTransfer, StateSum } from './rows.ts'

export async function readStatement(db: Queryable, id: string): Promise<StatementFound | undefined> {
  const [row] = await db.query<StatementFound & { messages: unknown }>(sql`
    select id, mode, file_name as "fileName", format, taken_at as "takenAt", taken_by as "takenBy",
      finished_at as "finishedAt", report, report_messages as messages, undo_started_at as "undoStartedAt", undone_by as "undoneBy",
      undo_reason as "undoReason", undo_report as "undoReport", undone_at as "undoneAt"
    from statements
    where id = ${id}`)
  return row && { ...row, report: row.report && readReport(row.report, row.messages) }
}

/** The current states of the rows of a statement, with their sums per currency. */
export const sumStatement = (db: Queryable, id: string) =>
  db.query<StateSum>(sql`
    select state, currency, count(*)::int as rows, sum(cents) as cents
    from transfers
    where statement_id = ${id}
    group by state, currency
    order by count(*) desc, state, currency`)

/** The transfers of a statement, in the order of the file. */
export const listTransfersOf = (
  db: Queryable,
  { id, after, limit }: { id: string; after: string | null; limit: number },
) =>
  db.query<StatementTransfer>(sql`
    select id, line, state, direction, cents, currency, booked_on as "bookedOn", payer_name as "payerName"
    from transfers
    where statement_id = ${id}
      and (${after}::uuid is null or (coalesce(line, 0), id) > (
        select coalesce(line, 0), id from transfers where id = ${after}))
    order by coalesce(line, 0), id
    limit ${limit}`)

export const listTakenStatements = (db: Queryable, limit: number) =>
  db.query<StatementRow>(sql`
    select id, mode, file_name as "fileName", format, taken_at as "takenAt", taken_by as "takenBy",
      finished_at as "finishedAt", undo_started_at as "undoStartedAt", undone_at as "undoneAt",
      (report ->> 'entries')::int as entries, report ->> 'totals' as totals
    from statements
    order by taken_at desc, id desc
    limit ${limit}`)
