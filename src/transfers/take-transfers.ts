/**
 * Takes what a bank says: each entry becomes one transfer, once, and each credit is matched on the spot. Transfers,
 * decisions, deposits, events and callbacks are one transaction, so money is never noted without its consequence.
 *
 * Locks, in the order of architecture.md: receiving accounts (one import of an account at a time), then deposits by
 * id, and what a change of deposits takes after them.
 */
import { bounds } from '../bounds.ts'
import type { Ledger } from '../deposits/change-deposit.ts'
import { type Change, decide } from '../deposits/decide.ts'
import type { DepositState } from '../deposits/deposit.ts'
import { type LockedDeposit, lockDeposits, saveChanges } from '../deposits/store.ts'
import { newId } from '../platform/clock.ts'
import type { Tx } from '../platform/db.ts'
import { Refusal } from '../refusals.ts'
import { slotKey } from '../requisites/choice.ts'
import { customerKeys, listingReason, listingsFrom, payerKeys, strongest } from '../rules/listing.ts'
import { findListings, noteHeard } from '../rules/store.ts'
import { isInTime, type Match, matcherVersion, matchTransfer, referencesIn } from './matching.ts'
import { type RevokedEntry, revokeKnown } from './revoke-transfer.ts'
import {
  type DecisionDraft,
  findByBankIds,
  findByFingerprints,
  findReversed,
  findTwins,
  findWaiting,
  insertDecisions,
  insertTransfers,
  type Known,
  lockAccounts,
  type Source,
  type TransferDraft,
  type Twin,
} from './store.ts'
import { fingerprint, type TransferFacts } from './transfer.ts'

/**
 * An entry on its way in: the n-th of its equals in its file, whether it takes money back (itself, or as a debit of
 * its own an earlier credit), and whether it is our own money.
 */
export type Incoming = TransferFacts & { occurrence: number; isRevoked: boolean; isInternal?: boolean }

export type Taken = {
  taken: number
  /** Told before, by the same source: nothing new. */
  seen: number
  matched: number
  ambiguous: number
  unmatched: number
  /** Told before by another source. */
  duplicate: number
  debit: number
  revoked: number
}

export const nothingTaken: Taken = {
  taken: 0,
  seen: 0,
  matched: 0,
  ambiguous: 0,
  unmatched: 0,
  duplicate: 0,
  debit: 0,
  revoked: 0,
}

export const sumTaken = (left: Taken, right: Taken): Taken =>
  Object.fromEntries(
    Object.keys(nothingTaken).map((name) => [name, left[name as keyof Taken] + right[name as keyof Taken]]),
  ) as Taken

export type TakeOptions = {
  source: Source
  /** Looks at what would happen, and leaves everything as it was. */
  dryRun?: boolean
}

export async function takeTransfers(
  { db, publicUrl, changed }: Ledger,
  incoming: readonly Incoming[],
  { source, dryRun = false }: TakeOptions,
): Promise<Taken> {
  let total = nothingTaken
  for (let from = 0; from < incoming.length; from += bounds.sweepGroup) {
    const group = incoming.slice(from, from + bounds.sweepGroup)
    const { taken, entered } = await inTransaction(group)
    total = sumTaken(total, taken)
    if (!dryRun) changed(entered)
  }
  return total

  async function inTransaction(group: readonly Incoming[]) {
    try {
      return await db.transaction(async (tx) => {
        const done = await takeGroup(tx, group, source, publicUrl)
        if (dryRun) throw new Undone(done)
        return done
      })
    } catch (error) {
      if (error instanceof Undone) return error.done
      throw error
    }
  }
}

type Done = { taken: Taken; entered: DepositState[] }

class Undone extends Error {
  readonly done: Done
  constructor(done: Done) {
    super('This was a dry run.')
    this.done = done
  }
}

async function takeGroup(
  tx: Tx,
  group: readonly Incoming[],
  source: Source,
  publicUrl: string,
): Promise<Done> {
  const accounts = await lockAccounts(tx, [...new Set(group.map((one) => one.accountId))])
  for (const { accountId } of group) {
    if (accounts.get(accountId)?.mode !== source.mode) {
      throw new Refusal('not_found', { detail: 'There is no such receiving account in this mode.' })
    }
  }
  await noteHeard(tx, [...accounts.keys()])
  const { fresh, revoked, seen } = await sorted(tx, group, source)
  for (const one of fresh) {
    if (one.direction !== 'debit' || !one.isRevoked) continue
    const meant = await findReversed(tx, one)
    // Which of two it means is for people to say: the debit stands in the list.
    const [only] = meant
    if (only && meant.length === 1) revoked.push({ known: only, version: only.version, isRevoked: true })
  }
  const undone = await revokeKnown(tx, revoked, { actor: `bank:${source.name}`, publicUrl })
  const twins = await pairedWith(tx, source, fresh)
  const credits = fresh.filter(
    (one) => one.direction === 'credit' && !twins.has(one) && !one.isRevoked && !one.isInternal,
  )
  const { matches, changes } = await matchAll(tx, credits, (id) => accounts.get(id)!.currency, source)

  const drafts = fresh.map((one) => draftOf(one, source, twins.get(one), matches.get(one)))
  await insertTransfers(tx, drafts)
  await insertDecisions(
    tx,
    drafts.map((draft, place) => decisionOf(draft, source, matches.get(fresh[place]!))),
  )
  for (const wave of changes) await saveChanges(tx, wave, publicUrl)
  return {
    taken: countOf(drafts, seen, undone.length),
    entered: [...changes.flat(), ...undone.flatMap((one) => one.changes)]
      .filter(({ before, deposit }) => before.state !== deposit.state)
      .map(({ deposit }) => deposit.state),
  }
}

/** What is new, what the bank takes back, and how much was told before. */
async function sorted(tx: Tx, group: readonly Incoming[], source: Source) {
  const withId = group.flatMap((one) => (one.bankId === null ? [] : [{ ...one, bankId: one.bankId }]))
  const known = new Map<string, Known | 'just now'>(
    (await findByBankIds(tx, source.id, withId)).map((one) => [idKey(one), one]),
  )
  const prints = new Map(group.filter((one) => one.bankId === null).map((one) => [one, fingerprint(one)]))
  const stored = await findByFingerprints(
    tx,
    [...prints].map(([{ accountId, occurrence }, print]) => ({ accountId, fingerprint: print, occurrence })),
  )
  const fresh: Incoming[] = []
  const revoked: RevokedEntry[] = []
  let seen = 0
  for (const one of group) {
    const print = prints.get(one)
    if (print) {
      if (stored.has(`${one.accountId}:${print.toString('hex')}:${one.occurrence}`)) seen++
      else fresh.push(one)
      continue
    }
    const before = known.get(idKey(one))
    if (!before) {
      fresh.push(one)
      // The same id again in one call is a repetition, not a second payment.
      known.set(idKey(one), 'just now')
    } else if (before !== 'just now' && one.version > before.version) {
      revoked.push({ known: before, version: one.version, isRevoked: one.isRevoked })
    } else seen++
  }
  return { fresh, revoked, seen }
}

const idKey = (one: { accountId: string; bankId: string | null; direction: string }): string =>
  `${one.accountId}:${one.direction}:${one.bankId}`

/** Each fresh entry with the same payment as it was told before in another way, if it was; each of those once. */
async function pairedWith(tx: Tx, source: Source, fresh: readonly Incoming[]): Promise<Map<Incoming, Twin>> {
  // An amount and a day alone are no evidence that two tellings are of one payment.
  const credits = fresh.filter(
    (one) =>
      one.direction === 'credit' && !one.isRevoked && (one.documentNumber !== '' || one.payerAccount !== ''),
  )
  const twins = credits.length > 0 ? await findTwins(tx, source.id, credits) : []
  const free = Map.groupBy(twins, paymentKey)
  const pairs = new Map<Incoming, Twin>()
  for (const one of credits) {
    const twin = free.get(paymentKey({ ...one, hasId: one.bankId !== null }))?.shift()
    if (twin) pairs.set(one, twin)
  }
  return pairs
}

const paymentKey = (one: Omit<Twin, 'id'>): string =>
  JSON.stringify([
    one.accountId,
    one.bookedOn,
    one.cents.toString(),
    one.payerAccount,
    one.documentNumber,
    one.hasId,
  ])

/**
 * Matches in the order of the entries; each sees what those before it have done. The changes come in waves: within
 * one, no deposit changes twice.
 */
async function matchAll(
  tx: Tx,
  credits: readonly Incoming[],
  currencyOf: (accountId: string) => string,
  source: Source,
): Promise<{ matches: Map<Incoming, Match>; changes: Change[][] }> {
  const matches = new Map<Incoming, Match>()
  const changes: Change[][] = []
  if (credits.length === 0) return { matches, changes }
  const references = new Map(
    credits.map((one) => {
      const { written, bare } = referencesIn(one)
      return [one, [...written, ...bare]]
    }),
  )
  const waits = await findWaiting(tx, credits, [...new Set([...references.values()].flat())])
  const accountOf = new Map(waits.map((wait) => [wait.depositId, wait.accountId]))
  const locked = new Map<string, LockedDeposit>(
    (await lockDeposits(tx, [...accountOf.keys()])).map((one) => [one.deposit.id, one]),
  )
  const now = locked.values().next().value?.now ?? new Date(0)
  const byReference = Map.groupBy(locked.keys(), (id) => locked.get(id)!.deposit.reference)
  const byAmount = Map.groupBy(locked.keys(), (id) =>
    slotKey(accountOf.get(id)!, locked.get(id)!.deposit.amountCents),
  )
  const listings = listingsFrom(
    await findListings(tx, [
      ...credits.flatMap(payerKeys),
      ...[...locked.values()].flatMap(({ deposit }) => customerKeys(deposit)),
    ]),
  )
  const listener = (id: string) => ({ deposit: locked.get(id)!.deposit, accountId: accountOf.get(id)! })
  const waveOf = new Map<string, number>()
  for (const transfer of credits) {
    const named = references.get(transfer)!.flatMap((reference) => byReference.get(reference) ?? [])
    const waiting = (byAmount.get(slotKey(transfer.accountId, transfer.cents)) ?? [])
      .map(listener)
      .filter(({ deposit }) => deposit.receivedCents === 0n && deposit.state !== 'confirmed')
    const match = matchTransfer({
      transfer,
      currency: currencyOf(transfer.accountId),
      named: [...new Set(named)].map(listener),
      waiting,
      listed: listings(payerKeys(transfer)),
      now,
    })
    matches.set(transfer, match)
    if (!match.depositId) continue
    const { deposit, policy } = locked.get(match.depositId)!
    const watched = strongest(listings(customerKeys(deposit)), deposit.merchantId)
    const review = watched ? listingReason(watched) : null
    const action = {
      do: 'receive',
      cents: transfer.cents,
      inTime: isInTime(deposit, transfer),
      review,
      actor: `bank:${source.name}`,
      reason: review ? `${match.reason} ${review}` : match.reason,
      evidence: { rule: match.rule, score: match.score, booked_on: transfer.bookedOn },
    } as const
    const change = decide(deposit, action, now, policy)
    locked.set(deposit.id, { deposit: change.deposit, now, policy })
    const wave = waveOf.get(deposit.id) ?? 0
    waveOf.set(deposit.id, wave + 1)
    changes[wave] ??= []
    changes[wave].push(change)
  }
  return { matches, changes }
}

function draftOf(
  one: Incoming,
  source: Source,
  twin: Twin | undefined,
  match: Match | undefined,
): TransferDraft {
  const state = twin
    ? 'duplicate'
    : one.direction === 'debit'
      ? 'debit'
      : one.isRevoked
        ? 'revoked'
        : one.isInternal
          ? 'set_aside'
          : match!.outcome
  return {
    ...one,
    id: newId(),
    sourceId: source.id,
    state,
    depositId: match?.depositId ?? null,
    duplicateOf: twin?.id ?? null,
  }
}

function decisionOf(draft: TransferDraft, source: Source, match: Match | undefined): DecisionDraft {
  const { id: transferId, state, depositId } = draft
  const actor = 'matcher'
  const common = { transferId, state, depositId, actor }
  if (match) {
    const { rule, reason, score, candidates } = match
    return {
      ...common,
      rule,
      reason,
      evidence: { version: matcherVersion, score, candidates, line: draft.line },
    }
  }
  const evidence = { source: source.name, duplicate_of: draft.duplicateOf, line: draft.line }
  if (state === 'duplicate') {
    return { ...common, rule: 'seen_before', reason: 'Another source has told of this payment.', evidence }
  }
  if (state === 'revoked') {
    return { ...common, rule: 'revoked', reason: 'The bank told of it and of its end at once.', evidence }
  }
  if (state === 'set_aside') {
    return { ...common, rule: 'internal', reason: 'Our own money, moved between our accounts.', evidence }
  }
  return { ...common, rule: 'debit', reason: 'Money that left the account.', evidence }
}

function countOf(drafts: readonly TransferDraft[], seen: number, undone: number): Taken {
  const counts = { ...nothingTaken, taken: drafts.length, seen }
  for (const { state } of drafts) if (state in counts) counts[state as keyof Taken]++
  return { ...counts, revoked: counts.revoked + undone }
}
