/**
 * Uploads and their files in the database, for all processes. The process that reads or imports a file holds a lease on its
 * row. When it has run out, the process counts as dead: the reading has stopped, and the import can be started again, which
 * finds what was stored.
 *
 * `reading` counts how often the file was read, as a preview belongs to one reading. The state `taking` means that the
 * file is being imported. In the state `arriving` its parts are being written, and nobody sees it yet.
 */

import assert from 'node:assert/strict'
import { fromJsonWithMessages, jsonWithMessages } from '../../../domain/messages/message.ts'
import { type Head, headBytes } from '../../../domain/statements/formats/csv-guess.ts'
import type { ImportProgress } from '../../../domain/statements/progress.ts'
import { bounds } from '../../../platform/bounds.ts'
import { fragment, type Queryable, sql } from '../../../platform/db.ts'
import { violates } from '../../../platform/db-errors.ts'
import type { Upload, UploadState } from './rows.ts'

export type StoredUpload = Upload & {
  /** How many parts its file has. */
  parts: number
  /** Who imports it, for the statement. */
  by: string
}

/** What changes alone has columns; the document has what they were when it was written. */
type Row = Pick<StoredUpload, 'id' | 'state' | 'reading' | 'progress' | 'isStopping'> & { document: string }

const leaseSeconds = bounds.uploadLeaseMs / 1000

const isRunning = fragment`(state in ('arriving', 'reading', 'taking') and runs_until >= now())`

const stateNow = fragment`(case
  when state not in ('reading', 'taking') or runs_until >= now() then state
  when state = 'taking' then 'previewed'
  else 'stopped'
end)`

const uploadColumns = fragment`
  id, ${stateNow} as state, reading, progress, document::text as document, is_stopping as "isStopping"`

const uploadOf = ({ document, ...row }: Row): StoredUpload => ({
  ...(fromJsonWithMessages(document) as StoredUpload),
  ...row,
})

/** The row to which the parts of a file belong, until all of it has come or could have. */
export const beginUpload = (db: Queryable, id: string): Promise<void> =>
  db.run(sql`
    insert into statement_uploads (id, state, reading, progress, document, runs_until)
    values (${id}, 'arriving', 0, '{}', '{}', now() + make_interval(secs => ${bounds.uploadMs / 1000}))`)

export const insertPart = (db: Queryable, id: string, number: number, bytes: Buffer): Promise<void> =>
  db.run(sql`
    insert into upload_parts (upload_id, number, bytes)
    values (${id}, ${number}, ${bytes})`)

export const dropArriving = (db: Queryable, id: string): Promise<void> =>
  db.run(sql`delete from statement_uploads where id = ${id} and state = 'arriving'`)

/** The whole file has come. False while so many are read or imported that there is no room. */
export const completeUpload = (db: Queryable, upload: StoredUpload, runner: string): Promise<boolean> =>
  db.has(sql`
    update statement_uploads
    set state = ${upload.state}, reading = ${upload.reading}, progress = ${JSON.stringify(upload.progress)},
      document = ${jsonWithMessages(upload)}, runner = ${runner},
      runs_until = now() + make_interval(secs => ${leaseSeconds}), uploaded_at = now()
    where id = ${upload.id} and state = 'arriving'
      and (select count(*) from statement_uploads where state <> 'arriving') < ${bounds.uploadsKept}
    returning id`)

/** Its bytes, part after part. A file of which a part is missing never reads as one that ends there. */
export async function* bytesOf(
  db: Queryable,
  { id, parts }: Pick<StoredUpload, 'id' | 'parts'>,
): AsyncGenerator<Buffer> {
  for (let number = 0; number < parts; number++) {
    const part = await db.find<{ bytes: Buffer }>(sql`
      select bytes
      from upload_parts
      where upload_id = ${id} and number = ${number}`)
    assert(part, 'a part of an uploaded file is missing')
    // In pieces as those of a file: others are served between two of them.
    for (let at = 0; at < part.bytes.length; at += headBytes) yield part.bytes.subarray(at, at + headBytes)
  }
}

/** The beginning of a table: of a workbook the first rows as CSV, if they were kept. */
export async function readHead(db: Queryable, id: string): Promise<Head> {
  const row = await db.find<{ kept: Buffer | null; first: Buffer | null }>(sql`
    select u.head as kept, substring(p.bytes from 1 for ${headBytes}) as first
    from statement_uploads u
    left join upload_parts p on p.upload_id = u.id and p.number = 0
    where u.id = ${id}`)
  if (row?.kept) return { bytes: row.kept, isWhole: true }
  const bytes = row?.first ?? Buffer.alloc(0)
  return { bytes, isWhole: bytes.length < headBytes }
}

export const saveHead = (db: Queryable, id: string, head: Uint8Array): Promise<void> =>
  db.run(sql`update statement_uploads set head = ${head} where id = ${id}`)

export async function findUpload(db: Queryable, id: string): Promise<StoredUpload | undefined> {
  const row = await db.find<Row>(sql`
    select ${uploadColumns}
    from statement_uploads
    where id = ${id} and state <> 'arriving'`)
  return row && uploadOf(row)
}

export async function listUploads(db: Queryable): Promise<StoredUpload[]> {
  const rows = await db.query<Row>(sql`
    select ${uploadColumns}
    from statement_uploads
    where state <> 'arriving'
    order by uploaded_at desc, id desc`)
  return rows.map(uploadOf)
}

/** Takes the lease to read or import the file, if it has not changed since it was `seen`. */
export const claimUpload = (
  db: Queryable,
  upload: StoredUpload,
  { seen, runner }: { seen: { state: UploadState; reading: number }; runner: string },
): Promise<boolean> =>
  db.has(sql`
    update statement_uploads
    set state = ${upload.state}, reading = ${upload.reading}, progress = ${JSON.stringify(upload.progress)},
      document = ${jsonWithMessages(upload)}, is_stopping = false, has_turn = false, runner = ${runner},
      runs_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${upload.id} and ${stateNow} = ${seen.state} and reading = ${seen.reading}
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

/** Only one file is read or imported at a time, in the whole installation. False: it is another file's turn. */
export async function claimImportTurn(
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

/** Whether it can be read again or imported. */
const needsFile = ({ state, canReadAgain, stopped }: Upload): boolean =>
  state === 'failed' ? canReadAgain === true : state === 'stopped' ? stopped !== null : state !== 'taken'

/** Writes the result, ends the lease, and deletes a file that nobody can need any more. */
export async function finishUpload(db: Queryable, upload: StoredUpload, runner: string): Promise<void> {
  await db.run(sql`
    with finished as (
      update statement_uploads
      set state = ${upload.state}, progress = ${JSON.stringify(upload.progress)},
        document = ${jsonWithMessages(upload)}, head = case when ${needsFile(upload)} then head end,
        is_stopping = false, has_turn = false, runner = null, runs_until = null
      where id = ${upload.id} and runner = ${runner}
      returning id)
    delete from upload_parts
    where upload_id in (select id from finished) and not ${needsFile(upload)}`)
}

/** Returns the state at the time of the request; undefined if the upload is neither read nor imported. */
export const requestStop = (db: Queryable, id: string) =>
  db.find<{ state: UploadState }>(sql`
    update statement_uploads
    set is_stopping = true
    where id = ${id} and ${isRunning}
    returning state`)

/** Deletes an upload that is neither read nor imported, and returns its name. */
export const deleteUpload = (db: Queryable, id: string) =>
  db.find<{ name: string }>(sql`
    delete from statement_uploads
    where id = ${id} and not ${isRunning}
    returning document ->> 'name' as name`)

/** Deletes those that are too old, would be too many with one more, or never came whole. */
export const deleteOldUploads = (db: Queryable): Promise<void> =>
  db.run(sql`
    delete from statement_uploads
    where not ${isRunning}
      and (state = 'arriving' or uploaded_at < now() - make_interval(secs => ${bounds.uploadKeptMs / 1000})
        or id in (
          select id
          from statement_uploads
          where state <> 'arriving'
          order by ${isRunning} desc, uploaded_at desc
          offset ${bounds.uploadsKept - 1}))`)
