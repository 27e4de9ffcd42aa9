/** Takes the staged rows of a file in groups, as the plan says. An interrupted import is repeated, and finds what it had stored. */

import { bounds } from '../../platform/bounds.ts'
import { monotonicMs } from '../../platform/clock.ts'
import { inStretches } from '../../platform/in-stretches.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { statesEntered } from '../deposits/decide.ts'
import { type Message, message } from '../messages/message.ts'
import { decimal } from '../money.ts'
import { type Prepared, preparedFrom } from '../transfers/entry.ts'
import { insertParked, type NewParked } from '../transfers/report-store.ts'
import type { Source } from '../transfers/source.ts'
import { insertUnlessKnown } from '../transfers/source-store.ts'
import { lockedAccounts, type Outcome, type Result, saveJudged } from '../transfers/take-transfers.ts'
import { nothingTaken, sumTaken } from '../transfers/taken.ts'
import { isImporting } from '../transfers/voice-store.ts'
import { type ExplainedRow, type ImportReport, ImportStopped } from './import-report.ts'
import type { ImportProgress } from './progress.ts'
import { readStaged, type StagedRow } from './store.ts'
import { holdStatement } from './undo/store.ts'

type TakeStaged = {
  runId: string
  total: number
  source: Source
  /** Null: a dry run, in which every group is rolled back. */
  statementId: string | null
  progress?: ((done: ImportProgress) => void) | undefined
  signal?: AbortSignal | undefined
  /** So many rows are explained. */
  previewed?: number | undefined
}

type Row = StagedRow & { entry: Prepared }

const timeouts = { statementMs: 60_000 }

export async function takeStaged(
  context: DepositContext,
  asked: TakeStaged,
): Promise<Pick<ImportReport, 'taken' | 'preview'>> {
  const { runId, total, statementId, progress, signal, previewed = 10 } = asked
  const { db } = context
  const read = async (after: number): Promise<Row[]> => {
    const { importGroup: limit, importGroupBytes: bytes } = bounds
    const rows = await readStaged(db, runId, { limit, bytes, after })
    return inStretches(rows, (row) => ({ ...row, entry: preparedFrom(row.facts) }))
  }
  const preview: ExplainedRow[] = []
  let next: Promise<Row[]> | undefined
  /** While the database writes one group, the next is read and prepared. */
  const readNext = () => {
    next ??= read(group.at(-1)!.place)
    // If the current group fails, this promise is never awaited.
    next.catch(() => {})
    return next
  }
  const take = async (rows: readonly Row[]) => {
    const done = await takeGroup(context, rows, asked, readNext)
    context.changed(statesEntered(done.changes))
    preview.push(...explainRows(rows.slice(0, previewed - preview.length), done))
    return done.taken
  }
  let taken = nothingTaken
  let done = 0
  const begun = monotonicMs()
  let group = await read(0)
  while (group.length > 0) {
    if (signal?.aborted)
      throw new ImportStopped(
        statementId === null ? null : { statement: statementId, rows: done, total, taken },
      )
    const added = await take(group)
    const following = await readNext()
    taken = sumTaken(taken, added)
    done += group.length
    group = following
    next = undefined
    progress?.({
      ...{ phase: 'matching', rows: done, total, matched: taken.matched },
      share: done / total,
      elapsedMs: monotonicMs() - begun,
    })
  }
  // The file counts as imported from here on, so no row may be missing.
  if (done !== total) throw new Error(`${done} of ${total} rows of a statement were there to take`)
  return { taken, preview }
}

class Undone extends Error {
  readonly done: Outcome
  constructor(done: Outcome) {
    super('This was a dry run.')
    this.done = done
  }
}

async function takeGroup(
  { db, publicUrl }: DepositContext,
  rows: readonly Row[],
  { runId, source, statementId }: TakeStaged,
  sent: () => void,
): Promise<Outcome> {
  try {
    return await db.transaction(async (tx) => {
      // A dry run may be the first time that its source is heard of.
      if (statementId === null) await insertUnlessKnown(tx, source)
      else {
        if (!(await holdStatement(tx, statementId)))
          throw new Refusal('state_conflict', { detail: message('import_is_being_undone') })
        if (!(await isImporting(tx, { statementId, runId })))
          throw new Refusal('state_conflict', { detail: message('another_run_imports_file') })
      }
      const accounts = await lockedAccounts(
        tx,
        rows.map(({ entry }) => entry),
        source,
      )
      const parked = rows.filter(({ role }) => role === 'parked')
      const judged = rows.flatMap((row) =>
        row.role === 'parked' ? [] : [{ ...row, role: row.role, verdict: row.planned ?? isNew }],
      )
      if (statementId !== null) await insertParked(tx, statementId, parked.map(parkedOf))
      const saved = await saveJudged(tx, judged, { accounts, source, publicUrl, statementId, sent })
      const done = { ...saved, taken: { ...saved.taken, parked: parked.length } }
      if (statementId === null) throw new Undone(done)
      return done
    }, timeouts)
  } catch (error) {
    if (error instanceof Undone) return { ...error.done, changes: [] }
    throw error
  }
}

const isNew = { as: 'new' as const }

const parkedOf = ({ place, accountId, facts, entry }: Row): NewParked => ({
  ...{ place, accountId, facts },
  line: entry.line ?? 0,
  bookedOn: entry.bookedOn,
  cents: entry.cents,
  names: entry.references.written,
})

function explainRows(rows: readonly Row[], done: Outcome): ExplainedRow[] {
  const results = new Map(done.results.map((result) => [result.judged.place, result]))
  return rows.map(({ place, entry }) => ({
    line: entry.line ?? 0,
    day: entry.bookedOn,
    direction: entry.direction,
    amount: decimal(entry.cents),
    currency: entry.currency,
    payer: entry.payerName,
    purpose: entry.purpose,
    ...outcomeOf(results.get(place)),
  }))
}

type Outcomes = Pick<ExplainedRow, 'becomes' | 'rule' | 'reason' | 'deposits' | 'sameAs'>

function outcomeOf(result?: Result): Outcomes {
  if (!result) return { ...told('parked', 'parked', message('day_is_not_closed')), sameAs: [] }
  const { became, draft, transferId } = result
  if (draft) {
    const { rule, reason } = draft.decision
    const deposits = draft.shares.map(({ depositId }) => depositId)
    return { becomes: draft.state, rule, reason, deposits, sameAs: [...draft.heldWith] }
  }
  return became === 'paired'
    ? { ...told('paired', 'paired', message('payment_told_by_another_source')), sameAs: [transferId] }
    : { ...told('seen', 'known', message('payment_known_already')), sameAs: [transferId] }
}

const told = (becomes: Outcomes['becomes'], rule: string, reason: Message) => ({
  ...{ becomes, rule, reason, deposits: [] },
})
