/**
 * Finds what is new among incoming bank entries. Banks repeat entries, change and revoke them, and give one id to two
 * payments. Pure: incoming entries against stored ones. It must never drop an entry that could be money: a doubtful
 * one is taken, for a person to look at.
 */
import { type Message, message } from '../messages/message.ts'
import { type ListKey, payerKeys } from '../rules/listing.ts'
import { type References, referencesIn } from './matching.ts'
import { fingerprint, type TransferFacts, type TransferState } from './transfer.ts'

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

export const prepare = (one: IncomingEntry): Prepared => ({
  ...one,
  fingerprint: one.fingerprint ?? fingerprint(one),
  references: referencesIn(one),
  payer: payerKeys(one),
})

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
export type PriorEntry = {
  id: string
  accountId: string
  bankId: string | null
  direction: 'credit' | 'debit'
  version: bigint
  occurrence: number
  fingerprint: Buffer
  state: TransferState
  cents: bigint
  currency: string
  depositId: string | null
  statementId: string | null
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

export const repeatedBy = (one: Prepared, transferId: string): RepeatedEntry => ({
  transferId,
  isReversal: one.isRevoked && one.direction === 'debit',
  statementId: one.statementId,
  line: one.line ?? 0,
})

/** A later word of the bank about an entry that is known. */
export type EntryUpdate = { known: { id: string }; version: bigint; isRevoked: boolean; reason?: Message }

type Sorted = { fresh: NewEntry[]; updates: EntryUpdate[]; seen: number }

export const idKey = (one: { accountId: string; bankId: string | null; direction: string }): string =>
  `${one.accountId}:${one.direction}:${one.bankId}`

/** The same for an entry and for what was made of it. */
export const keyOf = (
  one: Pick<Prepared, 'accountId' | 'direction' | 'bankId' | 'fingerprint' | 'occurrence' | 'version'>,
): string =>
  `${idKey(one)}:${one.fingerprint.toString('hex')}:${one.bankId === null ? one.occurrence : one.version}`

/** Everything that was told under one id of the bank, against everything that is known under it. */
export function sortById(told: readonly Prepared[], known: readonly PriorEntry[]): Sorted {
  const version = told.reduce((most, one) => (one.version > most ? one.version : most), told[0]!.version)
  const current = distinct(told.filter((one) => one.version === version))
  const before = told.length - current.length
  const latest = latestOf(known, current[0]!)
  if (!latest) return { fresh: numbered(current, 1), updates: [], seen: before }
  if (version < latest.version) return { fresh: [], updates: [], seen: told.length }
  // An end is news whenever it comes: not every bank counts versions.
  const [end] = current
  if (version === latest.version && end!.isRevoked && end!.direction === 'credit') {
    if (latest.state === 'revoked') return { fresh: [], updates: [], seen: told.length }
    if (isSameMoney(end!, latest))
      return { fresh: [], updates: [{ known: latest, version, isRevoked: true }], seen: told.length - 1 }
  }
  if (version === latest.version) {
    const rest = unknownOf(
      current,
      known.filter((one) => one.version === version),
    )
    const next = 1 + Math.max(...known.filter((one) => one.version === version).map((one) => one.occurrence))
    const fresh = numbered(rest, next).map((one) => ({
      ...one,
      doubt: 'same_id_other_facts' as const,
      sameAs: [latest.id],
    }))
    return { fresh, updates: [], seen: told.length - fresh.length }
  }
  const [first, ...others] = current as [Prepared, ...Prepared[]]
  const more = numbered(others, 2).map((one) => ({ ...one, doubt: 'same_id_other_facts' as const }))
  if (first.isRevoked || isSameMoney(first, latest)) {
    return { fresh: more, updates: [{ known: latest, version, isRevoked: first.isRevoked }], seen: before }
  }
  // Another amount is another entry: what the old one settled is undone, and a person looks at the new one.
  const anew: NewEntry = { ...first, occurrence: 1, doubt: 'new_version', sameAs: [latest.id] }
  return {
    fresh: [anew, ...more],
    updates: [{ known: latest, version: latest.version, isRevoked: true }],
    seen: before,
  }
}

/** The last that is known under an id: of several the one that is told of now, as far as it can be recognised. */
function latestOf(known: readonly PriorEntry[], { fingerprint, ...told }: Prepared): PriorEntry | undefined {
  const version = known.reduce((most, one) => (one.version > most ? one.version : most), -1n)
  const newest = known.filter((one) => one.version === version)
  return (
    newest.find((one) => one.fingerprint.equals(fingerprint)) ??
    newest.find((one) => isSameMoney(one, told)) ??
    newest[0]
  )
}

const isSameMoney = (
  left: Pick<PriorEntry, 'cents' | 'currency'>,
  right: Pick<PriorEntry, 'cents' | 'currency'>,
) => left.cents === right.cents && left.currency === right.currency

/** Shorter ids are used again: on other days, and by banks that count the rows of each file. Readers put the day before. */
export const isUnique = (id: string): boolean => id.length >= 8 && !/^\d{4}-\d\d-\d\d\//.test(id)

/** Written in other words, and yet the same: of one amount, under an id that the bank does not use again. */
export const isSamePayment = (one: Prepared, other: PriorEntry): boolean =>
  isSameMoney(one, other) && isUnique(one.bankId!)

/** Without equal entries; where one of them is a revocation, only the revocation. */
function distinct(entries: readonly Prepared[]): Prepared[] {
  const ended = entries.find((entry) => entry.isRevoked)
  if (ended) return [ended]
  return [...new Map(entries.map((entry) => [entry.fingerprint.toString('hex'), entry])).values()]
}

const numbered = (entries: readonly Prepared[], from: number): NewEntry[] =>
  entries.map((entry, place) => ({
    ...entry,
    occurrence: from + place,
    doubt: place > 0 ? 'same_id_other_facts' : null,
  }))

/** As multisets: first those that are the same to the letter, then those of the same money. */
function unknownOf(told: readonly Prepared[], known: readonly PriorEntry[]): Prepared[] {
  const left = [...known]
  const taken = (isIt: (one: PriorEntry) => boolean): boolean => {
    const place = left.findIndex(isIt)
    if (place >= 0) left.splice(place, 1)
    return place >= 0
  }
  return told
    .filter((one) => !taken(({ fingerprint }) => fingerprint.equals(one.fingerprint)))
    .filter((one) => !taken((other) => isSamePayment(one, other)))
}

type Reversible = Pick<
  TransferFacts,
  'accountId' | 'cents' | 'bankId' | 'documentNumber' | 'payerAccount' | 'payerName'
>

/**
 * The credit that a debit reverses, if only one fits: by the bank's id, else by document number and payer. Numbers
 * such as 15 are common, so a document number alone is not enough.
 */
export function reversedBy<Credit extends Reversible>(
  reversal: Reversible,
  credits: readonly Credit[],
): Credit | null {
  const same = credits.filter(
    (credit) => credit.accountId === reversal.accountId && credit.cents === reversal.cents,
  )
  const exact = same.filter((one) => one.bankId !== null && one.bankId === reversal.bankId)
  const [only, other] = exact.length > 0 ? exact : same.filter((one) => isSameDocument(one, reversal))
  return only && !other ? only : null
}

function isSameDocument(left: Reversible, right: Reversible): boolean {
  if (left.documentNumber === '' || left.documentNumber !== right.documentNumber) return false
  if (left.payerAccount !== '' && right.payerAccount !== '') return left.payerAccount === right.payerAccount
  return left.payerName !== '' && left.payerName.toLowerCase() === right.payerName.toLowerCase()
}
