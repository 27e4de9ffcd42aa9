/**
 * Uploaded files: previewed at once, and imported one after another when a person says so. They and their state are in the
 * database, so any process of the installation answers for them; the one that was asked to read or import a file does
 * so. They are kept for an hour. If that process ends meanwhile, a file that was read is uploaded again, and an
 * interrupted import can be started again.
 */

import { basename } from 'node:path'
import type { DepositContext } from '../../../domain/deposits/change-deposit.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import { message } from '../../../domain/messages/message.ts'
import type { Head } from '../../../domain/statements/formats/csv-guess.ts'
import type { CsvMapping } from '../../../domain/statements/formats/csv-mapping.ts'
import { formatOf } from '../../../domain/statements/formats/detect.ts'
import { headAsCsv } from '../../../domain/statements/formats/xlsx.ts'
import { type ImportReport, ImportStopped } from '../../../domain/statements/import-report.ts'
import {
  type ImportStatement,
  importStatement,
  needsConfirmation,
} from '../../../domain/statements/import-statement.ts'
import { notBegun } from '../../../domain/statements/progress.ts'
import { bounds } from '../../../platform/bounds.ts'
import { newId, sleep } from '../../../platform/clock.ts'
import type { Tx } from '../../../platform/db.ts'
import { createPause } from '../../../platform/in-stretches.ts'
import { faultFields, type Log } from '../../../platform/log.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { FileRules } from '../../staff/guarded-routes.ts'
import type { Upload } from './rows.ts'
import {
  beginUpload,
  bytesOf,
  claimImportTurn,
  claimUpload,
  completeUpload,
  deleteOldUploads,
  deleteUpload,
  dropArriving,
  findUpload,
  finishUpload,
  insertPart,
  listUploads,
  readHead,
  renewUpload,
  requestStop,
  type StoredUpload,
  saveHead,
} from './upload-store.ts'

type StoredFile = { id: string; parts: number; name: string }

type NewUpload = {
  file: StoredFile
  broughtBy: string[]
  by: string
  mode: Mode
  mapping: CsvMapping | undefined
  mappingName: string
  isComplete: boolean
}

type TakeUpload = {
  by: string
  /** The reading that the person has seen. */
  reading: number
  anyway: boolean
  /** Called before the first row. */
  begin: () => Promise<void>
  /** Called after the last row. */
  done: (report: ImportReport) => Promise<void>
}

/** Writes the audit entry, in the transaction of the act. */
type Note<About> = (tx: Tx, about: About) => Promise<void>

export type Uploads = ReturnType<typeof createUploads>

type Job = { upload: StoredUpload; stopper: AbortController }

export function createUploads(context: DepositContext, log: Pick<Log, 'warn'>) {
  const { db } = context
  const runner = newId()
  /** What this process reads or imports. */
  const running = new Map<string, Job>()
  let queue: Promise<unknown> = Promise.resolve()
  const clearing = setInterval(
    () =>
      void deleteOldUploads(db).catch((error) =>
        log.warn('old uploads were not deleted', faultFields(error)),
      ),
    bounds.uploadClearMs,
  ).unref()

  const isReadable = ({ state, report }: Upload) =>
    state === 'unmapped' || (state === 'previewed' && (report?.format === 'csv' || report?.format === 'xlsx'))

  /** Stores a file in parts as it arrives, so that of each file one part is in memory. */
  async function store(bytes: AsyncIterable<Buffer>, name: string): Promise<StoredFile> {
    const file = { id: newId(), parts: 0, name: basename(name || 'statement').slice(0, 200) }
    await beginUpload(db, file.id)
    try {
      for await (const part of partsOf(bytes)) await insertPart(db, file.id, file.parts++, part)
      return file
    } catch (error) {
      await drop(file)
      throw error
    }
  }

  /** A file that cannot be dropped now is deleted with the old ones. Why it may not stay is what the caller has to say. */
  const drop = ({ id }: StoredFile): Promise<void> => dropArriving(db, id).catch(() => {})

  async function find(id: string): Promise<StoredUpload | undefined> {
    const upload = await findUpload(db, id)
    return upload && withProgress(upload)
  }

  /** How far it is in this very moment, where this process knows; the row says it once a second. */
  const withProgress = (upload: StoredUpload): StoredUpload => ({
    ...upload,
    progress: running.get(upload.id)?.upload.progress ?? upload.progress,
  })

  async function known(id: string): Promise<StoredUpload> {
    const upload = await find(id)
    if (!upload) throw new Refusal('not_found')
    return upload
  }

  /** One file at a time, because an import loads the whole database. The row must be claimed. */
  function run(
    upload: StoredUpload,
    how: Pick<ImportStatement, 'dryRun' | 'anyway' | 'seen'>,
    next: (report: ImportReport) => unknown,
    begin = async () => {},
  ): void {
    const job: Job = { upload, stopper: new AbortController() }
    const { signal } = job.stopper
    running.set(upload.id, job)
    const leaseTimer = keepLease(job)
    queue = queue.then(async () => {
      try {
        await waitForTurn(upload, signal)
        await begin()
        const report = await importStatement(context, {
          file: { name: upload.name, open: () => bytesOf(db, upload) },
          mode: upload.mode,
          by: upload.by,
          mapping: upload.mapping,
          mappingName: upload.mappingName || undefined,
          only: upload.only,
          isComplete: upload.isComplete ?? false,
          ...how,
          progress(done) {
            upload.progress = done
          },
          signal,
        })
        upload.report = report
        await next(report)
      } catch (error) {
        if (error instanceof ImportStopped) afterStop(upload, how, error)
        else await afterFault(upload, how, error)
      }
      clearInterval(leaseTimer)
      running.delete(upload.id)
      await finishUpload(db, upload, runner).catch((error) =>
        log.warn('what came of a file was not written', faultFields(error)),
      )
    })
  }

  /** Renews the lease and writes the progress while the job runs. Stops it if the lease is lost or a person wants it to stop. */
  function keepLease(job: Job): NodeJS.Timeout {
    const renew = async () => {
      const { id, progress } = job.upload
      const lease = await renewUpload(db, { id, runner, progress })
      if (!lease || lease.isStopping) job.stopper.abort()
    }
    return setInterval(() => void renew().catch(() => {}), bounds.uploadRenewMs)
  }

  async function waitForTurn({ id }: StoredUpload, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw new ImportStopped()
      if (await claimImportTurn(db, { id, runner })) return
      await sleep(bounds.uploadTurnMs)
    }
  }

  async function afterFault(upload: StoredUpload, how: { dryRun: boolean }, error: unknown): Promise<void> {
    upload.problem = error instanceof Refusal ? (error.details.detail ?? error.message) : ''
    // The page can only say that it failed. The message is not logged, because it may quote the file.
    if (!(error instanceof Refusal))
      log.warn('a file could not be read or taken', { ...faultFields(error), error: nameOf(error) })
    upload.report = null
    const isRefused = how.dryRun && error instanceof Refusal
    const isUnmapped = isRefused && (await isTable(upload, error))
    const isForOne = isRefused && (error.code === 'other_source_counts' || upload.isComplete === true)
    upload.canReadAgain = isForOne && !isUnmapped
    upload.state = isUnmapped ? 'unmapped' : 'failed'
  }

  /** A file that was stopped while it was read is deleted; one that was stopped during its import can be continued. */
  function afterStop(upload: StoredUpload, { dryRun }: { dryRun: boolean }, { done }: ImportStopped): void {
    upload.stopped = done
    if (dryRun) upload.report = null
    // If it was stopped before its first row, it is previewed as before.
    upload.state = dryRun || done ? 'stopped' : 'previewed'
  }

  function look(upload: StoredUpload): void {
    run(upload, { dryRun: true, anyway: false }, async ({ format }) => {
      if (format === 'xlsx') await keepHead(upload)
      upload.state = 'previewed'
    })
  }

  /** The first rows of a workbook as CSV come after all its shared texts, which take seconds to read: they are kept. */
  const keepHead = async (upload: StoredUpload): Promise<void> =>
    saveHead(db, upload.id, await headAsCsv(bytesOf(db, upload), createPause()))

  /** Judges by the first bytes, as the import does. A workbook that was refused for its content is not a table here. */
  async function isTable(upload: StoredUpload, { code }: Refusal): Promise<boolean> {
    try {
      const format = formatOf((await readHead(db, upload.id)).bytes)
      if (format !== 'xlsx') return format === 'csv'
      if (columnsWrong.includes(code)) await keepHead(upload)
      return columnsWrong.includes(code)
    } catch {
      return false
    }
  }

  return {
    files: {
      mostBytes: bounds.uploadBytes,
      mostMs: bounds.uploadMs,
      tooLarge: message('upload_too_large', { most: bounds.uploadBytes / 1024 / 1024 }),
      places: bounds.uploadsAtOnce,
      store,
      drop,
    } satisfies FileRules<StoredFile>,
    async add({ file, ...asked }: NewUpload, note: Note<Upload>): Promise<Upload> {
      await deleteOldUploads(db)
      const upload: StoredUpload = {
        ...{ ...asked, ...file },
        state: 'reading',
        reading: 1,
        progress: notBegun,
        isStopping: false,
        stopped: null,
        report: null,
        problem: null,
      }
      await db.transaction(async (tx) => {
        if (!(await completeUpload(tx, upload, runner)))
          throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
        await note(tx, upload)
      })
      look(upload)
      return upload
    },
    find,
    list: async (): Promise<Upload[]> => (await listUploads(db)).map(withProgress),
    /** The beginning of a table that can be read in another way, as CSV; undefined for other files. */
    async head(id: string): Promise<Head | undefined> {
      const upload = await find(id)
      return upload && isReadable(upload) ? readHead(db, id) : undefined
    },
    /** Reads the file again: with a mapping, as complete or not, for one account or for all. */
    async readAgain(
      id: string,
      personId: string,
      how: Partial<Pick<Upload, 'mapping' | 'mappingName' | 'isComplete' | 'only'>>,
    ): Promise<void> {
      const seen = await known(id)
      const isPreviewed = seen.state === 'previewed' && seen.report?.isRepeated !== true
      const isPossible =
        isPreviewed || isReadable(seen) || (seen.state === 'failed' && seen.canReadAgain === true)
      const upload: StoredUpload = {
        ...{ ...seen, ...how, broughtBy: [...new Set([...seen.broughtBy, personId])] },
        ...{ state: 'reading', reading: seen.reading + 1, progress: notBegun },
        ...{ stopped: null, problem: null, report: null, canReadAgain: false },
      }
      if (!isPossible || !(await claimUpload(db, upload, { seen, runner })))
        throw new Refusal('state_conflict', { detail: message('file_cannot_be_read_now') })
      look(upload)
    },
    /** Imports a previewed file, once. `judged`: the upload by which the right to import it was judged. */
    async take(judged: Upload, { by, reading, anyway, begin, done }: TakeUpload): Promise<void> {
      const seen = await known(judged.id)
      const { report, state } = seen
      const isReady = state === 'previewed' || (state === 'stopped' && seen.stopped)
      const notNow = new Refusal('state_conflict', { detail: message('file_cannot_be_taken_now') })
      if (!isReady || !report || report.isRepeated) throw notNow
      // The right to import was judged by what was known then: nothing yet, or an earlier reading. One reading has one report.
      if (reading !== seen.reading || judged.reading !== seen.reading || !judged.report)
        throw new Refusal('state_conflict', { detail: message('file_was_read_anew') })
      if (needsConfirmation(report) && !anyway)
        throw new Refusal('invalid_value', { detail: message('file_needs_a_yes') })
      const upload: StoredUpload = { ...seen, state: 'taking', by, progress: notBegun, stopped: null }
      if (!(await claimUpload(db, upload, { seen, runner }))) throw notNow
      const finish = async (taken: ImportReport) => {
        await done(taken)
        upload.state = 'taken'
      }
      run(upload, { dryRun: false, anyway, seen: report.incoming }, finish, begin)
    },
    /** Stops reading or importing; imported rows stay, and the import can be continued. */
    async stop(id: string, note: Note<{ wasTaking: boolean; name: string }>): Promise<void> {
      const { name } = await known(id)
      await db.transaction(async (tx) => {
        const asked = await requestStop(tx, id)
        if (!asked) throw new Refusal('state_conflict', { detail: message('file_cannot_be_read_now') })
        await note(tx, { wasTaking: asked.state === 'taking', name })
      })
      // Another process hears of it by its next renewal.
      running.get(id)?.stopper.abort()
    },
    async drop(id: string, note: Note<{ name: string }>): Promise<void> {
      const gone = await db.transaction(async (tx) => {
        const deleted = await deleteUpload(tx, id)
        if (deleted) await note(tx, deleted)
        return deleted
      })
      if (!gone && (await find(id)))
        throw new Refusal('state_conflict', { detail: message('file_is_being_read') })
    },
    /** Ends what this process does; after `waitMs` it is stopped. */
    async close(waitMs: number): Promise<void> {
      clearInterval(clearing)
      const late = setTimeout(() => {
        for (const { stopper } of running.values()) stopper.abort()
      }, waitMs)
      await queue
      clearTimeout(late)
    },
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)

async function* partsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let length = 0
  for await (const piece of bytes) {
    pieces.push(piece)
    length += piece.length
    if (length < bounds.uploadPartBytes) continue
    yield Buffer.concat(pieces)
    pieces = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(pieces)
}

/** Refusals that a person can solve by describing the columns. */
const columnsWrong: readonly string[] = [
  'statement_mapping_missing',
  'statement_header_changed',
  'statement_account_unknown',
]
