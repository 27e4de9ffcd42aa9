/** The undo of an import in the database: what only this file tells, and the progress. */

import { fragment, type Queryable, sql, type Tx } from '../../../platform/db.ts'
import type { Cents, Currency } from '../../money.ts'
import type { Role } from '../../transfers/voice.ts'
import type { UndoCounts, UndoSum } from '../import-report.ts'

/** Held by a group of the import until its end; false once the undo has started. */
export const holdStatement = (tx: Tx, id: string) =>
  tx.has(sql`
    select id
    from statements
    where id = ${id} and undo_started_at is null
    for share`)

export const markUndo = (
  tx: Tx,
  { id, by, reason, report }: { id: string; by: string; reason: string; report: UndoCounts },
) =>
  tx.run(sql`
    update statements
    set undo_started_at = inlet_now(), undone_by = ${by}, undo_reason = ${reason},
      undo_report = ${JSON.stringify(report)}::jsonb
    where id = ${id}`)

export const saveUndo = (
  tx: Tx,
  { id, report, isOver }: { id: string; report: UndoCounts; isOver: boolean },
) =>
  tx.run(sql`
    update statements
    set undo_report = ${JSON.stringify(report)}::jsonb, undone_at = case when ${isOver} then inlet_now() end
    where id = ${id}`)

type ToldRow = { transferId: string; role: Role }
type Deleted = ToldRow | { transferId: null; role: null }

/** The next rows of a file, which tell their transfers no longer; those that are parked told nothing. */
export const deleteRows = (tx: Tx, id: string, limit: number) =>
  tx.query<Deleted>(sql`
    delete from report_rows
    where statement_id = ${id}
      and place in (select place from report_rows where statement_id = ${id} order by place limit ${limit})
    returning transfer_id as "transferId", role`)

/** By the keys of this file's source that no other of its files upholds, these transfers are known no longer. */
export const deleteKeys = (tx: Tx, { id, rows }: { id: string; rows: readonly ToldRow[] }) =>
  tx.run(sql`
    delete from transfer_keys k
    using statements s, unnest(
      ${rows.map(({ transferId }) => transferId)}::uuid[], ${rows.map(({ role }) => role)}::text[]) as n (transfer_id, role)
    where s.id = ${id}
      and k.transfer_id = n.transfer_id
      and k.role = n.role
      and k.source_id = s.source_id
      and not exists (
        select from report_rows r
        join statements o on o.id = r.statement_id
        where r.transfer_id = n.transfer_id and r.role = n.role and o.source_id = s.source_id)`)

/** In which roles these transfers are still told: by a file, a push or a person. */
export async function findRolesTold(tx: Tx, ids: readonly string[]): Promise<Map<string, Role[]>> {
  const rows = await tx.query<{ id: string; roles: Role[] }>(sql`
    select transfer_id as id, array_agg(role) as roles
    from transfer_keys
    where transfer_id = any((select ${ids}::uuid[])::uuid[])
    group by transfer_id`)
  return new Map(rows.map(({ id, roles }) => [id, roles]))
}

/** The days that the file closed are open, unless another file has closed them too. */
export const openDays = (tx: Tx, id: string) => tx.run(sql`delete from account_days where closed_by = ${id}`)

type PaidRefund = { id: string; cents: Cents; currency: Currency }

/** Transfers that only this file tells: no other file, and no source by a key of its own. */
const isOnlyHere = fragment`
  not exists (select from report_rows o where o.transfer_id = t.id and o.statement_id <> r.statement_id)
  and not exists (
    select from transfer_keys k
    join statements s on s.id = r.statement_id
    where k.transfer_id = t.id and k.source_id <> s.source_id)`

export const findPaidRefunds = (db: Queryable, id: string, limit: number) =>
  db.query<PaidRefund>(sql`
    select distinct t.id, t.refund_cents as cents, t.currency
    from report_rows r
    join transfers t on t.id = r.transfer_id
    where r.statement_id = ${id} and t.refund_cents > 0 and ${isOnlyHere}
    order by t.id
    limit ${limit}`)

export const sumUndo = (db: Queryable, id: string) =>
  db.query<UndoSum>(sql`
    select currency, count(*)::int as transfers, coalesce(sum(cents), 0) as cents
    from (
      select distinct t.id, t.currency, t.deposit_cents + t.open_cents as cents
      from report_rows r
      join transfers t on t.id = r.transfer_id
      where r.statement_id = ${id} and t.state not in ('revoked', 'duplicate') and ${isOnlyHere}
    ) back
    group by currency
    order by currency`)
