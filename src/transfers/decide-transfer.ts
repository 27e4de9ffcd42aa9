/**
 * A person decides about a transfer: it is for this deposit, it is set aside, it was given back. Every decision is a
 * line with who and why; undoing one is another line, never an erasure.
 */
import type { Ledger } from '../deposits/change-deposit.ts'
import { type Change, decide } from '../deposits/decide.ts'
import { lockDeposits, saveChanges } from '../deposits/store.ts'
import type { Cents } from '../money.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../refusals.ts'
import { isInTime } from './matching.ts'
import { releaseParts, undo } from './revoke-transfer.ts'
import {
  findTransferAccount,
  type LockedTransfer,
  lockAccounts,
  lockTransfer,
  mayServe,
  saveDecision,
} from './store.ts'

export type TransferAct = { transferId: string; actor: string; reason: string; evidence?: unknown }

/** The whole transfer is for this deposit, whatever the matcher thought. */
export const matchByHand = (ledger: Ledger, { depositId, ...act }: TransferAct & { depositId: string }) =>
  decideTransfer(ledger, act, async (tx, transfer) => {
    refuseUnless(['unmatched', 'ambiguous', 'set_aside'].includes(transfer.state), transfer, 'matched')
    const [locked] = await lockDeposits(tx, [depositId])
    if (!locked || !(await mayServe(tx, transfer.id, depositId))) {
      throw new Refusal('not_found', { detail: 'There is no deposit with this id that this account serves.' })
    }
    const { deposit, now, policy } = locked
    if (deposit.currency !== transfer.currency) {
      throw new Refusal('invalid_value', { detail: 'The deposit is in another currency.' })
    }
    if (transfer.refundCents > 0n) {
      throw new Refusal('state_conflict', { detail: 'A part of this transfer has been given back.' })
    }
    const { actor, reason } = act
    const evidence = { transfer: transfer.id, rule: 'by_hand' }
    const inTime = isInTime(deposit, transfer)
    const receive = { do: 'receive', cents: transfer.cents, inTime, actor, reason, evidence } as const
    const change = decide(deposit, receive, now, policy)
    return {
      changes: [change],
      rule: 'by_hand',
      transfer: {
        ...transfer,
        state: 'matched',
        depositId,
        depositCents: transfer.cents,
        openCents: 0n,
      },
    }
  })

/** Nobody's money for now: it leaves the queue and stays on the books. */
export const setAside = (ledger: Ledger, act: TransferAct) =>
  decideTransfer(ledger, act, async (_tx, transfer) => {
    refuseUnless(['unmatched', 'ambiguous'].includes(transfer.state), transfer, 'set aside')
    return { changes: [], rule: 'by_hand', transfer: { ...transfer, state: 'set_aside' } }
  })

/**
 * Money was given back, all of it or a part: a record of what a bank did, Inlet moves none. What was given back of a
 * deposit's surplus is no longer the deposit's.
 */
export const refund = (ledger: Ledger, { cents, ...act }: TransferAct & { cents: Cents | null }) =>
  decideTransfer(ledger, act, async (tx, transfer) => {
    refuseUnless(
      ['unmatched', 'ambiguous', 'set_aside', 'matched'].includes(transfer.state),
      transfer,
      'given back',
    )
    const open = transfer.cents - transfer.refundCents
    const back = cents ?? open
    if (back < 1n || back > open) {
      throw new Refusal('invalid_value', {
        detail: 'At most what is left of the transfer can be given back.',
      })
    }
    const refundCents = transfer.refundCents + back
    const isWhole = refundCents === transfer.cents
    if (!transfer.depositId) {
      const state = isWhole ? 'refunded' : transfer.state
      return {
        changes: [],
        rule: 'refund',
        transfer: { ...transfer, state, refundCents, openCents: transfer.cents - refundCents },
      }
    }
    const from = { actor: act.actor, reason: act.reason, transferId: transfer.id }
    const changes = await undo(tx, transfer.depositId, back, from)
    return {
      changes,
      rule: 'refund',
      transfer: {
        ...transfer,
        state: isWhole ? 'refunded' : 'matched',
        depositId: isWhole ? null : transfer.depositId,
        depositCents: isWhole ? 0n : transfer.cents - refundCents,
        refundCents,
      },
    }
  })

type Decided = { transfer: LockedTransfer; changes: Change[]; rule: string }

async function decideTransfer(
  { db, publicUrl, changed }: Ledger,
  { transferId, actor, reason, evidence = {} }: TransferAct,
  work: (tx: Tx, transfer: LockedTransfer) => Promise<Decided>,
): Promise<LockedTransfer> {
  const done = await db.transaction(async (tx) => {
    const account = await findTransferAccount(tx, transferId)
    if (!account) throw new Refusal('not_found', { detail: 'There is no transfer with this id.' })
    await lockAccounts(tx, [account])
    const decided = await work(tx, (await lockTransfer(tx, transferId))!)
    await saveChanges(tx, decided.changes, publicUrl)
    await saveDecision(tx, decided.transfer, { actor, rule: decided.rule, reason, evidence })
    await releaseParts(tx, decided.changes, actor)
    return decided
  })
  changed(
    done.changes
      .filter(({ before, deposit }) => before.state !== deposit.state)
      .map(({ deposit }) => deposit.state),
  )
  return done.transfer
}

function refuseUnless(isPossible: boolean, { state }: LockedTransfer, what: string): void {
  if (isPossible) return
  throw new Refusal('state_conflict', {
    detail: `A transfer that is ${state} cannot be ${what}.`,
    more: { state },
  })
}
