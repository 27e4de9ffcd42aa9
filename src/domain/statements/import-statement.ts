/**
 * Imports a bank's file: read once for its digest, once for its rows, which are staged in their own table until the whole
 * file has been read. Then each row is judged, and only then they become transfers, in groups. A damaged file leaves nothing; an
 * import that was interrupted can be repeated, and finds what it had stored.
 */

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { idOfYesterday, newId } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { message } from '../messages/message.ts'
import { recordBankData } from '../requisites/account-store.ts'
import { claimPlaces } from '../transfers/claim-voices.ts'
import { closeParked } from '../transfers/report-store.ts'
import type { Source } from '../transfers/source.ts'
import { findSourceOf, sourceOf } from '../transfers/source-store.ts'
import { lockAccounts } from '../transfers/store.ts'
import { beginImports, closeDays, endImports } from '../transfers/voice-store.ts'
import { DamagedStatement } from './entry.ts'
import { type ImportReport, ImportStopped } from './import-report.ts'
import { type FileAccount, planStatement } from './plan-statement.ts'
import { type ReadStatement, readStatement } from './read-statement.ts'
import { clearStaged, findStatement, finishStatement, insertStatement, timeouts } from './store.ts'
import { takeStaged } from './take-staged.ts'

export type ImportStatement = ReadStatement & {
  by: string
  /** The name under which the mapping is saved: the source of the file. */
  mappingName?: string | undefined
  dryRun: boolean
  /** Import the readable rows despite bad rows or wrong totals. */
  anyway: boolean
  /** The incoming amounts that a person has reviewed: if the file now has others, it is not imported. */
  seen?: ImportReport['incoming'] | undefined
  /** So many rows are explained, also of a file that was imported before; by default the first few of a new one. */
  previewed?: number | undefined
}

export async function importStatement(
  context: DepositContext,
  asked: ImportStatement,
): Promise<ImportReport> {
  const { db } = context
  const { file, mode, dryRun } = asked
  const { digest, ...found } = await digestOf(asked)
  const before = await findStatement(db, mode, digest)
  if (before?.undoStartedAt)
    throw new Refusal('state_conflict', { detail: message('import_is_being_undone') })
  if (before?.report && asked.previewed === undefined) return { ...before.report, isRepeated: true }
  // Each run has its own staged rows, so that concurrent runs do not affect each other.
  const runId = newId()
  try {
    const { read, accounts, repeated } = await readStatement(context, asked, { runId, ...found })
    // Nobody can close the days of a file that tells early.
    if (asked.isComplete && accounts.some(({ role }) => role === 'early'))
      throw new Refusal('invalid_value', { detail: message('early_report_is_never_complete') })
    const { format, entries } = read
    const name = (asked.mapping && asked.mappingName) ?? format
    const named = { mode, kind: 'file' as const, channel: format, name }
    const isTaken = !dryRun && (!needsConfirmation(read) || asked.anyway)
    if (isTaken && asked.seen && !isDeepStrictEqual(asked.seen, read.incoming))
      throw new Refusal('state_conflict', { detail: message('file_reads_otherwise') })
    const statement = { id: runId, mode, digest, fileName: file.name, format, takenBy: asked.by }
    const { statementId, source } = isTaken
      ? await begin(db, { statement, named, accounts })
      : await rehearse(db, { runId, named, accounts })
    const { taken, preview } = await takeStaged(context, {
      ...asked,
      ...{ runId, total: entries - repeated, source, statementId },
    })
    const report: ImportReport = {
      ...{ ...read, preview, isTaken, isRepeated: false },
      statement: statementId ?? before?.id ?? runId,
      taken: { ...taken, seen: taken.seen + repeated },
    }
    if (statementId === null) return report
    // Payers' data are stored only with the transfers.
    const isFirst = await finish(db, { statementId, accounts, report: { ...report, preview: [] } })
    return { ...report, isRepeated: !isFirst }
  } catch (error) {
    if (!(error instanceof DamagedStatement)) throw error
    const { code, detail: why, line, at } = error
    throw new Refusal(code, {
      detail: message('file_refused', { line: at ? `${line}, ${at}` : line, why }),
      more: { line, ...(at && { at }) },
    })
  } finally {
    // Rows that cannot be cleared now are cleared by a later import. The error must not hide what this import did, or why it
    // was refused.
    await clearStaged(db, runId, idOfYesterday()).catch(() => {})
  }
}

/** Judges the rows as an import would now; its groups are rolled back. */
async function rehearse(
  db: Db,
  { runId, named, accounts }: Pick<Begin, 'named' | 'accounts'> & { runId: string },
): Promise<{ statementId: null; source: Source }> {
  const source = (await findSourceOf(db, named)) ?? { ...named, id: newId() }
  await db.transaction((tx) => planStatement(tx, { runId, source, accounts }), timeouts)
  return { statementId: null, source }
}

type Begin = {
  statement: Omit<Parameters<typeof insertStatement>[1], 'sourceId' | 'accountIds'>
  named: Omit<Source, 'id'> & { kind: 'file' }
  accounts: readonly FileAccount[]
}

/** Takes the places of the source and judges the rows, while nobody else tells of the accounts. Refused, it leaves nothing. */
const begin = (
  db: Db,
  { statement, named, accounts }: Begin,
): Promise<{ statementId: string; source: Source }> =>
  db.transaction(async (tx) => {
    const { id: runId, takenBy } = statement
    const accountIds = accounts.map(({ accountId }) => accountId)
    await lockAccounts(tx, accountIds)
    const source = await sourceOf(tx, named)
    const statementId = await insertStatement(tx, { ...statement, accountIds, sourceId: source.id })
    const [other] = await beginImports(tx, { accountIds, statementId, runId })
    if (other) {
      const { label: account, fileName: file } = other
      throw new Refusal('state_conflict', { detail: message('another_file_is_importing', { account, file }) })
    }
    const places = await planStatement(tx, { runId, source, accounts })
    await claimPlaces(tx, source, places, takenBy)
    return { statementId, source }
  }, timeouts)

type Finish = { statementId: string; accounts: readonly FileAccount[]; report: ImportReport }

/** Closes the days of the file; false when another run of the same file finished first. */
const finish = (db: Db, { statementId, accounts, report }: Finish): Promise<boolean> =>
  db.transaction(async (tx) => {
    const accountIds = accounts.map(({ accountId }) => accountId)
    await lockAccounts(tx, accountIds)
    const isFirst = await finishStatement(tx, statementId, report)
    for (const { accountId, closes: days } of accounts) {
      await closeDays(tx, { accountId, days, statementId })
      await closeParked(tx, { accountId, days, statementId })
    }
    await endImports(tx, statementId)
    // A statement without rows counts too: the bank reported a day without payments.
    await recordBankData(tx, accountIds)
    return isFirst
  }, timeouts)

/** Different or missing totals may mean a forged row: a payer can write a purpose that looks like one. */
export const needsConfirmation = ({
  badRows,
  warnings,
}: Pick<ImportReport, 'badRows' | 'warnings'>): boolean => badRows > 0 || warnings.length > 0

const headBytes = 4_096

/** The digest of a file includes how it is read: with another mapping it is another file. */
async function digestOf({
  file,
  mapping,
  only,
  isComplete,
  signal,
}: ImportStatement): Promise<{ digest: Buffer; bytes: number; head: Buffer }> {
  const hash = createHash('sha256')
  let bytes = 0
  let head = Buffer.alloc(0)
  for await (const chunk of file.open()) {
    if (signal?.aborted) throw new ImportStopped()
    hash.update(chunk)
    bytes += chunk.length
    if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes)])
  }
  const how = { mapping, only, isComplete: isComplete || undefined }
  const asRead = JSON.stringify(how)
  if (asRead !== '{}') hash.update(asRead)
  return { digest: hash.digest(), bytes, head: head.subarray(0, headBytes) }
}
