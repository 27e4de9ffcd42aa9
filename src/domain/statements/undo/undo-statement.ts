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
import type { Tx } from '../../../platform/db.ts'
import { Refusal } from '../../../platform/refusals.ts'
import type { DepositContext } from '../../deposits/change-deposit.ts'
import { statesEntered } from '../../deposits/decide.ts'
import type { DepositState } from '../../deposits/deposit.ts'
import { message } from '../../messages/message.ts'
import { readable } from '../../money.ts'
import { lookAgain } from '../../transfers/look-again.ts'
import { noteSources, reopenParked } from '../../transfers/report-store.ts'
import { revokeAll } from '../../transfers/revoke-transfer.ts'
import { lockAccounts, lockTransfers } from '../../transfers/store.ts'
import { endImports } from '../../transfers/voice-store.ts'
import { nothingUndone, type StoredStatement, type UndoCounts, type UndoSum } from '../import-report.ts'
import { lockStatement } from '../store.ts'
import {
  deleteKeys,
  deleteRows,
  findPaidRefunds,
  findRolesTold,
  markUndo,
  openDays,
  saveUndo,
  sumUndo,
} from './store.ts'

type Statement = Omit<StoredStatement, 'report'>

/** Longer than usual: a person waits for the whole undo anyway. */
const timeouts = { statementMs: 60_000 }

type BeginUndo = {
  statementId: string
  reason: string
  /** As decisions name who did it. */
  by: string
  /** The sums that the person has reviewed: if the file has more by now, the undo is refused. */
  seen?: readonly UndoSum[]
}

/** Marks the import as being undone. Nothing changes if it is marked already. */
export async function beginUndo(tx: Tx, { statementId: id, reason, by, seen }: BeginUndo): Promise<void> {
  const statement = await lockedUndo(tx, id)
  if (statement.undoneAt) throw new Refusal('state_conflict', { detail: message('import_has_been_undone') })
  if (statement.undoStartedAt) return
  await lockAccounts(tx, statement.accountIds)
  await refuseRefunded(tx, id)
  if (seen) refuseGrown(seen, await sumUndo(tx, id))
  await markUndo(tx, { id, by, reason, report: nothingUndone })
}

export async function undoStatement(
  context: DepositContext,
  { statementId }: { statementId: string },
): Promise<UndoCounts> {
  for (;;) {
    const { counts, isOver, entered } = await undoGroup(context, statementId)
    context.changed(entered)
    if (isOver) return counts
  }
}

type Group = { counts: UndoCounts; isOver: boolean; entered: DepositState[] }

const undoGroup = ({ db, publicUrl }: DepositContext, id: string) =>
  db.transaction(async (tx): Promise<Group> => {
    const statement = await lockedUndo(tx, id)
    const { undoReport: before, undoneAt } = statement
    assert(before, 'begun before')
    if (undoneAt) return { counts: before, isOver: true, entered: [] }
    await lockAccounts(tx, statement.accountIds)
    const deleted = await deleteRows(tx, id, bounds.undoGroup)
    const isOver = deleted.length < bounds.undoGroup
    const rows = deleted.filter((row) => row.transferId !== null)
    await deleteKeys(tx, { id, rows })
    const { transfers, early, entered } = await takeBackUntold(tx, statement, rows, publicUrl)
    if (isOver) {
      await openDays(tx, id)
      await reopenParked(tx, id)
      await endImports(tx, id)
    }
    const counts = {
      rows: before.rows + rows.length,
      transfers: before.transfers + transfers,
      early: before.early + early,
      reversed: before.reversed + entered.filter((state) => state === 'reversed').length,
    }
    await saveUndo(tx, { id, report: counts, isOver })
    return { counts, isOver, entered }
  }, timeouts)

async function takeBackUntold(
  tx: Tx,
  { id, undoneBy, undoReason }: Statement,
  rows: readonly { transferId: string }[],
  publicUrl: string,
): Promise<Pick<UndoCounts, 'transfers' | 'early'> & Pick<Group, 'entered'>> {
  const ids = [...new Set(rows.map(({ transferId }) => transferId))]
  if (ids.length === 0) return { transfers: 0, early: 0, entered: [] }
  const told = await findRolesTold(tx, ids)
  const locked = await lockTransfers(tx, ids)
  const gone = locked.filter(({ id, state }) => !told.has(id) && state !== 'revoked' && state !== 'duplicate')
  const early = locked.filter(
    ({ id, toldBookedAt }) => toldBookedAt && told.get(id)?.every((role) => role === 'early'),
  )
  const changes = await revokeAll(tx, gone, {
    actor: undoneBy!,
    publicUrl,
    rule: 'import_undone',
    reason: message('import_of_its_file_undone', { reason: undoReason ?? '' }),
    depositReason: message('import_with_its_money_undone'),
    more: { statement: id },
  })
  await noteSources(tx, ids)
  changes.push(...(await lookAgain(tx, gone, publicUrl)))
  return { transfers: gone.length, early: early.length, entered: statesEntered(changes) }
}

async function lockedUndo(tx: Tx, id: string): Promise<Statement> {
  const statement = await lockStatement(tx, id)
  if (!statement) throw new Refusal('not_found', { detail: message('no_statement_with_id') })
  return statement
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
