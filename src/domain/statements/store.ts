/** Statements in the database: imported files, staged rows, and CSV mappings. */

import { type Db, fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { ListPage } from '../../platform/list-page.ts'
import type { Mode } from '../merchants/merchant.ts'
import { fromJsonWithMessages, jsonWithMessages } from '../messages/message.ts'
import type { Verdict } from '../transfers/identity.ts'
import type { Role } from '../transfers/voice.ts'
import type { CsvMapping, NumberedAccount } from './formats/csv-mapping.ts'
import type { ImportReport, ListedStatement, StoredStatement } from './import-report.ts'
import type { NewStagedRow } from './staged-row.ts'

type StatementRow = Omit<StoredStatement, 'report'> & { report: string | null }

const statementColumns = fragment`
  id, mode, file_name as "fileName", account_ids as "accountIds", format, taken_at as "takenAt", taken_by as "takenBy", finished_at as "finishedAt",
  undo_started_at as "undoStartedAt", undone_by as "undoneBy", undo_reason as "undoReason", undo_report as "undoReport",
  undone_at as "undoneAt"`

const withReport = (row: StatementRow | undefined): StoredStatement | undefined =>
  row && { ...row, report: row.report === null ? null : (fromJsonWithMessages(row.report) as ImportReport) }

export const readStatement = async (db: Queryable, id: string) =>
  withReport(
    await db.find<StatementRow>(sql`
      select ${statementColumns}, report::text as report
      from statements
      where id = ${id}`),
  )

/** The import of these bytes with this mapping, unless it was undone. */
export const findStatement = async (db: Queryable, mode: Mode, digest: Buffer) =>
  withReport(
    await db.find<StatementRow>(sql`
      select ${statementColumns}, report::text as report
      from statements
      where mode = ${mode} and digest = ${digest} and undone_at is null`),
  )

/** Taken first by an undo, so that no group of the import and no other undo runs at the same time. */
export const lockStatement = (tx: Tx, id: string) =>
  tx.find<Omit<StoredStatement, 'report'>>(sql`
    select ${statementColumns}
    from statements
    where id = ${id}
    for no key update`)

export const listStatements = (db: Queryable, { after, limit }: ListPage) =>
  db.query<ListedStatement>(sql`
    select ${statementColumns}, (report ->> 'entries')::int as entries, report ->> 'totals' as totals
    from statements
    where ${after}::uuid is null or (taken_at, id) < (select a.taken_at, a.id from statements a where a.id = ${after})
    order by taken_at desc, id desc
    limit ${limit}`)

/** Its id, or that of an earlier run of the same file. */
export async function insertStatement(
  tx: Tx,
  statement: Pick<StoredStatement, 'id' | 'mode' | 'fileName' | 'accountIds' | 'format' | 'takenBy'> & {
    digest: Buffer
    sourceId: string
  },
): Promise<string> {
  const { id, mode, digest, fileName, accountIds, format, takenBy, sourceId } = statement
  await tx.query(sql`
    insert into statements (id, mode, digest, file_name, account_ids, format, taken_by, source_id)
    values (${id}, ${mode}, ${digest}, ${fileName}, ${accountIds}, ${format}, ${takenBy}, ${sourceId})
    on conflict do nothing`)
  return (await findStatement(tx, mode, digest))!.id
}

/** False when another run of the same file finished first. */
export const finishStatement = (db: Queryable, id: string, report: ImportReport): Promise<boolean> =>
  db.has(sql`
    update statements
    set finished_at = inlet_now(), report = ${jsonWithMessages(report)}::jsonb
    where id = ${id} and finished_at is null
    returning id`)

/**
 * The accounts that statements can name. In test mode one without a number is named by its card or phone, as the fake
 * bank writes it.
 */
export const listNumberedAccounts = (db: Queryable, mode: Mode | null) =>
  db.query<NumberedAccount>(sql`
    select a.id, coalesce(a.number, r.number) as number, a.label, a.currency, a.mode
    from receiving_accounts a
    left join lateral (select min(number) as number from requisites where account_id = a.id and a.mode = 'test') r on true
    where coalesce(a.number, r.number) is not null and (${mode}::text is null or a.mode = ${mode})
    order by a.mode, a.label, a.id`)

export const stageRows = (db: Queryable, runId: string, rows: readonly NewStagedRow[]) =>
  db.run(sql`
    insert into staged_entries
      (run_id, place, id, account_id, booked_on, direction, cents, names, is_sum, tax_id, bank_id, key, variant, facts)
    select
      ${runId},
      unnest(${rows.map((row) => row.place)}::int[]), unnest(${rows.map((row) => row.id)}::uuid[]),
      unnest(${rows.map((row) => row.accountId)}::uuid[]), unnest(${rows.map((row) => row.bookedOn)}::date[]),
      unnest(${rows.map((row) => row.direction)}::text[]), unnest(${rows.map((row) => row.cents)}::bigint[]),
      string_to_array(unnest(${rows.map((row) => row.names.join(' '))}::text[]), ' '),
      unnest(${rows.map((row) => row.isSum)}::boolean[]), unnest(${rows.map((row) => row.taxId)}::text[]),
      unnest(${rows.map((row) => row.bankId)}::text[]), unnest(${rows.map((row) => row.key)}::bytea[]),
      unnest(${rows.map((row) => row.variant)}::bytea[]),
      -- JSON has no line breaks: cut at them, it need not be escaped once more.
      unnest(string_to_array(${rows.map((row) => row.facts).join('\n')}, chr(10)))::json`)

/** A million rows take longer than the usual statement timeout. */
export const timeouts = { statementMs: 600_000 }

/**
 * Numbers equal rows without an id of the bank; nearly all are the first. Of rows that have one id and one text only the first
 * stays; returns how many went.
 */
export const numberRows = (db: Db, runId: string): Promise<number> =>
  db.transaction(async (tx) => {
    // The new rows are not in the table's statistics: a nested loop would number the file again for each row.
    await tx.query(sql`set local enable_nestloop = off`)
    await tx.query(sql`
      update staged_entries s
      set variant = int4send(n.number)
      from (
        select place, row_number() over (partition by account_id, key order by place)::int as number
        from staged_entries
        where run_id = ${runId} and octet_length(variant) = 4
      ) n
      where s.run_id = ${runId} and s.place = n.place and n.number > 1`)
    const { repeated } = await tx.one<{ repeated: number }>(sql`
      with gone as (
        delete from staged_entries s
        using (
          select place, row_number() over (partition by account_id, key, variant, booked_on order by place) as number
          from staged_entries
          where run_id = ${runId} and octet_length(variant) > 4
        ) n
        where s.run_id = ${runId} and s.place = n.place and n.number > 1
        returning 1)
      select count(*)::int as repeated from gone`)
    return repeated
  }, timeouts)

/**
 * Rows that are in two statements of one file, and have no bank id by which they would count once. `starts`: the place of the
 * first row of each statement but the first.
 */
export const findInTwoStatements = (db: Db, runId: string, starts: readonly number[]) =>
  db.transaction(
    (tx) =>
      tx.one<{ count: number; line: number | null }>(sql`
        select count(*)::int as count, min((facts ->> 'line')::int) as line
        from (
          select place, facts, lag(place) over (partition by account_id, key order by place) as earlier
          from staged_entries
          where run_id = ${runId} and octet_length(variant) = 4
        ) s
        where earlier is not null
          and width_bucket(place, ${starts}::int[]) <> width_bucket(earlier, ${starts}::int[])`),
    timeouts,
  )

/** What the plan says of a row that is not new. */
export type PlannedVerdict = Exclude<Verdict, { as: 'new' }> | { as: 'known'; with: string }

export type StagedRow = {
  place: number
  id: string
  accountId: string
  role: Role | 'parked'
  facts: object
  key: Buffer
  variant: Buffer
  /** Null: the row is new. */
  planned: PlannedVerdict | null
}

type StagedGroup = { after: number; limit: number; bytes: number }

/** The next rows: at most `limit`. A group ends with the row that reaches `bytes`. */
export const readStaged = (db: Queryable, runId: string, { after, limit, bytes }: StagedGroup) =>
  db.query<StagedRow>(sql`
    select s.place, s.id, s.account_id as "accountId", s.role, s.facts, s.key, s.variant,
      case when outcome is not null then json_build_object(
        'as', outcome, 'with', case when outcome = 'held' then to_json(held_with) else to_json(transfer_id) end) end as planned
    from (
      select place, id, account_id, role, facts, key, variant, outcome, held_with, transfer_id,
        sum(octet_length(facts::text)) over (order by place rows unbounded preceding) - octet_length(facts::text) as before
      from staged_entries
      where run_id = ${runId} and place > ${after}
      order by place
      limit ${limit}
    ) s
    where s.before < ${bytes}
    order by s.place`)

/** Deletes the rows of a finished run, and old rows of killed runs: ids start with the time. */
export const clearStaged = (db: Db, runId: string, oldest: string): Promise<void> =>
  db.transaction(
    (tx) => tx.run(sql`delete from staged_entries where run_id = ${runId} or run_id < ${oldest}`),
    timeouts,
  )

export const saveMapping = (db: Queryable, name: string, mapping: CsvMapping, { onlyIfNone = false } = {}) =>
  db.has(sql`
    insert into csv_mappings (name, mapping)
    values (${name}, ${JSON.stringify(mapping)}::jsonb)
    on conflict (name) do update
    set mapping = excluded.mapping, changed_at = inlet_now()
    where not ${onlyIfNone}::boolean
    returning name`)

export async function findMapping(db: Queryable, name: string): Promise<CsvMapping | undefined> {
  const row = await db.find<{ mapping: CsvMapping }>(
    sql`select mapping from csv_mappings where name = ${name}`,
  )
  return row?.mapping
}

export const deleteMapping = (tx: Tx, name: string) =>
  tx.find<{ mapping: CsvMapping }>(sql`delete from csv_mappings where name = ${name} returning mapping`)

type StoredMapping = { name: string; mapping: CsvMapping; changedAt: Date }

export const listMappings = (db: Queryable) =>
  db.query<StoredMapping>(sql`
    select name, mapping, changed_at as "changedAt"
    from csv_mappings
    order by name
    limit 500`)
