/** Statements in the database: imported files, staged rows, and CSV mappings. */

import { type Db, fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type MessageOrText, readMessage, storedMessage } from '../messages/message.ts'
import type { Role } from '../transfers/voice.ts'
import type { BadRow } from './entry.ts'
import type { CsvMapping } from './formats/csv-mapping.ts'
import type { NewStagedRow } from './staged-row.ts'

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

export async function insertStatement(
  tx: Tx,
  statement: {
    id: string
    mode: Mode
    digest: Buffer
    fileName: string
    format: string
    takenBy: string
    sourceId: string
  },
): Promise<void> {
  const { id, mode, digest, fileName, format, takenBy, sourceId } = statement
  await tx.query(sql`
    insert into statements (id, mode, digest, file_name, format, taken_by, source_id)
    values (${id}, ${mode}, ${digest}, ${fileName}, ${format}, ${takenBy}, ${sourceId})
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
const timeouts = { statementMs: 600_000 }

/** Numbers equal rows without an id of the bank; nearly all are the first. */
export const numberEqualRows = (db: Db, runId: string): Promise<void> =>
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

export type StagedRow = {
  place: number
  id: string
  accountId: string
  facts: object
  key: Buffer
  variant: Buffer
}

/** What the plan says of a row; null is new. */
export type PlannedRow = {
  place: number
  role: Role | 'parked'
  outcome: 'known' | 'paired' | 'held' | null
  transferId: string | null
  heldWith: string[] | null
}

type StagedGroup = { after: number; limit: number; bytes: number }

/** The next rows: at most `limit`. A group ends with the row that reaches `bytes`. */
export const readStaged = (db: Queryable, runId: string, { after, limit, bytes }: StagedGroup) =>
  db.query<StagedRow>(sql`
    select place, id, account_id as "accountId", facts, key, variant
    from (
      select place, id, account_id, facts, key, variant,
        sum(octet_length(facts::text)) over (order by place rows unbounded preceding) - octet_length(facts::text) as before
      from staged_entries
      where run_id = ${runId} and place > ${after}
      order by place
      limit ${limit}
    ) s
    where before < ${bytes}
    order by place`)

/** Read with the accounts locked: a push may have told a row since the plan. */
export const readPlanned = (tx: Tx, runId: string, { from, to }: { from: number; to: number }) =>
  tx.query<PlannedRow>(sql`
    select s.place, d.role, o.outcome, o.transfer_id as "transferId", o.held_with as "heldWith"
    from staged_entries s
    join staged_days d on d.run_id = s.run_id and d.account_id = s.account_id and d.day = s.booked_on
    left join staged_outcomes o on o.run_id = s.run_id and o.place = s.place
    where s.run_id = ${runId} and s.place between ${from} and ${to}
    order by s.place`)

/** Deletes the rows of a finished run, and old rows of killed runs: ids start with the time. */
export const clearStaged = (db: Db, runId: string, oldest: string): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.run(sql`delete from staged_entries where run_id = ${runId} or run_id < ${oldest}`)
    await tx.run(sql`delete from staged_days where run_id = ${runId} or run_id < ${oldest}`)
    await tx.run(sql`delete from staged_outcomes where run_id = ${runId} or run_id < ${oldest}`)
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
