/** Which file told what, in the database. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Told } from './transfer.ts'
import type { Role } from './voice.ts'

type ReportRow = {
  judged: { place: number | null; role: Role; entry: { line: number | null } }
  became: 'new' | 'paired' | 'known' | 'held' | 'undone'
  transferId: string
}

/** Rows of a push are of no file. */
export async function insertReportRows(
  tx: Tx,
  statementId: string | null,
  rows: readonly ReportRow[],
): Promise<void> {
  if (statementId === null || rows.length === 0) return
  await tx.run(sql`
    insert into report_rows (statement_id, place, line, transfer_id, origin_id, role, outcome)
    select
      ${statementId}, unnest(${rows.map(({ judged }) => judged.place)}::int[]),
      unnest(${rows.map(({ judged }) => judged.entry.line ?? 0)}::int[]),
      unnest(${rows.map(({ transferId }) => transferId)}::uuid[]), unnest(${rows.map(({ transferId }) => transferId)}::uuid[]),
      unnest(${rows.map(({ judged }) => judged.role)}::text[]),
      unnest(${rows.map(({ became }) => became)}::text[])
    on conflict (statement_id, place) do nothing`)
}

/** Which files tell a transfer, and on which lines. */
export const listReports = (db: Queryable, transferId: string) =>
  db.query<Told>(sql`
    select r.statement_id as "statementId", s.file_name as "fileName", r.line, r.transfer_id as "transferId", r.role, r.outcome
    from report_rows r
    join statements s on s.id = r.statement_id
    where r.transfer_id = ${transferId}
    order by s.taken_at, r.place
    limit 100`)

/** What told one transfer tells the other from now on: its keys, the rows of files, and the day on which it was booked. */
export async function moveReports(tx: Tx, { from, to }: { from: string; to: string }): Promise<void> {
  await tx.run(sql`
    update transfers t
    set booked_on = f.booked_on
    from transfers f
    where t.id = ${to} and f.id = ${from} and f.told_booked_at is not null and t.told_booked_at is null`)
  await move(tx, { from, to, isBack: false })
}

/** They tell again what they told first. */
export const moveReportsBack = (tx: Tx, { from, to }: { from: string; to: string }): Promise<void> =>
  move(tx, { from, to, isBack: true })

async function move(tx: Tx, { from, to, isBack }: { from: string; to: string; isBack: boolean }) {
  const moved = fragment`set transfer_id = ${to} where transfer_id = ${from} and (not ${isBack} or origin_id = ${to})`
  await tx.run(sql`update transfer_keys ${moved}`)
  await tx.run(sql`update report_rows ${moved}`)
  await noteSources(tx, [from, to])
}

/** Who has told these transfers, by their keys. */
export const noteSources = (tx: Tx, ids: readonly string[]) =>
  tx.run(sql`
    update transfers t
    set told_early_at = case when n.is_early then coalesce(t.told_early_at, inlet_now()) end,
      told_booked_at = case when n.is_booked then coalesce(t.told_booked_at, inlet_now()) end
    from (
      select id, coalesce(bool_or(k.role = 'early'), false) as is_early, coalesce(bool_or(k.role = 'booked'), false) as is_booked
      from unnest((select ${ids}::uuid[])) as i (id)
      left join transfer_keys k on k.transfer_id = i.id
      group by id
    ) n
    where t.id = n.id`)
