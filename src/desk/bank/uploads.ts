/**
 * Files on their way in, in this process: read on trial at once, taken when their person says so, one after another.
 * They are kept for an hour; what was taken is in the database, and a file that was interrupted is begun again.
 */
import { createReadStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { bounds } from '../../bounds.ts'
import type { Ledger } from '../../deposits/change-deposit.ts'
import type { Mode } from '../../merchants/merchant.ts'
import { monotonicMs, newId } from '../../platform/clock.ts'
import { Refusal } from '../../refusals.ts'
import type { CsvMapping } from '../../statements/formats/csv-mapping.ts'
import { type ImportReport, importStatement } from '../../statements/import-statement.ts'
import type { Upload } from './rows.ts'

type Kept = Upload & { path: string; by: string; mapping: CsvMapping | undefined; at: number }

export type NewUpload = {
  file: { name: string; path: string }
  personId: string
  by: string
  mode: Mode
  mapping: CsvMapping | undefined
}

export type Uploads = {
  add(upload: NewUpload): Upload
  find(id: string): Upload | undefined
  list(): Upload[]
  /** Only what was looked at can be taken, once. `begin` comes before the first row, `done` after the last. */
  take(
    id: string,
    how: { anyway: boolean; begin: () => Promise<void>; done: (report: ImportReport) => Promise<void> },
  ): void
  drop(id: string): Promise<void>
}

export function createUploads(ledger: Ledger, folder: string): Uploads {
  const kept = new Map<string, Kept>()
  let queue: Promise<unknown> = clearOld(folder)

  const forget = async (id: string) => {
    const found = kept.get(id)
    kept.delete(id)
    if (found) await rm(found.path, { force: true })
  }

  function makeRoom(): void {
    for (const [id, { at, state }] of kept) {
      const isBusy = state === 'reading' || state === 'taking'
      const isOver = monotonicMs() - at > bounds.uploadKeptMs || kept.size >= bounds.uploadsKept
      if (isOver && !isBusy) void forget(id)
    }
    if (kept.size >= bounds.uploadsKept)
      throw new Refusal('overloaded', { retryAfterSeconds: bounds.overloadedRetrySeconds })
  }

  /** One file at a time: an import is work for the whole database. */
  function run(
    upload: Kept,
    how: { dryRun: boolean; anyway: boolean },
    next: (report: ImportReport) => unknown,
    begin = async () => {},
  ) {
    queue = queue.then(async () => {
      try {
        await begin()
        const report = await importStatement(ledger, {
          file: { name: upload.name, open: () => createReadStream(upload.path) },
          mode: upload.mode,
          by: upload.by,
          mapping: upload.mapping,
          ...how,
          progress(done) {
            upload.progress = done
          },
        })
        upload.report = report
        await next(report)
      } catch (error) {
        upload.state = 'failed'
        upload.problem = error instanceof Refusal ? error.message : ''
        await rm(upload.path, { force: true })
      }
    })
  }

  return {
    add({ file, personId, by, mode, mapping }) {
      makeRoom()
      const upload: Kept = {
        id: newId(),
        personId,
        by,
        name: file.name,
        path: file.path,
        mode,
        mapping,
        state: 'reading',
        progress: { rows: 0, of: null },
        report: null,
        problem: null,
        at: monotonicMs(),
      }
      kept.set(upload.id, upload)
      run(upload, { dryRun: true, anyway: false }, () => {
        upload.state = 'previewed'
      })
      return upload
    },
    find: (id) => kept.get(id),
    list: () => [...kept.values()].toReversed(),
    take(id, { anyway, begin, done }) {
      const upload = kept.get(id)
      if (!upload) throw new Refusal('not_found')
      const { report } = upload
      if (upload.state !== 'previewed' || !report || report.isRepeated)
        throw new Refusal('state_conflict', { detail: 'This file cannot be taken now.' })
      if ((report.badRows > 0 || report.warnings.length > 0) && !anyway)
        throw new Refusal('invalid_value', {
          detail: 'Something is wrong with it, and nobody has said yes to it.',
        })
      upload.state = 'taking'
      upload.progress = { rows: 0, of: null }
      const finish = async (taken: ImportReport) => {
        await done(taken)
        upload.state = 'taken'
        await rm(upload.path, { force: true })
      }
      run(upload, { dryRun: false, anyway }, finish, begin)
    },
    async drop(id) {
      const upload = kept.get(id)
      if (upload?.state === 'reading' || upload?.state === 'taking')
        throw new Refusal('state_conflict', { detail: 'This file is being read.' })
      await forget(id)
    },
  }
}

/** What an earlier run of the program left behind. */
async function clearOld(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => one.endsWith('.upload'))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found && found.mtimeMs < performance.timeOrigin - bounds.uploadKeptMs) await rm(path, { force: true })
  }
}
