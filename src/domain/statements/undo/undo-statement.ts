/**
 * Undoes an import: the rows of the file tell nothing any more. A transfer that nothing tells then is revoked in the usual way,
 * so that deposits that it paid are reversed and merchants get callbacks; one that was told early too is early again. A large
 * file takes many transactions. The first one marks the statement, and from then on its transfers can be neither refunded nor
 * matched; an interrupted undo continues with the rows that are left when it is requested again.
 *
 * Locks: the statement, then receiving accounts, then deposits by id, as everywhere.
 */
import assert from 'node:assert/strict'
import { bounds } from '../../../platform/bounds.ts'
import type { Db, Tx } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import { withTimeouts } from '../../../platform/timeouts.ts'
import { appendAudit } from '../../audit/store.ts'
import type { DepositContext } from '../../deposits/change-deposit.ts'
import type { Change } from '../../deposits/decide.ts'
import type { DepositState } from '../../deposits/deposit.ts'
import { message } from '../../messages/message.ts'
import { readable } from '../../money.ts'
import { lookAgain } from '../../transfers/look-again.ts'
import { deleteParked, reopenParked } from '../../transfers/parked-store.ts'
import { partsOf, revokeAll, saveActs, takeBack } from '../../transfers/revoke-transfer.ts'
import { lockAccounts, lockTransfers } from '../../transfers/store.ts'
import { noteSources } from '../../transfers/told-store.ts'
import { endImports } from '../../transfers/voice-store.ts'
import {
  deleteKeys,
  deleteRows,
  findAccountsOfRows,
  findAccountsOfStatement,
  findMaybeEarly,
  findPaidRefunds,
  findUntoldTransfers,
  holdStatement,
  lockUndo,
  markUndo,
  openDays,
  saveUndo,
  sumUndo,
  type UndoState,
} from './store.ts'
import { nothingUndone, type UndoCounts, type UndoSum } from './undo-report.ts'

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
    await markUndo(tx, { id: statementId, by: by.actor, reason, report: nothingUndone })
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

const undoGroup = ({ db, publicUrl }: DepositContext, { statementId: id, by }: UndoStatement) =>
  db.transaction(async (tx): Promise<Group> => {
    const statement = await lockedUndo(tx, id)
    assert(statement.undoReport, 'begun before')
    if (statement.undoneAt) return { counts: statement.undoReport, isOver: true, entered: [] }
    await lockAccounts(tx, await findAccountsOfRows(tx, id, bounds.undoGroup))
    const rows = await deleteRows(tx, id, bounds.undoGroup)
    const isOver = rows.length < bounds.undoGroup
    const counts = { ...statement.undoReport }
    const entered = await takeBackUntold(tx, { statement, rows, publicUrl, counts })
    if (isOver) {
      const reason = statement.undoReason ?? ''
      await finishUndo(tx, id)
      await note(tx, statement, by, { act: 'statement_undone', reason, after: counts })
    }
    await saveUndo(tx, { id, report: counts, isOver })
    return { counts, isOver, entered }
  }, timeouts)

/** The days that the file closed are open again, and what it had parked or closed. */
async function finishUndo(tx: Tx, id: string): Promise<void> {
  await lockAccounts(tx, await findAccountsOfStatement(tx, id))
  await openDays(tx, id)
  await deleteParked(tx, id)
  await reopenParked(tx, id)
  await endImports(tx, id)
}

type TakeBack = {
  statement: UndoState
  rows: Parameters<typeof deleteKeys>[1]['rows']
  publicUrl: string
  counts: UndoCounts
}

/** The states that deposits entered. `counts` grows. */
async function takeBackUntold(
  tx: Tx,
  { statement, rows, publicUrl, counts }: TakeBack,
): Promise<DepositState[]> {
  if (rows.length === 0) return []
  counts.rows += rows.length
  await deleteKeys(tx, { id: statement.id, rows })
  const ids = [...new Set(rows.map(({ transferId }) => transferId))]
  const untold = await findUntoldTransfers(tx, ids)
  const locked = await lockTransfers(tx, ids)
  const gone = locked.filter(
    ({ id, state }) => untold.has(id) && state !== 'revoked' && state !== 'duplicate',
  )
  const changes = await revokeAll(tx, gone, {
    actor: statement.undoneBy!,
    publicUrl,
    rule: 'import_undone',
    reason: message('import_of_its_file_undone', { reason: statement.undoReason ?? '' }),
    depositReason: message('import_with_its_money_undone'),
    more: { statement: statement.id },
  })
  await noteSources(tx, ids)
  const after = await lockTransfers(tx, ids)
  const before = new Map(locked.map((transfer) => [transfer.id, transfer]))
  const early = after.filter(
    ({ id, toldBookedAt }) => !untold.has(id) && before.get(id)!.toldBookedAt && !toldBookedAt,
  )
  counts.early += early.length
  changes.push(...(await holdMaybeEarly(tx, { statement, earlyIds: early.map(({ id }) => id), publicUrl })))
  for (const { state } of gone) {
    counts.transfers++
    counts[state as keyof UndoCounts]++
  }
  changes.push(...(await lookAgain(tx, gone, publicUrl)))
  const entered = changes.flatMap(({ before: was, deposit }) =>
    was.state === deposit.state ? [] : [deposit.state],
  )
  counts.reversed += entered.filter((state) => state === 'reversed').length
  return entered
}

/** What may be a payment that is early again waits for a person. */
async function holdMaybeEarly(
  tx: Tx,
  {
    statement,
    earlyIds,
    publicUrl,
  }: { statement: UndoState; earlyIds: readonly string[]; publicUrl: string },
): Promise<Change[]> {
  if (earlyIds.length === 0) return []
  const found = await findMaybeEarly(tx, { id: statement.id, earlyIds })
  const heldWith = new Map(found.map((one) => [one.id, one.heldWith.slice(0, 20)]))
  const transfers = await lockTransfers(tx, [...heldWith.keys()])
  const actor = statement.undoneBy!
  const reason = message('may_be_known_payment')
  const changes = await takeBack(tx, transfers.flatMap(partsOf), { actor, reason })
  const saved = transfers.map((transfer) => ({
    transfer: {
      ...transfer,
      state: 'held' as const,
      heldWith: heldWith.get(transfer.id)!,
      shares: [],
      openCents: transfer.cents - transfer.refundCents,
    },
    decision: { actor, rule: 'held', reason, evidence: { statement: statement.id } },
  }))
  await saveActs(tx, changes, { saved, actor, publicUrl })
  return changes
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
