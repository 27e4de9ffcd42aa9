/**
 * Takes bank entries: each becomes one transfer, once, and each credit is matched at once. Transfers, decisions,
 * deposits, events and callbacks are written in one transaction, so money is never stored without its consequence.
 *
 * Locks, in the order of ARCHITECTURE.md: receiving accounts (one import of an account at a time), then deposits by
 * id, then what a change of deposits locks.
 */

import { bounds } from '../../platform/bounds.ts'
import { newId } from '../../platform/clock.ts'
import type { Timeouts, Tx } from '../../platform/db.ts'
import { inStretches } from '../../platform/in-stretches.ts'
import { Refusal } from '../../platform/refusals.ts'
import { type Hooks, perform } from '../audit/perform.ts'
import type { DepositContext } from '../deposits/change-deposit.ts'
import { type Change, decide, statesEntered } from '../deposits/decide.ts'
import type { DepositState } from '../deposits/deposit.ts'
import { type LockedDeposit, lockDeposits } from '../deposits/read-store.ts'
import { saveChanges } from '../deposits/store.ts'
import { type Message, message } from '../messages/message.ts'
import { slotKey } from '../requisites/choice.ts'
import { customerKeys, listingReason, listingsFrom, strongest } from '../rules/listing.ts'
import { findListings, noteHeard } from '../rules/store.ts'
import {
  type Doubt,
  doubts,
  type IncomingEntry,
  type NewEntry,
  type Prepared,
  prepare,
} from './bank-entries.ts'
import { findBegun, findWaiting, waitingMost } from './candidate-store.ts'
import { findReportedElsewhere, findSettled } from './elsewhere-store.ts'
import { isInTime, type Match, matcherVersion, matchTransfer } from './matching.ts'
import { insertRepeats } from './repeat-store.ts'
import { PaymentsByPayer, type PriorTransfer } from './repetitions.ts'
import { restoreUndone } from './restore-undone.ts'
import { revokeKnown } from './revoke-transfer.ts'
import { sortBankEntries } from './sort-bank-entries.ts'
import type { Source } from './source.ts'
import { insertTransfers, type LockedAccount, lockAccounts, type TransferDraft } from './store.ts'
import { nothingTaken, sumTaken, type Taken } from './taken.ts'
import type { TransferState } from './transfer.ts'

type TakeOptions = {
  source: Source
  /** Looks at what would happen, and leaves everything as it was. */
  dryRun?: boolean
  /** An import can wait long for the lock of its account; a push cannot, because the bank waits for the answer. */
  timeouts?: Timeouts
  /** Refuses what may not be taken, in the transaction of each group. */
  check?: Hooks['check']
  /** Called with the transfers that were made of new entries. */
  decided?: (drafts: readonly TransferDraft[]) => void
}

export async function takeTransfers(
  context: DepositContext,
  incoming: readonly IncomingEntry[],
  options: TakeOptions,
): Promise<Taken> {
  let total = nothingTaken
  for (let from = 0; from < incoming.length; from += bounds.sweepGroup) {
    const group = await inStretches(incoming.slice(from, from + bounds.sweepGroup), prepare)
    total = sumTaken(total, await takeGroup(context, group, options))
  }
  return total
}

/** At most `bounds.sweepGroup` entries, in one transaction. */
export async function takeGroup(
  { db, publicUrl, changed }: DepositContext,
  group: readonly Prepared[],
  { source, dryRun = false, timeouts, check, decided }: TakeOptions,
): Promise<Taken> {
  try {
    const { taken, entered, drafts } = await perform(db, { check, timeouts }, async (tx) => {
      const done = await takeAll(tx, group, source, publicUrl)
      if (dryRun) throw new Undone(done)
      return done
    })
    changed(entered)
    decided?.(drafts)
    return taken
  } catch (error) {
    if (!(error instanceof Undone)) throw error
    decided?.(error.done.drafts)
    return error.done.taken
  }
}

export type Done = { taken: Taken; drafts: readonly TransferDraft[]; entered: DepositState[] }

class Undone extends Error {
  readonly done: Done
  constructor(done: Done) {
    super('This was a dry run.')
    this.done = done
  }
}

export async function takeAll(
  tx: Tx,
  group: readonly Prepared[],
  source: Source,
  publicUrl: string,
): Promise<Done> {
  const accounts = await lockAccounts(tx, [...new Set(group.map((entry) => entry.accountId))])
  for (const { accountId } of group) {
    if (accounts.get(accountId)?.mode !== source.mode) {
      throw new Refusal('not_found', { detail: message('no_such_receiving_account_in_mode') })
    }
  }
  await noteHeard(tx, [...accounts.keys()])
  const { fresh, duplicates, undone, updates, seen, repeats, repeated, known } = await sortBankEntries(
    tx,
    group,
    source,
  )
  const actor = `bank:${source.name}`
  // A group is of one file, or of none.
  const statementId = group[0]?.statementId ?? null
  const revoked = await revokeKnown(tx, updates, { actor, publicUrl, statementId })
  const restored = await restoreUndone(tx, repeated, actor)
  const credits = fresh.filter(
    (entry) =>
      entry.direction === 'credit' &&
      !duplicates.has(entry) &&
      !entry.isRevoked &&
      !undone.has(entry) &&
      !entry.isInternal &&
      !entry.doubt,
  )
  const { matches, changes } = await matchAll(tx, credits, {
    accountOf: (id) => accounts.get(id)!,
    source,
    known,
    repeated: new Set([...known, ...[...duplicates.values()].map(({ id }) => id)]),
  })

  const drafts = fresh.map((entry) => {
    const current = undone.has(entry) ? { ...entry, isRevoked: true } : entry
    return draftOf(current, source, duplicates.get(entry), matches.get(entry))
  })
  await insertTransfers(tx, drafts)
  await insertRepeats(tx, repeats)
  for (const wave of changes) await saveChanges(tx, wave, publicUrl)
  return {
    taken: countOf([...drafts, ...restored], seen, revoked.length),
    drafts,
    entered: statesEntered([...changes.flat(), ...revoked.flatMap((revocation) => revocation.changes)]),
  }
}

type MatchContext = {
  accountOf: (accountId: string) => LockedAccount
  source: Source
  known: ReadonlySet<string>
  /** Transfers that this group tells of once more. */
  repeated: ReadonlySet<string>
}

/**
 * Matches in the order of the entries; each sees what those before it have done. The changes come in waves: within
 * one, no deposit changes twice.
 */
async function matchAll(
  tx: Tx,
  credits: readonly NewEntry[],
  { accountOf, source, known, repeated }: MatchContext,
): Promise<{ matches: Map<NewEntry, Match>; changes: Change[][] }> {
  const matches = new Map<NewEntry, Match>()
  const changes: Change[][] = []
  if (credits.length === 0) return { matches, changes }
  const named = await findWaiting(
    tx,
    [],
    credits.flatMap(({ references: { written, bare } }) => [...written, ...bare]),
  )
  // A reference that names a deposit decides alone: the others are looked up by their amounts.
  const names = new Set(named.map((wait) => wait.reference))
  const nameless = new Set(
    credits.filter(({ references }) => !references.written.some((reference) => names.has(reference))),
  )
  const wanting = await findWaiting(tx, [...nameless], [])
  const crowded = new Set(
    [...Map.groupBy(wanting, (wait) => slotKey(wait.accountId, wait.cents))]
      .filter(([, waits]) => waits.length > waitingMost)
      .map(([key]) => key),
  )
  const waits = [...named, ...wanting]
  const parts = await findBegun(tx, [...new Set([...nameless].map((entry) => entry.accountId))])
  const byPayer = new PaymentsByPayer(parts.begun)
  const begun = new Set([...nameless].flatMap((credit) => byPayer.find(credit) ?? []))
  const waitsOn = new Map([...waits, ...begun].map((wait) => [wait.depositId, wait.accountId]))
  const locked = new Map<string, LockedDeposit>(
    (await lockDeposits(tx, [...waitsOn.keys()])).map((locked) => [locked.deposit.id, locked]),
  )
  const now = locked.values().next().value?.now ?? new Date(0)
  const byReference = Map.groupBy(locked.keys(), (id) => locked.get(id)!.deposit.reference)
  const byAmount = Map.groupBy(locked.keys(), (id) =>
    slotKey(waitsOn.get(id)!, locked.get(id)!.deposit.amountCents),
  )
  const customers = new Map([...locked.values()].map(({ deposit }) => [deposit.id, customerKeys(deposit)]))
  const listings = listingsFrom(
    await findListings(tx, [...credits.flatMap(({ payer }) => payer), ...[...customers.values()].flat()]),
  )
  const { channel, statementId } = credits[0]!
  const origin = { sourceId: source.id, channel, statementId, repeatedIds: [...known] }
  const settled = Map.groupBy(
    await findSettled(
      tx,
      origin,
      named.map((wait) => wait.depositId).filter((id) => (locked.get(id)?.deposit.receivedCents ?? 0n) > 0n),
      credits.filter((credit) => !nameless.has(credit)),
    ),
    (payment) => payment.depositId,
  )
  const wanted = new Set(wanting.map((wait) => slotKey(wait.accountId, wait.cents)))
  const elsewhere = Map.groupBy(
    await findReportedElsewhere(
      tx,
      origin,
      [...nameless].filter((entry) => wanted.has(slotKey(entry.accountId, entry.cents)) || begun.size > 0),
    ),
    (payment) => slotKey(payment.accountId, payment.cents),
  )
  const awaiting = (id: string) => ({ deposit: locked.get(id)!.deposit, accountId: waitsOn.get(id)! })
  /** What this payer has begun to pay, as it stands now, in this group or before. */
  const begunBy = (payments: readonly { depositId: string }[]) =>
    [...new Set(payments.map((payment) => payment.depositId))]
      .map(awaiting)
      .filter(({ deposit }) => deposit.receivedCents > 0n && deposit.receivedCents < deposit.amountCents)
  const waveOf = new Map<string, number>()
  // A name beats an amount, whichever of them stands first in the file.
  const inTurn = [...credits.filter((credit) => !nameless.has(credit)), ...nameless]
  for (const transfer of inTurn) {
    const { references, payer } = transfer
    const named = [...references.written, ...references.bare].flatMap(
      (reference) => byReference.get(reference) ?? [],
    )
    const waiting = nameless.has(transfer)
      ? (byAmount.get(slotKey(transfer.accountId, transfer.cents)) ?? []).map(awaiting)
      : []
    const ofPayer = nameless.has(transfer) ? byPayer.find(transfer) : []
    const match = matchTransfer({
      transfer,
      references,
      currency: accountOf(transfer.accountId).currency,
      amountMatching: accountOf(transfer.accountId).amountMatching,
      named: [...new Set(named)].map(awaiting),
      waiting: waiting.filter(({ deposit }) => deposit.receivedCents === 0n && deposit.state !== 'confirmed'),
      begun: begunBy(ofPayer ?? []),
      isCrowded: parts.isCrowded || !ofPayer || crowded.has(slotKey(transfer.accountId, transfer.cents)),
      reportedElsewhere: (nameless.has(transfer)
        ? (elsewhere.get(slotKey(transfer.accountId, transfer.cents)) ?? [])
        : named.flatMap((id) => settled.get(id) ?? [])
      ).filter(
        (payment) =>
          payment.isBeyond ||
          (!repeated.has(payment.id) &&
            (payment.sourceId !== source.id || payment.statementId !== transfer.statementId)),
      ),
      listed: listings(payer),
      now,
    })
    matches.set(transfer, match)
    if (!match.depositId) continue
    const { deposit, policy } = locked.get(match.depositId)!
    const watched = strongest(listings(customers.get(deposit.id)!), deposit.merchantId)
    const review = watched ? listingReason(watched) : null
    const action = {
      do: 'receive',
      cents: transfer.cents,
      inTime: isInTime(deposit, transfer),
      review,
      actor: `bank:${source.name}`,
      reason: review
        ? message('match_of_watched_customer', { rest: match.reason, why: review })
        : match.reason,
      evidence: { rule: match.rule, score: match.score, booked_on: transfer.bookedOn },
    } as const
    const change = decide(deposit, action, now, policy)
    locked.set(deposit.id, { deposit: change.deposit, now, policy })
    byPayer.add({ ...transfer, depositId: deposit.id })
    const wave = waveOf.get(deposit.id) ?? 0
    waveOf.set(deposit.id, wave + 1)
    changes[wave] ??= []
    changes[wave].push(change)
  }
  return { matches, changes }
}

function draftOf(
  entry: NewEntry,
  source: Source,
  original: PriorTransfer | undefined,
  match: Match | undefined,
): TransferDraft {
  // Whatever is told again of money that was taken back is for a person to see.
  const doubt = entry.doubt ?? (original?.state === 'revoked' ? 'told_of_revoked' : null)
  const state = stateOf(entry, doubt, original, match)
  const duplicateOf = state === 'duplicate' ? original!.id : null
  const decided = match ?? reasonFor(state, doubt)
  const evidence = match
    ? {
        version: matcherVersion,
        score: match.score,
        candidates: match.candidates,
        line: entry.line,
        ...sameAs(match.sameAs),
      }
    : {
        source: source.name,
        twin: original?.id,
        line: entry.line,
        ...sameAs(entry.sameAs ?? (doubt && original ? [original.id] : [])),
      }
  return {
    ...entry,
    id: newId(),
    sourceId: source.id,
    state,
    depositId: match?.depositId ?? null,
    duplicateOf,
    decision: { rule: decided.rule, reason: decided.reason, evidence },
  }
}

/** The transfers that a person is shown for comparison. */
const sameAs = (ids: readonly string[]) => (ids.length > 0 ? { same_as: ids } : {})

function stateOf(
  entry: NewEntry,
  doubt: Doubt | null,
  original: PriorTransfer | undefined,
  match: Match | undefined,
): TransferState {
  if (entry.direction === 'debit') return doubt === 'reversal_unclear' ? 'reversal' : 'debit'
  if (entry.isRevoked) return 'revoked'
  if (doubt) return 'ambiguous'
  if (original) return 'duplicate'
  return entry.isInternal ? 'set_aside' : match!.outcome
}

/** The reason of a decision that needs no look at the deposits. */
function reasonFor(state: TransferState, doubt: Doubt | null): { rule: string; reason: Message } {
  if (doubt && state !== 'revoked') return { rule: doubt, reason: doubts[doubt] }
  if (state === 'duplicate') return { rule: 'seen_before', reason: message('payment_told_by_another_source') }
  if (state === 'revoked') return { rule: 'revoked', reason: message('bank_told_of_payment_and_its_end') }
  if (state === 'set_aside') return { rule: 'internal', reason: message('own_money_between_accounts') }
  return { rule: 'debit', reason: message('money_left_account') }
}

export function countOf(drafts: readonly { state: TransferState }[], seen: number, undone: number): Taken {
  const counts = { ...nothingTaken, taken: drafts.length, seen, undone }
  for (const { state } of drafts) counts[state as keyof Taken]++
  return counts
}
