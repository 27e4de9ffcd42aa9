/** Statements in the database: imported files, staged rows, and CSV mappings. */

import { type Db, fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type MessageOrText, readMessage, storedMessage } from '../messages/message.ts'
import type { BadRow } from './entry.ts'
import type { CsvMapping } from './formats/csv-mapping.ts'

export type StoredStatement = {
  id: string
  finishedAt: Date | null
  undoStartedAt: Date | null
  report: unknown
  messages: unknown
}

/** The import of these bytes with this mapping, unless it was undone. */
export const findStatement = (db: Queryable, mode: Mode, digest: Buffer) =>
  db.find<StoredStatement>(sql`
    select id, finished_at as "finishedAt", undo_started_at as "undoStartedAt", report, report_messages as messages
    from statements
    where mode = ${mode} and digest = ${digest} and undone_at is null`)

/** Whether these bytes were imported with another mapping. */
export const wasReadWithOtherMapping = (
  db: Queryable,
  { mode, digest, fileDigest }: { mode: Mode; digest: Buffer; fileDigest: Buffer },
) =>
  db.has(sql`
    select id
    from statements
    where mode = ${mode} and file_digest = ${fileDigest} and digest <> ${digest} and undone_at is null
    limit 1`)

export async function insertStatement(
  tx: Tx,
  statement: {
    id: string
    mode: Mode
    digest: Buffer
    fileDigest: Buffer
    fileName: string
    format: string
    takenBy: string
    /** Which columns or fields of the file have the numbers of its payments. */
    numberedBy?: string | null
  },
): Promise<void> {
  const { id, mode, digest, fileDigest, fileName, format, takenBy, numberedBy = null } = statement
  await tx.query(sql`
    insert into statements (id, mode, digest, file_digest, file_name, format, taken_by, numbered_by)
    values (${id}, ${mode}, ${digest}, ${fileDigest}, ${fileName}, ${format}, ${takenBy}, ${numberedBy})
    on conflict do nothing`)
}

/** What a report says to people. */
type ReportSaid = { warnings: MessageOrText[]; bad: BadRow[] }

/** A report as it was stored, with its messages; one of before they were stored has sentences. */
export function readReport<Report extends ReportSaid>(report: Report, messages: unknown): Report {
  const stored = messages as { warnings: unknown[]; bad: unknown[] } | null
  return {
    ...report,
    warnings: report.warnings.map((text, place) => readMessage(stored?.warnings[place], `${text}`)),
    bad: report.bad.map((row, place) => ({
      ...row,
      detail: readMessage(stored?.bad[place], `${row.detail}`),
    })),
  }
}

/** False when another run of the same file finished first. */
export async function finishStatement(db: Queryable, id: string, report: ReportSaid): Promise<boolean> {
  const messages = {
    warnings: report.warnings.map(storedMessage),
    bad: report.bad.map(({ detail }) => storedMessage(detail)),
  }
  return db.has(sql`
    update statements
    set finished_at = inlet_now(), report = ${JSON.stringify(report)}::jsonb,
      report_messages = ${JSON.stringify(messages)}::jsonb
    where id = ${id} and finished_at is null
    returning id`)
}

export async function listStatements(db: Queryable, limit: number) {
  return db.query<{
    id: string
    mode: Mode
    file_name: string
    format: string
    taken_at: Date
    taken_by: string
    finished_at: Date | null
    report: unknown
    undo_started_at: Date | null
    undone_at: Date | null
    undone_by: string | null
    undo_reason: string | null
    undo_report: unknown
  }>(sql`
    select id, mode, file_name, format, taken_at, taken_by, finished_at, report, undo_started_at, undone_at, undone_by,
      undo_reason, undo_report
    from statements
    order by taken_at desc, id desc
    limit ${limit}`)
}

/**
 * The accounts that statements can name. In test mode one without a number is named by its card or phone, as the fake
 * bank writes it.
 */
export const numberedAccounts = fragment`
  select id, number, label, currency, mode
  from receiving_accounts
  where number is not null
  union all
  select a.id, min(r.number), a.label, a.currency, a.mode
  from receiving_accounts a
  join requisites r on r.account_id = a.id
  where a.mode = 'test' and a.number is null
  group by a.id`

/** Numbers of all receiving accounts of a mode, with their ids and currencies. */
export const readAccountNumbers = (db: Queryable, mode: Mode) =>
  db.query<{ number: string; id: string; currency: string }>(sql`
    select number, id, currency
    from (${numberedAccounts}) a
    where mode = ${mode}`)

export type StagedRow = { place: number; facts: object; fingerprint: Buffer }

/** With its facts as JSON. */
export type NewStagedRow = Omit<StagedRow, 'facts'> & { facts: string }

export const stageRows = (db: Queryable, runId: string, rows: readonly NewStagedRow[]) =>
  db.run(sql`
    insert into staged_entries (run_id, place, facts, fingerprint, occurrence)
    select
      ${runId},
      unnest(${rows.map((row) => row.place)}::int[]),
      -- JSON has no line breaks: cut at them, it need not be escaped once more.
      unnest(string_to_array(${rows.map((row) => row.facts).join('\n')}, chr(10)))::json,
      unnest(${rows.map((row) => row.fingerprint)}::bytea[]),
      1`)

/** A million rows take longer than the usual statement timeout. */
const timeouts = { statementMs: 600_000 }

/** Numbers equal rows of one file; nearly all are the first. */
export const numberEqualRows = (db: Db, runId: string): Promise<void> =>
  db.transaction(async (tx) => {
    // The new rows are not in the table's statistics: a nested loop would number the file again for each row.
    await tx.query(sql`set local enable_nestloop = off`)
    await tx.query(sql`
      update staged_entries s
      set occurrence = n.occurrence
      from (
        select place, row_number() over (partition by fingerprint order by place)::int as occurrence
        from staged_entries
        where run_id = ${runId}
      ) n
      where s.run_id = ${runId} and s.place = n.place and n.occurrence > 1`)
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
          select place, facts, lag(place) over (partition by fingerprint order by place) as earlier
          from staged_entries
          where run_id = ${runId}
        ) s
        where earlier is not null
          and width_bucket(place, ${starts}::int[]) <> width_bucket(earlier, ${starts}::int[])
          and facts ->> 'bankId' is null`),
    timeouts,
  )

type StagedGroup = { after: number; limit: number; bytes: number }

/** The next rows: at most `limit`. A group ends with the row that reaches `bytes`. */
export const readStaged = (db: Queryable, runId: string, { after, limit, bytes }: StagedGroup) =>
  db.query<StagedRow & { occurrence: number }>(sql`
    select place, facts, fingerprint, occurrence
    from (
      select place, facts, fingerprint, occurrence,
        sum(octet_length(facts::text)) over (order by place rows unbounded preceding) - octet_length(facts::text) as before
      from staged_entries
      where run_id = ${runId} and place > ${after}
      order by place
      limit ${limit}
    ) s
    where before < ${bytes}
    order by place`)

/**
 * Marks the rows that equal transfers of other files, before the first group is taken: a payment that is also in a later row
 * was not moved to another day by its bank. It is only done if a row of the file has no document number and another payment
 * of the amount is new. When the import reaches such a row, the mark becomes a report.
 */
export const noteRepeats = (
  db: Db,
  runId: string,
  { statementId, sourceId }: { statementId: string; sourceId: string },
): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query(sql`
      -- Materialized, so that the text of each row is parsed once.
      with staged as materialized (
        select f."accountId" as account_id, f.direction, f.cents, f."bankId" as bank_id, coalesce(f.line, 0) as line,
          f."documentNumber" = '' as is_unnumbered, s.fingerprint, s.occurrence
        from staged_entries s
        cross join lateral json_to_record(s.facts) as f
          ("accountId" uuid, direction text, cents text, "bankId" text, line int, "documentNumber" text)
        where s.run_id = ${runId}
      ),
      compared as (
        select s.account_id, s.cents, s.line, t.id, t.statement_id
        from staged s
        left join lateral (
          (select id, statement_id
          from transfers
          where account_id = s.account_id
            and fingerprint = s.fingerprint
            and occurrence = s.occurrence
            and bank_id is null
            and s.bank_id is null
          limit 1)
          union all
          (select id, statement_id
          from transfers
          where account_id = s.account_id
            and source_id = ${sourceId}
            and bank_id = s.bank_id
            and direction = s.direction
            and fingerprint = s.fingerprint
          limit 1)
        ) t on (select bool_or(is_unnumbered) from staged)
      )
      insert into transfer_repeats (statement_id, line, transfer_id, is_noted)
      select ${statementId}, line, id, true
      from (
        select line, id, statement_id, bool_or(id is null) over (partition by account_id, cents) as has_another
        from compared
      ) c
      where has_another and id is not null and statement_id is distinct from ${statementId}::uuid
      on conflict do nothing`)
  }, timeouts)

/** Deletes the rows of a finished run, and old rows of killed runs: ids start with the time. */
export const clearStaged = (db: Db, runId: string, oldest: string): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query(sql`delete from staged_entries where run_id = ${runId} or run_id < ${oldest}`)
  }, timeouts)

/** False when the name exists and must not be replaced. */
export const saveMapping = (db: Queryable, name: string, mapping: CsvMapping, { onlyIfNone = false } = {}) =>
  db.has(sql`
    insert into csv_mappings (name, mapping)
    values (${name}, ${JSON.stringify(mapping)}::jsonb)
    on conflict (name) do update
    set mapping = excluded.mapping, changed_at = inlet_now()
    where not ${onlyIfNone}::boolean
    returning name`)

export async function findMapping(db: Queryable, name: string): Promise<CsvMapping | undefined> {
  const [row] = await db.query<{ mapping: CsvMapping }>(
    sql`select mapping from csv_mappings where name = ${name}`,
  )
  return row?.mapping
}

/** The saved mapping, unchanged by others until the transaction ends; null when there is none of this name. */
export async function lockMapping(tx: Tx, name: string): Promise<CsvMapping | null> {
  const row = await tx.find<{ mapping: CsvMapping }>(sql`
    select mapping from csv_mappings where name = ${name} for update`)
  return row?.mapping ?? null
}

export const deleteMapping = (tx: Tx, name: string) =>
  tx.has(sql`delete from csv_mappings where name = ${name} returning name`)

type StoredMapping = { name: string; mapping: CsvMapping; changedAt: Date }

export const listMappings = (db: Queryable) =>
  db.query<StoredMapping>(sql`
    select name, mapping, changed_at as "changedAt"
    from csv_mappings
    order by name
    limit 500`)
