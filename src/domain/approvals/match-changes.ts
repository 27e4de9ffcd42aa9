/** Proposals that give transfers to deposits: described when made, and applied once approved. */
import type { Tx } from '../../platform/db.ts'
import { Refusal } from '../../platform/refusals.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import type { Change } from '../deposits/decide.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { type MessageOrText, message } from '../messages/message.ts'
import { readLastRule } from '../transfers/decision-store.ts'
import { checkGift, type Gift, giveWithin } from '../transfers/give-transfer.ts'
import { findOtherNamedDeposits } from '../transfers/match-store.ts'
import type { LockedTransfer } from '../transfers/store.ts'
import { type Described, type MatchChange, type Proposal, type ProposalKind, subjectId } from './proposal.ts'

export const isMatchKind = (kind: ProposalKind): kind is MatchChange['kind'] =>
  kind === 'match' || kind === 'split' || kind === 'match_several'

const giftOf = (change: MatchChange): Gift =>
  change.kind === 'match_several' ? change : { ...change, transferIds: [change.transferId] }

export async function describeMatch(tx: Tx, change: MatchChange): Promise<Described> {
  const { transfers, deposits } = await checkGift(tx, giftOf(change))
  const [transfer, deposit] = [transfers[0]!, deposits[0]!]
  const depositIds = deposits.map(({ id }) => id)
  // The second person sees that a purpose names another deposit.
  const named = []
  for (const one of transfers) named.push(...(await findOtherNamedDeposits(tx, one, depositIds)).slice(0, 1))
  const values = {
    ...(change.kind === 'split'
      ? {
          shares: change.shares.map(({ depositId, cents }, place) => ({
            ...{ depositId, cents: cents.toString() },
            depositCents: deposits[place]!.amountCents.toString(),
          })),
        }
      : { depositCents: deposit.amountCents.toString() }),
    ...(change.kind === 'match' && { depositId: deposit.id, state: deposit.state }),
    ...(change.kind === 'match_several'
      ? { transferIds: transfers.map(({ id }) => id) }
      : { before: transfer.state }),
    ...(named.length > 0 && { namedId: named.at(-1)!.depositId }),
    ...(await stateOf(tx, transfers, deposits)),
    cents: transfers.reduce((sum, { cents }) => sum + cents, 0n).toString(),
    currency: deposit.currency,
  }
  const subject = change.kind === 'match_several' ? `deposit:${deposit.id}` : `transfer:${transfer.id}`
  return { subject, merchantId: deposit.merchantId, asked: values, audited: values }
}

/** What must not have changed when the second person approves: what was received, and what was decided. */
async function stateOf(tx: Tx, transfers: readonly LockedTransfer[], deposits: readonly Deposit[]) {
  const rules = []
  for (const { id } of transfers) rules.push(await readLastRule(tx, id))
  const receivedCents = deposits.map((deposit) => deposit.receivedCents).join(' ')
  return { receivedCents, rule: rules.join(' ') }
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
  const shares = (asked.shares ?? []) as { depositId: string; cents: string }[]
  const gift: Gift =
    kind === 'split'
      ? {
          ...{ transferIds: [id], despiteReference },
          shares: shares.map(({ depositId, cents }) => ({ depositId, cents: BigInt(cents) })),
        }
      : kind === 'match_several'
        ? { transferIds: asked.transferIds as string[], depositId: id, despiteReference }
        : { transferIds: [id], depositId: String(asked.depositId), despiteReference }
  const { transfers, deposits } = await checkGift(tx, gift)
  refuseChanged(asked, await stateOf(tx, transfers, deposits))
  return (await giveWithin(tx, context, { ...act, ...gift })).flatMap(({ changes }) => changes)
}

/** The money changed since the proposal, or something was decided about it: what both people have seen is outdated. */
export function refuseChanged(asked: Proposal['asked'], now: Record<string, string>): void {
  if (Object.entries(now).some(([name, value]) => name in asked && asked[name] !== value))
    throw new Refusal('state_conflict', { detail: message('changed_since_proposed') })
}
