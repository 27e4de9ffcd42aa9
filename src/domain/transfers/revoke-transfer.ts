/** Money that leaves deposits: the bank or a person takes a transfer back, or its deposit has ended. */
import type { Tx } from '../../platform/db.ts'
import { type Change, decide, type Policy } from '../deposits/decide.ts'
import { canLoseMoney, type Deposit, type DepositState } from '../deposits/deposit.ts'
import { lockDeposits } from '../deposits/read-store.ts'
import { saveChanges } from '../deposits/store.ts'
import { type MessageOrText, message } from '../messages/message.ts'
import { releaseParts, type Saved, saveDecisions, storedState } from './decision-store.ts'
import type { Share, Transfer } from './transfer.ts'

/** A part of a transfer that leaves its deposit. */
type Part = Share & { transferId: string }

/** All of a transfer, the newest deposit first. */
export const partsOf = ({ id, shares }: Transfer): Part[] =>
  shares.toReversed().map(({ depositId, cents }) => ({ transferId: id, depositId, cents }))

/**
 * Takes parts from their deposits. A confirmed deposit that no longer has enough is reversed. A deposit that has ended keeps
 * its received amount.
 */
export async function takeBack(
  tx: Tx,
  parts: readonly Part[],
  { actor, reason }: { actor: string; reason: MessageOrText },
): Promise<Change[]> {
  const locked = await lockDeposits(tx, [...new Set(parts.map(({ depositId }) => depositId))])
  const current = new Map(locked.map((found) => [found.deposit.id, found]))
  const changes: Change[] = []
  for (const { transferId, depositId, cents } of parts) {
    const { deposit, now, policy } = current.get(depositId)!
    const act = { actor, reason, evidence: { transfer: transferId } }
    const left = deposit.receivedCents - cents
    const taken = left < 0n ? deposit.receivedCents : cents
    const isShort = deposit.state === 'confirmed' && !suffices(deposit, left, policy)
    if (!isShort && (taken === 0n || !canLoseMoney(deposit, now))) continue
    const change = decide(
      deposit,
      isShort ? { do: 'reverse', ...act } : { do: 'receive', cents: -taken, ...act },
      now,
      policy,
    )
    current.set(depositId, { ...current.get(depositId)!, deposit: change.deposit })
    changes.push(change)
  }
  return changes
}

const suffices = ({ amountCents }: Deposit, cents: bigint, policy: Policy): boolean =>
  cents >= amountCents ||
  (policy.underpaidPolicy === 'accept' && amountCents - cents <= policy.underpaidToleranceCents)

export async function saveActs(
  tx: Tx,
  changes: readonly Change[],
  { saved, actor, publicUrl }: { saved: readonly Saved[]; actor: string; publicUrl: string },
): Promise<void> {
  await saveChanges(tx, changes, publicUrl)
  await saveDecisions(tx, saved)
  await releaseEnded(tx, changes, actor)
}

export const emptied = (transfer: Transfer): Transfer => ({
  ...transfer,
  state: 'revoked',
  ...{ shares: [], heldWith: [], refundCents: 0n, openCents: 0n },
})

type RevokedBy = {
  actor: string
  publicUrl: string
  rule?: 'revoked' | 'import_undone'
  reason?: MessageOrText
  depositReason?: MessageOrText
  more?: object
}

/** Revokes transfers and takes back what they settled. */
export async function revokeAll(
  tx: Tx,
  transfers: readonly Transfer[],
  {
    actor,
    publicUrl,
    rule = 'revoked',
    reason = message('bank_took_entry_back'),
    depositReason = message('bank_took_money_back'),
    more = {},
  }: RevokedBy,
): Promise<Change[]> {
  const changes = await takeBack(tx, transfers.flatMap(partsOf), { actor, reason: depositReason })
  const saved = transfers.map((transfer) => ({
    transfer: emptied(transfer),
    decision: { actor, rule, reason, evidence: { before: storedState(transfer), ...more } },
  }))
  await saveActs(tx, changes, { saved, actor, publicUrl })
  return changes
}

/** A deposit that has ended unpaid settles nothing: what had been sent for it is for people to decide. */
export async function releaseEnded(tx: Tx, changes: readonly Change[], actor: string): Promise<void> {
  for (const { deposit } of changes.filter((change) => hasEnded.has(change.deposit.state)))
    await releaseMoneyOf(tx, deposit, actor)
}

const hasEnded = new Set<DepositState>(['reversed', 'rejected', 'canceled'])

export const releaseMoneyOf = (
  tx: Tx,
  { id: depositId, state }: Pick<Deposit, 'id' | 'state'>,
  actor: string,
): Promise<void> =>
  releaseParts(tx, depositId, { actor, reason: message('deposit_of_transfer_is_over', { state }) })
