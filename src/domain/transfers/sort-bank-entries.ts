/** Compares a group of bank entries with the transfers stored before, in the transaction that takes the group. */

import type { Tx } from '../../platform/db.ts'
import { createPause } from '../../platform/in-stretches.ts'
import { message } from '../messages/message.ts'
import {
  type EntryUpdate,
  idKey,
  keyOf,
  knownBefore,
  type NewEntry,
  namesDeposit,
  type Prepared,
  type PriorEntry,
  type RepeatedEntry,
  repeatedBy,
  reversedBy,
  sortById,
} from './bank-entries.ts'
import { daysAfter, reportedDays } from './bank-text/days.ts'
import { findPossibleDuplicates } from './other-reports-store.ts'
import {
  type EntryOrigin,
  findByBankIds,
  findByDocuments,
  findByEntries,
  findByFingerprints,
  findOpenReversals,
  findReversible,
  findRevokedByBank,
  isDebitReportedElsewhere,
  reversibleDays,
} from './prior-entry-store.ts'
import type { Repeat } from './repeat-store.ts'
import {
  corrects,
  mayDifferByFee,
  type Paired,
  type PriorTransfer,
  pairDuplicates,
  sortEntry,
  sortById as sortForeignId,
} from './repetitions.ts'
import type { Source } from './source.ts'

type SortedGroup = {
  fresh: NewEntry[]
  /** Entries that repeat a payment of another source or format, with that payment. */
  duplicates: Map<NewEntry, PriorTransfer>
  /** Credits of this group that the bank has taken back within it. */
  undone: Set<Prepared>
  updates: EntryUpdate[]
  seen: number
  /** Rows of a file that equal rows of another. */
  repeats: Repeat[]
  /** Entries that were stored before by an import that has been undone. */
  repeated: RepeatedEntry[]
  /** Transfers that are reported again, under the same bank id or with the same text. */
  known: ReadonlySet<string>
}

export async function sortBankEntries(
  tx: Tx,
  group: readonly Prepared[],
  source: Source,
): Promise<SortedGroup> {
  const bare = await sortBare(
    tx,
    group.filter((entry) => entry.bankId === null),
  )
  const named = await sortNamed(
    tx,
    group.filter((entry) => entry.bankId !== null),
    source,
  )
  const known = new Set([...bare.known, ...named.known])
  const entries = await sortEntries(tx, [...bare.fresh, ...named.fresh], known)
  // In the order of the file or push: what comes first is matched first.
  const place = new Map(group.map((entry, index) => [keyOf(entry), index]))
  const inOrder = entries.fresh.sort(
    (left, right) => (place.get(keyOf(left)) ?? 0) - (place.get(keyOf(right)) ?? 0),
  )
  const pairs = await findPairs(tx, inOrder, entries.repeated, source)
  const duplicates = new Map([...entries.repeated, ...pairs.duplicates])
  const reversed = await sortReversals(tx, inOrder, { duplicates, suspected: pairs.suspected, source })
  const suspected = reversed.fresh.map((one): NewEntry => {
    const other = pairs.suspected.get(one)
    return other && one.doubt === null ? { ...one, doubt: 'maybe_repeated', sameAs: [other.id] } : one
  })
  const { undone } = reversed
  const ended = await markTakenBack(tx, suspected, { duplicates, undone })
  const fresh = await markCorrections(tx, ended, {
    ...{ duplicates, undone, source, repeated: bare.known, reportedById: named.known },
  })
  return {
    fresh,
    duplicates,
    undone,
    updates: [...named.updates, ...entries.updates, ...reversed.updates],
    seen: bare.seen + named.seen + entries.seen,
    repeats: [...bare.repeats, ...named.repeats, ...entries.repeats],
    repeated: [...bare.repeated, ...named.repeated],
    known,
  }
}

/** Rows without a bank's id: the n-th of equal rows is new where fewer are stored. */
async function sortBare(tx: Tx, group: readonly Prepared[]) {
  const stored = group.length > 0 ? await findByFingerprints(tx, group) : new Map()
  const fresh: NewEntry[] = []
  const repeats: Repeat[] = []
  const repeated: RepeatedEntry[] = []
  const known = new Set<string>()
  for (const entry of group) {
    const before = stored.get(`${entry.accountId}:${entry.fingerprint.toString('hex')}:${entry.occurrence}`)
    if (!before) {
      fresh.push({ ...entry, doubt: null })
      continue
    }
    if (before.isUndone) {
      repeated.push(repeatedBy(entry, before.id))
      continue
    }
    known.add(before.id)
    if (entry.statementId && entry.statementId !== before.statementId)
      repeats.push({ statementId: entry.statementId, line: entry.line ?? 0, transferId: before.id })
  }
  return { fresh, repeats, repeated, known, seen: group.length - fresh.length - repeated.length }
}

async function sortNamed(tx: Tx, group: readonly Prepared[], source: Source) {
  const sorted = {
    ...{ fresh: [] as NewEntry[], updates: [] as EntryUpdate[], seen: 0 },
    ...{ repeats: [] as Repeat[], repeated: [] as RepeatedEntry[], known: [] as string[] },
  }
  if (group.length === 0) return sorted
  const keys = group.map(({ accountId, direction, bankId }) => ({ accountId, direction, bankId: bankId! }))
  const known = Map.groupBy(await findByBankIds(tx, source.id, keys), idKey)
  for (const [key, entries] of Map.groupBy(group, idKey)) {
    const { unknown, repeated, repeats, again } = knownOf(entries, known.get(key) ?? [])
    sorted.known.push(...again)
    sorted.repeated.push(...repeated)
    sorted.repeats.push(...repeats)
    if (unknown.length === 0) continue
    const { fresh, updates, seen } = sortById(unknown, known.get(key) ?? [])
    sorted.fresh.push(...fresh)
    sorted.updates.push(...updates)
    sorted.seen += seen
  }
  return sorted
}

/** For one bank id: what an undone import had reported before, and which files repeat entries of others. */
function knownOf(entries: readonly Prepared[], known: readonly PriorEntry[]) {
  const unknown: Prepared[] = []
  const repeated: RepeatedEntry[] = []
  const repeats: Repeat[] = []
  const again: string[] = []
  const before = knownBefore(known)
  for (const entry of entries) {
    // Banks write one payment in other words from file to file: then the id and the money name it.
    const same = before(entry)
    if (same) again.push(same.id)
    // Twice in one file it is there once.
    const isAgain = same?.isUndone && !repeated.some(({ transferId }) => transferId === same.id)
    if (isAgain) repeated.push(repeatedBy(entry, same.id))
    else unknown.push(entry)
    const isRepeat = same && !same.isUndone && entry.statementId && same.statementId !== entry.statementId
    if (isRepeat)
      repeats.push({ statementId: entry.statementId!, line: entry.line ?? 0, transferId: same.id })
  }
  return { unknown, repeated, repeats, again }
}

const reportedInParts = message('entry_told_by_payments_now')

/** Credits under a reference of an entry, or an id, that is known from another file, source or day. */
async function sortEntries(tx: Tx, entries: readonly NewEntry[], reportedHere: ReadonlySet<string>) {
  const sorted = {
    fresh: [] as NewEntry[],
    repeated: new Map<NewEntry, PriorTransfer>(),
    updates: [] as EntryUpdate[],
    repeats: [] as Repeat[],
    seen: 0,
  }
  const isLookedUp = (candidate: NewEntry) =>
    candidate.direction === 'credit' && !candidate.isRevoked && candidate.doubt === null
  const keys = entries
    .filter(isLookedUp)
    .flatMap((entry) => referencesOf(entry).map((reference) => ({ ...entry, reference })))
  if (keys.length === 0) return { ...sorted, fresh: [...entries] }
  const found = Map.groupBy(
    await findByEntries(tx, entries[0]!.statementId, keys),
    ({ accountId, reference }) => `${accountId}:${reference}`,
  )
  const groups = Map.groupBy(entries, (entry) =>
    isLookedUp(entry) && entry.bankEntry ? `${entry.accountId}:${entry.bankEntry.reference}` : entry,
  )
  for (const [key, parts] of groups) {
    const known = (typeof key === 'string' ? (found.get(key) ?? []) : []).map((facts) => ({
      ...facts,
      isReportedHere: facts.isReportedHere || reportedHere.has(facts.id),
    }))
    const [first] = parts as [NewEntry]
    if (known.length > 0) {
      const { fresh, repeated, replaced, within } = sortEntry(first.bankEntry!.reference, parts, known)
      sorted.fresh.push(...fresh)
      for (const [entry, original] of repeated) sorted.repeated.set(entry, original)
      sorted.updates.push(
        ...replaced.map((prior) => ({
          known: prior,
          version: prior.version,
          isRevoked: true,
          reason: reportedInParts,
        })),
      )
      if (within.length > 0) sorted.seen++
      // The file has these payments as one sum: while its import stands, they stand too.
      if (first.statementId)
        for (const { id } of within)
          sorted.repeats.push({ statementId: first.statementId, line: first.line ?? 0, transferId: id })
      continue
    }
    for (const entry of parts) {
      const others =
        isLookedUp(entry) && entry.bankId ? (found.get(`${entry.accountId}:${entry.bankId}`) ?? []) : []
      const judged = sortForeignId(entry, others)
      if (judged && 'original' in judged) sorted.repeated.set(entry, judged.original)
      sorted.fresh.push(judged && 'doubt' in judged ? { ...entry, ...judged } : entry)
    }
  }
  return sorted
}

const referencesOf = ({ bankEntry, bankId }: NewEntry): string[] =>
  [...new Set([bankEntry?.reference, bankId])].filter((id) => id != null)

/** All entries of a group have the same origin. */
const originOf = ({ channel, statementId }: Prepared, { id: sourceId }: Source): EntryOrigin => ({
  ...{ sourceId, channel, statementId },
})

/** New credits with the payments from other sources or formats that are, or may be, the same. */
async function findPairs(
  tx: Tx,
  fresh: readonly NewEntry[],
  paired: ReadonlyMap<NewEntry, PriorTransfer>,
  source: Source,
): Promise<Paired> {
  // An amount and a day alone are no evidence that two entries report one payment.
  const credits = fresh.filter(
    (entry) =>
      entry.direction === 'credit' &&
      !entry.isRevoked &&
      (!entry.isInternal || namesDeposit(entry)) &&
      !paired.has(entry) &&
      entry.documentNumber + entry.payerAccount + entry.purpose !== '',
  )
  const taken = new Set([...paired.values()].map(({ id }) => id))
  if (credits.length === 0) return { duplicates: new Map(), suspected: new Map() }
  const { known, crowded } = await findPossibleDuplicates(tx, originOf(credits[0]!, source), credits)
  const { duplicates, suspected } = pairDuplicates(
    credits,
    known.filter(({ id }) => !taken.has(id)),
    { sourceId: source.id, crowded },
  )
  const others = credits.filter((entry) => !duplicates.has(entry))
  return { duplicates, suspected: new Map([...(await findSent(tx, others, source)), ...suspected]) }
}

/** Payments from elsewhere of what was sent, before the bank kept its fee: they may be the same. */
async function findSent(tx: Tx, credits: readonly NewEntry[], source: Source): Promise<Paired['suspected']> {
  const sent = new Map(
    credits.flatMap((entry) => (entry.sentCents ? [[{ ...entry, cents: entry.sentCents }, entry]] : [])),
  )
  if (sent.size === 0) return new Map()
  const entries = [...sent.keys()]
  const { known } = await findPossibleDuplicates(tx, originOf(entries[0]!, source), entries)
  const { duplicates, suspected } = pairDuplicates(entries, known, { sourceId: source.id })
  return new Map([...duplicates, ...suspected].map(([entry, other]) => [sent.get(entry)!, other]))
}

/** What this group repeats: its entries that are duplicates, and the ids of known transfers. */
type Sorted = { duplicates: ReadonlyMap<NewEntry, PriorTransfer>; repeated: ReadonlySet<string> }

/** Marks credits that another file or source wrote before with another amount or purpose: a person looks at them. */
async function markCorrections(
  tx: Tx,
  fresh: readonly NewEntry[],
  {
    duplicates,
    undone,
    repeated,
    reportedById,
    source,
  }: Sorted & { reportedById: readonly string[]; undone: ReadonlySet<Prepared>; source: Source },
): Promise<NewEntry[]> {
  const isLookedUp = (entry: NewEntry) =>
    entry.direction === 'credit' &&
    !entry.isRevoked &&
    !entry.isInternal &&
    entry.doubt === null &&
    entry.documentNumber !== '' &&
    !undone.has(entry) &&
    !duplicates.has(entry)
  const lookedUp = fresh.filter(isLookedUp)
  if (lookedUp.length === 0) return [...fresh]
  // This file cannot correct a payment that it also reports.
  const knownIds = new Set([...repeated, ...[...duplicates.values()].map(({ id }) => id)])
  const onEachDay = lookedUp.flatMap((entry) =>
    reportedDays(entry).map((bookedOn) => ({ ...entry, bookedOn })),
  )
  const origin = { ...originOf(lookedUp[0]!, source), repeatedIds: [...knownIds, ...reportedById] }
  const certain = new Set(reportedById)
  const known = (await findByDocuments(tx, origin, onEachDay)).filter(({ id }) => !certain.has(id))
  /** It repeats this one, perhaps by its amount alone: then it may still be another one, before the fee of a bank. */
  const isRepeated = ({ id }: PriorTransfer) => knownIds.has(id)
  if (known.length === 0) return [...fresh]
  const byDocument = Map.groupBy(known, (prior) => prior.documentNumber)
  const marked: NewEntry[] = []
  const pause = createPause()
  for (const entry of fresh) {
    await pause()
    const others = isLookedUp(entry) ? (byDocument.get(entry.documentNumber) ?? []) : []
    const corrected = others
      .values()
      .filter((prior) => corrects(entry, prior, source.id))
      .filter((prior) => prior.standsForMany || !isRepeated(prior) || mayDifferByFee(entry, prior, source.id))
      .take(20)
      .toArray()
    const sameAs = corrected.map(({ id }) => id)
    marked.push(sameAs.length === 0 ? entry : { ...entry, doubt: 'correction', sameAs })
  }
  return marked
}

/** Marks credits that the bank revoked before it reported them: files and pushes arrive in any order. */
async function markTakenBack(
  tx: Tx,
  fresh: readonly NewEntry[],
  { duplicates, undone }: Pick<Sorted, 'duplicates'> & { undone: ReadonlySet<Prepared> },
): Promise<NewEntry[]> {
  const isLookedUp = (entry: NewEntry) =>
    entry.direction === 'credit' &&
    !entry.isRevoked &&
    entry.doubt === null &&
    !undone.has(entry) &&
    !duplicates.has(entry)
  const lookedUp = fresh.filter(isLookedUp)
  const reversals = lookedUp.length > 0 ? await findOpenReversals(tx, lookedUp) : []
  if (reversals.length === 0) return [...fresh]
  return fresh.map((entry) => {
    const meant = reversals.filter(
      (reversal) =>
        isLookedUp(entry) &&
        reversal.bookedOn >= entry.bookedOn &&
        reversal.bookedOn <= daysAfter(entry.bookedOn, reversibleDays) &&
        reversedBy(reversal, [entry]) !== null,
    )
    if (meant.length === 0) return entry
    return { ...entry, doubt: 'told_of_revoked' as const, sameAs: meant.map(({ id }) => id).slice(0, 20) }
  })
}

/** Debits that reverse a credit of this group or an earlier one. Where two credits fit, a person decides. */
async function sortReversals(
  tx: Tx,
  entries: readonly NewEntry[],
  {
    duplicates,
    suspected,
    source,
  }: Pick<Sorted, 'duplicates'> & Pick<Paired, 'suspected'> & { source: Source },
) {
  const undone = new Set<Prepared>()
  const updates: EntryUpdate[] = []
  const fresh: NewEntry[] = []
  const credits = entries.filter((entry) => entry.direction === 'credit' && !entry.isRevoked)
  // Payments that are also reported here: one payment must not be two candidates.
  const reportedHere = new Set([...duplicates.values()].map(({ id }) => id))
  /**
   * Whether another source has already reported the reversal of a payment with this number and payer: this may be the same
   * reversal.
   */
  const mayRepeatEnd = async (meant: NewEntry | PriorEntry, entry: NewEntry): Promise<boolean> => {
    const original = 'state' in meant ? undefined : duplicates.get(meant)?.id
    const ended = await findRevokedByBank(tx, source.id, entry)
    return ended.some((credit) => credit.id !== original && reversedBy(entry, [credit]) !== null)
  }
  for (const entry of entries) {
    if (entry.direction === 'credit' || !entry.isRevoked) {
      fresh.push(entry)
      continue
    }
    const stored = (await findReversible(tx, entry)).filter(
      ({ id }) => !reportedHere.has(id) && !updates.some(({ known }) => known.id === id),
    )
    const meant = reversedBy(entry, [...credits.filter((credit) => !undone.has(credit)), ...stored])
    // The reversed payment may repeat a known one, which would still count: a person decides which of them was reversed. The
    // reversal may also repeat one of another payment with this number, unless it has the bank's id of this payment.
    const isNamed = meant?.bankId && meant.bankId === entry.bankId
    const isUnclear =
      meant && 'state' in meant
        ? !isNamed && (await isDebitReportedElsewhere(tx, source.id, entry))
        : !meant || suspected.has(meant)
    if (!meant || isUnclear || (!isNamed && (await mayRepeatEnd(meant, entry)))) {
      fresh.push({ ...entry, doubt: 'reversal_unclear' })
      continue
    }
    fresh.push(entry)
    if ('state' in meant) {
      updates.push({ known: meant, version: meant.version, isRevoked: true })
      continue
    }
    undone.add(meant)
    // If the payment was reported twice, the money belongs to the transfer that came first.
    const first = duplicates.get(meant)
    if (first && first.state !== 'revoked')
      updates.push({ known: first, version: first.version, isRevoked: true })
  }
  return { fresh, undone, updates }
}
