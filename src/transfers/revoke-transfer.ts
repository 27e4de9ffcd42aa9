/** The bank takes an entry back, or brings one back: what it settled is undone, and nothing is settled anew by itself. */
import { type Change, decide } from '../deposits/decide.ts'
import { lockDeposits, saveChanges } from '../deposits/store.ts'
import type { Tx } from '../platform/db.ts'
import { type Known, type LockedTransfer, lockTransfer, saveDecision } from './store.ts'

/** A later version of an entry that is known: taken back, or anything else. */
export type RevokedEntry = { known: Known; version: bigint; isRevoked: boolean }

export type Revoked = { transferId: string; changes: Change[] }

export async function revokeKnown(
  tx: Tx,
  entries: readonly RevokedEntry[],
  { actor, publicUrl }: { actor: string; publicUrl: string },
): Promise<Revoked[]> {
  const done: Revoked[] = []
  for (const { known, version, isRevoked } of entries) {
    const transfer = (await lockTransfer(tx, known.id))!
    const news = { ...transfer, version }
    if (!isRevoked) {
      // Whatever comes after a deletion is a restoration: a person looks before it counts again.
      const isBack = transfer.state === 'revoked'
      const shown = isBack ? { ...news, state: 'ambiguous' as const, openCents: transfer.cents } : news
      const reason = isBack ? 'The bank brought this entry back.' : 'The bank wrote this entry anew.'
      await saveDecision(tx, shown, {
        actor,
        rule: isBack ? 'restored' : 'new_version',
        reason,
        evidence: {},
      })
      continue
    }
    // Told twice, the money lies with the first telling.
    if (transfer.duplicateOf) {
      const first = (await lockTransfer(tx, transfer.duplicateOf))!
      if (first.state !== 'revoked') done.push(await revoke(tx, first, { actor, publicUrl }))
    }
    done.push(await revoke(tx, news, { actor, publicUrl }))
  }
  return done
}

async function revoke(
  tx: Tx,
  transfer: LockedTransfer,
  { actor, publicUrl }: { actor: string; publicUrl: string },
): Promise<Revoked> {
  const { id, depositId, depositCents, state } = transfer
  const changes = await undo(tx, depositId, depositCents, { actor, transferId: id })
  await saveChanges(tx, changes, publicUrl)
  const nothing = { depositId: null, depositCents: 0n, refundCents: 0n, openCents: 0n }
  const reason = 'The bank took this entry back.'
  const decision = { actor, rule: 'revoked', reason, evidence: { before: state } }
  await saveDecision(tx, { ...transfer, ...nothing, state: 'revoked' }, decision)
  return { transferId: id, changes }
}

/** Takes the money of a transfer from its deposit: what is confirmed by it alone is reversed. */
export async function undo(
  tx: Tx,
  depositId: string | null,
  cents: bigint,
  { actor, transferId }: { actor: string; transferId: string },
): Promise<Change[]> {
  if (!depositId) return []
  const [locked] = await lockDeposits(tx, [depositId])
  const { deposit, now, policy } = locked!
  const act = { actor, reason: 'The bank took the money back.', evidence: { transfer: transferId } }
  const left = deposit.receivedCents - cents
  if (deposit.state === 'confirmed' && left < deposit.amountCents) {
    return [decide(deposit, { do: 'reverse', ...act }, now, policy)]
  }
  const isOpen = ['created', 'expired', 'confirmed'].includes(deposit.state)
  return isOpen ? [decide(deposit, { do: 'receive', cents: -cents, ...act }, now, policy)] : []
}
