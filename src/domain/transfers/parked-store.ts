/** Booked rows that wait until a file closes their day, in the database. */
import { fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Cents } from '../money.ts'
import type { Parked } from './transfer.ts'

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
    insert into parked_rows (statement_id, place, line, account_id, booked_on, cents, names, facts)
    select
      ${statementId}, unnest(${rows.map((row) => row.place)}::int[]), unnest(${rows.map((row) => row.line)}::int[]),
      unnest(${rows.map((row) => row.accountId)}::uuid[]), unnest(${rows.map((row) => row.bookedOn)}::date[]),
      unnest(${rows.map((row) => row.cents)}::bigint[]),
      string_to_array(unnest(${rows.map((row) => row.names.join(' '))}::text[]), ' '),
      unnest(${rows.map((row) => JSON.stringify(row.facts))}::json[])
    on conflict do nothing`)
}

const isWaiting = fragment`p.closed_by is null and p.transfer_id is null`

/** A file has closed these days: what it tells of them counts, and what was parked waits no longer. */
export const closeParked = (
  tx: Tx,
  { accountId, days, statementId }: { accountId: string; days: readonly string[]; statementId: string },
) =>
  tx.run(sql`
    update parked_rows p
    set closed_by = ${statementId}
    where account_id = ${accountId} and booked_on = any(${days}::date[]) and ${isWaiting}`)

/** The file that closed their days is undone. */
export const reopenParked = (tx: Tx, statementId: string) =>
  tx.run(sql`update parked_rows set closed_by = null where closed_by = ${statementId}`)

/** Those of a file that is undone, but for what a person has taken. */
export const deleteParked = (tx: Tx, statementId: string) =>
  tx.run(sql`delete from parked_rows where statement_id = ${statementId} and transfer_id is null`)

const waitingRows = fragment`
  select p.statement_id as "statementId", p.place, p.line, p.account_id as "accountId", a.label as "accountLabel",
    s.file_name as "fileName", s.source_id as "sourceId", a.currency, p.booked_on as "bookedOn", p.cents, p.names,
    p.parked_at as "parkedAt", p.facts
  from parked_rows p
  join statements s on s.id = p.statement_id
  join receiving_accounts a on a.id = p.account_id
  where ${isWaiting}`

/** The oldest first. */
export const listParked = (
  db: Queryable,
  { accountId, day, limit }: { accountId: string | null; day: string | null; limit: number },
) =>
  db.query<Parked>(sql`
    ${waitingRows}
      and (${accountId}::uuid is null or p.account_id = ${accountId})
      and (${day}::date is null or p.booked_on = ${day})
    order by p.parked_at, p.statement_id, p.place
    limit ${limit}`)

export const findParked = (db: Queryable, { statementId, place }: { statementId: string; place: number }) =>
  db.find<Parked>(sql`${waitingRows} and p.statement_id = ${statementId} and p.place = ${place}`)

/** All rows of a day, or one row. */
export type ParkedChoice = {
  accountId: string
  day?: string | null
  row?: { statementId: string; place: number } | null
}

export const lockParked = (tx: Tx, { accountId, day, row }: ParkedChoice) =>
  tx.query<Parked>(sql`
    ${waitingRows}
      and p.account_id = ${accountId}
      and (${day}::date is null or p.booked_on = ${day})
      and (${row?.statementId}::uuid is null or (p.statement_id = ${row?.statementId} and p.place = ${row?.place}))
    order by p.statement_id, p.place
    limit 500
    for update of p`)

export const noteTaken = (
  tx: Tx,
  rows: readonly { statementId: string; place: number; transferId: string }[],
) =>
  tx.run(sql`
    update parked_rows p
    set transfer_id = n.transfer_id
    from unnest(
      ${rows.map((row) => row.statementId)}::uuid[], ${rows.map((row) => row.place)}::int[],
      ${rows.map((row) => row.transferId)}::uuid[]) as n (statement_id, place, transfer_id)
    where p.statement_id = n.statement_id and p.place = n.place`)
