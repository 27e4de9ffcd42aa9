/**
 * Imports a bank's file: read once for its digest, once for its rows, which are staged in their own table until the whole
 * file has been read. Only then they become transfers, in groups. A damaged file leaves nothing; an import that was
 * interrupted can be repeated, and finds what it had stored.
 */

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { bounds } from '../../platform/bounds.ts'
import { idOfYesterday, monotonicMs, newId } from '../../platform/clock.ts'
import type { Db, Tx } from '../../platform/db.ts'
import { isContended, isDatabaseAway } from '../../platform/db-errors.ts'
import { createPause, inStretches } from '../../platform/in-stretches.ts'
import { Refusal } from '../../platform/refusals.ts'
import { sum } from '../../platform/sum.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type Message, message } from '../messages/message.ts'
import type { Currency } from '../money.ts'
import { recordBankData } from '../requisites/account-store.ts'
import type { Prepared } from '../transfers/bank-entries.ts'
import { normalizeAccountNumber } from '../transfers/bank-text/account-number.ts'
import { CoveredDays } from '../transfers/moved-days.ts'
import { sourceOfKind, type TransferDraft } from '../transfers/store.ts'
import { takeGroup } from '../transfers/take-transfers.ts'
import { nothingTaken, sumTaken, type Taken } from '../transfers/taken.ts'
import { fingerprint } from '../transfers/transfer.ts'
import { type BadRow, DamagedStatement, type Part, type ReadContext, type StatementFormat } from './entry.ts'
import { type ExplainedRow, explainRows } from './explained-row.ts'
import { oursInOtherMode } from './formats/account.ts'
import type { CsvMapping } from './formats/csv-mapping.ts'
import { formatOf, statementFormats, unsupported } from './formats/detect.ts'
import type { ImportReport } from './import-report.ts'
import type { ImportProgress } from './progress.ts'
import { factsJson, factsOf, preparedFrom } from './staged-row.ts'
import {
  clearStaged,
  findInTwoStatements,
  findStatement,
  finishStatement,
  insertStatement,
  type NewStagedRow,
  noteRepeats,
  numberEqualRows,
  readAccountNumbers,
  readReport,
  readStaged,
  type StoredStatement,
  stageRows,
  wasReadWithOtherMapping,
} from './store.ts'
import { Totals } from './totals.ts'
import { refuseWhileUndone } from './undo/undo-statement.ts'

type StatementFile = {
  name: string
  /** Each call reads from the beginning. */
  open(): AsyncIterable<Uint8Array>
}

export type ImportStatement = {
  file: StatementFile
  mode: Mode
  by: string
  mapping?: CsvMapping | undefined
  /** The number of our account, where the file does not name it. */
  account?: string | undefined
  dryRun: boolean
  /** Import the readable rows despite bad rows or wrong totals. */
  anyway: boolean
  /** The incoming amounts that a person has reviewed: if the file now has others, it is not imported. */
  seen?: ImportReport['incoming'] | undefined
  progress?: (done: ImportProgress) => void
  /** Checked between rows and between groups; `ImportStopped` then says what was imported so far. */
  signal?: AbortSignal | undefined
  /** Called with every bad row; the report has only the first of them. */
  noteBad?: (row: BadRow) => Promise<void>
  /** Called with every readable row and its outcome, also of a file that was imported before. */
  explain?: (rows: readonly ExplainedRow[]) => void
}

/** The import was stopped: nothing was imported while the file was read, later only the finished groups. */
export class ImportStopped extends Error {
  readonly done: { statement: string; rows: number; total: number; taken: Taken } | null
  constructor(done: ImportStopped['done'] = null) {
    super('stopped')
    this.done = done
  }
}

const stagedAtOnce = 1_000
/** A thousand rows of the maximum length would be 25 MB. */
const charactersAtOnce = 1024 * 1024
const badListed = 100
const previewed = 10
const timeouts = { statementMs: 60_000 }
const atOnce = { limit: bounds.importGroup, bytes: bounds.importGroupBytes }

export async function importStatement(
  context: DepositContext,
  asked: ImportStatement,
): Promise<ImportReport> {
  const { db } = context
  const { file, mode, dryRun } = asked
  const { digest, fileDigest, bytes } = await digestsOf(asked)
  const before = await findStatement(db, mode, digest)
  if (before?.undoStartedAt)
    throw new Refusal('state_conflict', { detail: message('import_is_being_undone') })
  if (before?.finishedAt && !asked.explain) return { ...storedReport(before), preview: [], isRepeated: true }
  // Each run has its own staged rows, so that concurrent runs do not affect each other.
  const runId = newId()
  try {
    const { reportedAccounts, covered, numberedBy, ...read } = await stage(context, asked, { runId, bytes })
    if (await wasReadWithOtherMapping(db, { mode, digest, fileDigest }))
      read.warnings.push(readWithOtherMapping)
    const isTaken = !dryRun && (!needsConfirmation(read) || asked.anyway)
    const { entries } = read
    if (!isTaken) {
      const done = await takeStaged(context, asked, { runId, entries, covered, statementId: null })
      return { ...read, ...done, statement: before?.id ?? runId, isTaken, isRepeated: false }
    }
    if (asked.seen && !isDeepStrictEqual(asked.seen, read.incoming))
      throw new Refusal('state_conflict', { detail: accountsChanged })
    const facts = { fileName: file.name, format: read.format, takenBy: asked.by, numberedBy }
    const row = { id: runId, mode, digest, fileDigest, ...facts }
    await db.transaction((tx) => insertStatement(tx, row))
    const { id: statementId } = (await findStatement(db, mode, digest))!
    const done = await takeStaged(context, asked, { runId, entries, covered, statementId })
    const report = { ...read, ...done, statement: statementId, isTaken, isRepeated: false }
    // Payers' data are stored only with the transfers.
    const kept = { ...report, preview: [] }
    const isFirst = await finishStatement(db, statementId, kept)
    // A statement without rows counts too: the bank reported a day without payments.
    await recordBankData(db, reportedAccounts)
    return { ...report, isRepeated: !isFirst }
  } catch (error) {
    if (!(error instanceof DamagedStatement)) throw error
    const otherMode = await otherModeOf(db, mode, error.account)
    const { code, detail: why, line, at } = otherMode ? oursInOtherMode(error, otherMode) : error
    throw new Refusal(code, {
      detail: message('file_refused', { line: at ? `${line}, ${at}` : line, why }),
      more: { line, ...(at && { at }), ...(otherMode && { fits_mode: otherMode }) },
    })
  } finally {
    // Rows that cannot be cleared now are cleared by a later import. The error must not hide what this import did, or why it
    // was refused.
    await clearStaged(db, runId, idOfYesterday()).catch(() => {})
  }
}

/** The columns by name: of two files of one bank, one may have an additional column. */
const numberColumns = ({ header, columns }: CsvMapping): string =>
  JSON.stringify(
    [columns.documentNumber, columns.bankId].map((place) => (place === undefined ? '' : header[place])),
  )

/** The other mode, if the account belongs to it: the wrong mode was chosen. */
async function otherModeOf(db: Db, mode: Mode, account: string | undefined): Promise<Mode | undefined> {
  if (account === undefined) return undefined
  const other = mode === 'live' ? 'test' : 'live'
  const numbers = await readAccountNumbers(db, other)
  return numbers.some(({ number }) => number === normalizeAccountNumber(account)) ? other : undefined
}

/** Different or missing totals may mean a forged row: a payer can write a purpose that looks like one. */
export const needsConfirmation = ({
  badRows,
  warnings,
}: Pick<ImportReport, 'badRows' | 'warnings'>): boolean => badRows > 0 || warnings.length > 0

/** Reports of older versions have fewer figures. */
function storedReport(stored: StoredStatement): ImportReport {
  const report = readReport(stored.report as ImportReport & { pending?: number }, stored.messages)
  const skipped = { pending: report.pending ?? 0, not_booked: 0, other_account: 0 }
  const rows = report.entries + report.badRows + skipped.pending
  return { ...report, rows: report.rows ?? rows, skipped: report.skipped ?? skipped }
}

/** The digest of a CSV file includes its mapping: read with another one it is another file. */
async function digestsOf({
  file,
  mapping,
  account,
  signal,
}: ImportStatement): Promise<{ digest: Buffer; fileDigest: Buffer; bytes: number }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of file.open()) {
    if (signal?.aborted) throw new ImportStopped()
    hash.update(chunk)
    bytes += chunk.length
  }
  const fileDigest = hash.copy().digest()
  if (mapping) hash.update(JSON.stringify(mapping))
  else if (account !== undefined) hash.update(JSON.stringify({ account }))
  return { digest: hash.digest(), fileDigest, bytes }
}

/** Counts the bytes read, for progress: the number of rows is known only at the end. */
function countedBytes(
  file: StatementFile,
  pause: () => Promise<void> | undefined,
): { open: StatementFile['open']; read: () => number } {
  let read = 0
  return {
    async *open() {
      for await (const bytes of file.open()) {
        await pause()
        yield bytes
        read += bytes.length
      }
    },
    read: () => read,
  }
}

const readWithOtherMapping = message('file_was_read_otherwise')

/** Receiving accounts or their numbers have changed since the file was read. */
const accountsChanged = message('file_reads_otherwise')

type Read = Pick<
  ImportReport,
  | 'format'
  | 'layout'
  | 'rows'
  | 'entries'
  | 'skipped'
  | 'badRows'
  | 'bad'
  | 'warnings'
  | 'incoming'
  | 'totals'
>

/** Reads the whole file into the staging table. */
async function stage(
  { db }: DepositContext,
  { file, mode, mapping, account, progress, signal, noteBad }: ImportStatement,
  { runId, bytes }: { runId: string; bytes: number },
): Promise<Read & { reportedAccounts: string[]; covered: CoveredDays; numberedBy: string | null }> {
  const accounts = new Map((await readAccountNumbers(db, mode)).map((account) => [account.number, account]))
  const format = await formatIn(file)
  const currencyOf = (number: string) => accounts.get(number)?.currency as Currency | undefined
  // A file can be crafted to be slow to read: merchants are served in between.
  const pause = createPause()
  let layout: string | null = null
  const numberedBy = new Set(mapping ? [numberColumns(mapping)] : [])
  const reading: ReadContext = {
    currencyOf,
    ...(mapping && { mapping }),
    ...(account !== undefined && { account }),
    pause,
    layoutFound(name) {
      layout = name
    },
    numberedBy(fields) {
      numberedBy.add(fields)
    },
  }
  const totals = new Totals((number) => accounts.has(number), format)
  const reportedAccounts = new Set<string>()
  const covered = new CoveredDays()
  const bad: BadRow[] = []
  let badRows = 0
  const skipped = { pending: 0, not_booked: 0, other_account: 0 }
  const warnings: Message[] = []
  const incoming = new Map<Currency, bigint>()
  let entries = 0
  /** The numbers of the rows at which another statement begins: in camt the totals of each follow its entries. */
  const starts: number[] = []
  let waiting: NewStagedRow[] = []
  let characters = 0
  let staging: Promise<void> | undefined
  const counted = countedBytes(file, pause)
  const begun = monotonicMs()
  const reportProgress = () =>
    progress?.({
      ...{ phase: 'reading', rows: entries, total: null, matched: 0 },
      share: bytes === 0 ? 1 : counted.read() / bytes,
      elapsedMs: monotonicMs() - begun,
    })
  for await (const part of statementFormats[format].read(counted.open(), reading) as AsyncIterable<Part>) {
    await pause()
    if (signal?.aborted) {
      await staging?.catch(() => {})
      throw new ImportStopped()
    }
    if ('bad' in part) {
      badRows++
      if (bad.length < badListed) bad.push(part.bad)
      await noteBad?.(part.bad)
    } else if ('skipped' in part) skipped[part.skipped.reason]++
    else if ('warning' in part) warnings.push(part.warning)
    else if ('summary' in part) {
      totals.addSummary(part.summary)
      starts.push(entries + 1)
      const account = accounts.get(part.summary.account)
      if (account) reportedAccounts.add(account.id)
    } else {
      const { id } = accounts.get(part.entry.account)!
      const facts = factsOf(part.entry, id, format, (number) => accounts.has(number))
      totals.seen(part.entry)
      covered.add(facts)
      const { direction, cents, currency, isReversal } = part.entry
      if (direction === 'credit' || isReversal) incoming.set(currency, (incoming.get(currency) ?? 0n) + cents)
      const text = JSON.stringify(factsJson(facts))
      waiting.push({ place: ++entries, facts: text, fingerprint: fingerprint(facts) })
      characters += text.length
      if (waiting.length >= stagedAtOnce || characters >= charactersAtOnce) {
        await staging
        staging = stageRows(db, runId, waiting)
        // If the file turns out to be damaged, the run ends before this promise is awaited.
        staging.catch(() => {})
        waiting = []
        characters = 0
        reportProgress()
      }
    }
  }
  await staging
  if (waiting.length > 0) await stageRows(db, runId, waiting)
  reportProgress()
  await numberEqualRows(db, runId)
  if (format === 'camt' && starts.length > 1) warnings.push(...(await repeatedIn(db, runId, starts)))
  const differences = totals.differences({ badRows, pending: skipped.pending })
  warnings.push(...differences, ...totals.missing())
  const rows = entries + badRows + sum(Object.values(skipped))
  const read = { format, layout, rows, entries, skipped, badRows, bad, warnings }
  const sums = [...incoming].map(([currency, cents]) => ({ cents: cents.toString(), currency }))
  return {
    ...read,
    incoming: sums,
    totals: totals.state(differences),
    reportedAccounts: [...reportedAccounts],
    covered,
    numberedBy: [...numberedBy].sort().join(', ') || null,
  }
}

/** Intraday reports often repeat earlier entries, and only an entry's number distinguishes a repetition from another payment. */
async function repeatedIn(db: Db, runId: string, starts: readonly number[]): Promise<Message[]> {
  const { count, line } = await findInTwoStatements(db, runId, starts)
  return count === 0 ? [] : [message('entries_in_two_statements', { count, line: line! })]
}

async function formatIn({ open }: StatementFile): Promise<StatementFormat['name']> {
  const head: Uint8Array[] = []
  let length = 0
  for await (const bytes of open()) {
    head.push(bytes)
    length += bytes.length
    if (length >= 4_096) break
  }
  const format = formatOf(Buffer.concat(head).subarray(0, 4_096))
  if (format) return format
  throw unsupported(message('not_a_statement'))
}

type Staged = { runId: string; entries: number; covered: CoveredDays }

/** Imports the staged rows group by group; without a statement it is a dry run, and every group is rolled back. */
async function takeStaged(
  context: DepositContext,
  { mode, progress, signal, explain }: ImportStatement,
  { runId, entries, covered, statementId }: Staged & { statementId: string | null },
): Promise<Pick<ImportReport, 'taken' | 'preview'>> {
  const { db } = context
  const source = await db.transaction((tx) => sourceOfKind(tx, 'statement', mode, newId()))
  const read = async (after: number) => {
    const rows = await readStaged(db, runId, { ...atOnce, after })
    return inStretches(rows, (row) => preparedFrom(row, statementId))
  }
  const preview: ExplainedRow[] = []
  const wanted = () => explain !== undefined || preview.length < previewed
  const explainGroup = (entered: readonly Prepared[], drafts: readonly TransferDraft[]) => {
    const rows = explainRows(entered, drafts)
    preview.push(...rows.slice(0, previewed - preview.length))
    explain?.(rows)
  }
  let next: Promise<Prepared[]> | undefined
  /** While the database writes one group, the next is read and prepared. */
  const readNext = () => {
    next ??= read(done + group.length)
    // If the current group fails, this promise is never awaited.
    next.catch(() => {})
    return next
  }
  const check = statementId === null ? undefined : (tx: Tx) => refuseWhileUndone(tx, statementId)
  const take = (rows: readonly Prepared[]) =>
    takeGroup(context, rows, {
      ...{ source, dryRun: statementId === null, timeouts, check, covered },
      sent: readNext,
      ...(wanted() && { decided: (drafts) => explainGroup(rows, drafts) }),
    })
  const faults: unknown[] = []
  let taken = nothingTaken
  let done = 0
  const begun = monotonicMs()
  let group = await read(done)
  if (statementId !== null && group.length < entries)
    await noteRepeats(db, runId, { statementId, sourceId: source.id })
  while (group.length > 0) {
    if (signal?.aborted)
      throw new ImportStopped(
        statementId === null ? null : { statement: statementId, rows: done, total: entries, taken },
      )
    const added = await (statementId === null ? take(group) : takeDespiteFaults(group, take, faults))
    const following = await readNext()
    taken = sumTaken(taken, added)
    done += group.length
    group = following
    next = undefined
    progress?.({
      ...{ phase: 'matching', rows: done, total: entries, matched: taken.matched },
      share: done / entries,
      elapsedMs: monotonicMs() - begun,
    })
  }
  // The file counts as imported from here on, so no row may be missing.
  if (faults.length > 0) throw faults[0]
  if (done !== entries) throw new Error(`${done} of ${entries} rows of a statement were there to take`)
  return { taken, preview }
}

/** If a group cannot be written, its rows are written one by one, so that one faulty row does not block the others. */
async function takeDespiteFaults(
  group: readonly Prepared[],
  take: (rows: readonly Prepared[]) => Promise<Taken>,
  faults: unknown[],
): Promise<Taken> {
  try {
    return await take(group)
  } catch (error) {
    if (isContended(error) || isDatabaseAway(error)) throw error
    let taken = nothingTaken
    let failed = 0
    for (const row of group) {
      try {
        taken = sumTaken(taken, await take([row]))
      } catch (fault) {
        faults.push(fault)
        if (++failed === group.length || isContended(fault) || isDatabaseAway(fault)) throw error
      }
    }
    return taken
  }
}
