/**
 * Undoes an import: every transfer of the file is revoked in the usual way, so that deposits that it
 * paid are reversed and merchants get callbacks. A large file takes many transactions. The first one marks the statement, and
 * from then on its transfers can be neither refunded nor matched; an interrupted undo continues where it stopped when it is
 * requested again.
 *
 * Money that is reported elsewhere is never lost: a row that another file has as well stays, a payment that another
 * source reported waits for a person, and so does a payment that the file had revoked.
 *
 * Locks: the statement, then receiving accounts, then deposits by id, as everywhere.
 */
import assert from 'node:assert/strict'
import { bounds } from '../../../platform/bounds.ts'
import type { Db, Tx } from '../../../platform/db.ts'
import { pipelined } from '../../../platform/pipelined.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { withTimeouts } from '../../../platform/timeouts.ts'
import { appendAudit } from '../../audit/store.ts'
import type { DepositContext } from '../../deposits/change-deposit.ts'
import type { DepositState } from '../../deposits/deposit.ts'
import { lockDeposits } from '../../deposits/read-store.ts'
import { message } from '../../messages/message.ts'
import { readable } from '../../money.ts'
import { readRefunded, saveDecision } from '../../transfers/decision-store.ts'
import { restoredState, revokeAll } from '../../transfers/revoke-transfer.ts'
import { type LockedTransfer, lockAccounts, lockTransfer } from '../../transfers/store.ts'
import {
  findAccountsOfStatement,
  findAdded,
  findEntriesOf,
  findPaidRefunds,
  findTakenBackBy,
  findUpheld,
  holdStatement,
  lockUndo,
  markUndo,
  saveUndo,
  sumUndo,
  type UndoItem,
  type UndoState,
} from './store.ts'
import {
  firstPlace,
  nothingUndone,
  placeAfter,
  type UndoCounts,
  type UndoPlace,
  type UndoSum,
} from './undo-report.ts'

/** The actor as decisions name it, and the person where one is signed in. */
export type UndoneBy = { actor: string; personId: string | null; requestId: string | null }

/** Longer than usual: a person waits for the whole undo anyway. */
const timeouts = { statementMs: 60_000 }

type BeginUndo = {
  statementId: string
  reason: string
  by: UndoneBy
  /** The sums that the person has reviewed: if the file has more by now, the undo is refused. */
  seen?: readonly UndoSum[]
}

/** Marks the import as being undone. Nothing changes if it is marked already. */
export const beginUndo = (db: Db, asked: BeginUndo): Promise<void> =>
  db.transaction((tx) => beginUndoWithin(tx, asked))

export const beginUndoWithin = (outer: Tx, { statementId, reason, by, seen }: BeginUndo): Promise<void> =>
  withTimeouts(outer, timeouts, async (tx) => {
    const statement = await lockedUndo(tx, statementId)
    refuseUndone(statement)
    if (statement.undoStartedAt) return
    await lockAccounts(tx, await findAccountsOfStatement(tx, statementId))
    await refuseRefunded(tx, statementId)
    if (seen) refuseGrown(seen, await sumUndo(tx, statementId))
    const report = { ...nothingUndone, ...firstPlace }
    await markUndo(tx, { id: statementId, by: by.actor, reason, report })
    await note(tx, statement, by, { act: 'statement_undo', reason, after: { file: statement.fileName } })
  })

type UndoStatement = {
  statementId: string
  by: UndoneBy
  /** Checked after each group. */
  signal?: AbortSignal
  progress?: (done: UndoCounts) => void
}

/** Goes on with what was begun, to its end. */
export async function undoStatement(context: DepositContext, asked: UndoStatement): Promise<UndoCounts> {
  for (;;) {
    const { counts, isOver, entered } = await undoGroup(context, asked)
    context.changed(entered)
    asked.progress?.(counts)
    if (isOver) return counts
    asked.signal?.throwIfAborted()
  }
}

type Group = { counts: UndoCounts; isOver: boolean; entered: DepositState[] }

const finders = { added: findAdded, upheld: findUpheld, taken_back: findTakenBackBy } as const

const undoGroup = (
  { db, publicUrl }: DepositContext,
  { statementId: id, by }: UndoStatement,
): Promise<Group> =>
  db.transaction(async (tx): Promise<Group> => {
    const statement = await lockedUndo(tx, id)
    assert(statement.undoReport, 'begun before')
    const { step, after, ...before } = statement.undoReport
    if (statement.undoneAt || !step || !after) return { counts: before, isOver: true, entered: [] }
    const asked = { id, after, limit: bounds.undoGroup }
    const items = await finders[step](tx, asked)
    await lockAll(tx, id, items)
    // With the accounts locked: another file may just have reported one of them.
    const locked = new Set(items.map((item) => item.id))
    const still: UndoItem[] = (await finders[step](tx, asked)).filter((item) => locked.has(item.id))
    const ids = still.map((item) => item.id)
    const worked =
      step === 'taken_back'
        ? await restoreAll(tx, statement, still)
        : await takeBackAll(tx, { statement, ids, publicUrl })
    const counts = summed(before, worked.counts)
    const place: UndoPlace | undefined =
      items.length === bounds.undoGroup ? { step, after: items.at(-1)!.id } : placeAfter(step)
    await saveUndo(tx, { id, report: { ...counts, ...place }, isOver: !place })
    if (!place) {
      const reason = statement.undoReason ?? ''
      await note(tx, statement, by, { act: 'statement_undone', reason, after: counts })
    }
    return { counts, isOver: !place, entered: worked.entered }
  }, timeouts)

type Worked = { counts: Partial<UndoCounts>; entered: DepositState[] }

/** Accounts first, then deposits: the counters of events come after all of them. */
async function lockAll(tx: Tx, statementId: string, items: readonly UndoItem[]): Promise<void> {
  const duplicates = await findEntriesOf(
    tx,
    statementId,
    items.map((item) => item.id),
  )
  await lockAccounts(tx, [...new Set([...items, ...duplicates].map((duplicate) => duplicate.accountId))])
  await lockDeposits(
    tx,
    items.map((item) => item.depositId).filter((item) => item !== null),
  )
}

async function takeBackAll(
  tx: Tx,
  { statement, ids, publicUrl }: { statement: UndoState; ids: readonly string[]; publicUrl: string },
): Promise<Worked> {
  const actor = statement.undoneBy!
  const counts: Record<string, number> = {}
  const count = (name: keyof UndoCounts) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  const entered: DepositState[] = []
  const duplicates = Map.groupBy(
    await findEntriesOf(tx, statement.id, ids),
    (duplicate) => duplicate.duplicateOf,
  )
  // Two of one deposit one after the other: when it is reversed, what else was paid for it is free.
  for (let left = ids; left.length > 0; ) {
    const transfers = (await pipelined(left.map((id) => lockTransfer(tx, id)))) as LockedTransfer[]
    const wave = firstOfEach(transfers)
    const revoked = await revokeAll(tx, wave, {
      actor,
      publicUrl,
      rule: 'import_undone',
      reason: message('import_of_its_file_undone', { reason: statement.undoReason ?? '' }),
      depositReason: message('import_with_its_money_undone'),
      more: { statement: statement.id },
    })
    for (const { state } of wave) {
      count('transfers')
      count(state as keyof UndoCounts)
    }
    for (const { before, deposit } of revoked.flatMap((revocation) => revocation.changes)) {
      if (before.state === deposit.state) continue
      entered.push(deposit.state)
      if (deposit.state === 'reversed') count('reversed')
    }
    left = left.filter((id) => !wave.some((transfer) => transfer.id === id))
  }
  for (const id of ids) {
    const others = duplicates.get(id) ?? []
    if (others.length > 0) count('instead')
    await putInstead(
      tx,
      id,
      others.map((duplicate) => duplicate.id),
      actor,
    )
  }
  return { counts, entered }
}

/** Those without a deposit, and one of each deposit. */
const firstOfEach = (transfers: readonly LockedTransfer[]): LockedTransfer[] => [
  ...new Map(
    transfers.toReversed().map((transfer) => [transfer.depositId ?? transfer.id, transfer]),
  ).values(),
]

/**
 * Another source reports this payment: its first transfer replaces the revoked one, and a person looks at it. Where it was
 * reported in parts only, all parts of the first file or source do.
 */
async function putInstead(tx: Tx, id: string, others: readonly string[], actor: string): Promise<void> {
  const { cents } = (await lockTransfer(tx, id))!
  const duplicates = (await pipelined(others.map((id) => lockTransfer(tx, id)))) as LockedTransfer[]
  const first = duplicates.find((duplicate) => duplicate.cents === cents) ?? duplicates[0]
  const isPartOf = (duplicate: LockedTransfer): boolean =>
    first!.cents < cents &&
    duplicate.bankEntry?.reference === first!.bankEntry?.reference &&
    duplicate.sourceId === first!.sourceId &&
    duplicate.statementId === first!.statementId
  for (const transfer of duplicates) {
    const changed =
      transfer === first || isPartOf(transfer)
        ? { state: 'ambiguous' as const, duplicateOf: null, openCents: transfer.cents }
        : { duplicateOf: first!.id }
    await saveDecision(
      tx,
      { ...transfer, ...changed },
      {
        actor,
        rule: 'original_undone',
        reason: message('import_with_first_report_undone'),
        evidence: { instead_of: id },
      },
    )
  }
}

/**
 * Payments that the file had revoked are restored. They no longer count for their earlier deposits, so a person decides. If
 * its own import was undone before, it stays revoked, but no longer by this file: imported again, it is for a person.
 */
async function restoreAll(tx: Tx, statement: UndoState, items: readonly UndoItem[]): Promise<Worked> {
  for (const { id, isGone } of items) {
    const transfer = (await lockTransfer(tx, id))!
    if (isGone) {
      await saveDecision(tx, transfer, {
        actor: statement.undoneBy!,
        rule: 'import_undone',
        reason: message('import_of_its_file_undone', { reason: statement.undoReason ?? '' }),
        evidence: { statement: statement.id },
      })
      continue
    }
    await saveDecision(
      tx,
      { ...transfer, ...restoredState(transfer, await readRefunded(tx, id)) },
      {
        actor: statement.undoneBy!,
        rule: 'restored',
        reason: message('import_with_revocation_undone'),
        evidence: { statement: statement.id },
      },
    )
  }
  return { counts: { restored: items.filter(({ isGone }) => !isGone).length }, entered: [] }
}

async function lockedUndo(tx: Tx, id: string): Promise<UndoState> {
  const statement = await lockUndo(tx, id)
  if (!statement) throw new Refusal('not_found', { detail: message('no_statement_with_id') })
  return statement
}

/** Imports a group only while its statement is not being undone, and holds the statement until the group's end. */
export async function refuseWhileUndone(tx: Tx, statementId: string): Promise<void> {
  if (!(await holdStatement(tx, statementId)))
    throw new Refusal('state_conflict', { detail: message('import_is_being_undone') })
}

export function refuseUndone({ undoneAt }: Pick<UndoState, 'undoneAt'>): void {
  if (undoneAt) throw new Refusal('state_conflict', { detail: message('import_has_been_undone') })
}

/** The file may still be importing while a person decides about its undo. */
function refuseGrown(seen: readonly UndoSum[], now: readonly UndoSum[]): void {
  const hasGrown = now.some(({ currency, transfers, cents }) => {
    const before = seen.find((sum) => sum.currency === currency)
    return !before || transfers > before.transfers || cents > before.cents
  })
  if (hasGrown) throw new Refusal('state_conflict', { detail: message('file_added_more_since') })
}

/** A refunded payment must not be revoked too: the money would be counted as returned twice. */
export async function refuseRefunded(tx: Tx, statementId: string): Promise<void> {
  const refunds = await findPaidRefunds(tx, statementId, bounds.refundsListed)
  if (refunds.length === 0) return
  throw new Refusal('state_conflict', {
    detail: message('refunds_of_import_were_paid'),
    errors: refunds.map(({ id, cents, currency }) => ({
      pointer: `#/${id}`,
      code: 'state_conflict',
      detail: readable(cents, currency),
    })),
  })
}

const note = (
  tx: Tx,
  { id }: UndoState,
  { actor, personId, requestId }: UndoneBy,
  line: { act: string; reason: string; after: object },
): Promise<void> =>
  appendAudit(tx, {
    ...line,
    personId,
    actor: actor.replace(/^operator:/, ''),
    subject: `statement:${id}`,
    requestId,
  })

const summed = (left: UndoCounts, right: Partial<UndoCounts>): UndoCounts => ({
  ...left,
  ...Object.fromEntries(
    Object.entries(right).map(([name, count]) => [name, left[name as keyof UndoCounts] + count]),
  ),
})
