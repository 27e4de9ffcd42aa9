/**
 * Imports that this process is undoing, one after another. What was begun and not finished is in the database: whoever asks
 * for it again goes on with it, here or elsewhere.
 */
import type { DepositContext } from '../../../domain/deposits/change-deposit.ts'
import { type UndoneBy, undoStatement } from '../../../domain/statements/undo/undo-statement.ts'
import { faultFields, type Log } from '../../../platform/log.ts'

export type Undos = {
  /** Goes on with an undo that was begun; one that is under way here already is left alone. */
  run(statementId: string, by: UndoneBy): void
  isRunning(statementId: string): boolean
}

export function createUndos(context: DepositContext, log: Pick<Log, 'warn'>): Undos {
  const running = new Set<string>()
  let queue: Promise<unknown> = Promise.resolve()
  return {
    run(statementId, by) {
      if (running.has(statementId)) return
      running.add(statementId)
      queue = queue
        .then(() => undoStatement(context, { statementId, by }))
        .catch((error) => log.warn('the undo of an import stopped', faultFields(error)))
        .finally(() => running.delete(statementId))
    },
    isRunning: (statementId) => running.has(statementId),
  }
}
