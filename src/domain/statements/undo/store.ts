/** The undo of an import in the database: what the file added, where else it is reported, and the progress. */

import { fragment, type Queryable, sql, type Tx } from '../../../platform/db.ts'
import type { Mode } from '../../merchants/merchant.ts'
import type { Cents, Currency } from '../../money.ts'
import type { UndoCounts, UndoPlace, UndoSum } from './undo-report.ts'

export type UndoState = {
  id: string
  mode: Mode
  fileName: string
  finishedAt: Date | null
  undoStartedAt: Date | null
  undoneBy: string | null
  undoReason: string | null
  undoReport: (UndoCounts & Partial<UndoPlace>) | null
  undoneAt: Date | null
}

const undoColumns = fragment`
  s.id, s.mode, s.file_name as "fileName", s.finished_at as "finishedAt", s.undo_started_at as "undoStartedAt",
  s.undone_by as "undoneBy", s.undo_reason as "undoReason", s.undo_report as "undoReport", s.undone_at as "undoneAt"`

export const readUndo = (db: Queryable, id: string) =>
  db.find<UndoState>(sql`select ${undoColumns} from statements s where s.id = ${id}`)

/** Taken first by an undo, so that no group of the import and no other undo runs at the same time. */
export const lockUndo = (tx: Tx, id: string) =>
  tx.find<UndoState>(sql`
    select ${undoColumns}
    from statements s
    where s.id = ${id}
    for no key update`)

/** Held by a group of the import until its end; false once the undo has started. */
export const holdStatement = (tx: Tx, id: string) =>
  tx.has(sql`
    select id
    from statements
    where id = ${id} and undo_started_at is null
    for share`)

export const markUndo = (
  tx: Tx,
  { id, by, reason, report }: { id: string; by: string; reason: string; report: UndoCounts & UndoPlace },
) =>
  tx.run(sql`
    update statements
    set undo_started_at = inlet_now(), undone_by = ${by}, undo_reason = ${reason},
      undo_report = ${JSON.stringify(report)}::jsonb
    where id = ${id}`)

export const saveUndo = (
  tx: Tx,
  { id, report, isOver }: { id: string; report: UndoCounts & Partial<UndoPlace>; isOver: boolean },
) =>
  tx.run(sql`
    update statements
    set undo_report = ${JSON.stringify(report)}::jsonb, undone_at = case when ${isOver} then inlet_now() end
    where id = ${id}`)

/** Every account with rows of the file. */
export async function findAccountsOfStatement(tx: Tx, id: string): Promise<string[]> {
  const rows = await tx.query<{ account_id: string }>(sql`
    select account_id from transfers where statement_id = ${id}
    union
    select t.account_id
    from transfer_repeats r
    join transfers t on t.id = r.transfer_id
    where r.statement_id = ${id}`)
  return rows.map((row) => row.account_id)
}

/** Another file, which nobody takes back, has this row as well: had this one never come, the payment would be there. */
const isReportedByAnother = fragment`
  exists (
    select from transfer_repeats r
    join statements o on o.id = r.statement_id
    where r.transfer_id = t.id
      and r.statement_id <> s.id
      and r.became is null
      and not r.is_noted
      and o.undo_started_at is null)`

export type UndoItem = {
  id: string
  accountId: string
  depositId: string | null
  /** No file has it any more: the import that added it was undone before. */
  isGone?: boolean
}

const itemColumns = fragment`t.id, t.account_id as "accountId", t.deposit_id as "depositId"`

/** The next transfers of a statement's undo, in order of their ids. */
type UndoGroup = { id: string; after: string; limit: number }

/** Transfers that only this file reports, and that are not revoked yet. */
export const findAdded = (db: Queryable, { id, after, limit }: UndoGroup) =>
  db.query<UndoItem>(sql`
    select ${itemColumns}
    from statements s
    join transfers t on t.statement_id = s.id
    where s.id = ${id}
      and t.statement_id = ${id}
      and t.id > ${after}
      and t.state <> 'revoked'
      and not ${isReportedByAnother}
    order by t.id
    limit ${limit}`)

/** Payments of another file whose import was undone. They still count only because this file reports them too. */
export const findUpheld = (db: Queryable, { id, after, limit }: UndoGroup) =>
  db.query<UndoItem>(sql`
    select ${itemColumns}
    from transfer_repeats repeat
    join transfers t on t.id = repeat.transfer_id
    join statements s on s.id = repeat.statement_id
    join statements first on first.id = t.statement_id
    where repeat.statement_id = ${id}
      and repeat.transfer_id > ${after}
      and repeat.became is null
      and t.statement_id <> ${id}
      and first.undo_started_at is not null
      and t.state <> 'revoked'
      and not ${isReportedByAnother}
    group by repeat.transfer_id, t.id
    order by repeat.transfer_id
    limit ${limit}`)

/** Payments of other files that this file revoked, and that are still revoked: by a reversal, or as a sum that it reports in parts. */
export const findTakenBackBy = (db: Queryable, { id, after, limit }: UndoGroup) =>
  db.query<UndoItem>(sql`
    select ${itemColumns}, first.undo_started_at is not null and not ${isReportedByAnother} as "isGone"
    from transfer_decisions d
    join statements s on s.id = ${id}
    join transfers t on t.id = d.transfer_id
    left join statements first on first.id = t.statement_id
    where d.rule = 'revoked'
      and d.evidence ->> 'statement' = ${id}::text
      and d.transfer_id > ${after}
      and d.entry = (select max(x.entry) from transfer_decisions x where x.transfer_id = d.transfer_id)
      -- If the payment was reported twice, the money belongs to the transfer that came first, which is restored by itself.
      and d.evidence ->> 'before' not in ('revoked', 'duplicate')
      and t.state = 'revoked'
      and t.statement_id is distinct from ${id}::uuid
    order by d.transfer_id
    limit ${limit}`)

/** Other reports of these payments; those of the file itself are revoked with it. */
export const findEntriesOf = (db: Queryable, statementId: string, transferIds: readonly string[]) =>
  db.query<{ id: string; duplicateOf: string; accountId: string }>(sql`
    select d.id, d.duplicate_of as "duplicateOf", d.account_id as "accountId"
    from transfers d
    where d.duplicate_of = any(${transferIds}::uuid[]) and d.statement_id is distinct from ${statementId}::uuid
    order by d.id`)

type PaidRefund = { id: string; cents: Cents; currency: Currency }

/** Refunds that were paid for transfers of the file. */
export const findPaidRefunds = (db: Queryable, id: string, limit: number) =>
  db.query<PaidRefund>(sql`
    select t.id, t.refund_cents as cents, t.currency
    from statements s
    join transfers t on t.statement_id = s.id
    where s.id = ${id} and t.statement_id = ${id} and t.refund_cents > 0 and not ${isReportedByAnother}
    union
    select t.id, t.refund_cents, t.currency
    from transfer_repeats repeat
    join transfers t on t.id = repeat.transfer_id
    join statements s on s.id = repeat.statement_id
    join statements first on first.id = t.statement_id
    where repeat.statement_id = ${id}
      and repeat.became is null
      and t.statement_id <> ${id}
      and first.undo_started_at is not null
      and t.refund_cents > 0
      and not ${isReportedByAnother}
    order by id
    limit ${limit}`)

/** What an undo would revoke: the number of transfers, and the sum of the credits. */
export const sumUndo = (db: Queryable, id: string) =>
  db.query<UndoSum>(sql`
    select currency, count(*)::int as transfers, coalesce(sum(cents), 0) as cents
    from (
      select t.currency, t.deposit_cents + t.open_cents as cents
      from statements s
      join transfers t on t.statement_id = s.id
      where s.id = ${id} and t.statement_id = ${id} and t.state <> 'revoked' and not ${isReportedByAnother}
      union all
      select t.currency, t.deposit_cents + t.open_cents
      from statements s
      join transfers t on t.id in (
        select transfer_id from transfer_repeats where statement_id = ${id} and became is null)
      join statements first on first.id = t.statement_id
      where s.id = ${id}
        and t.statement_id <> ${id}
        and first.undo_started_at is not null
        and t.state <> 'revoked'
        and not ${isReportedByAnother}
    ) back
    group by currency
    order by currency`)
