/**
 * Finds what is new among incoming bank entries. Banks repeat entries, change and revoke them, and give one id to two
 * payments. Pure: incoming entries against stored ones. It must never drop an entry that could be money: a doubtful
 * one is taken, for a person to look at.
 */
import type { Reference } from '../deposits/reference.ts'
import { type Message, message } from '../messages/message.ts'
import { type ListKey, payerKeys } from '../rules/listing.ts'
import {
  isAnotherPayment,
  isEarlierVersion,
  isSameMoney,
  paymentsOf,
  reportsAnotherPayment,
} from './payments-of-id.ts'
import { isUnique, lookLikeTwoPayers } from './possible-repetition.ts'
import { type References, referencesIn } from './purpose-references.ts'
import { fingerprint, type Transfer, type TransferFacts } from './transfer.ts'

/**
 * A bank entry that is not stored yet. `occurrence` numbers equal rows of one file; `isRevoked` means that the bank
 * revokes the entry, or, for a debit, that it reverses an earlier credit; `isInternal` is our own money moving.
 */
export type IncomingEntry = TransferFacts & {
  occurrence: number
  isRevoked: boolean
  isInternal?: boolean
  /** Present where the caller has computed it. */
  fingerprint?: Buffer
}

/** An entry with everything that can be derived from it alone. */
export type Prepared = IncomingEntry & { fingerprint: Buffer; references: References; payer: ListKey[] }

export const prepare = (entry: IncomingEntry): Prepared => ({
  ...entry,
  fingerprint: entry.fingerprint ?? fingerprint(entry),
  references: referencesIn(entry),
  payer: payerKeys(entry),
})

export const namesDeposit = ({ references }: Prepared): boolean => references.written.length > 0

/** Why a person has to look at an entry before it counts. */
export type Doubt =
  | 'same_id_other_facts'
  | 'new_version'
  | 'told_of_revoked'
  | 'reversal_unclear'
  | 'correction'
  | 'entry_contradicts'
  | 'maybe_repeated'

/** Rules by which a row may be a payment that is known already: nothing of it is owed before a person has said so. */
export const suspicions: readonly string[] = [
  'maybe_repeated',
  'correction',
  'same_id_other_facts',
  'entry_contradicts',
  'new_version',
  'told_of_revoked',
  'set_aside_suspected',
]

export const doubts: Record<Doubt, Message> = {
  same_id_other_facts: message('bank_id_used_by_another_payment'),
  new_version: message('bank_wrote_entry_anew_with_another_amount'),
  told_of_revoked: message('maybe_payment_taken_back'),
  reversal_unclear: message('bank_takes_unknown_payment_back'),
  correction: message('corrects_known_payment'),
  entry_contradicts: message('entry_told_before_with_other_amounts'),
  maybe_repeated: message('match_maybe_repeated'),
}

/** `sameAs`: ids of transfers that may be the same payment. */
export type NewEntry = Prepared & { doubt: Doubt | null; sameAs?: readonly string[] }

/** A stored transfer under the bank's id. */
export type PriorEntry = Pick<
  Transfer,
  | 'id'
  | 'accountId'
  | 'bankId'
  | 'direction'
  | 'version'
  | 'state'
  | 'cents'
  | 'currency'
  | 'depositId'
  | 'statementId'
  | 'bookedOn'
  | 'payerAccount'
  | 'purpose'
> & {
  occurrence: number
  fingerprint: Buffer
  /** The reference of the deposit that the entry counts for, whether or not its purpose has it. */
  depositReference?: Reference | null
  /** Revoked because the import of its file was undone. */
  isUndone: boolean
}

/** An entry that repeats a transfer of an undone import: a person looks at it. */
export type RepeatedEntry = {
  transferId: string
  isReversal: boolean
  statementId: string | null
  line: number
}

export const repeatedBy = (entry: Prepared, transferId: string): RepeatedEntry => ({
  transferId,
  isReversal: entry.isRevoked && entry.direction === 'debit',
  statementId: entry.statementId,
  line: entry.line ?? 0,
})

/** A later report of the bank about a known entry. */
export type EntryUpdate = { known: { id: string }; version: bigint; isRevoked: boolean; reason?: Message }

type Sorted = { fresh: NewEntry[]; updates: EntryUpdate[]; seen: number }

export const idKey = (one: { accountId: string; bankId: string | null; direction: string }): string =>
  `${one.accountId}:${one.direction}:${one.bankId}`

/** The same for an entry and for what was made of it. */
export const keyOf = (
  entry: Pick<Prepared, 'accountId' | 'direction' | 'bankId' | 'fingerprint' | 'occurrence' | 'version'>,
): string =>
  `${idKey(entry)}:${entry.fingerprint.toString('hex')}:${entry.bankId === null ? entry.occurrence : entry.version}`

/**
 * Compares the entries that are reported under one bank id with those that are known under it. If some of them revoke a
 * payment, each payment is compared separately: a revocation must not hide another payment or its revocation.
 */
export function sortById(entries: readonly Prepared[], known: readonly PriorEntry[]): Sorted {
  const sorted: Sorted = { fresh: [], updates: [], seen: 0 }
  for (const payment of paymentsOf(entries, known)) {
    const gone = new Set(sorted.updates.map((update) => update.known.id))
    const left = known.filter(({ id }) => !gone.has(id))
    const ended = known.map((prior) => ({ ...prior, state: 'revoked' as const }))
    const { fresh, updates, seen } = sortPayment(payment, left.length > 0 ? left : ended)
    const next = 1 + [...known, ...sorted.fresh].reduce((most, one) => Math.max(most, one.occurrence), 0)
    const isFirst = sorted.fresh.length === 0
    const shared = () =>
      numbered(fresh, next).map((entry) => ({ ...entry, doubt: 'same_id_other_facts' as const }))
    sorted.fresh.push(...(isFirst ? fresh : shared()))
    sorted.updates.push(...updates)
    sorted.seen += seen
  }
  return sorted
}

/** Sorts the entries of one revoked payment, or of all payments that are not revoked. */
function sortPayment(entries: readonly Prepared[], known: readonly PriorEntry[]): Sorted {
  const version = entries.reduce(
    (most, entry) => (entry.version > most ? entry.version : most),
    entries[0]!.version,
  )
  const current = distinct(entries.filter((entry) => entry.version === version))
  const others = othersBefore(entries, current, known)
  if (others.length > 0) {
    const rest = sortPayment(
      entries.filter((entry) => entry.version === version),
      known,
    )
    const seen = entries.filter((entry) => entry.version < version).length - others.length
    return { ...rest, fresh: [...rest.fresh, ...others], seen: rest.seen + seen }
  }
  const before = entries.length - current.length
  const latest = latestOf(known, current[0]!)
  if (!latest) return { fresh: numbered(current, 1), updates: [], seen: before }
  const priors = known.filter((prior) => prior.version === version)
  const next = 1 + priors.reduce((most, { occurrence }) => Math.max(most, occurrence), 0)
  /** Entries among these that are not known may be other payments. */
  const unknownIn = (rest: readonly Prepared[], among: readonly PriorEntry[]): NewEntry[] =>
    numbered(unknownOf(rest, among), next).map((entry) => ({
      ...entry,
      doubt: 'same_id_other_facts' as const,
      sameAs: [latest.id],
    }))
  if (version < latest.version) {
    // If the bank reuses an id, its versions may start again too.
    const fresh = unknownIn(current, known)
    return { fresh, updates: [], seen: entries.length - fresh.length }
  }
  const [first, ...further] = current as [Prepared, ...Prepared[]]
  // A revocation always counts, because not every bank counts versions.
  const isEnd = first.isRevoked && first.direction === 'credit'
  const isOfLatest =
    latest.state === 'revoked' ||
    isSameMoney(first, latest) ||
    (priors.length === 1 && isUnique(latest.bankId!))
  if (version === latest.version && isEnd && isOfLatest) {
    const updates = latest.state === 'revoked' ? [] : [{ known: latest, version, isRevoked: true }]
    const fresh = unknownIn(further, priors)
    return { fresh, updates, seen: entries.length - fresh.length - updates.length }
  }
  if (version === latest.version || reportsAnotherPayment(first, latest)) {
    const fresh = unknownIn(current, version === latest.version ? priors : known)
    return { fresh, updates: [], seen: entries.length - fresh.length }
  }
  const more = numbered(further, 2).map((entry) => ({ ...entry, doubt: 'same_id_other_facts' as const }))
  if (first.isRevoked || isSameMoney(first, latest)) {
    return { fresh: more, updates: [{ known: latest, version, isRevoked: first.isRevoked }], seen: before }
  }
  // Another amount is another entry: what the old one settled is undone, and a person looks at the new one.
  const corrected: NewEntry = { ...first, occurrence: 1, doubt: 'new_version', sameAs: [latest.id] }
  return {
    fresh: [corrected, ...more],
    updates: [{ known: latest, version: latest.version, isRevoked: true }],
    seen: before,
  }
}

/** The latest known entry under an id: of several, the one that is reported now, as far as it can be recognised. */
function latestOf(known: readonly PriorEntry[], reported: Prepared): PriorEntry | undefined {
  const same = known.filter((prior) => !reportsAnotherPayment(reported, prior))
  const among = same.length > 0 ? same : known
  const version = among.reduce((most, prior) => (prior.version > most ? prior.version : most), -1n)
  const newest = among.filter((prior) => prior.version === version)
  return (
    newest.find((prior) => prior.fingerprint.equals(reported.fingerprint)) ??
    newest.find((prior) => isSameMoney(prior, reported)) ??
    newest[0]
  )
}

/** Earlier versions that are reported together with a later one, and belong to other payments: a person decides. */
function othersBefore(
  entries: readonly Prepared[],
  current: readonly Prepared[],
  known: readonly PriorEntry[],
): NewEntry[] {
  const before = entries.filter(
    (entry) =>
      entry.version < current[0]!.version &&
      current.every((now) =>
        isUnique(entry.bankId!) ? !isEarlierVersion(entry, now) : reportsAnotherPayment(entry, now),
      ),
  )
  const next = 1 + known.reduce((most, { occurrence }) => Math.max(most, occurrence), 0)
  return numbered(unknownOf(distinct(before), known), next).map((entry) => ({
    ...entry,
    doubt: 'same_id_other_facts',
  }))
}

/** Leaves out equal entries. A revocation comes first and replaces the entry that it revokes. */
function distinct(entries: readonly Prepared[]): Prepared[] {
  const ended = entries.find((entry) => entry.isRevoked)
  const left = ended ? entries.filter((entry) => !entry.isRevoked && !isSameMoney(entry, ended)) : entries
  const others = new Map(left.map((entry) => [entry.fingerprint.toString('hex'), entry])).values()
  return ended ? [ended, ...others] : [...others]
}

const numbered = (entries: readonly Prepared[], from: number): NewEntry[] =>
  entries.map((entry, place) => ({
    ...entry,
    occurrence: from + place,
    doubt: place > 0 ? 'same_id_other_facts' : null,
  }))

/**
 * The entries that are not known. Each known one explains one entry: first an identical one, then one of the same amount,
 * then an earlier version.
 */
function unknownOf(entries: readonly Prepared[], known: readonly PriorEntry[]): Prepared[] {
  const left = new Set(known)
  const byText = Map.groupBy(known, textKey)
  const byMoney = Map.groupBy(known, moneyKey)
  const isTaken = (priors: PriorEntry[] = []): boolean => {
    for (let prior = priors.pop(); prior; prior = priors.pop()) if (left.delete(prior)) return true
    return false
  }
  const isTakenInOtherWords = (entry: Prepared): boolean => {
    const prior = byMoney
      .get(moneyKey(entry))
      ?.findLast((one) => left.has(one) && !isAnotherPayment(entry, one))
    return prior !== undefined && left.delete(prior)
  }
  const isTakenByLater = (entry: Prepared): boolean => {
    const later = left.values().find((one) => entry.version < one.version && isEarlierVersion(entry, one))
    return later !== undefined && left.delete(later)
  }
  return entries
    .filter((entry) => !isTaken(byText.get(textKey(entry))))
    .filter((entry) => !isUnique(entry.bankId!) || !(isTakenInOtherWords(entry) || isTakenByLater(entry)))
}

const textKey = ({ fingerprint }: Pick<PriorEntry, 'fingerprint'>): string => fingerprint.toString('hex')
const moneyKey = ({ cents, currency }: Pick<PriorEntry, 'cents' | 'currency'>): string =>
  `${cents}:${currency}`

/**
 * Finds the stored entry with the same id: one with the same text, or one with the same amount under an id that the bank does not use
 * again. It searches by keys, because a source may report any number of payments under one id.
 */
export function knownBefore(known: readonly PriorEntry[]): (entry: Prepared) => PriorEntry | undefined {
  const byText = new Map(known.toReversed().map((prior) => [textKey(prior), prior]))
  const byMoney = Map.groupBy(known, moneyKey)
  return (entry) =>
    byText.get(textKey(entry)) ??
    (isUnique(entry.bankId!)
      ? byMoney.get(moneyKey(entry))?.find((prior) => !isAnotherPayment(entry, prior))
      : undefined)
}

type Reversible = Pick<
  TransferFacts,
  'accountId' | 'cents' | 'bankId' | 'bookedOn' | 'documentNumber' | 'payerAccount' | 'payerName'
>

/**
 * The credit that a debit reverses, if only one fits: by the bank's id, else by document number and payer. Numbers
 * such as 15 are common, so a document number alone is not enough, and an id that is used again only on its day, where neither the
 * document nor the payer is another: each file of a day may count its rows from one.
 */
export function reversedBy<Credit extends Reversible>(
  reversal: Reversible,
  credits: readonly Credit[],
): Credit | null {
  const same = credits.filter(
    (credit) => credit.accountId === reversal.accountId && credit.cents === reversal.cents,
  )
  const exact = same.filter(
    (credit) =>
      credit.bankId !== null &&
      credit.bankId === reversal.bankId &&
      (isUnique(credit.bankId) || (credit.bookedOn === reversal.bookedOn && !isOfOther(credit, reversal))),
  )
  const [only, other] = exact.length > 0 ? exact : same.filter((credit) => isSameDocument(credit, reversal))
  return only && !other ? only : null
}

const isOfOther = (left: Reversible, right: Reversible): boolean =>
  lookLikeTwoPayers(left.payerAccount, right.payerAccount) ||
  (left.documentNumber !== '' && right.documentNumber !== '' && left.documentNumber !== right.documentNumber)

function isSameDocument(left: Reversible, right: Reversible): boolean {
  if (left.documentNumber === '' || left.documentNumber !== right.documentNumber) return false
  if (left.payerAccount !== '' && right.payerAccount !== '') return left.payerAccount === right.payerAccount
  return left.payerName !== '' && left.payerName.toLowerCase() === right.payerName.toLowerCase()
}
