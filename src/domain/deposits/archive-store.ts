/** Which months of old details are in files, and the partitions of those that are not. */

import type { ArchiveLine, WrittenArchive } from '../../platform/archive-file.ts'
import { type Db, fragment, type Queryable, sql, type Tx } from '../../platform/db.ts'

export type Archive = {
  file: string
  month: number
  folder: string
  state: 'writing' | 'written' | 'archived'
  deposits: bigint | null
  bytes: bigint | null
  digest: Buffer | null
  indexDigest: Buffer | null
}

const columns = fragment`file, month, folder, state, deposits, bytes, digest, index_digest as "indexDigest"`

export const listArchives = (db: Queryable) =>
  db.query<Archive>(sql`select ${columns} from detail_archives order by month, file`)

/** Where the details of these chunks are, once they are no longer in the database. */
export const findArchives = (db: Queryable, chunks: readonly bigint[]) =>
  db.query<{ chunk: bigint; file: string; folder: string; indexDigest: Buffer }>(sql`
    select c.chunk, a.file, a.folder, a.index_digest as "indexDigest"
    from unnest(${chunks}::bigint[]) as c (chunk)
    join detail_archives a on a.state <> 'writing' and c.chunk between a.first_chunk and a.last_chunk`)

/** Months with a partition of details, attached or not, and those whose archive is under way; the oldest first. */
export async function listMonths(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ month: number }>(sql`
    select right(relname, 6)::int as month
    from pg_class
    where relnamespace = current_schema::regnamespace and relkind = 'r' and relname ~ '^deposit_details_[0-9]{6}$'
    union
    select month
    from detail_archives
    where state <> 'archived'
    order by month`)
  return rows.map(({ month }) => month)
}

export async function readMonthOfLastYear(db: Queryable): Promise<number> {
  const { month } = await db.one<{ month: number }>(
    sql`select to_char(inlet_now() at time zone 'UTC' - interval '1 year', 'YYYYMM')::int as month`,
  )
  return month
}

/** No details may be moved while the archive of their month begins, so each sees the other. */
export const holdArchives = (tx: Tx) => tx.run(sql`lock table detail_archives in share mode`)

/** The archive of a month that is under way, or a new one. */
export async function beginArchive(owner: Db, month: number, folder: string): Promise<Archive> {
  return owner.transaction(async (tx) => {
    const known = await tx.find<Archive>(sql`
      update detail_archives
      set folder = case state when 'writing' then ${folder} else folder end
      where month = ${month} and state <> 'archived'
      returning ${columns}`)
    if (known) return known
    return tx.one<Archive>(sql`
      insert into detail_archives (file, month, folder)
      select
        'deposits-' || left(${month}::text, 4) || '-' || right(${month}::text, 2)
          || coalesce('-' || 1 + max(coalesce(substring(file from '^deposits-[0-9]+-[0-9]+-([0-9]+)')::int, 1)), '')
          || '.jsonl.gz',
        ${month}, ${folder}
      from detail_archives
      where month = ${month}
      returning ${columns}`)
  })
}

/** All details of a month's partition, by id, in one snapshot. */
export async function* detailLines(tx: Tx, month: number): AsyncGenerator<ArchiveLine> {
  const run = (text: string) => tx.query<ArchiveLine>({ text, name: '', values: [] })
  await run(`
    declare details no scroll cursor for
    select d.id, jsonb_build_object('id', d.id, 'chunk', c.chunk, 'details', d.details)::text as text
    from ${tableOf(month)} c
    cross join lateral jsonb_each(c.details) as d (id, details)
    order by d.id`)
  for (;;) {
    const lines = await run('fetch 500 from details')
    if (lines.length === 0) return
    yield* lines
  }
}

export async function markWritten(tx: Tx, { file, month }: Archive, written: WrittenArchive): Promise<void> {
  await tx.run({
    text: `
      update detail_archives a
      set state = 'written', first_chunk = c.first, last_chunk = c.last, deposits = c.deposits, bytes = $2, digest = $3,
        index_digest = $4
      from (
        select coalesce(min(chunk), 0) as first, coalesce(max(chunk), 0) as last,
          coalesce(sum((select count(*) from jsonb_object_keys(details))), 0) as deposits
        from ${tableOf(month)}
      ) c
      where a.file = $1 and a.state = 'writing' and c.deposits = $5`,
    name: '',
    values: [file, written.bytes, written.digest, written.indexDigest, written.lines],
  })
}

export const readArchiveOf = (db: Queryable, file: string) =>
  db.find<Archive>(sql`
    select ${columns}
    from detail_archives
    where file = ${file}`)

/** An earlier run may have been interrupted at any of these steps. */
export async function dropMonth(owner: Db, month: number): Promise<void> {
  const table = tableOf(month)
  const attached = await owner.find<{ isPending: boolean }>(sql`
    select inhdetachpending as "isPending" from pg_inherits where inhrelid = to_regclass(${table})`)
  if (attached)
    await owner.script(
      `alter table deposit_details detach partition ${table} ${attached.isPending ? 'finalize' : 'concurrently'}`,
    )
  await owner.script(`drop table if exists ${table}`)
}

export const moveArchive = (owner: Db, file: string, folder: string) =>
  owner.run(sql`update detail_archives set folder = ${folder} where file = ${file}`)

export const markArchived = (owner: Db, { file }: Archive) =>
  owner.run(sql`update detail_archives set state = 'archived', archived_at = now() where file = ${file}`)

/** Collects lines of a file; `insertRestored` makes chunks of all of them. */
export async function restoreLines(tx: Tx, lines: readonly string[]): Promise<void> {
  await tx.run(sql`
    create temp table if not exists restored_details (id text, chunk bigint, details jsonb) on commit drop`)
  await tx.run({
    text: `
      insert into restored_details
      select id, chunk, details
      from json_to_recordset($1::json) as l (id text, chunk bigint, details jsonb)`,
    name: '',
    values: [`[${lines}]`],
  })
}

export async function insertRestored(tx: Tx, file: string): Promise<void> {
  await tx.run({
    text: `
      insert into deposit_details (chunk, details)
      select chunk, jsonb_object_agg(id, details) from restored_details group by chunk
      on conflict do nothing`,
    name: '',
    values: [],
  })
  await tx.run(sql`delete from detail_archives where file = ${file}`)
}

const tableOf = (month: number): string => `deposit_details_${month}`
