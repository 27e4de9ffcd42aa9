/**
 * The details of old deposits, which are stored in monthly chunks instead of in the deposit's row (`deposit_details`). Readers
 * of deposits fill them in here, so that their callers see no difference.
 */

import { join } from 'node:path'
import { findLines } from '../../platform/archive-file.ts'
import { fragment, type Queryable, sql, type Tx, unprepared } from '../../platform/db.ts'
import { withReason } from '../messages/message.ts'
import { findArchives } from './archive-store.ts'
import type { Deposit, HistoryEntry } from './deposit.ts'

/** A row of deposits, and the chunk that has its details; null while the row has them itself. */
export type DetailsRef = { id: string; detailsChunk: bigint | null }

type Details = {
  shown: Deposit['shown']
  customer_phone_number?: string
  callback_url?: string
  success_url?: string
  reject_url?: string
  /** The missing file that has the details; then no other field is known. */
  archivedIn?: string
  /** The newest entries that were asked for: entry, time, action, states before and after, actor, reason, message, evidence. */
  history: [number, string, string, string | null, string, string, string | null, unknown, unknown][]
}

/**
 * The details of the rows whose details have moved, by the id of the deposit, with so many of the newest entries that moved.
 * Most readers show none, and chunks of earlier versions have histories of any length: what is not asked for stays in the database.
 */
export async function readDetails(
  db: Queryable,
  rows: readonly DetailsRef[],
  entries = 0,
): Promise<Map<string, Details>> {
  const moved = rows.filter(({ detailsChunk }) => detailsChunk !== null)
  if (moved.length === 0) return new Map()
  // Planned for these chunks: a plan for any chunk would open the partitions of all months. `||` decompresses a chunk, once.
  const found = await db.query<{ id: string; details: Details }>(
    unprepared(sql`
      select d.id, d.details
      from (
        select chunk, details || '{}'::jsonb as details
        from deposit_details
        where chunk = any(${[...new Set(moved.map(({ detailsChunk }) => detailsChunk))]}::bigint[])
        offset 0) c
      cross join lateral (
        select k.id, jsonb_build_object(
          'shown', c.details #> array[k.id, 'shown'],
          'customer_phone_number', c.details #> array[k.id, 'customer_phone_number'],
          'callback_url', c.details #> array[k.id, 'callback_url'],
          'success_url', c.details #> array[k.id, 'success_url'],
          'reject_url', c.details #> array[k.id, 'reject_url'],
          'history', case when ${entries}::int = 0 then '[]' else jsonb_path_query_array(
            c.details #> array[k.id, 'history'], '$[last - $before to last]',
            jsonb_build_object('before', ${entries}::int - 1)) end) as details
        from unnest(
          ${moved.map(({ id }) => id)}::text[],
          ${moved.map(({ detailsChunk }) => detailsChunk)}::bigint[]) as k (id, chunk)
        where k.chunk = c.chunk and c.details ? k.id
        offset 0) d`),
  )
  const inDatabase = new Map(found.map(({ id, details }) => [id, details]))
  const missing = moved.filter(({ id }) => !inDatabase.has(id))
  if (missing.length === 0) return inDatabase
  return new Map([...inDatabase, ...(await readArchived(db, missing, entries))])
}

/** Details of months that are in files. */
async function readArchived(
  db: Queryable,
  rows: readonly DetailsRef[],
  entries: number,
): Promise<Map<string, Details>> {
  const archives = await findArchives(
    db,
    rows.map(({ detailsChunk }) => detailsChunk!),
  )
  const details = new Map<string, Details>()
  for (const [file, archivesOfFile] of Map.groupBy(archives, (archive) => archive.file)) {
    const chunks = new Set(archivesOfFile.map(({ chunk }) => chunk))
    const ids = rows.filter(({ detailsChunk }) => chunks.has(detailsChunk!)).map(({ id }) => id)
    const { folder, indexDigest } = archivesOfFile[0]!
    // If a file is missing or damaged, what the row still has is shown; the doctor reports the file.
    const lines = await findLines(join(folder, file), indexDigest, ids).catch(() => [])
    for (const id of ids) details.set(id, { shown: null, history: [], archivedIn: file })
    for (const line of lines) {
      const { id, details: kept } = JSON.parse(line) as { id: string; details: Details }
      details.set(id, { ...kept, history: entries === 0 ? [] : kept.history.slice(-entries) })
    }
  }
  return details
}

type MovedFields = Partial<
  Pick<Deposit, 'shown' | 'customerPhoneNumber' | 'callbackUrl' | 'successUrl' | 'rejectUrl'>
>

/** The same rows, with their moved details. */
export const withDetails = async <Row extends DetailsRef & MovedFields>(
  db: Queryable,
  rows: readonly Row[],
) => fillDetails(rows, await readDetails(db, rows))

/** Fills in only the fields that a row has: a query may have read few of them. */
function fillDetails<Row extends DetailsRef & MovedFields>(
  rows: readonly Row[],
  details: ReadonlyMap<string, Details>,
): readonly Row[] {
  if (details.size === 0) return rows
  return rows.map((row) => {
    const kept = details.get(row.id)
    if (!kept) return row
    if (kept.archivedIn) return { ...row, archivedIn: kept.archivedIn }
    const fields: Required<MovedFields> = {
      shown: kept.shown,
      customerPhoneNumber: kept.customer_phone_number ?? null,
      callbackUrl: kept.callback_url ?? null,
      successUrl: kept.success_url ?? null,
      rejectUrl: kept.reject_url ?? null,
    }
    return { ...row, ...Object.fromEntries(Object.entries(fields).filter(([name]) => name in row)) }
  })
}

/** The newest entries that are shown: a deposit may have been paid in very many parts. */
const maxEntries = 1_000

/** The history of a deposit, oldest first; of one merchant's deposit, where a merchant is named. */
export async function readDepositHistory(
  db: Queryable,
  { id, merchantId }: { id: string; merchantId: string | null },
): Promise<HistoryEntry[]> {
  const row = await db.find<DetailsRef>(sql`
    select id, details_chunk as "detailsChunk"
    from deposits
    where id = ${id} and (${merchantId}::uuid is null or merchant_id = ${merchantId})`)
  if (!row) return []
  const moved = (await readDetails(db, [row], maxEntries)).get(id)?.history ?? []
  const live = await db.query<HistoryEntry & { message: unknown }>(sql`
    select at, action, from_state, to_state, actor, reason, message, evidence
    from deposit_timeline
    where deposit_id = ${id} and entry > ${moved.at(-1)?.[0] ?? 0}
    order by entry desc
    limit ${maxEntries}`)
  return [...moved.map(entryFrom), ...live.reverse()].slice(-maxEntries).map(withReason)
}

const entryFrom = ([, at, action, from, to, actor, reason, message, evidence]: Details['history'][number]) =>
  ({
    at: new Date(at),
    action,
    from_state: from,
    to_state: to,
    actor,
    reason,
    message,
    evidence,
  }) as HistoryEntry & { message: unknown }

/** A rejection ends a deposit: of what moved it is one of the last entries. */
const endEntries = 10

/** Which of these rejected deposits, whose details have moved, the customer has rejected. */
export async function findCustomerRejected(
  db: Queryable,
  rejected: readonly DetailsRef[],
): Promise<Set<string>> {
  const details = await readDetails(db, rejected, endEntries)
  const byCustomer = [...details].filter(([, { history }]) =>
    history.some(([, , action, , , actor]) => action === 'reject' && actor === 'customer'),
  )
  return new Set(byCustomer.map(([id]) => id))
}

const daysAgo = (days: number) => fragment`(select inlet_now() - make_interval(days => ${days}::int))`

/**
 * The deposit has been closed for this many days, and no callback or decision is pending, so nothing but a reversal can still
 * happen. Checked row by row: a plan with `not exists` would read the history of all deposits first. Of a history the newest entry is
 * looked at, because a deposit may have very many.
 */
const canMoveDetails = (days: number) => fragment`
  d.details_chunk is null
  and not d.holds_reference
  and d.state not in ('builded', 'created')
  and not d.labels @> '{review}'
  and d.late_until <= ${daysAgo(days)}
  and coalesce((
    select h.at
    from deposit_history h
    where h.deposit_id = d.id
    order by h.entry desc
    limit 1) <= ${daysAgo(days)}, true)
  and (select true from callback_due c where c.deposit_id = d.id limit 1) is null
  and (
    select true
    from detail_archives a
    where a.state <> 'archived' and a.month = to_char(d.created_at at time zone 'UTC', 'YYYYMM')::int
    limit 1) is null`

/** The month (such as 202601) of the deposit whose details are to be moved next. */
export async function findMonthToMove(db: Queryable, days: number): Promise<number | undefined> {
  const found = await db.find<{ month: number }>(sql`
    select to_char(d.created_at at time zone 'UTC', 'YYYYMM')::int as month
    from deposits d
    where ${canMoveDetails(days)}
    order by d.late_until
    limit 1`)
  return found?.month
}

/** Deposits of one month, without those that somebody else has locked. */
export async function lockDepositsToMove(
  tx: Tx,
  { month, days, limit }: { month: number; days: number; limit: number },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select d.id
    from deposits d
    where ${canMoveDetails(days)}
      and to_char(d.created_at at time zone 'UTC', 'YYYYMM')::int = ${month}
    order by d.late_until
    limit ${limit}
    for no key update skip locked`)
  return rows.map(({ id }) => id)
}

/** The number of a chunk begins with its month. Each month has room for so many. */
const chunksPerMonth = 10_000_000_000n

/** The chunks of a month such as 202612. 202613 is not a month, but a correct end of the range. */
export const chunkRangeOf = (month: number) => ({
  from: BigInt(month) * chunksPerMonth,
  to: BigInt(month + 1) * chunksPerMonth,
})

/** Moves the details of locked deposits into chunks of bounded size. The trigger `deposit_keeps_promise` compares what was copied. */
export const moveDetails = (tx: Tx, month: number, ids: readonly string[]) =>
  tx.run(sql`select move_deposit_details(${month}, ${ids}::uuid[])`)
