/** A person gives transfers to deposits: one to one, one to several of a merchant, or several to one. */

import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { type Change, decide } from '../deposits/decide.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { lockDeposits } from '../deposits/read-store.ts'
import { message } from '../messages/message.ts'
import {
  type DecidedTransfer,
  type Decision,
  decideTransfer,
  decideTransfers,
  decideTransferWithin,
  lockUndecided,
  refuseUnless,
  type TransferAct,
} from './decide-transfer.ts'
import { findOtherNamedDeposits, mayServe } from './match-store.ts'
import { isInTime } from './payment-times.ts'
import { findTransferAccount, lockAccounts } from './store.ts'
import { canBecome, type Share, type Transfer } from './transfer.ts'

/** `despiteReference`: the person knows that the purpose names another deposit. */
export type Confirmed = { despiteReference?: boolean }
/** All of it to one deposit, or a share to each of several. */
type To = Confirmed & ({ depositId: string } | { shares: readonly Share[] })
export type Gift = To & { transferIds: readonly string[] }
type Act = Omit<TransferAct, 'transferId'>

/** Gives the whole transfer to a deposit, or splits it, whatever the matcher decided. */
export const giveTransfer = (context: DepositContext, act: TransferAct & To) =>
  decideTransfer(context, act, givenTo(act))

/** Gives several transfers of one account to one deposit, all of them or none. */
export const giveSeveral = (context: DepositContext, act: Gift & Act) =>
  decideTransfers(context, (tx) => giveWithin(tx, context, act))

export async function giveWithin(
  tx: Tx,
  context: DepositContext,
  { transferIds, ...act }: Gift & Act,
): Promise<DecidedTransfer[]> {
  const decided: DecidedTransfer[] = []
  for (const transferId of await lockInOrder(tx, transferIds))
    decided.push(await decideTransferWithin(tx, context, { ...act, transferId }, givenTo(act)))
  return decided
}

/** The transfers and the deposits of a proposal, as they are now. */
export async function checkGift(
  tx: Tx,
  { transferIds, ...to }: Gift,
): Promise<{ transfers: Transfer[]; deposits: Deposit[] }> {
  const transfers: Transfer[] = []
  let deposits: Deposit[] = []
  for (const transferId of await lockInOrder(tx, transferIds)) {
    const transfer = await lockUndecided(tx, transferId)
    deposits = await lockReceivers(tx, transfer, to)
    transfers.push(transfer)
  }
  return { transfers, deposits }
}

const givenTo =
  (act: To & Act): Decision =>
  async (tx, transfer) => {
    await lockReceivers(tx, transfer, act)
    const rule = 'shares' in act ? 'split' : 'by_hand'
    const shares = sharesOf(transfer, act)
    return {
      changes: await receive(tx, transfer, { ...act, shares, rule }),
      rule,
      transfer: {
        ...transfer,
        state: 'matched',
        shares: shares.map((share) => ({ ...share, keptCents: 0n })),
        openCents: 0n,
      },
    }
  }

const sharesOf = ({ cents }: Transfer, to: To): readonly Share[] =>
  'shares' in to ? to.shares : [{ depositId: to.depositId, cents }]

/** More deposits than one payment was ever for, and more payments than one deposit. */
const mostTransfers = 100

/** More than one payment, and their accounts locked in the order of everybody who locks several. */
async function lockInOrder(tx: Tx, transferIds: readonly string[]): Promise<string[]> {
  const ids = [...new Set(transferIds)].sort()
  if (ids.length < 1 || ids.length > mostTransfers)
    throw new Refusal('invalid_value', { detail: message('too_many_transfers', { most: mostTransfers }) })
  const accounts = new Set<string>()
  for (const id of ids) {
    const account = await findTransferAccount(tx, id)
    if (account) accounts.add(account)
  }
  await lockAccounts(tx, [...accounts])
  return ids
}

/** Locks the deposits and refuses those that may not get this transfer. */
async function lockReceivers(tx: Tx, transfer: Transfer, to: To): Promise<Deposit[]> {
  const shares = sharesOf(transfer, to)
  const ids = shares.map(({ depositId }) => depositId)
  if ('shares' in to) {
    const isPlain =
      shares.length >= 2 && shares.length <= mostTransfers && shares.every(({ cents }) => cents > 0n)
    const total = shares.reduce((sum, { cents }) => sum + cents, 0n)
    if (!isPlain || new Set(ids).size < ids.length || total !== transfer.cents)
      throw new Refusal('invalid_value', { detail: message('shares_must_add_up') })
  }
  refuseUnless(canBecome(transfer.state, 'matched'), transfer, 'matched')
  const locked = new Map((await lockDeposits(tx, ids)).map(({ deposit }) => [deposit.id, deposit]))
  for (const id of ids) {
    const deposit = locked.get(id)
    if (!deposit || !(await mayServe(tx, transfer.id, id)))
      throw new Refusal('not_found', { detail: message('no_deposit_of_account_with_id') })
    if (deposit.currency !== transfer.currency)
      throw new Refusal('invalid_value', { detail: message('deposit_is_in_another_currency') })
  }
  if (new Set([...locked.values()].map(({ merchantId }) => merchantId)).size > 1)
    throw new Refusal('invalid_value', { detail: message('shares_are_of_one_merchant') })
  if (transfer.refundCents > 0n)
    throw new Refusal('state_conflict', { detail: message('part_of_transfer_given_back') })
  if (!to.despiteReference) await refuseNamed(tx, transfer, ids)
  return ids.map((id) => locked.get(id)!)
}

/** The payer wrote the reference of another deposit: a person who decides otherwise has to confirm that. */
export async function refuseNamed(
  tx: Tx,
  transfer: Transfer,
  except: readonly (string | null)[],
): Promise<void> {
  const [named] = await findOtherNamedDeposits(tx, transfer, except)
  if (!named) return
  throw new Refusal('state_conflict', {
    detail: message('purpose_names_another_deposit', { reference: named.reference }),
    more: { named: named.depositId },
  })
}

type Received = Pick<TransferAct, 'actor' | 'reason'> & {
  shares: readonly Share[]
  rule: string
  /** What the same act has done to the deposits. */
  before?: readonly Change[]
}

export async function receive(
  tx: Tx,
  transfer: Transfer,
  { shares, rule, actor, reason, before = [] }: Received,
): Promise<Change[]> {
  const locked = await lockDeposits(
    tx,
    shares.map(({ depositId }) => depositId),
  )
  const found = new Map(locked.map((one) => [one.deposit.id, one]))
  const current = new Map([...locked, ...before].map(({ deposit }) => [deposit.id, deposit]))
  return shares.map(({ depositId, cents }) => {
    const { now, policy } = found.get(depositId)!
    const deposit = current.get(depositId)!
    const evidence = { transfer: transfer.id, rule }
    const act = {
      do: 'receive',
      cents,
      inTime: isInTime(deposit, transfer),
      actor,
      reason,
      evidence,
    } as const
    return decide(deposit, act, now, policy)
  })
}
