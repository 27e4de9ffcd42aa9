/**
 * Undos of imports that run in this process, one after another. Their progress is stored in the database, so an
 * interrupted undo can be continued here or in another process.
 */
import type { DepositContext } from '../../../domain/deposits/change-deposit.ts'
import { undoStatement } from '../../../domain/statements/undo/undo-statement.ts'
import { faultFields, type Log } from '../../../platform/log.ts'

export type Undos = ReturnType<typeof createUndos>

export function createUndos(context: DepositContext, log: Pick<Log, 'warn'>) {
  const running = new Set<string>()
  let queue: Promise<unknown> = Promise.resolve()
  return {
    /** Continues an undo; does nothing if it is running here already. */
    run(statementId: string): void {
      if (running.has(statementId)) return
      running.add(statementId)
      queue = queue
        .then(() => undoStatement(context, { statementId }))
        .catch((error) => log.warn('the undo of an import stopped', faultFields(error)))
        .finally(() => running.delete(statementId))
    },
    isRunning: (statementId: string): boolean => running.has(statementId),
  }
}
