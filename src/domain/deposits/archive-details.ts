/**
 * Moves old months of details from the database to files, one per month, and restores them. An interrupted run is continued by
 * the next one: a partition is dropped only after its file was written, read back and compared.
 */

import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DamagedArchive, digestsOf, readArchive, writeArchive } from '../../platform/archive-file.ts'
import type { Db } from '../../platform/db.ts'
import { codeOf, OperatorProblem, reasonOf } from '../../platform/operator-problem.ts'
import { makePartition } from '../../platform/partitions.ts'
import {
  type Archive,
  beginArchive,
  detailLines,
  dropMonth,
  insertRestored,
  listMonths,
  markArchived,
  markWritten,
  readArchiveOf,
  readMonthOfLastYear,
  restoreLines,
} from './archive-store.ts'
import { chunkRangeOf } from './details-store.ts'

export type ArchiveStep =
  | 'begun'
  | 'file written'
  | 'file read back'
  | 'recorded'
  | 'partition dropped'
  | 'done'

type ArchiveMonths = {
  /** Months before this one, such as 202601; null: those that ended a year ago. */
  before: number | null
  folder: string
  /** Called after each step. */
  onStep?: (step: ArchiveStep, archive: Archive) => void
  /** Called before a month is dropped from the database: if it throws, the month stays. */
  keep?: (archive: Archive) => Promise<void>
}

type Hooks = Required<Pick<ArchiveMonths, 'folder' | 'onStep' | 'keep'>>

const longTimeouts = { statementMs: 3_600_000 }

export async function archiveMonths(
  owner: Db,
  { before, folder, onStep = () => {}, keep = async () => {} }: ArchiveMonths,
): Promise<Archive[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const end = before ?? (await readMonthOfLastYear(owner))
  const archived: Archive[] = []
  for (const month of await listMonths(owner))
    if (month < end) archived.push(await archiveMonth(owner, month, { folder, onStep, keep }))
  return archived
}

async function archiveMonth(owner: Db, month: number, { folder, onStep, keep }: Hooks): Promise<Archive> {
  const begun = await beginArchive(owner, month, folder)
  onStep('begun', begun)
  const path = join(begun.folder, begun.file)
  if (begun.state === 'writing') {
    const written = await owner.transaction((tx) => writeArchive(path, detailLines(tx, month)), longTimeouts)
    onStep('file written', begun)
    let lines = 0
    for await (const member of readArchive(path, written.indexDigest)) lines += member.length
    if (lines !== written.lines) throw new DamagedArchive(`${path} was written, and reads differently.`)
    onStep('file read back', begun)
    await owner.transaction((tx) => markWritten(tx, begun, written), longTimeouts)
  }
  const archive = (await readArchiveOf(owner, begun.file))!
  onStep('recorded', archive)
  await requireIntact(path, archive)
  await keep(archive)
  await dropMonth(owner, month)
  onStep('partition dropped', archive)
  await markArchived(owner, archive)
  onStep('done', archive)
  return archive
}

/** Restores the month of a file to the database; the file stays. */
export async function restoreArchive(owner: Db, path: string): Promise<Archive> {
  const archive = await readArchiveOf(owner, basename(path))
  if (archive?.state !== 'archived')
    throw new OperatorProblem(
      `${basename(path)} is no file that "inlet archive" has finished for this database. See "inlet archive list".`,
    )
  await requireIntact(path, archive)
  const { month } = archive
  await makePartition(owner, 'deposit_details', { suffix: `${month}`, ...chunkRangeOf(month) })
  await owner.transaction(async (tx) => {
    for await (const lines of readArchive(path, archive.indexDigest!)) await restoreLines(tx, lines)
    await insertRestored(tx, archive.file)
  }, longTimeouts)
  return archive
}

async function requireIntact(path: string, { state, digest }: Archive): Promise<void> {
  const isIntact = state !== 'writing' && (await digestIn(path))?.equals(digest!)
  if (!isIntact)
    throw new OperatorProblem(
      `${path} is not the file that was written: it is missing or damaged. Nothing was dropped from the database; put the file back and try again.`,
    )
}

/** Undefined if the file is missing or damaged. One that cannot be read may be whole, and must not be replaced. */
async function digestIn(path: string): Promise<Buffer | undefined> {
  try {
    return (await digestsOf(path)).digest
  } catch (error) {
    if (error instanceof DamagedArchive || codeOf(error) === 'ENOENT') return undefined
    throw new OperatorProblem(
      `${path} cannot be read: ${reasonOf(error)}. Nothing was dropped from the database; try again when the file can be read.`,
    )
  }
}
