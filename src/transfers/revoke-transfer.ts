/** The bank takes an entry back, or brings one back: what it settled is undone, and nothing is settled anew by itself. */
import { type Change, decide, type Policy } from '../deposits/decide.ts'
import { type Deposit, type DepositState, obstacle } from '../deposits/deposit.ts'
import { lockDeposits, saveChanges } from '../deposits/store.ts'
import type { Tx } from '../platform/db.ts'
import { findSettling, type LockedTransfer, lockTransfer, readRefunded, saveDecision } from './store.ts'
import type { News } from './tellings.ts'

export type Revoked = { transferId: string; changes: Change[] }

export async function revokeKnown(
  tx: Tx,
  news: readonly News[],
  { actor, publicUrl }: { actor: string; publicUrl: string },
): Promise<Revoked[]> {
  const done: Revoked[] = []
  for (const { known, version, isRevoked, reason: why } of news) {
    const transfer = (await lockTransfer(tx, known.id))!
    const anew = { ...transfer, version }
    if (!isRevoked) {
      // Whatever comes after a deletion is a restoration: a person looks before it counts again.
      const isBack = transfer.state === 'revoked'
      const shown = isBack ? { ...anew, ...restored(transfer, await readRefunded(tx, known.id)) } : anew
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
    done.push(await revoke(tx, anew, { actor, publicUrl, ...(why && { reason: why }) }))
  }
  return done
}

/** Money that left stays gone, also when its entry comes back: the bank's own debit, and what was paid back of a credit. */
function restored({ direction, cents }: LockedTransfer, refundCents: bigint) {
  if (direction === 'debit') return { state: 'debit' as const, openCents: 0n }
  const state = refundCents === cents ? ('refunded' as const) : ('ambiguous' as const)
  return { state, refundCents, openCents: cents - refundCents }
}

/** A transfer without any of its coins, and what has to be remembered of it. */
export const emptied = (transfer: LockedTransfer) => ({
  transfer: {
    ...transfer,
    state: 'revoked' as const,
    ...{ depositId: null, depositCents: 0n, refundCents: 0n, openCents: 0n },
  },
  evidence: { before: transfer.state, refunded: transfer.refundCents.toString() },
})

export async function revoke(
  tx: Tx,
  transfer: LockedTransfer,
  {
    actor,
    publicUrl,
    reason = 'The bank took this entry back.',
  }: { actor: string; publicUrl: string; reason?: string },
): Promise<Revoked> {
  const { id, depositId, depositCents } = transfer
  const why = { actor, reason: 'The bank took the money back.', transferId: id }
  const changes = await undo(tx, depositId, depositCents, why)
  await saveChanges(tx, changes, publicUrl)
  const { transfer: empty, evidence } = emptied(transfer)
  await saveDecision(tx, empty, { actor, rule: 'revoked', reason, evidence })
  await releaseParts(tx, changes, actor)
  return { transferId: id, changes }
}

/**
 * Takes the money of a transfer from its deposit: one that is confirmed and no longer has enough is reversed. A deposit
 * that takes no money any more keeps what it had: its story is over, and the transfer's own goes on.
 */
export async function undo(
  tx: Tx,
  depositId: string | null,
  cents: bigint,
  { actor, reason, transferId }: { actor: string; reason: string; transferId: string },
): Promise<Change[]> {
  if (!depositId) return []
  const [locked] = await lockDeposits(tx, [depositId])
  const { deposit, now, policy } = locked!
  const act = { actor, reason, evidence: { transfer: transferId } }
  const left = deposit.receivedCents - cents
  if (deposit.state === 'confirmed' && !suffices(deposit, left, policy)) {
    return [decide(deposit, { do: 'reverse', ...act }, now, policy)]
  }
  const taken = left < 0n ? deposit.receivedCents : cents
  if (taken === 0n || obstacle(deposit, 'receive', now)) return []
  return [decide(deposit, { do: 'receive', cents: -taken, ...act }, now, policy)]
}

const suffices = ({ amountCents }: Deposit, cents: bigint, policy: Policy): boolean =>
  cents >= amountCents ||
  (policy.underpaidPolicy === 'accept' && amountCents - cents <= policy.underpaidToleranceCents)

/** A deposit that has ended unpaid settles nothing: what had been sent for it is for people to decide. */
export async function releaseParts(tx: Tx, changes: readonly Change[], actor: string): Promise<void> {
  for (const { deposit } of changes.filter((change) => hasEnded.has(change.deposit.state)))
    await releaseMoneyOf(tx, deposit, actor)
}

const hasEnded = new Set<DepositState>(['reversed', 'rejected', 'canceled'])

/** Its transfers are nobody's again. */
export async function releaseMoneyOf(
  tx: Tx,
  { id: depositId, state }: Pick<Deposit, 'id' | 'state'>,
  actor: string,
): Promise<void> {
  for (const id of await findSettling(tx, depositId)) {
    const part = (await lockTransfer(tx, id))!
    const open = {
      state: 'unmatched' as const,
      depositId: null,
      depositCents: 0n,
      openCents: part.depositCents,
    }
    const reason = `The deposit that it was for is ${state}.`
    const evidence = { deposit: depositId }
    await saveDecision(tx, { ...part, ...open }, { actor, rule: 'deposit_ended', reason, evidence })
  }
}
