/**
 * Uploads in the database, for all processes of the machine where their files lie. Who reads or imports a file holds a
 * lease on its row; without a living lease nothing is under way, and another process may begin.
 */

import { Message, readMessage, storedMessage } from '../../../domain/messages/message.ts'
import type { ImportProgress } from '../../../domain/statements/progress.ts'
import { bounds } from '../../../platform/bounds.ts'
import { type Queryable, sql } from '../../../platform/db.ts'
import { violates } from '../../../platform/db-errors.ts'
import type { Upload, UploadState } from './rows.ts'

export type StoredUpload = Upload & {
  path: string
  /** Who imports it, for the statement. */
  by: string
  /** It is being read or imported, but whoever did so has ended. */
  isAbandoned: boolean
}

/** What is written as one document: the rest has columns of its own. */
type Document = Omit<StoredUpload, 'id' | 'state' | 'reading' | 'progress' | 'isStopping' | 'isAbandoned'>

type Row = Pick<StoredUpload, 'id' | 'state' | 'reading' | 'progress' | 'isStopping' | 'isAbandoned'> & {
  document: string
}

const leaseSeconds = bounds.uploadLeaseMs / 1000

const uploadOf = ({ document, ...row }: Row): StoredUpload => ({
  ...(JSON.parse(document, withMessages) as Document),
  ...row,
})

export async function insertUpload(
  db: Queryable,
  upload: StoredUpload,
  { place, runner }: { place: string; runner: string },
): Promise<void> {
  await db.run(sql`
    insert into statement_uploads (id, place, state, reading, progress, document, runner, runs_until)
    values (${upload.id}, ${place}, ${upload.state}, ${upload.reading}, ${JSON.stringify(upload.progress)},
      ${documentOf(upload)}, ${runner}, now() + make_interval(secs => ${leaseSeconds}))`)
}

export async function findUpload(
  db: Queryable,
  place: string,
  id: string,
): Promise<StoredUpload | undefined> {
  const row = await db.find<Row>(sql`
    select id, state, reading, progress, document::text as document, is_stopping as "isStopping",
      state in ('reading', 'taking') and coalesce(runs_until < now(), true) as "isAbandoned"
    from statement_uploads
    where id = ${id} and place = ${place}`)
  return row && uploadOf(row)
}

export async function listUploads(db: Queryable, place: string): Promise<StoredUpload[]> {
  const rows = await db.query<Row>(sql`
    select id, state, reading, progress, document::text as document, is_stopping as "isStopping",
      state in ('reading', 'taking') and coalesce(runs_until < now(), true) as "isAbandoned"
    from statement_uploads
    where place = ${place}
    order by uploaded_at desc, id desc`)
  return rows.map(uploadOf)
}

/** Begins to read or import it, if it is still as it was seen and nobody else does. */
export const claimUpload = (
  db: Queryable,
  upload: StoredUpload,
  { seen, runner }: { seen: { state: UploadState; reading: number }; runner: string },
): Promise<boolean> =>
  db.has(sql`
    update statement_uploads
    set state = ${upload.state}, reading = ${upload.reading}, progress = ${JSON.stringify(upload.progress)},
      document = ${documentOf(upload)}, is_stopping = false, has_turn = false, runner = ${runner},
      runs_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${upload.id} and state = ${seen.state} and reading = ${seen.reading}
      and (runner is null or runs_until < now())
    returning id`)

/**
 * Renews the lease; undefined when it is lost: another process has the upload, or the lease has run out and its turn may
 * be another upload's. `isStopping`: a person asked to stop it.
 */
export async function renewUpload(
  db: Queryable,
  { id, runner, progress }: { id: string; runner: string; progress: ImportProgress },
): Promise<{ isStopping: boolean } | undefined> {
  return db.find<{ isStopping: boolean }>(sql`
    update statement_uploads
    set progress = ${JSON.stringify(progress)}, runs_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${id} and runner = ${runner} and (has_turn or runs_until >= now())
    returning is_stopping as "isStopping"`)
}

/** Only one import runs at a time, in the whole installation. */
export async function takeTurn(
  db: Queryable,
  { id, runner }: { id: string; runner: string },
): Promise<boolean> {
  await db.run(sql`update statement_uploads set has_turn = false where has_turn and runs_until < now()`)
  try {
    return await db.has(sql`
      update statement_uploads
      set has_turn = true
      where id = ${id} and runner = ${runner}
        and not exists (select from statement_uploads where has_turn)
      returning id`)
  } catch (error) {
    if (violates(error, 'statement_upload_turn')) return false
    throw error
  }
}

/** What came of it; the lease ends. */
export async function finishUpload(db: Queryable, upload: StoredUpload, runner: string): Promise<void> {
  await db.run(sql`
    update statement_uploads
    set state = ${upload.state}, progress = ${JSON.stringify(upload.progress)}, document = ${documentOf(upload)},
      is_stopping = false, has_turn = false, runner = null, runs_until = null
    where id = ${upload.id} and runner = ${runner}`)
}

/** The state in which it was asked to stop; undefined if nothing is under way. */
export const askToStop = (db: Queryable, place: string, id: string) =>
  db.find<{ state: UploadState }>(sql`
    update statement_uploads
    set is_stopping = true
    where id = ${id} and place = ${place} and state in ('reading', 'taking')
    returning state`)

/** Deletes one where nothing is under way, and returns its path. */
export const deleteUpload = (db: Queryable, place: string, id: string) =>
  db.find<{ path: string }>(sql`
    delete from statement_uploads
    where id = ${id} and place = ${place} and state not in ('reading', 'taking')
    returning document ->> 'path' as path`)

/** Deletes those that are too old, or too many with one more, and returns their paths. Those of lost machines go too. */
export const deleteOldUploads = (db: Queryable, place: string) =>
  db.query<{ path: string; isHere: boolean }>(sql`
    delete from statement_uploads
    where (state not in ('reading', 'taking') or coalesce(runs_until < now(), true))
      and (uploaded_at < now() - make_interval(secs => ${bounds.uploadKeptMs / 1000})
        or id in (
          select id
          from statement_uploads
          where place = ${place}
          order by state in ('reading', 'taking') desc, uploaded_at desc
          offset ${bounds.uploadsKept - 1}))
    returning document ->> 'path' as path, place = ${place} as "isHere"`)

export async function countUploads(db: Queryable, place: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*)::int as count from statement_uploads where place = ${place}`,
  )
  return count
}

function documentOf(upload: StoredUpload): string {
  const { id: _id, state: _state, reading: _reading, progress: _progress, ...rest } = upload
  const { isStopping: _isStopping, isAbandoned: _isAbandoned, ...document } = rest
  return JSON.stringify(document satisfies Document, writtenMessage)
}

/** A message would be written as its English sentence alone; the page says it in the reader's language. */
function writtenMessage(this: Record<string, unknown>, name: string, plain: unknown): unknown {
  const value = this[name]
  return value instanceof Message ? { $message: storedMessage(value), text: value.text } : plain
}

function withMessages(_name: string, value: unknown): unknown {
  const isMessage = typeof value === 'object' && value !== null && '$message' in value
  return isMessage ? readMessage(value.$message, (value as unknown as { text: string }).text) : value
}
