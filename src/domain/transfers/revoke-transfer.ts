/** The bank revokes an entry or restores one. What it settled is undone; a restored one never settles by itself. */
import type { Tx } from '../../platform/db.ts'
import { pipelined } from '../../platform/pipelined.ts'
import { type Change, decide, type Policy } from '../deposits/decide.ts'
import { canLoseMoney, type Deposit, type DepositState } from '../deposits/deposit.ts'
import { lockDeposits } from '../deposits/read-store.ts'
import { saveChanges } from '../deposits/store.ts'
import { type Message, type MessageOrText, message } from '../messages/message.ts'
import type { EntryUpdate } from './bank-entries.ts'
import {
  findCountingSuspects,
  readLastRule,
  readRefunded,
  releaseParts,
  saveDecision,
} from './decision-store.ts'
import { findMaybeNoted } from './still-to-come-store.ts'
import { type LockedTransfer, lockTransfer } from './store.ts'
import type { TransferState } from './transfer.ts'

type Revoked = { transferId: string; changes: Change[] }

export async function revokeKnown(
  tx: Tx,
  updates: readonly EntryUpdate[],
  { actor, publicUrl, statementId = null }: { actor: string; publicUrl: string; statementId?: string | null },
): Promise<Revoked[]> {
  const done: Revoked[] = []
  // Undoing the import of this file has to find what it revoked.
  const by = { actor, publicUrl, ...(statementId && { more: { statement: statementId } }) }
  for (const { known, version, isRevoked, reason: why } of updates) {
    const transfer = (await lockTransfer(tx, known.id))!
    const updated = { ...transfer, version }
    if (!isRevoked) {
      // Whatever comes after a deletion is a restoration: a person looks before it counts again.
      const isBack = transfer.state === 'revoked'
      const shown = isBack
        ? { ...updated, ...restoredState(transfer, await readRefunded(tx, known.id)) }
        : updated
      const reason = isBack ? message('bank_brought_entry_back') : message('bank_wrote_entry_anew')
      await saveDecision(tx, shown, {
        actor,
        rule: isBack ? 'restored' : 'new_version',
        reason,
        evidence: {},
      })
      continue
    }
    // The money of a repeated payment is booked on its first entry.
    if (transfer.duplicateOf) {
      const first = (await lockTransfer(tx, transfer.duplicateOf))!
      if (first.state !== 'revoked') done.push(await revoke(tx, first, by))
    }
    // If it were revoked, it would leave the queue, and the payment that it may repeat would still count.
    const counting = why ? [] : await findCountingSuspects(tx, known.id)
    const isNoted = !why && undecided.has(transfer.state) && (await findMaybeNoted(tx, [transfer])).size > 0
    if (counting.length > 0 || isNoted) {
      if (transfer.version === version && (await readLastRule(tx, known.id)) === 'told_of_revoked') continue
      await saveDecision(
        tx,
        { ...updated, state: 'ambiguous' },
        {
          actor,
          rule: 'told_of_revoked',
          reason: message(counting.length > 0 ? 'taken_back_but_may_count' : 'taken_back_but_noted'),
          evidence: { ...by.more, ...(counting.length > 0 && { same_as: counting }) },
        },
      )
      continue
    }
    const parts = why && { reason: why, more: { ...by.more, in_parts: true } }
    done.push(await revoke(tx, updated, { ...by, ...parts }))
  }
  return done
}

/** A credit that counts for no deposit, although it may be the money of one. */
const undecided = new Set<TransferState>(['ambiguous', 'unmatched', 'set_aside'])

/** The state of a restored entry. A debit stays a debit, and what was refunded of a credit stays refunded. */
export function restoredState({ direction, cents }: LockedTransfer, refundCents: bigint) {
  if (direction === 'debit') return { state: 'debit' as const, openCents: 0n }
  const state = refundCents === cents ? ('refunded' as const) : ('ambiguous' as const)
  return { state, refundCents, openCents: cents - refundCents }
}

/** The transfer without its money, with evidence from which it can be restored. */
export const emptied = (transfer: LockedTransfer) => ({
  transfer: {
    ...transfer,
    state: 'revoked' as const,
    ...{ depositId: null, depositCents: 0n, refundCents: 0n, openCents: 0n },
  },
  evidence: {
    before: transfer.state,
    refunded: transfer.refundCents.toString(),
    ...(transfer.duplicateOf && { duplicate_of: transfer.duplicateOf }),
  },
})

type RevokedBy = {
  actor: string
  publicUrl: string
  rule?: 'revoked' | 'import_undone'
  reason?: Message
  depositReason?: Message
  /** Further evidence. */
  more?: object
}

const revoke = async (tx: Tx, transfer: LockedTransfer, by: RevokedBy): Promise<Revoked> =>
  (await revokeAll(tx, [transfer], by))[0]!

/** No two of the transfers may settle the same deposit. */
export async function revokeAll(
  tx: Tx,
  transfers: readonly LockedTransfer[],
  {
    actor,
    publicUrl,
    rule = 'revoked',
    reason = message('bank_took_entry_back'),
    depositReason = message('bank_took_money_back'),
    more = {},
  }: RevokedBy,
): Promise<Revoked[]> {
  const revoked = await pipelined(
    transfers.map(async ({ id, depositId, depositCents }): Promise<Revoked> => {
      const why = { actor, reason: depositReason, transferId: id }
      return { transferId: id, changes: await undo(tx, depositId, depositCents, why) }
    }),
  )
  const changes = revoked.flatMap((revocation) => revocation.changes)
  await saveChanges(tx, changes, publicUrl)
  await pipelined(
    transfers.map((transfer) => {
      const { transfer: empty, evidence } = emptied(transfer)
      return saveDecision(tx, empty, { actor, rule, reason, evidence: { ...evidence, ...more } })
    }),
  )
  await releaseEnded(tx, changes, actor)
  return revoked
}

/**
 * Takes the money of a transfer from its deposit. A confirmed deposit that no longer has enough is reversed. A deposit that
 * has ended keeps its received amount.
 */
export async function undo(
  tx: Tx,
  depositId: string | null,
  cents: bigint,
  { actor, reason, transferId }: { actor: string; reason: MessageOrText; transferId: string },
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
  if (taken === 0n || !canLoseMoney(deposit, now)) return []
  return [decide(deposit, { do: 'receive', cents: -taken, ...act }, now, policy)]
}

const suffices = ({ amountCents }: Deposit, cents: bigint, policy: Policy): boolean =>
  cents >= amountCents ||
  (policy.underpaidPolicy === 'accept' && amountCents - cents <= policy.underpaidToleranceCents)

/** A deposit that has ended unpaid settles nothing: what had been sent for it is for people to decide. */
export async function releaseEnded(tx: Tx, changes: readonly Change[], actor: string): Promise<void> {
  for (const { deposit } of changes.filter((change) => hasEnded.has(change.deposit.state)))
    await releaseMoneyOf(tx, deposit, actor)
}

const hasEnded = new Set<DepositState>(['reversed', 'rejected', 'canceled'])

/** Makes the transfers of a deposit unmatched. */
export const releaseMoneyOf = (
  tx: Tx,
  { id: depositId, state }: Pick<Deposit, 'id' | 'state'>,
  actor: string,
): Promise<void> =>
  releaseParts(tx, depositId, { actor, reason: message('deposit_of_transfer_is_over', { state }) })
