/**
 * Uploaded files: previewed at once, and imported one after another when a person says so. Their state is in the
 * database and the file in the data folder, so any process of this machine answers for them; the one that was
 * asked to read or import a file does so. They are kept for an hour. If that process ends meanwhile, a file that was read
 * is uploaded again, and an interrupted import can be started again.
 */

import { createReadStream } from 'node:fs'
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { DepositContext } from '../../../domain/deposits/change-deposit.ts'
import type { Mode } from '../../../domain/merchants/merchant.ts'
import { message } from '../../../domain/messages/message.ts'
import { type Head, headBytes } from '../../../domain/statements/formats/csv-guess.ts'
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
import type { Upload } from './rows.ts'
import {
  claimImportTurn,
  claimUpload,
  deleteOldUploads,
  deleteUpload,
  findUpload,
  finishUpload,
  insertUpload,
  listUploads,
  renewUpload,
  requestStop,
  type StoredUpload,
} from './upload-store.ts'

type NewUpload = {
  file: { name: string; path: string }
  broughtBy: string[]
  by: string
  mode: Mode
  account: string | undefined
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

export function createUploads(context: DepositContext, folder: string, log: Pick<Log, 'warn'>) {
  const { db } = context
  /** Other machines, and other data folders, do not have the file. */
  const place = `${hostname()}:${folder}`
  const runner = newId()
  /** What this process reads or imports. */
  const running = new Map<string, Job>()
  let queue: Promise<unknown> = clearOld(folder)
  const clearing = setInterval(
    () => void clear().catch((error) => log.warn('old uploads were not deleted', faultFields(error))),
    bounds.uploadClearMs,
  ).unref()

  const isReadable = ({ state, report }: Upload) =>
    state === 'unmapped' || (state === 'previewed' && (report?.format === 'csv' || report?.format === 'xlsx'))

  async function clear(): Promise<void> {
    const old = await deleteOldUploads(db, place)
    await Promise.all(old.filter(({ isHere }) => isHere).map(removeFiles))
  }

  async function find(id: string): Promise<StoredUpload | undefined> {
    const upload = await findUpload(db, place, id)
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
          file: { name: upload.name, open: () => createReadStream(upload.path) },
          mode: upload.mode,
          by: upload.by,
          mapping: upload.mapping,
          mappingName: upload.mappingName || undefined,
          account: upload.account,
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
        if (error instanceof ImportStopped) await afterStop(upload, how, error)
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
    const isUnmapped = isRefused && (await isTable(upload.path, error))
    const isForOne = isRefused && (error.code === 'other_source_counts' || upload.isComplete === true)
    upload.canReadAgain = isForOne && !isUnmapped
    if (!isUnmapped && !upload.canReadAgain) await removeFiles(upload)
    upload.state = isUnmapped ? 'unmapped' : 'failed'
  }

  /** A file that was stopped while it was read is deleted; one that was stopped during its import can be continued. */
  async function afterStop(
    upload: StoredUpload,
    { dryRun }: { dryRun: boolean },
    { done }: ImportStopped,
  ): Promise<void> {
    upload.stopped = done
    if (dryRun) {
      upload.report = null
      await removeFiles(upload)
    }
    // If it was stopped before its first row, it is previewed as before.
    upload.state = dryRun || done ? 'stopped' : 'previewed'
  }

  function look(upload: StoredUpload): void {
    run(upload, { dryRun: true, anyway: false }, async ({ format }) => {
      if (format === 'xlsx') await keepHead(upload.path)
      upload.state = 'previewed'
    })
  }

  return {
    async add({ file, ...asked }: NewUpload, note: Note<Upload>): Promise<Upload> {
      await clear()
      const upload: StoredUpload = {
        ...asked,
        id: newId(),
        name: file.name,
        path: file.path,
        state: 'reading',
        reading: 1,
        progress: notBegun,
        isStopping: false,
        stopped: null,
        report: null,
        problem: null,
      }
      await db.transaction(async (tx) => {
        if (!(await insertUpload(tx, upload, { place, runner })))
          throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
        await note(tx, upload)
      })
      look(upload)
      return upload
    },
    find,
    list: async (): Promise<Upload[]> => (await listUploads(db, place)).map(withProgress),
    /** The beginning of a table that can be read in another way, as CSV; undefined for other files. */
    async head(id: string): Promise<Head | undefined> {
      const upload = await find(id)
      return upload && isReadable(upload) ? headOf(upload.path) : undefined
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
        // The file is deleted before the page says that the import is done.
        await removeFiles(upload)
        upload.state = 'taken'
      }
      run(upload, { dryRun: false, anyway, seen: report.incoming }, finish, begin)
    },
    /** Stops reading or importing; imported rows stay, and the import can be continued. */
    async stop(id: string, note: Note<{ wasTaking: boolean; name: string }>): Promise<void> {
      const { name } = await known(id)
      await db.transaction(async (tx) => {
        const asked = await requestStop(tx, place, id)
        if (!asked) throw new Refusal('state_conflict', { detail: message('file_cannot_be_read_now') })
        await note(tx, { wasTaking: asked.state === 'taking', name })
      })
      // Another process hears of it by its next renewal.
      running.get(id)?.stopper.abort()
    },
    async drop(id: string, note: Note<{ name: string }>): Promise<void> {
      const gone = await db.transaction(async (tx) => {
        const deleted = await deleteUpload(tx, place, id)
        if (deleted) await note(tx, deleted)
        return deleted
      })
      if (gone) return removeFiles(gone)
      if (await find(id)) throw new Refusal('state_conflict', { detail: message('file_is_being_read') })
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

const removeFiles = async ({ path }: { path: string }): Promise<void> => {
  await rm(path, { force: true })
  await rm(keptHeadOf(path), { force: true })
}

const keptHeadOf = (path: string): string => path.replace(/\.upload$/, '.head.upload')

/**
 * The first rows of a workbook as CSV, for the person who describes its columns. They come after all its shared texts, which take
 * seconds to read, so they are kept beside it.
 */
async function keepHead(path: string): Promise<void> {
  const bytes = Buffer.from(await headAsCsv(createReadStream(path), createPause()))
  await writeFile(keptHeadOf(path), bytes, { mode: 0o600 })
}

async function headOf(path: string): Promise<Head> {
  const kept = await readFile(keptHeadOf(path)).catch(() => undefined)
  return kept ? { bytes: kept, isWhole: true } : firstBytes(path)
}

async function firstBytes(path: string): Promise<Head> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return { bytes: buffer.subarray(0, bytesRead), isWhole: bytesRead < headBytes }
  } finally {
    await file.close()
  }
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
    const format = formatOf((await firstBytes(path)).bytes)
    if (format !== 'xlsx') return format === 'csv'
    if (columnsWrong.includes(code)) await keepHead(path)
    return columnsWrong.includes(code)
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
