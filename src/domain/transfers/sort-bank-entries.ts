/** Compares a group of bank entries with the transfers stored before, in the transaction that takes the group. */

import type { Tx } from '../../platform/db.ts'
import { message } from '../messages/message.ts'
import {
  type EntryUpdate,
  idKey,
  isSamePayment,
  keyOf,
  type NewEntry,
  type Prepared,
  type PriorEntry,
  type RepeatedEntry,
  repeatedBy,
  reversedBy,
  sortById,
} from './bank-entries.ts'
import {
  type EntryOrigin,
  findByBankIds,
  findByDocuments,
  findByEntries,
  findByFingerprints,
  findReversible,
  findTwins,
} from './prior-entry-store.ts'
import type { Repeat } from './repeat-store.ts'
import {
  correctedBy,
  type Paired,
  type PriorTransfer,
  pairTwins,
  sortEntry,
  sortById as sortForeignId,
} from './repetitions.ts'
import type { Source } from './source.ts'

type SortedGroup = {
  fresh: NewEntry[]
  /** Those that repeat a payment which was told in another way, with that payment. */
  twins: Map<NewEntry, PriorTransfer>
  /** Credits of this group that the bank has taken back within it. */
  undone: Set<Prepared>
  updates: EntryUpdate[]
  seen: number
  /** Rows of a file that equal rows of another. */
  repeats: Repeat[]
  /** Entries that were stored before by an import that has been undone. */
  repeated: RepeatedEntry[]
  /** Transfers that are told of again, under their own ids or to the letter. */
  known: ReadonlySet<string>
}

export async function sortBankEntries(
  tx: Tx,
  group: readonly Prepared[],
  source: Source,
): Promise<SortedGroup> {
  const bare = await sortBare(
    tx,
    group.filter((one) => one.bankId === null),
  )
  const named = await sortNamed(
    tx,
    group.filter((one) => one.bankId !== null),
    source,
  )
  const known = new Set([...bare.known, ...named.known])
  const entries = await sortEntries(tx, [...bare.fresh, ...named.fresh], known)
  // In the order they were told: what comes first is matched first.
  const place = new Map(group.map((one, index) => [keyOf(one), index]))
  const inOrder = entries.fresh.sort(
    (left, right) => (place.get(keyOf(left)) ?? 0) - (place.get(keyOf(right)) ?? 0),
  )
  const pairs = await findPairs(tx, inOrder, entries.repeated, source)
  const twins = new Map([...entries.repeated, ...pairs.twins])
  const reversed = await sortReversals(tx, inOrder, { twins, suspected: pairs.suspected })
  const suspected = reversed.fresh.map((one): NewEntry => {
    const other = pairs.suspected.get(one)
    return other && one.doubt === null ? { ...one, doubt: 'maybe_repeated', sameAs: [other.id] } : one
  })
  const { undone } = reversed
  const fresh = await markCorrections(tx, suspected, { twins, undone, repeated: bare.known, source })
  return {
    fresh,
    twins,
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
  for (const one of group) {
    const before = stored.get(`${one.accountId}:${one.fingerprint.toString('hex')}:${one.occurrence}`)
    if (!before) {
      fresh.push({ ...one, doubt: null })
      continue
    }
    if (before.isUndone) {
      repeated.push(repeatedBy(one, before.id))
      continue
    }
    known.add(before.id)
    if (one.statementId && one.statementId !== before.statementId)
      repeats.push({ statementId: one.statementId, line: one.line ?? 0, transferId: before.id })
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
    const { told, repeated, repeats, again } = knownOf(entries, known.get(key) ?? [])
    sorted.known.push(...again)
    sorted.repeated.push(...repeated)
    sorted.repeats.push(...repeats)
    if (told.length === 0) continue
    const { fresh, updates, seen } = sortById(told, known.get(key) ?? [])
    sorted.fresh.push(...fresh)
    sorted.updates.push(...updates)
    sorted.seen += seen
  }
  return sorted
}

/** Under one id: what is told again of an undone import, and which file tells again what another one told. */
function knownOf(entries: readonly Prepared[], known: readonly PriorEntry[]) {
  const told: Prepared[] = []
  const repeated: RepeatedEntry[] = []
  const repeats: Repeat[] = []
  const again: string[] = []
  for (const one of entries) {
    // Banks write one payment in other words from file to file: then the id and the money name it.
    const same =
      known.find(({ fingerprint }) => fingerprint.equals(one.fingerprint)) ??
      known.find((other) => isSamePayment(one, other))
    if (same) again.push(same.id)
    // Twice in one file it is there once.
    const isAgain = same?.isUndone && !repeated.some(({ transferId }) => transferId === same.id)
    if (isAgain) repeated.push(repeatedBy(one, same.id))
    else told.push(one)
    const isRepeat = same && !same.isUndone && one.statementId && same.statementId !== one.statementId
    if (isRepeat) repeats.push({ statementId: one.statementId!, line: one.line ?? 0, transferId: same.id })
  }
  return { told, repeated, repeats, again }
}

const toldInParts = message('entry_told_by_payments_now')

/** Credits under a reference of an entry, or an id, that is known from another file, source or day. */
async function sortEntries(tx: Tx, entries: readonly NewEntry[], toldHere: ReadonlySet<string>) {
  const sorted = {
    fresh: [] as NewEntry[],
    repeated: new Map<NewEntry, PriorTransfer>(),
    updates: [] as EntryUpdate[],
    repeats: [] as Repeat[],
    seen: 0,
  }
  const isSought = (one: NewEntry) => one.direction === 'credit' && !one.isRevoked && one.doubt === null
  const keys = entries
    .filter(isSought)
    .flatMap((one) => referencesOf(one).map((reference) => ({ ...one, reference })))
  if (keys.length === 0) return { ...sorted, fresh: [...entries] }
  const found = Map.groupBy(
    await findByEntries(tx, entries[0]!.statementId, keys),
    ({ accountId, reference }) => `${accountId}:${reference}`,
  )
  const groups = Map.groupBy(entries, (one) =>
    isSought(one) && one.bankEntry ? `${one.accountId}:${one.bankEntry.reference}` : one,
  )
  for (const [key, told] of groups) {
    const known = (typeof key === 'string' ? (found.get(key) ?? []) : []).map((one) => ({
      ...one,
      isToldHere: one.isToldHere || toldHere.has(one.id),
    }))
    const [first] = told as [NewEntry]
    if (known.length > 0) {
      const { fresh, repeated, replaced, within } = sortEntry(first.bankEntry!.reference, told, known)
      sorted.fresh.push(...fresh)
      for (const [one, twin] of repeated) sorted.repeated.set(one, twin)
      sorted.updates.push(
        ...replaced.map((one) => ({
          known: one,
          version: one.version,
          isRevoked: true,
          reason: toldInParts,
        })),
      )
      if (within.length > 0) sorted.seen++
      // The file has these payments as one sum: while its import stands, they stand too.
      if (first.statementId)
        for (const { id } of within)
          sorted.repeats.push({ statementId: first.statementId, line: first.line ?? 0, transferId: id })
      continue
    }
    for (const one of told) {
      const others = isSought(one) && one.bankId ? (found.get(`${one.accountId}:${one.bankId}`) ?? []) : []
      const judged = sortForeignId(one, others)
      if (judged && 'twin' in judged) sorted.repeated.set(one, judged.twin)
      sorted.fresh.push(judged && 'doubt' in judged ? { ...one, ...judged } : one)
    }
  }
  return sorted
}

const referencesOf = ({ bankEntry, bankId }: NewEntry): string[] =>
  [...new Set([bankEntry?.reference, bankId])].filter((one) => one != null)

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
  // An amount and a day alone are no evidence that two tellings are of one payment.
  const credits = fresh.filter(
    (one) =>
      one.direction === 'credit' &&
      !one.isRevoked &&
      !one.isInternal &&
      !paired.has(one) &&
      one.documentNumber + one.payerAccount + one.purpose !== '',
  )
  const taken = new Set([...paired.values()].map(({ id }) => id))
  const known = credits.length > 0 ? await findTwins(tx, originOf(credits[0]!, source), credits) : []
  return pairTwins(
    credits,
    known.filter(({ id }) => !taken.has(id)),
    source.id,
  )
}

/** Marks credits that another file or source wrote before with another amount or purpose: a person looks at them. */
async function markCorrections(
  tx: Tx,
  fresh: readonly NewEntry[],
  {
    twins,
    undone,
    repeated,
    source,
  }: {
    twins: ReadonlyMap<NewEntry, PriorTransfer>
    undone: ReadonlySet<Prepared>
    repeated: ReadonlySet<string>
    source: Source
  },
): Promise<NewEntry[]> {
  const isSought = (one: NewEntry) =>
    one.direction === 'credit' &&
    !one.isRevoked &&
    !one.isInternal &&
    one.doubt === null &&
    one.documentNumber !== '' &&
    !undone.has(one) &&
    !twins.has(one)
  const sought = fresh.filter(isSought)
  if (sought.length === 0) return [...fresh]
  // What this file tells of as well has not been corrected by it.
  const told = new Set([...repeated, ...[...twins.values()].map(({ id }) => id)])
  const known = (await findByDocuments(tx, sought[0]!.statementId, sought)).filter(({ id }) => !told.has(id))
  if (known.length === 0) return [...fresh]
  const byDocument = Map.groupBy(known, (one) => one.documentNumber)
  return fresh.map((one) => {
    const corrected = isSought(one)
      ? correctedBy(one, source.id, byDocument.get(one.documentNumber) ?? [])
      : []
    if (corrected.length === 0) return one
    return { ...one, doubt: 'correction' as const, sameAs: corrected.map(({ id }) => id).slice(0, 20) }
  })
}

/** Debits that reverse a credit of this group or an earlier one. Where two credits fit, a person decides. */
async function sortReversals(
  tx: Tx,
  entries: readonly NewEntry[],
  { twins, suspected }: { twins: ReadonlyMap<NewEntry, PriorTransfer>; suspected: Paired['suspected'] },
) {
  const undone = new Set<Prepared>()
  const updates: EntryUpdate[] = []
  const fresh: NewEntry[] = []
  const credits = entries.filter((one) => one.direction === 'credit' && !one.isRevoked)
  // Told here as well: one payment, not two that may be meant.
  const toldHere = new Set([...twins.values()].map(({ id }) => id))
  for (const one of entries) {
    if (one.direction === 'credit' || !one.isRevoked) {
      fresh.push(one)
      continue
    }
    const stored = (await findReversible(tx, one)).filter(
      ({ id }) => !toldHere.has(id) && !updates.some(({ known }) => known.id === id),
    )
    const meant = reversedBy(one, [...credits.filter((credit) => !undone.has(credit)), ...stored])
    // It may be a payment that is known, which would go on counting: a person says which of them has ended.
    if (!meant || (!('state' in meant) && suspected.has(meant))) {
      fresh.push({ ...one, doubt: 'reversal_unclear' })
      continue
    }
    fresh.push(one)
    if ('state' in meant) {
      updates.push({ known: meant, version: meant.version, isRevoked: true })
      continue
    }
    undone.add(meant)
    // Told twice, the money lies with the first telling.
    const first = twins.get(meant)
    if (first && first.state !== 'revoked')
      updates.push({ known: first, version: first.version, isRevoked: true })
  }
  return { fresh, undone, updates }
}
