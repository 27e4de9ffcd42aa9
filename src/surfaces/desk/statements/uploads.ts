/**
 * Uploaded files of this process: previewed at once, and imported one after another when a person says so. They are
 * kept for an hour. Imported rows are in the database, and an interrupted import can be started again.
 */

import { createReadStream } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DepositContext } from '../../../domain/deposits/change-deposit.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import { message } from '../../../domain/messages/message.ts'
import { type Head, headBytes } from '../../../domain/statements/formats/csv-guess.ts'
import type { CsvMapping } from '../../../domain/statements/formats/csv-mapping.ts'
import { formatOf } from '../../../domain/statements/formats/detect.ts'
import { headAsCsv } from '../../../domain/statements/formats/xlsx.ts'
import type { ImportReport } from '../../../domain/statements/import-report.ts'
import {
  type ImportStatement,
  ImportStopped,
  importStatement,
} from '../../../domain/statements/import-statement.ts'
import { notBegun } from '../../../domain/statements/progress.ts'
import { bounds } from '../../../platform/bounds.ts'
import { monotonicMs, newId } from '../../../platform/clock.ts'
import { createPause } from '../../../platform/in-stretches.ts'
import { faultFields, type Log } from '../../../platform/log.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { badRowsOf, badRowWriter } from './bad-rows.ts'
import type { Upload } from './rows.ts'

type Kept = Upload & { path: string; by: string; at: number; stopper: AbortController }

type NewUpload = {
  file: { name: string; path: string }
  broughtBy: string[]
  by: string
  mode: Mode
  account: string | undefined
  mapping: CsvMapping | undefined
  mappingName: string
}

type Uploads = {
  add(upload: NewUpload): Upload
  find(id: string): Upload | undefined
  list(): Upload[]
  /** The beginning of a table that can be read in another way, as CSV; undefined for other files. */
  head(id: string): Promise<Head | undefined>
  /** Reads the file again with this mapping. */
  readBy(id: string, how: { personId: string; mapping: CsvMapping; mappingName: string }): void
  /** The path of the file of bad rows; undefined if there are none, or if the file was imported already. */
  badRows(id: string): string | undefined
  /** Imports a previewed file, once. `begin` is called before the first row, `done` after the last. */
  take(
    id: string,
    how: {
      by: string
      /** The reading that the person has seen. */
      reading: number
      /** The report by which the right to import it was judged. */
      report: Upload['report']
      anyway: boolean
      begin: () => Promise<void>
      done: (report: ImportReport) => Promise<void>
    },
  ): void
  /** Stops reading or importing; imported rows stay, and the import can be continued. */
  stop(id: string): { wasTaking: boolean; name: string }
  drop(id: string): Promise<void>
}

export function createUploads(context: DepositContext, folder: string, log: Pick<Log, 'warn'>): Uploads {
  const kept = new Map<string, Kept>()
  let queue: Promise<unknown> = clearOld(folder)

  const forget = async (id: string) => {
    const found = kept.get(id)
    kept.delete(id)
    if (found) await removeFiles(found)
  }
  const isReadable = ({ state, report }: Kept) =>
    state === 'unmapped' || (state === 'previewed' && (report?.format === 'csv' || report?.format === 'xlsx'))

  function makeRoom(): void {
    for (const [id, { at, state }] of kept) {
      const isBusy = state === 'reading' || state === 'taking'
      const isOver = monotonicMs() - at > bounds.uploadKeptMs || kept.size >= bounds.uploadsKept
      if (isOver && !isBusy) void forget(id)
    }
    if (kept.size >= bounds.uploadsKept)
      throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
  }

  /** One file at a time, because an import loads the whole database. */
  function run(
    upload: Kept,
    how: Pick<ImportStatement, 'dryRun' | 'anyway' | 'seen'>,
    next: (report: ImportReport) => unknown,
    begin = async () => {},
  ) {
    const stopper = new AbortController()
    Object.assign(upload, { stopper, isStopping: false, stopped: null, progress: notBegun })
    queue = queue.then(async () => {
      const bad = badRowWriter(badRowsOf(upload.path))
      try {
        if (stopper.signal.aborted) throw new ImportStopped()
        await begin()
        await rm(badRowsOf(upload.path), { force: true })
        const report = await importStatement(context, {
          file: { name: upload.name, open: () => createReadStream(upload.path) },
          mode: upload.mode,
          by: upload.by,
          mapping: upload.mapping,
          account: upload.account,
          ...how,
          progress(done) {
            upload.progress = done
          },
          signal: stopper.signal,
          noteBad: bad.note,
        })
        await bad.end()
        upload.report = report
        await next(report)
      } catch (error) {
        if (error instanceof ImportStopped) return afterStop(upload, how, error)
        upload.problem = error instanceof Refusal ? (error.details.detail ?? error.message) : ''
        // The page can only say that it failed. The message is not logged, because it may quote the file.
        if (!(error instanceof Refusal))
          log.warn('a file could not be read or taken', { ...faultFields(error), error: nameOf(error) })
        upload.report = null
        const isUnmapped = how.dryRun && error instanceof Refusal && (await isTable(upload.path, error))
        if (!isUnmapped) await removeFiles(upload)
        upload.state = isUnmapped ? 'unmapped' : 'failed'
      }
    })
  }

  /** A file that was stopped while it was read is deleted; one that was stopped during its import can be continued. */
  async function afterStop(upload: Kept, { dryRun }: { dryRun: boolean }, { done }: ImportStopped) {
    upload.isStopping = false
    upload.stopped = done
    if (dryRun) {
      upload.report = null
      await removeFiles(upload)
    }
    // If it was stopped before its first row, it is previewed as before.
    upload.state = dryRun || done ? 'stopped' : 'previewed'
  }

  function look(upload: Kept): void {
    upload.reading++
    run(upload, { dryRun: true, anyway: false }, () => {
      upload.state = 'previewed'
    })
  }

  return {
    add({ file, ...asked }) {
      makeRoom()
      const upload: Kept = {
        ...asked,
        id: newId(),
        name: file.name,
        path: file.path,
        state: 'reading',
        reading: 0,
        progress: notBegun,
        isStopping: false,
        stopped: null,
        stopper: new AbortController(),
        report: null,
        problem: null,
        at: monotonicMs(),
      }
      kept.set(upload.id, upload)
      look(upload)
      return upload
    },
    find: (id) => kept.get(id),
    list: () => [...kept.values()].toReversed(),
    async head(id) {
      const upload = kept.get(id)
      return upload && isReadable(upload) ? tableHead(upload.path) : undefined
    },
    readBy(id, { personId, mapping, mappingName }) {
      const upload = kept.get(id)
      if (!upload) throw new Refusal('not_found')
      if (!isReadable(upload))
        throw new Refusal('state_conflict', { detail: message('file_cannot_be_read_now') })
      const broughtBy = [...new Set([...upload.broughtBy, personId])]
      Object.assign(upload, {
        mapping,
        mappingName,
        broughtBy,
        state: 'reading',
        problem: null,
        report: null,
      })
      look(upload)
    },
    badRows(id) {
      const upload = kept.get(id)
      const hasFile = upload?.report && upload.report.badRows > 0 && !upload.report.isRepeated
      return hasFile ? badRowsOf(upload.path) : undefined
    },
    take(id, { by, reading, report, anyway, begin, done }) {
      const upload = kept.get(id)
      if (!upload) throw new Refusal('not_found')
      const isReady = upload.state === 'previewed' || (upload.state === 'stopped' && upload.stopped)
      if (!isReady || !report || report.isRepeated)
        throw new Refusal('state_conflict', { detail: message('file_cannot_be_taken_now') })
      // The right to import was judged by an earlier report, and the file may have been read again since.
      if (reading !== upload.reading || report !== upload.report)
        throw new Refusal('state_conflict', { detail: message('file_was_read_anew') })
      if ((report.badRows > 0 || report.warnings.length > 0) && !anyway)
        throw new Refusal('invalid_value', { detail: message('file_needs_a_yes') })
      Object.assign(upload, { state: 'taking', by })
      const finish = async (taken: ImportReport) => {
        await done(taken)
        // The file is deleted before the page says that the import is done.
        await rm(upload.path, { force: true })
        upload.state = 'taken'
      }
      run(upload, { dryRun: false, anyway, seen: report.incoming ?? [] }, finish, begin)
    },
    stop(id) {
      const upload = kept.get(id)
      if (!upload) throw new Refusal('not_found')
      if (upload.state !== 'reading' && upload.state !== 'taking')
        throw new Refusal('state_conflict', { detail: message('file_cannot_be_read_now') })
      upload.isStopping = true
      upload.stopper.abort()
      return { wasTaking: upload.state === 'taking', name: upload.name }
    },
    async drop(id) {
      const upload = kept.get(id)
      if (upload?.state === 'reading' || upload?.state === 'taking')
        throw new Refusal('state_conflict', { detail: message('file_is_being_read') })
      await forget(id)
    },
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)

const removeFiles = async ({ path }: Kept): Promise<void> => {
  await rm(path, { force: true })
  await rm(badRowsOf(path), { force: true })
}

async function headOf(path: string): Promise<Head> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return { bytes: buffer.subarray(0, bytesRead), isWhole: bytesRead < headBytes }
  } finally {
    await file.close()
  }
}

/** The first rows as CSV: the columns of a workbook are described like those of a CSV file. */
async function tableHead(path: string): Promise<Head> {
  const head = await headOf(path)
  if (formatOf(head.bytes) !== 'xlsx') return head
  return { bytes: await headAsCsv(createReadStream(path), createPause()), isWhole: true }
}

/** Refusals that a person can solve by describing the columns. */
const columnsWrong: readonly string[] = [
  'statement_mapping_missing',
  'statement_header_changed',
  'statement_account_unknown',
]

/** Judges by the first bytes, as the import does. A workbook that was refused for its content is not a table here. */
async function isTable(path: string, { code }: Refusal): Promise<boolean> {
  try {
    const format = formatOf((await headOf(path)).bytes)
    return format === 'csv' || (format === 'xlsx' && columnsWrong.includes(code))
  } catch {
    return false
  }
}

/** Deletes files that an earlier run of the program left behind. */
async function clearOld(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((name) => name.endsWith('.upload'))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && found.mtimeMs < performance.timeOrigin - bounds.uploadKeptMs) await rm(path, { force: true })
  }
}
