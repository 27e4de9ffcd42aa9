/**
 * Uploads in the database, for all processes of the machine that has their files. The process that reads or imports a file
 * holds a lease on its row. When it has run out, the process counts as dead: the reading has stopped, and the import can be
 * started again, which finds what was stored.
 *
 * `place` is the machine and data folder that have the file. `reading` counts how often the file was read, as a preview
 * belongs to one reading. The state `taking` means that the file is being imported.
 */

import { fromJsonWithMessages, jsonWithMessages } from '../../../domain/messages/message.ts'
import type { ImportProgress } from '../../../domain/statements/progress.ts'
import { bounds } from '../../../platform/bounds.ts'
import { fragment, type Queryable, sql } from '../../../platform/db.ts'
import { violates } from '../../../platform/db-errors.ts'
import type { Upload, UploadState } from './rows.ts'

export type StoredUpload = Upload & {
  path: string
  /** Who imports it, for the statement. */
  by: string
}

/** What changes alone has columns; the document has what they were when it was written. */
type Row = Pick<StoredUpload, 'id' | 'state' | 'reading' | 'progress' | 'isStopping'> & { document: string }

const leaseSeconds = bounds.uploadLeaseMs / 1000

const isRunning = fragment`(state in ('reading', 'taking') and runs_until >= now())`

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

/** False while so many are read or imported that there is no room. */
export const insertUpload = (
  db: Queryable,
  upload: StoredUpload,
  { place, runner }: { place: string; runner: string },
): Promise<boolean> =>
  db.has(sql`
    insert into statement_uploads (id, place, state, reading, progress, document, runner, runs_until)
    select ${upload.id}, ${place}, ${upload.state}, ${upload.reading}, ${JSON.stringify(upload.progress)}::json,
      ${jsonWithMessages(upload)}::json, ${runner}, now() + make_interval(secs => ${leaseSeconds})
    where (select count(*) from statement_uploads where place = ${place}) < ${bounds.uploadsKept}
    returning id`)

export async function findUpload(
  db: Queryable,
  place: string,
  id: string,
): Promise<StoredUpload | undefined> {
  const row = await db.find<Row>(sql`
    select ${uploadColumns}
    from statement_uploads
    where id = ${id} and place = ${place}`)
  return row && uploadOf(row)
}

export async function listUploads(db: Queryable, place: string): Promise<StoredUpload[]> {
  const rows = await db.query<Row>(sql`
    select ${uploadColumns}
    from statement_uploads
    where place = ${place}
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

/** Writes the result and ends the lease. */
export async function finishUpload(db: Queryable, upload: StoredUpload, runner: string): Promise<void> {
  await db.run(sql`
    update statement_uploads
    set state = ${upload.state}, progress = ${JSON.stringify(upload.progress)}, document = ${jsonWithMessages(upload)},
      is_stopping = false, has_turn = false, runner = null, runs_until = null
    where id = ${upload.id} and runner = ${runner}`)
}

/** Returns the state at the time of the request; undefined if the upload is neither read nor imported. */
export const requestStop = (db: Queryable, place: string, id: string) =>
  db.find<{ state: UploadState }>(sql`
    update statement_uploads
    set is_stopping = true
    where id = ${id} and place = ${place} and ${isRunning}
    returning state`)

/** Deletes an upload that is neither read nor imported, and returns its path and name. */
export const deleteUpload = (db: Queryable, place: string, id: string) =>
  db.find<{ path: string; name: string }>(sql`
    delete from statement_uploads
    where id = ${id} and place = ${place} and not ${isRunning}
    returning document ->> 'path' as path, document ->> 'name' as name`)

/** Deletes those that are too old, or would be too many with one more, and returns their paths. Old ones of other machines too. */
export const deleteOldUploads = (db: Queryable, place: string) =>
  db.query<{ path: string; isHere: boolean }>(sql`
    delete from statement_uploads
    where not ${isRunning}
      and (uploaded_at < now() - make_interval(secs => ${bounds.uploadKeptMs / 1000})
        or id in (
          select id
          from statement_uploads
          where place = ${place}
          order by ${isRunning} desc, uploaded_at desc
          offset ${bounds.uploadsKept - 1}))
    returning document ->> 'path' as path, place = ${place} as "isHere"`)
