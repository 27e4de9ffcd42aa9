/** Sorts a group of entries by what is known of them, in the transaction that takes them. */
import type { Tx } from '../platform/db.ts'
import { findByBankIds, findByFingerprints, findReversible, type Repeat, type Source } from './store.ts'
import {
  type Fresh,
  idKey,
  type Known,
  type News,
  type Prepared,
  type Retold,
  retoldBy,
  reversedBy,
  sortById,
} from './tellings.ts'

export type SortedGroup = {
  fresh: Fresh[]
  /** Credits of this group that the bank has taken back within it. */
  undone: Set<Prepared>
  news: News[]
  seen: number
  /** Rows of a file that equal rows of another. */
  repeats: Repeat[]
  /** Entries of an import that was undone. */
  retold: Retold[]
}

export async function sortTellings(tx: Tx, group: readonly Prepared[], source: Source): Promise<SortedGroup> {
  const bare = await sortBare(
    tx,
    group.filter((one) => one.bankId === null),
  )
  const named = await sortNamed(
    tx,
    group.filter((one) => one.bankId !== null),
    source,
  )
  // In the order they were told: what comes first is matched first.
  const place = new Map(group.map((one, index) => [keyOf(one), index]))
  const fresh = [...bare.fresh, ...named.fresh].sort(
    (left, right) => (place.get(keyOf(left)) ?? 0) - (place.get(keyOf(right)) ?? 0),
  )
  const reversed = await sortReversals(tx, fresh)
  return {
    fresh: reversed.fresh,
    undone: reversed.undone,
    news: [...named.news, ...reversed.news],
    seen: bare.seen + named.seen,
    repeats: [...bare.repeats, ...named.repeats],
    retold: [...bare.retold, ...named.retold],
  }
}

const keyOf = (one: Prepared): string =>
  `${idKey(one)}:${one.fingerprint.toString('hex')}:${one.bankId === null ? one.occurrence : one.version}`

/** Rows without a bank's id: the n-th of equal rows is new where fewer are stored. */
async function sortBare(tx: Tx, group: readonly Prepared[]) {
  const stored = group.length > 0 ? await findByFingerprints(tx, group) : new Map()
  const fresh: Fresh[] = []
  const repeats: Repeat[] = []
  const retold: Retold[] = []
  for (const one of group) {
    const known = stored.get(`${one.accountId}:${one.fingerprint.toString('hex')}:${one.occurrence}`)
    if (!known) fresh.push({ ...one, doubt: null })
    else if (known.isUndone) retold.push(retoldBy(one, known.id))
    else if (one.statementId && one.statementId !== known.statementId)
      repeats.push({ statementId: one.statementId, line: one.line ?? 0, transferId: known.id })
  }
  return { fresh, repeats, retold, seen: group.length - fresh.length - retold.length }
}

async function sortNamed(tx: Tx, group: readonly Prepared[], source: Source) {
  const sorted = {
    ...{ fresh: [] as Fresh[], news: [] as News[], seen: 0 },
    ...{ repeats: [] as Repeat[], retold: [] as Retold[] },
  }
  if (group.length === 0) return sorted
  // The ids of a push are the bank's own, whatever they look like.
  const isNumbered = source.kind === 'statement'
  const known = Map.groupBy(await findByBankIds(tx, source.id, group.flatMap(keysOf)), idKey)
  for (const entries of Map.groupBy(group, idKey).values()) {
    const { told, retold, repeats } = knownOf(entries, known.get(idKey(entries[0]!)) ?? [])
    sorted.retold.push(...retold)
    sorted.repeats.push(...repeats)
    const [first] = told
    if (!first) continue
    const { fresh, news, seen } = sortById(told, known.get(idKey(first)) ?? [])
    sorted.news.push(...news, ...(isNumbered ? wholesOf(fresh, known) : []))
    sorted.seen += seen
    // One sum for many payments that have been told one by one.
    const parts = isNumbered && known.has(idKey({ ...first, bankId: `${first.bankId}/1` }))
    if (parts && fresh.length > 0) sorted.seen += fresh.length
    else sorted.fresh.push(...fresh)
  }
  return sorted
}

/** Under one id: what is told again of an undone import, and which file tells again what another one told. */
function knownOf(entries: readonly Prepared[], known: readonly Known[]) {
  const told: Prepared[] = []
  const retold: Retold[] = []
  const repeats: Repeat[] = []
  for (const one of entries) {
    const same = known.find(({ fingerprint }) => fingerprint.equals(one.fingerprint))
    // Twice in one file it is there once.
    const isAgain = same?.isUndone && !retold.some(({ transferId }) => transferId === same.id)
    if (isAgain) retold.push(retoldBy(one, same.id))
    else told.push(one)
    const isRepeat = same && !same.isUndone && one.statementId && same.statementId !== one.statementId
    if (isRepeat) repeats.push({ statementId: one.statementId!, line: one.line ?? 0, transferId: same.id })
  }
  return { told, retold, repeats }
}

/** What a payment is told under: its own id, that of the sum it is a part of, and that of its first part. */
function keysOf(one: Prepared) {
  const { accountId, direction, bankId } = one
  const whole = wholeOf(bankId!)
  return [bankId!, `${bankId}/1`, ...(whole ? [whole] : [])].map((id) => ({
    accountId,
    direction,
    bankId: id,
  }))
}

/** Our readers number the payments of one entry: `X/1`, `X/2`. */
const wholeOf = (bankId: string): string | null => /^(.+)\/\d+$/.exec(bankId)?.[1] ?? null

/** A sum that is now told payment by payment: as a sum it counts no more. */
function wholesOf(fresh: readonly Fresh[], known: ReadonlyMap<string, Known[]>): News[] {
  const wholes = fresh.flatMap((one) => {
    const whole = wholeOf(one.bankId!)
    return whole ? (known.get(idKey({ ...one, bankId: whole })) ?? []) : []
  })
  return [...new Set(wholes)]
    .filter((one) => ['unmatched', 'ambiguous', 'set_aside'].includes(one.state))
    .map((one) => ({ known: one, version: one.version, isRevoked: true }))
}

/** Debits that take a credit back: of this group or an earlier one. Which of two is meant is for people to say. */
async function sortReversals(tx: Tx, entries: readonly Fresh[]) {
  const undone = new Set<Prepared>()
  const news: News[] = []
  const fresh: Fresh[] = []
  const credits = entries.filter((one) => one.direction === 'credit' && !one.isRevoked)
  for (const one of entries) {
    if (one.direction === 'credit' || !one.isRevoked) {
      fresh.push(one)
      continue
    }
    const stored = (await findReversible(tx, one)).filter(
      ({ id }) => !news.some(({ known }) => known.id === id),
    )
    const meant = reversedBy(one, [...credits.filter((credit) => !undone.has(credit)), ...stored])
    if (meant && 'state' in meant) news.push({ known: meant, version: meant.version, isRevoked: true })
    else if (meant) undone.add(meant)
    fresh.push(meant ? one : { ...one, doubt: 'reversal_unclear' })
  }
  return { fresh, undone, news }
}
