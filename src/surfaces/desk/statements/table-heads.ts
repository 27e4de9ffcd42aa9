/**
 * The beginning of an uploaded table, for the person who describes its columns. In a workbook it comes after all shared
 * texts, and reading them can take the thread seconds. So it is read once for all people, one file after another, and kept in
 * a file beside the workbook.
 */
import { createReadStream } from 'node:fs'
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { type Head, headBytes } from '../../../domain/statements/formats/csv-guess.ts'
import { formatOf } from '../../../domain/statements/formats/detect.ts'
import { headAsCsv } from '../../../domain/statements/formats/xlsx.ts'
import { newId } from '../../../platform/clock.ts'
import { createPause } from '../../../platform/in-stretches.ts'

export const keptHeadOf = (path: string): string => path.replace(/\.upload$/, '.head.upload')

/** The first bytes of a file. */
export async function headOf(path: string): Promise<Head> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return { bytes: buffer.subarray(0, bytesRead), isWhole: bytesRead < headBytes }
  } finally {
    await file.close()
  }
}

/** The first rows as CSV: the columns of a workbook are described like those of a CSV file. */
export function createTableHeads(): (path: string) => Promise<Head> {
  const making = new Map<string, Promise<Buffer>>()
  let last: Promise<unknown> = Promise.resolve()

  function make(path: string): Promise<Buffer> {
    const bytes = last.then(() => headOfWorkbook(path)).finally(() => making.delete(path))
    last = bytes.catch(() => {})
    making.set(path, bytes)
    return bytes
  }

  return async (path) => {
    const head = await headOf(path)
    if (formatOf(head.bytes) !== 'xlsx') return head
    const kept = await readFile(keptHeadOf(path)).catch(() => undefined)
    return { bytes: kept ?? (await (making.get(path) ?? make(path))), isWhole: true }
  }
}

async function headOfWorkbook(path: string): Promise<Buffer> {
  const bytes = Buffer.from(await headAsCsv(createReadStream(path), createPause()))
  // Another process never sees half of it.
  const unfinished = path.replace(/\.upload$/, `.${newId()}.upload`)
  await writeFile(unfinished, bytes, { mode: 0o600 })
  await rename(unfinished, keptHeadOf(path))
  return bytes
}
