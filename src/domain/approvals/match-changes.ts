/** Proposals that give transfers to deposits: described when made, and applied once approved. */
import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import type { Change } from '../deposits/decide.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { type MessageOrText, message } from '../messages/message.ts'
import { readLastRule } from '../transfers/decision-store.ts'
import {
  checkMatch,
  checkSeveral,
  checkSplit,
  giveSeveralWithin,
  matchByHandWithin,
  splitTransferWithin,
} from '../transfers/give-transfer.ts'
import { findOtherNamedDeposits } from '../transfers/match-store.ts'
import type { LockedTransfer } from '../transfers/store.ts'
import type { Share } from '../transfers/transfer.ts'
import { type Described, type MatchChange, type Proposal, type ProposalKind, subjectId } from './proposal.ts'

export const isMatchKind = (kind: ProposalKind): kind is MatchChange['kind'] =>
  kind === 'match' || kind === 'split' || kind === 'match_several'

export async function describeMatch(tx: Tx, change: MatchChange): Promise<Described> {
  if (change.kind === 'split') {
    const { transfer, deposits } = await checkSplit(tx, change)
    const shares = change.shares.map(({ depositId, cents }, place) => ({
      depositId,
      cents: cents.toString(),
      depositCents: deposits[place]!.amountCents.toString(),
    }))
    const ids = change.shares.map(({ depositId }) => depositId)
    const named = await otherNamed(tx, transfer, ids)
    const values = { shares, ...named, ...(await splitState(tx, transfer, deposits)), ...moneyOf(transfer) }
    return described(`transfer:${transfer.id}`, deposits[0]!, values)
  }
  if (change.kind === 'match_several') {
    const { transfers, deposit } = await checkSeveral(tx, change)
    const named = await Promise.all(transfers.map((transfer) => otherNamed(tx, transfer, [deposit.id])))
    const values = {
      transferIds: transfers.map(({ id }) => id),
      ...Object.assign({}, ...named),
      depositCents: deposit.amountCents.toString(),
      ...(await severalState(tx, transfers, deposit)),
      cents: sumOf(transfers).toString(),
      currency: deposit.currency,
    }
    return described(`deposit:${deposit.id}`, deposit, values)
  }
  const { transfer, deposit } = await checkMatch(tx, change)
  const values = {
    depositId: deposit.id,
    ...(await otherNamed(tx, transfer, [deposit.id])),
    state: deposit.state,
    depositCents: deposit.amountCents.toString(),
    ...(await matchState(tx, transfer, deposit)),
    ...moneyOf(transfer),
  }
  return described(`transfer:${transfer.id}`, deposit, values)
}

const described = (subject: string, { merchantId }: Deposit, values: Record<string, unknown>): Described => ({
  ...{ subject, merchantId, asked: values, audited: values },
})

const moneyOf = ({ state, cents, currency }: LockedTransfer) => ({
  ...{ before: state, cents: cents.toString(), currency },
})

const sumOf = (transfers: readonly LockedTransfer[]): bigint =>
  transfers.reduce((sum, { cents }) => sum + cents, 0n)

/** The second person sees that a purpose names another deposit. */
async function otherNamed(tx: Tx, transfer: LockedTransfer, ids: readonly string[]) {
  const [named] = await findOtherNamedDeposits(tx, transfer, ids)
  return named ? { namedId: named.depositId } : {}
}

// What must not have changed when the second person approves: what was received, and what was decided.

const matchState = async (tx: Tx, transfer: LockedTransfer, { receivedCents }: Deposit) => ({
  ...{ receivedCents: receivedCents.toString(), rule: await readLastRule(tx, transfer.id) },
})

const splitState = async (tx: Tx, transfer: LockedTransfer, deposits: readonly Deposit[]) => ({
  ...{ receivedCents: deposits.map((deposit) => deposit.receivedCents).join(' ') },
  ...{ rule: await readLastRule(tx, transfer.id) },
})

async function severalState(tx: Tx, transfers: readonly LockedTransfer[], { receivedCents }: Deposit) {
  const rules = []
  for (const { id } of transfers) rules.push(await readLastRule(tx, id))
  return { receivedCents: receivedCents.toString(), rule: rules.join(' ') }
}

type Act = { actor: string; reason: MessageOrText; evidence: object }

/** Refuses if the money has changed since the proposal, or something was decided about it. */
export async function applyMatch(
  tx: Tx,
  context: DepositContext,
  { proposal, ...act }: Act & { proposal: Proposal },
): Promise<Change[]> {
  const { kind, asked } = proposal
  const id = subjectId(proposal)
  // The proposer has confirmed this, and the second person sees it on the page.
  const despiteReference = true
  if (kind === 'split') {
    const texts = asked.shares as { depositId: string; cents: string }[]
    const shares: Share[] = texts.map(({ depositId, cents }) => ({ depositId, cents: BigInt(cents) }))
    const split = { transferId: id, shares, despiteReference }
    const { transfer, deposits } = await checkSplit(tx, split)
    refuseChanged(asked, await splitState(tx, transfer, deposits))
    return (await splitTransferWithin(tx, context, { ...act, ...split })).changes
  }
  if (kind === 'match_several') {
    const several = { transferIds: asked.transferIds as string[], depositId: id, despiteReference }
    const { transfers, deposit } = await checkSeveral(tx, several)
    refuseChanged(asked, await severalState(tx, transfers, deposit))
    const decided = await giveSeveralWithin(tx, context, { ...act, ...several })
    return decided.flatMap(({ changes }) => changes)
  }
  const match = { transferId: id, depositId: String(asked.depositId), despiteReference }
  const { transfer, deposit } = await checkMatch(tx, match)
  refuseChanged(asked, await matchState(tx, transfer, deposit))
  return (await matchByHandWithin(tx, context, { ...act, ...match })).changes
}

/** The money changed since the proposal, or something was decided about it: what both people have seen is outdated. */
export function refuseChanged(asked: Proposal['asked'], now: Record<string, string>): void {
  if (Object.entries(now).some(([name, value]) => name in asked && asked[name] !== value))
    throw new Refusal('state_conflict', { detail: message('changed_since_proposed') })
}
