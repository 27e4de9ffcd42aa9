/** Reads a whole file into the staging table: its rows, what it states, and what is wrong with it. */

import { monotonicMs, newId } from '../../platform/clock.ts'
import { createPause } from '../../platform/in-stretches.ts'
import { sum } from '../../platform/sum.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type Message, message } from '../messages/message.ts'
import type { Currency } from '../money.ts'
import { daysAfter } from '../transfers/bank-text/days.ts'
import type { BadRow, Part, ReadContext, Summary } from './entry.ts'
import type { CsvMapping } from './formats/csv-mapping.ts'
import { formatOf, statementFormats, unsupported } from './formats/detect.ts'
import { type ImportReport, ImportStopped } from './import-report.ts'
import type { FileAccount } from './plan-statement.ts'
import type { ImportProgress } from './progress.ts'
import { factsOf, type NewStagedRow, stagedRow } from './staged-row.ts'
import { findInTwoStatements, listNumberedAccounts, numberRows, stageRows } from './store.ts'
import { Totals } from './totals.ts'

type StatementFile = {
  name: string
  /** Each call reads from the beginning. */
  open(): AsyncIterable<Uint8Array>
}

export type ReadStatement = {
  file: StatementFile
  mode: Mode
  mapping?: CsvMapping | undefined
  /** Only the rows of this account of ours. */
  only?: string | undefined
  /** A person says that the file has everything of its days. */
  isComplete?: boolean | undefined
  progress?: (done: ImportProgress) => void
  signal?: AbortSignal | undefined
}

const stagedAtOnce = 1_000
/** A thousand rows of the maximum length would be 25 MB. */
const charactersAtOnce = 1024 * 1024
/** Bad rows that the report has; of more there is only the number. */
const badListed = 1_000

type Read = Omit<ImportReport, 'statement' | 'isTaken' | 'isRepeated' | 'preview' | 'taken'>

export async function readStatement(
  { db }: DepositContext,
  { file, mode, mapping, only, isComplete = false, progress, signal }: ReadStatement,
  { runId, bytes, head }: { runId: string; bytes: number; head: Uint8Array },
): Promise<{ read: Read; accounts: FileAccount[]; repeated: number }> {
  const accounts = new Map((await listNumberedAccounts(db, mode)).map((account) => [account.number, account]))
  const format = formatOf(head)
  if (!format) throw unsupported(message('not_a_statement'))
  const currencyOf = (number: string) => accounts.get(number)?.currency
  // A file can be crafted to be slow to read: merchants are served in between.
  const pause = createPause()
  const reading: ReadContext = { currencyOf, ...(mapping && { mapping }), pause }
  const totals = new Totals(format)
  const told = new Map<string, Told>()
  const toldOf = (accountId: string): Told => {
    const own = told.get(accountId) ?? { days: new Set(), summaries: [] }
    told.set(accountId, own)
    return own
  }
  const onlyId = only === undefined ? undefined : accounts.get(only)?.id
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
  let bytesRead = 0
  /** Progress is by bytes: the number of rows is known only at the end. */
  async function* counted() {
    for await (const piece of file.open()) {
      await pause()
      yield piece
      bytesRead += piece.length
    }
  }
  const begun = monotonicMs()
  const reportProgress = () =>
    progress?.({
      ...{ phase: 'reading', rows: entries, total: null, matched: 0 },
      share: bytes === 0 ? 1 : bytesRead / bytes,
      elapsedMs: monotonicMs() - begun,
    })
  for await (const part of statementFormats[format].read(counted(), reading) as AsyncIterable<Part>) {
    await pause()
    if (signal?.aborted) {
      await staging?.catch(() => {})
      throw new ImportStopped()
    }
    if ('bad' in part) {
      badRows++
      if (bad.length < badListed) bad.push(part.bad)
    } else if ('skipped' in part) skipped[part.skipped.reason]++
    else if ('warning' in part) warnings.push(part.warning)
    else if ('summary' in part) {
      totals.addSummary(part.summary)
      starts.push(entries + 1)
      const account = accounts.get(part.summary.account)
      if (account && (!only || account.id === onlyId)) toldOf(account.id).summaries.push(part.summary)
    } else {
      const { id: accountId } = accounts.get(part.entry.account)!
      totals.seen(part.entry)
      if (only && accountId !== onlyId) {
        skipped.other_account++
        continue
      }
      const facts = factsOf(part.entry, accountId, format)
      toldOf(accountId).days.add(facts.bookedOn)
      const { direction, cents, currency, isReversal } = part.entry
      if (direction === 'credit' || isReversal) incoming.set(currency, (incoming.get(currency) ?? 0n) + cents)
      const row = stagedRow(facts, { place: ++entries, id: newId() })
      waiting.push(row)
      characters += row.facts.length
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
  const repeated = await numberRows(db, runId)
  if (format === 'camt' && starts.length > 1) {
    // Intraday reports often repeat earlier entries, and only an entry's number tells a repetition from another payment.
    const { count, line } = await findInTwoStatements(db, runId, starts)
    if (count > 0) warnings.push(message('entries_in_two_statements', { count, line: line! }))
  }
  const differences = totals.differences({ badRows, pending: skipped.pending })
  warnings.push(...differences, ...totals.missing())
  const read = {
    ...{ format, entries, skipped, badRows, bad, warnings },
    rows: entries + badRows + sum(Object.values(skipped)),
    incoming: [...incoming].map(([currency, cents]) => ({ cents: cents.toString(), currency })),
    totals: totals.state(differences),
  }
  return {
    read,
    repeated,
    accounts: [...told].flatMap(([accountId, own]) => accountOf(accountId, own, isComplete)),
  }
}

/** What a file says of an account: the days of its rows, and its summaries. */
type Told = { days: Set<string>; summaries: Summary[] }

/** None where the file names no day. `isComplete`: a person says that everything of the file's days is in it. */
function accountOf(accountId: string, { days, summaries }: Told, isComplete: boolean): FileAccount[] {
  const all = [...days, ...summaries.flatMap(({ from, to }) => [from, to])]
  const inOrder = all.filter((day) => day !== null).sort()
  const [from, to] = [inOrder[0], inOrder.at(-1)]
  if (from === undefined || to === undefined) return []
  const closes = isComplete
    ? daysBetween(from, to)
    : summaries.flatMap(({ from: first, completeTo }) =>
        first && completeTo ? daysBetween(first, completeTo) : [],
      )
  const role = summaries.some((summary) => summary.role === 'early') ? 'early' : 'booked'
  return [{ accountId, role, from, to, days: [...days].sort(), closes: [...new Set(closes)] }]
}

/** A period of more than ten years is no statement's. */
const mostDays = 3_700

function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let day = from; day <= to && days.length < mostDays; day = daysAfter(day, 1)) days.push(day)
  return days
}
