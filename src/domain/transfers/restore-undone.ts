/**
 * Restores transfers of an undone import that the same file or another one has again. A person looks at each before it
 * counts. If another source has reported the payment meanwhile, the restored transfer becomes its duplicate.
 */
import type { Tx } from '../../platform/db.ts'
import { pipelined } from '../../platform/pipelined.ts'
import { message } from '../messages/message.ts'
import type { RepeatedEntry } from './bank-entries.ts'
import { findReplacement, readRefunded, saveDecision } from './decision-store.ts'
import { insertRepeats } from './repeat-store.ts'
import { restoredState } from './revoke-transfer.ts'
import { type LockedTransfer, lockTransfer } from './store.ts'

export async function restoreUndone(
  tx: Tx,
  repeated: readonly RepeatedEntry[],
  actor: string,
): Promise<Pick<LockedTransfer, 'state'>[]> {
  const done = await pipelined(
    repeated.map(async ({ transferId, isReversal, statementId }) => {
      const transfer = (await lockTransfer(tx, transferId))!
      const updated = { ...transfer, ...(await stateOf(tx, transfer, isReversal)) }
      await saveDecision(tx, updated, {
        actor,
        rule: 'restored',
        reason: message('import_undone_and_told_again'),
        evidence: { statement: statementId },
      })
      return updated
    }),
  )
  // The transfer now belongs to this file as well: undoing its import revokes the transfer again.
  await insertRepeats(
    tx,
    repeated.flatMap(({ transferId, statementId, line }) =>
      statementId ? { transferId, statementId, line } : [],
    ),
  )
  return done
}

async function stateOf(tx: Tx, transfer: LockedTransfer, isReversal: boolean) {
  if (isReversal) return { state: 'reversal' as const }
  const duplicateOf = transfer.direction === 'credit' ? await findReplacement(tx, transfer.id) : undefined
  if (duplicateOf) return { state: 'duplicate' as const, duplicateOf }
  return restoredState(transfer, await readRefunded(tx, transfer.id))
}
