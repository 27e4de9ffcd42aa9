/** The rows of files: what they told, and what waits until a file closes its day, in the database. */
import { fragment, jsonRows, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Cents } from '../money.ts'
import type { Parked, Told } from './transfer.ts'
import type { Role } from './voice.ts'

type ReportRow = {
  judged: { place: number | null; role: Role; entry: { line: number | null } }
  became: 'new' | 'paired' | 'known' | 'held' | 'undone'
  transferId: string
}

/** Rows of a push are of no file. A row that was parked told something now. */
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
    on conflict (statement_id, place) do update
    set transfer_id = excluded.transfer_id, origin_id = excluded.origin_id, role = excluded.role, outcome = excluded.outcome
    where report_rows.transfer_id is null`)
}

export const listReports = (db: Queryable, transferId: string) =>
  db.query<Told>(sql`
    select r.statement_id as "statementId", s.file_name as "fileName", r.line, r.transfer_id as "transferId", r.role, r.outcome
    from report_rows r
    join statements s on s.id = r.statement_id
    where r.transfer_id = ${transferId}
    order by s.taken_at, r.place
    limit 100`)

/** What told one transfer tells the other from now on: its keys, the rows of files, and the day on which it was booked. Back: what it told first. */
export async function moveReports(
  tx: Tx,
  { from, to, isBack = false }: { from: string; to: string; isBack?: boolean },
): Promise<void> {
  if (!isBack)
    await tx.run(sql`
      update transfers t
      set booked_on = f.booked_on
      from transfers f
      where t.id = ${to} and f.id = ${from} and f.told_booked_at is not null and t.told_booked_at is null`)
  const moved = fragment`set transfer_id = ${to} where transfer_id = ${from} and (not ${isBack} or origin_id = ${to})`
  await tx.run(sql`update transfer_keys ${moved}`)
  await tx.run(sql`update report_rows ${moved}`)
  await noteSources(tx, [from, to])
}

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

export type NewParked = {
  place: number
  line: number
  accountId: string
  bookedOn: string
  cents: Cents
  names: readonly string[]
  facts: object
}

export async function insertParked(tx: Tx, statementId: string, rows: readonly NewParked[]): Promise<void> {
  if (rows.length === 0) return
  await tx.run(sql`
    insert into report_rows (statement_id, place, line, account_id, booked_on, cents, names, facts, parked_at)
    select
      ${statementId}, place, line, "accountId", "bookedOn", cents, names, facts, (select inlet_now())
    from json_to_recordset(${jsonRows(rows)}::json) as n (
      place int, line int, "accountId" uuid, "bookedOn" date, cents bigint, names text[], facts json)
    on conflict do nothing`)
}

/** The words of the index `report_rows_parked`. */
export const isParked = fragment`parked_at is not null and closed_by is null and transfer_id is null`

/** A file has closed these days: what it tells of them counts, and what was parked waits no longer. */
export const closeParked = (
  tx: Tx,
  { accountId, days, statementId }: { accountId: string; days: readonly string[]; statementId: string },
) =>
  tx.run(sql`
    update report_rows
    set closed_by = ${statementId}
    where account_id = ${accountId} and booked_on = any(${days}::date[]) and ${isParked}`)

/** The file that closed their days is undone. */
export const reopenParked = (tx: Tx, statementId: string) =>
  tx.run(sql`update report_rows set closed_by = null where closed_by = ${statementId}`)

/** All rows of a day, or one row. */
type ParkedFilter = {
  accountId: string | null
  day?: string | null
  row?: { statementId: string; place: number } | null
}
export type ParkedChoice = ParkedFilter & { accountId: string }

const parkedOf = ({ accountId, day, row }: ParkedFilter) => fragment`
  select p.statement_id as "statementId", p.place, p.line, p.account_id as "accountId", a.label as "accountLabel",
    s.file_name as "fileName", s.source_id as "sourceId", a.currency, p.booked_on as "bookedOn", p.cents, p.names,
    p.parked_at as "parkedAt", p.facts
  from report_rows p
  join statements s on s.id = p.statement_id
  join receiving_accounts a on a.id = p.account_id
  where ${isParked}
    and (${accountId}::uuid is null or p.account_id = ${accountId})
    and (${day}::date is null or p.booked_on = ${day})
    and (${row?.statementId}::uuid is null or (p.statement_id = ${row?.statementId} and p.place = ${row?.place}))`

/** The oldest first. */
export const listParked = (db: Queryable, { limit, ...filter }: ParkedFilter & { limit: number }) =>
  db.query<Parked>(sql`
    ${parkedOf(filter)}
    order by p.parked_at, p.statement_id, p.place
    limit ${limit}`)

export const findParked = (db: Queryable, row: { statementId: string; place: number }) =>
  db.find<Parked>(sql`${parkedOf({ accountId: null, row })}`)

export const lockParked = (tx: Tx, choice: ParkedChoice) =>
  tx.query<Parked>(sql`
    ${parkedOf(choice)}
    order by p.statement_id, p.place
    limit 500
    for update of p`)
