/** A person gives transfers to deposits: one to one, one to several of a merchant, or several to one. */

import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { decide, statesEntered } from '../deposits/decide.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { type LockedDeposit, lockDeposits } from '../deposits/read-store.ts'
import { type MessageOrText, message } from '../messages/message.ts'
import {
  type Decided,
  type DecidedTransfer,
  type Decision,
  decideTransfer,
  decideTransferWithin,
  lockUndecided,
  refuseUnless,
  type TransferAct,
} from './decide-transfer.ts'
import { findOtherNamedDeposits, mayServe } from './match-store.ts'
import { isInTime } from './payment-times.ts'
import { findTransferAccount, type LockedTransfer, lockAccounts } from './store.ts'
import { canBecome, type Share } from './transfer.ts'

/** `despiteReference`: the person knows that the purpose names another deposit. */
export type Confirmed = { despiteReference?: boolean }
type MatchAct = TransferAct & Confirmed & { depositId: string }
type SplitAct = TransferAct & Confirmed & { shares: readonly Share[] }

/** Gives the whole transfer to this deposit, whatever the matcher decided. */
export const matchByHand = (context: DepositContext, act: MatchAct) =>
  decideTransfer(context, act, matchedBy(act))

export const matchByHandWithin = (tx: Tx, context: DepositContext, act: Omit<MatchAct, 'hooks'>) =>
  decideTransferWithin(tx, context, act, matchedBy(act))

const matchedBy =
  ({ depositId, ...act }: Omit<MatchAct, 'hooks'>): Decision =>
  (tx, transfer) =>
    give(tx, transfer, [{ depositId, cents: transfer.cents }], { ...act, rule: 'by_hand' })

/** Splits a transfer over several deposits of one merchant: each gets its share. */
export const splitTransfer = (context: DepositContext, act: SplitAct) =>
  decideTransfer(context, act, splitBy(act))

export const splitTransferWithin = (tx: Tx, context: DepositContext, act: Omit<SplitAct, 'hooks'>) =>
  decideTransferWithin(tx, context, act, splitBy(act))

const splitBy =
  ({ shares, ...act }: Omit<SplitAct, 'hooks'>): Decision =>
  (tx, transfer) => {
    refuseShares(transfer, shares)
    return give(tx, transfer, shares, { ...act, rule: 'split' })
  }

/** More deposits than one payment was ever for, and more payments than one deposit. */
export const mostTransfers = 100

function refuseShares({ cents }: LockedTransfer, shares: readonly Share[]): void {
  const total = shares.reduce((sum, share) => sum + share.cents, 0n)
  const isDistinct = new Set(shares.map(({ depositId }) => depositId)).size === shares.length
  const isPlain =
    shares.length >= 2 && shares.length <= mostTransfers && shares.every((share) => share.cents > 0n)
  if (!isDistinct || !isPlain || total !== cents)
    throw new Refusal('invalid_value', { detail: message('shares_must_add_up') })
}

type SeveralAct = Omit<MatchAct, 'transferId' | 'hooks'> & { transferIds: readonly string[] }

/** Gives several transfers of one account to one deposit, all of them or none. */
export async function giveSeveral(
  context: DepositContext,
  { hooks, ...act }: SeveralAct & { hooks?: Hooks<DecidedTransfer[]> },
): Promise<LockedTransfer[]> {
  const done = await perform(context.db, hooks, (tx) => giveSeveralWithin(tx, context, act))
  context.changed(statesEntered(done.flatMap(({ changes }) => changes)))
  return done.map(({ transfer }) => transfer)
}

export async function giveSeveralWithin(
  tx: Tx,
  context: DepositContext,
  { transferIds, ...act }: SeveralAct,
): Promise<DecidedTransfer[]> {
  const decided: DecidedTransfer[] = []
  for (const transferId of await lockInOrder(tx, transferIds))
    decided.push(await matchByHandWithin(tx, context, { ...act, transferId }))
  return decided
}

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

type Given = Confirmed & { actor: string; reason: MessageOrText; rule: string }

/** The deposits get their shares of a transfer that no deposit has. */
async function give(
  tx: Tx,
  transfer: LockedTransfer,
  shares: readonly Share[],
  { actor, reason, rule, ...act }: Given,
): Promise<Decided> {
  const locked = await lockMatch(tx, transfer, shares, act)
  const changes = shares.map(({ depositId, cents }) => {
    const { deposit, now, policy } = locked.get(depositId)!
    const evidence = { transfer: transfer.id, rule }
    const inTime = isInTime(deposit, transfer)
    return decide(deposit, { do: 'receive', cents, inTime, actor, reason, evidence }, now, policy)
  })
  return {
    waves: [changes],
    rule,
    transfer: {
      ...transfer,
      state: 'matched',
      shares: shares.map((share) => ({ ...share, keptCents: 0n })),
      openCents: 0n,
    },
  }
}

/** Locks the deposits of a manual match and refuses those that this transfer cannot be matched with. */
async function lockMatch(
  tx: Tx,
  transfer: LockedTransfer,
  shares: readonly Pick<Share, 'depositId'>[],
  { despiteReference = false }: Confirmed,
): Promise<Map<string, LockedDeposit>> {
  refuseUnless(canBecome(transfer.state, 'matched'), transfer, 'matched')
  const ids = shares.map(({ depositId }) => depositId)
  const locked = new Map((await lockDeposits(tx, ids)).map((found) => [found.deposit.id, found]))
  for (const id of ids) {
    const found = locked.get(id)
    if (!found || !(await mayServe(tx, transfer.id, id)))
      throw new Refusal('not_found', { detail: message('no_deposit_of_account_with_id') })
    if (found.deposit.currency !== transfer.currency)
      throw new Refusal('invalid_value', { detail: message('deposit_is_in_another_currency') })
  }
  if (new Set([...locked.values()].map(({ deposit }) => deposit.merchantId)).size > 1)
    throw new Refusal('invalid_value', { detail: message('shares_are_of_one_merchant') })
  if (transfer.refundCents > 0n)
    throw new Refusal('state_conflict', { detail: message('part_of_transfer_given_back') })
  if (!despiteReference) await refuseNamed(tx, transfer, ids)
  return locked
}

/** The payer wrote the reference of another deposit: a person who decides otherwise has to confirm that. */
export async function refuseNamed(
  tx: Tx,
  transfer: LockedTransfer,
  except: readonly (string | null)[],
): Promise<void> {
  const [named] = await findOtherNamedDeposits(tx, transfer, except)
  if (!named) return
  throw new Refusal('state_conflict', {
    detail: message('purpose_names_another_deposit', { reference: named.reference }),
    more: { named: named.depositId },
  })
}

/** The transfer and the deposit of a proposed match, as they are now. */
export async function checkMatch(
  tx: Tx,
  { transferId, depositId, ...match }: Confirmed & { transferId: string; depositId: string },
): Promise<{ transfer: LockedTransfer; deposit: Deposit }> {
  const transfer = await lockUndecided(tx, transferId)
  const locked = await lockMatch(tx, transfer, [{ depositId }], match)
  return { transfer, deposit: locked.get(depositId)!.deposit }
}

/** The same of a split. */
export async function checkSplit(
  tx: Tx,
  { transferId, shares, ...match }: Confirmed & { transferId: string; shares: readonly Share[] },
): Promise<{ transfer: LockedTransfer; deposits: Deposit[] }> {
  const transfer = await lockUndecided(tx, transferId)
  refuseShares(transfer, shares)
  const locked = await lockMatch(tx, transfer, shares, match)
  return { transfer, deposits: shares.map(({ depositId }) => locked.get(depositId)!.deposit) }
}

/** The same of several transfers. */
export async function checkSeveral(
  tx: Tx,
  { transferIds, depositId, ...match }: Confirmed & { transferIds: readonly string[]; depositId: string },
): Promise<{ transfers: LockedTransfer[]; deposit: Deposit }> {
  const checked = []
  for (const transferId of await lockInOrder(tx, transferIds))
    checked.push(await checkMatch(tx, { ...match, transferId, depositId }))
  return { transfers: checked.map(({ transfer }) => transfer), deposit: checked[0]!.deposit }
}
