/**
 * Takes a bank's file: read once for its digest, once for its rows, which wait beside the transfers until the whole
 * file has been read. Only then they are taken, in groups. A file that is damaged leaves nothing; one that was
 * interrupted is begun again and finds what it had taken.
 */
import { createHash } from 'node:crypto'
import { bounds } from '../bounds.ts'
import type { Ledger } from '../deposits/change-deposit.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type Currency, decimal } from '../money.ts'
import { idOfYesterday, newId } from '../platform/clock.ts'
import { Refusal } from '../refusals.ts'
import { noteHeard } from '../rules/store.ts'
import { sourceOfKind } from '../transfers/store.ts'
import { takeGroup } from '../transfers/take-transfers.ts'
import { nothingTaken, sumTaken, type Taken } from '../transfers/taken.ts'
import { type Prepared, prepare } from '../transfers/tellings.ts'
import { fingerprint, maskedPayer, type TransferFacts } from '../transfers/transfer.ts'
import {
  type BadRow,
  DamagedStatement,
  type Entry,
  type Part,
  type SkippedReason,
  type StatementFormat,
} from './entry.ts'
import type { CsvMapping } from './formats/csv-mapping.ts'
import { formatOf, statementFormats } from './formats/detect.ts'
import {
  clearStaged,
  findStatement,
  finishStatement,
  insertStatement,
  numberEquals,
  readAccountNumbers,
  readStaged,
  type StagedRow,
  stageRows,
  wasReadOtherwise,
} from './store.ts'
import { Totals } from './totals.ts'

export type StatementFile = {
  name: string
  /** From the beginning, each time it is called. */
  open(): AsyncIterable<Uint8Array>
}

export type ImportStatement = {
  file: StatementFile
  mode: Mode
  by: string
  mapping?: CsvMapping | undefined
  dryRun: boolean
  /** Bad rows or wrong totals were seen, and what can be read is wanted nevertheless. */
  anyway: boolean
  progress?: (done: { rows: number; of: number | null }) => void
  /** Every row that cannot be read; the report has the first of them only. */
  noteBad?: (row: BadRow) => Promise<void>
}

export type ImportReport = {
  statement: string
  format: StatementFormat['name']
  /** False: nothing was taken; a dry run, or something is wrong and nobody has said yes to it. */
  isTaken: boolean
  /** These very bytes were taken before, read in this very way; this is what came of them then. */
  isRepeated: boolean
  /** Rows of the file: entries, skipped and bad ones. */
  rows: number
  entries: number
  /** Rows that are no money of ours, by reason. */
  skipped: Record<SkippedReason, number>
  badRows: number
  /** The first of them. */
  bad: BadRow[]
  /** What a person has to say yes to: totals that differ, or are not there. */
  warnings: string[]
  /** The first rows as they were understood, for a person who has to say yes. */
  preview: PreviewRow[]
  taken: Taken
}

export type PreviewRow = {
  line: number
  day: string
  direction: 'credit' | 'debit'
  amount: string
  currency: Currency
  payer: string
  purpose: string
}

const stagedAtOnce = 1_000
const preparedAtOnce = 20
const badListed = 100
const previewed = 10
const patience = { statementMs: 60_000 }

export async function importStatement(ledger: Ledger, asked: ImportStatement): Promise<ImportReport> {
  const { db } = ledger
  const { file, mode, dryRun } = asked
  const { digest, fileDigest } = await digestsOf(asked)
  const before = await findStatement(db, mode, digest)
  if (before?.finishedAt) return { ...(before.report as ImportReport), preview: [], isRepeated: true }
  // A run has rows of its own: two of one file, or a dry run beside it, do not touch each other's.
  const runId = newId()
  try {
    const { heard, ...read } = await stage(ledger, asked, runId)
    if (await wasReadOtherwise(db, { mode, digest, fileDigest })) read.warnings.push(readOtherwise)
    // Totals that differ may mean a row too many: a purpose can be written so that it looks like one.
    const isClean = read.badRows === 0 && read.warnings.length === 0
    const isTaken = !dryRun && (isClean || asked.anyway)
    const { entries } = read
    if (!isTaken) {
      const taken = await takeStaged(ledger, asked, { runId, entries, statementId: null })
      return { ...read, statement: before?.id ?? runId, isTaken, isRepeated: false, taken }
    }
    const said = { fileName: file.name, format: read.format, takenBy: asked.by }
    const row = { id: runId, mode, digest, fileDigest, ...said }
    await db.transaction((tx) => insertStatement(tx, row))
    const { id: statementId } = (await findStatement(db, mode, digest))!
    const taken = await takeStaged(ledger, asked, { runId, entries, statementId })
    const report = { ...read, statement: statementId, isTaken, isRepeated: false, taken }
    // Who paid is kept with the transfers, and nowhere else.
    const isFirst = await finishStatement(db, statementId, { ...report, preview: [] })
    // A day without payments is told too: a statement without rows is no silence.
    await noteHeard(db, heard)
    return { ...report, isRepeated: !isFirst }
  } catch (error) {
    if (!(error instanceof DamagedStatement)) throw error
    throw new Refusal(error.code, {
      detail: `${error.message} Nothing was taken.`,
      more: { line: error.line, ...(error.at && { at: error.at }) },
    })
  } finally {
    await clearStaged(db, runId, idOfYesterday())
  }
}

/** A CSV file says what its mapping says it does: read with another one it is another file. */
async function digestsOf({
  file,
  mapping,
}: ImportStatement): Promise<{ digest: Buffer; fileDigest: Buffer }> {
  const hash = createHash('sha256')
  for await (const bytes of file.open()) hash.update(bytes)
  const fileDigest = hash.copy().digest()
  if (mapping) hash.update(JSON.stringify(mapping))
  return { digest: hash.digest(), fileDigest }
}

const readOtherwise =
  'This very file was taken before, read in another way: rows that read differently now count as new payments.'

type Read = Pick<
  ImportReport,
  'format' | 'rows' | 'entries' | 'skipped' | 'badRows' | 'bad' | 'warnings' | 'preview'
>

/** Reads the whole file into the waiting room. */
async function stage(
  { db }: Ledger,
  { file, mode, mapping, progress, noteBad }: ImportStatement,
  runId: string,
): Promise<Read & { heard: string[] }> {
  const accounts = new Map((await readAccountNumbers(db, mode)).map((one) => [one.number, one]))
  const format = await formatIn(file)
  const currencyOf = (number: string) => accounts.get(number)?.currency as Currency | undefined
  const context = { currencyOf, ...(mapping && { mapping }) }
  const totals = new Totals((number) => accounts.has(number))
  const heard = new Set<string>()
  const bad: BadRow[] = []
  const preview: PreviewRow[] = []
  let badRows = 0
  const skipped = { pending: 0, not_booked: 0, other_account: 0 }
  const warnings: string[] = []
  let entries = 0
  let waiting: StagedRow[] = []
  let staging: Promise<void> | undefined
  for await (const part of statementFormats[format].read(file.open(), context) as AsyncIterable<Part>) {
    if ('bad' in part) {
      badRows++
      if (bad.length < badListed) bad.push(part.bad)
      await noteBad?.(part.bad)
    } else if ('skipped' in part) skipped[part.skipped.reason]++
    else if ('warning' in part) warnings.push(part.warning)
    else if ('summary' in part) {
      totals.told(part.summary)
      const account = accounts.get(part.summary.account)
      if (account) heard.add(account.id)
    } else {
      const { id } = accounts.get(part.entry.account)!
      const facts = factsOf(part.entry, id, format)
      totals.seen(part.entry)
      if (preview.length < previewed) preview.push(previewOf(part.entry))
      waiting.push({ place: ++entries, facts: plain(facts), fingerprint: fingerprint(facts) })
      if (waiting.length >= stagedAtOnce) {
        await staging
        staging = stageRows(db, runId, waiting)
        // A file that turns out to be damaged meanwhile ends this run before anybody waits for it.
        staging.catch(() => {})
        waiting = []
        progress?.({ rows: entries, of: null })
      }
    }
  }
  await staging
  if (waiting.length > 0) await stageRows(db, runId, waiting)
  await numberEquals(db, runId)
  warnings.push(...totals.differences({ badRows, pending: skipped.pending }))
  const rows = entries + badRows + Object.values(skipped).reduce((sum, count) => sum + count, 0)
  return { format, rows, entries, skipped, badRows, bad, warnings, preview, heard: [...heard] }
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
  throw new DamagedStatement(1, 'This is no statement that we can read: 1C exchange, camt.053, MT940 or CSV.')
}

/** Takes what waits, group by group; without a statement it is a trial, and every group is undone. */
async function takeStaged(
  ledger: Ledger,
  { mode, progress }: ImportStatement,
  { runId, entries, statementId }: { runId: string; entries: number; statementId: string | null },
): Promise<Taken> {
  const { db } = ledger
  const source = await db.transaction((tx) => sourceOfKind(tx, 'statement', mode, newId()))
  const read = async (after: number) => {
    const rows = await readStaged(db, runId, { after, limit: bounds.sweepGroup })
    const group: Prepared[] = []
    for (const row of rows) {
      group.push(preparedFrom(row, statementId))
      // A few at a time: what the database answers the group under way must not wait for the next one.
      if (group.length % preparedAtOnce === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    return group
  }
  let taken = nothingTaken
  let done = 0
  let group = await read(done)
  while (group.length > 0) {
    const [one, next] = await Promise.all([
      takeGroup(ledger, group, { source, dryRun: statementId === null, patience }),
      read(done + group.length),
    ])
    taken = sumTaken(taken, one)
    done += group.length
    group = next
    progress?.({ rows: done, of: entries })
  }
  // What is not taken here is never taken: the file counts as done from here on.
  if (done !== entries) throw new Error(`${done} of ${entries} rows of a statement were there to take`)
  return taken
}

const previewOf = (entry: Entry): PreviewRow => ({
  line: entry.line,
  day: entry.bookedOn,
  direction: entry.direction,
  amount: decimal(entry.cents),
  currency: entry.currency,
  payer: entry.payer.name,
  purpose: entry.purpose,
})

type Facts = TransferFacts & { isReversal: boolean; isInternal: boolean }

const factsOf = (entry: Entry, accountId: string, channel: StatementFormat['name']): Facts => ({
  accountId,
  direction: entry.direction,
  cents: entry.cents,
  currency: entry.currency,
  bookedOn: entry.bookedOn,
  bookedAt: entry.bookedAt === null ? null : new Date(entry.bookedAt),
  paidOn: entry.paidOn,
  documentNumber: entry.documentNumber,
  payerName: entry.payer.name,
  payerAccount: maskedPayer(entry.payer.account),
  payerTaxId: entry.payer.taxId,
  payerBank: entry.payer.bank,
  purpose: entry.purpose,
  purposeParts: entry.purposeParts,
  bankId: entry.bankId,
  bankEntry: entry.bankEntry,
  channel,
  version: 0n,
  statementId: null,
  line: entry.line,
  raw: entry.raw,
  isReversal: entry.isReversal,
  isInternal: entry.isInternal,
})

const plain = (facts: Facts) => ({
  ...facts,
  cents: facts.cents.toString(),
  bankEntry: facts.bankEntry && { ...facts.bankEntry, cents: facts.bankEntry.cents.toString() },
  version: facts.version.toString(),
})

function preparedFrom(
  { facts: stored, fingerprint, occurrence }: StagedRow & { occurrence: number },
  statementId: string | null,
): Prepared {
  const { isReversal, isInternal, ...facts } = stored as Facts
  return prepare({
    ...facts,
    cents: BigInt(facts.cents),
    bankEntry: facts.bankEntry && { ...facts.bankEntry, cents: BigInt(facts.bankEntry.cents) },
    version: BigInt(facts.version),
    bookedAt: facts.bookedAt === null ? null : new Date(facts.bookedAt),
    statementId,
    fingerprint,
    occurrence,
    isRevoked: isReversal,
    isInternal,
  })
}
