/**
 * When a payment is told again. Banks tell one payment by a push, a statement and a notification, in several formats,
 * once as a whole entry and once payment by payment, and write it anew with corrections. Pure: what is told now against
 * what is known. A repetition that is certain counts once; one that is only likely is for a person.
 */
import type { Cents } from '../money.ts'
import { type Doubt, isUnique, type NewEntry } from './bank-entries.ts'
import { referencesIn } from './matching.ts'
import { type Channel, canBecome, type TransferFacts, type TransferState } from './transfer.ts'

/** A payment that is known, and who told of it. */
export type PriorTransfer = Pick<
  TransferFacts,
  | 'accountId'
  | 'bookedOn'
  | 'cents'
  | 'documentNumber'
  | 'payerAccount'
  | 'payerName'
  | 'payerTaxId'
  | 'purpose'
  | 'bankId'
  | 'statementId'
> & {
  id: string
  sourceId: string
  channel: Channel
  state: TransferState
  /** The amount of the whole entry that it belongs to. */
  entryCents: Cents | null
  version: bigint
  refundCents: Cents
  /** Told again, under its own id or to the letter, by the file that is being taken. */
  isToldHere?: boolean
  /** It may be another payment told again, and nobody has said yet that it is not. */
  isSuspected?: boolean
}

/** Each of those that are known pairs with one entry at most. */
export type Paired = {
  /** The same document of the same payer: the same payment. */
  twins: Map<NewEntry, PriorTransfer>
  /** One side does not name the document or the payer, or only the purpose is the same: a person has to say. */
  suspected: Map<NewEntry, PriorTransfer>
}

/** Entries with the payments of their amount and day that were told in another way. */
export function pairTwins(
  told: readonly NewEntry[],
  known: readonly PriorTransfer[],
  sourceId: string,
): Paired {
  const free = Map.groupBy(known, paymentKey)
  const pair = (entries: readonly NewEntry[], isSame: (one: NewEntry, other: PriorTransfer) => boolean) => {
    const pairs = new Map<NewEntry, PriorTransfer>()
    for (const one of entries) {
      const candidates = free.get(paymentKey(one)) ?? []
      const place = candidates.findIndex((other) => isSame(one, other) && !isForAnother(one, other))
      if (place >= 0) pairs.set(one, candidates.splice(place, 1)[0]!)
    }
    return pairs
  }
  const twins = pair(
    told,
    (one, other) =>
      one.documentNumber === other.documentNumber &&
      one.payerAccount === other.payerAccount &&
      // Numbers such as 15 are common, and accounts are kept masked: one of them alone does not make two payers one.
      (one.documentNumber !== '' && one.payerAccount !== ''
        ? !isOther(taxIdOf(one), taxIdOf(other))
        : one.documentNumber + one.payerAccount !== '' && isNobodyElse(one, other)),
  )
  const suspected = pair(
    told.filter((one) => !twins.has(one)),
    (one, other) =>
      // Rows of one delivery are told apart by whoever delivers them.
      (other.sourceId !== sourceId || other.statementId !== one.statementId) &&
      ((isSaid(one.documentNumber, other.documentNumber) && isSilent(one.payerAccount, other.payerAccount)) ||
        (isSaid(one.payerAccount, other.payerAccount) &&
          isSilent(one.documentNumber, other.documentNumber)) ||
        (isSaid(one.purpose, other.purpose) &&
          (isSaid(one.payerAccount, other.payerAccount) || isSilent(one.payerAccount, other.payerAccount)))),
  )
  return { twins, suspected }
}

const isSaid = (left: string, right: string): boolean => left !== '' && left === right
const isSilent = (left: string, right: string): boolean => left === '' || right === ''
const isOther = (left: string, right: string): boolean => !isSilent(left, right) && left !== right

const isNobodyElse = (left: Payer, right: Payer): boolean =>
  !isOther(taxIdOf(left), taxIdOf(right)) && !isOther(nameOf(left), nameOf(right))

/** Under one number of the bank, and yet of two payers, or for two deposits. Names are spelt in many ways. */
function isPlainlyAnother(number: string, one: NewEntry, other: PriorTransfer): boolean {
  if (isOther(one.payerAccount, other.payerAccount) || isOther(taxIdOf(one), taxIdOf(other))) return true
  if (!isUnique(number) && isOther(nameOf(one), nameOf(other))) return true
  return isForAnother(one, other)
}

/** Both name a deposit, and not the same one. */
function isForAnother(one: NewEntry, other: PriorTransfer): boolean {
  const { written } = referencesIn({ purpose: other.purpose, purposeParts: [other.purpose] })
  const named = one.references.written
  return written.length > 0 && named.length > 0 && !named.some((reference) => written.includes(reference))
}

const paymentKey = (one: Pick<TransferFacts, 'accountId' | 'bookedOn' | 'cents'>): string =>
  `${one.accountId}:${one.bookedOn}:${one.cents}`

/** What the parts of an entry are, or the whole of it, against what is known of that entry. */
type EntrySorted = {
  fresh: NewEntry[]
  /** Told again, and the payment that each of them repeats. */
  repeated: Map<NewEntry, PriorTransfer>
  /** PriorEntry as one sum and told payment by payment now: as a sum it counts no more. */
  replaced: PriorTransfer[]
  /** One sum for payments that are known one by one: these. */
  within: PriorTransfer[]
}

/** Shorter references are used again on other days. */
const leastUnique = 8

/** All that is told now under one reference of an entry. `known` is not empty. */
export function sortEntry(
  reference: string,
  told: readonly NewEntry[],
  known: readonly PriorTransfer[],
): EntrySorted {
  const nothing: EntrySorted = { fresh: [...told], repeated: new Map(), replaced: [], within: [] }
  const total = told[0]!.bankEntry!.cents
  const isWhole = told.length === 1 && told[0]!.cents === total
  const before = known.filter(
    (one) => reference.length >= leastUnique || told.some((now) => now.bookedOn === one.bookedOn),
  )
  if (before.length === 0) return nothing
  const sum = before.reduce((all, one) => all + one.cents, 0n)
  const isKnownWhole = before.length === 1 && before[0]!.cents === total
  if (isWhole && isKnownWhole && !isPlainlyAnother(reference, told[0]!, before[0]!))
    return { ...nothing, repeated: new Map([[told[0]!, before[0]!]]) }
  if (isWhole && before.length > 1 && sum === total) return { ...nothing, fresh: [], within: before }
  const contradicted = (rest: readonly NewEntry[]): NewEntry[] =>
    rest.map((one) => ({
      ...one,
      doubt: 'entry_contradicts' as const,
      sameAs: before.map(({ id }) => id).slice(0, 20),
    }))
  if (isWhole) return { ...nothing, fresh: contradicted(told) }
  if (isKnownWhole) {
    const [whole] = before as [PriorTransfer]
    const isOpen = canBecome(whole.state, 'matched') && whole.refundCents === 0n
    // What may be a payment of somebody else's telling as a sum, may be so in parts.
    if (whole.isSuspected) return { ...nothing, fresh: contradicted(told) }
    if (isOpen) return { ...nothing, replaced: [whole] }
    return { ...nothing, repeated: new Map(told.map((one) => [one, whole])) }
  }
  // Parts against parts whose ids differ: each amount once. What this file has told of under its own id is no longer free.
  const left = before.filter(
    (one) => !one.isToldHere && (one.entryCents === null || one.entryCents === total),
  )
  const repeated = new Map<NewEntry, PriorTransfer>()
  for (const one of told) {
    const place = left.findIndex(
      (other) => other.cents === one.cents && !isPlainlyAnother(reference, one, other),
    )
    if (place >= 0) repeated.set(one, left.splice(place, 1)[0]!)
  }
  const others = told.filter((one) => !repeated.has(one))
  // An import that was stopped knows some of its parts only.
  const isTheRest =
    before.every((one) => one.isToldHere && one.entryCents === total) &&
    sum + others.reduce((all, one) => all + one.cents, 0n) <= total
  const rest = isTheRest ? others : contradicted(others)
  return { ...nothing, fresh: [...repeated.keys(), ...rest], repeated }
}

/** A payment under an id that somebody else has told of: the same one where the amount is, or a contradiction. */
export function sortById(
  one: NewEntry,
  known: readonly PriorTransfer[],
): { twin: PriorTransfer } | { doubt: Doubt; sameAs: string[] } | undefined {
  const { bankId } = one
  const before = known.filter((other) => bankId!.length >= leastUnique || other.bookedOn === one.bookedOn)
  const twin = before.find((other) => other.cents === one.cents && !isPlainlyAnother(bankId!, one, other))
  if (twin) return { twin }
  if (before.length === 0) return undefined
  return { doubt: 'entry_contradicts', sameAs: before.map(({ id }) => id).slice(0, 20) }
}

/**
 * The payments that this one corrects: the same document of the same payer on the same day, told by another file or
 * source, with another amount or purpose. Two ids of one bank are two payments.
 */
export const correctedBy = (
  one: NewEntry,
  sourceId: string,
  known: readonly PriorTransfer[],
): PriorTransfer[] =>
  one.documentNumber === ''
    ? []
    : known.filter(
        (other) =>
          other.accountId === one.accountId &&
          other.bookedOn === one.bookedOn &&
          other.documentNumber === one.documentNumber &&
          isSamePayer(one, other) &&
          !(one.bankId !== null && other.bankId !== null && other.sourceId === sourceId) &&
          (other.cents !== one.cents || other.channel === one.channel),
      )

export type Payer = Pick<TransferFacts, 'payerAccount' | 'payerTaxId' | 'payerName'>

function isSamePayer(left: Payer, right: Payer): boolean {
  if (!isSilent(taxIdOf(left), taxIdOf(right))) return taxIdOf(left) === taxIdOf(right)
  if (left.payerAccount !== '' && right.payerAccount !== '') return left.payerAccount === right.payerAccount
  return left.payerName !== '' && nameOf(left) === nameOf(right)
}

/**
 * Certain enough to add money to a deposit: a tax id, or the account and the name together, and nothing that speaks
 * against it. Accounts are kept masked. From a bank's own account comes the money of all its customers.
 */
export function isCertainlySamePayer(left: Payer, right: Payer): boolean {
  if ([left, right].some(({ payerAccount }) => ofBank.test(payerAccount)) || !isNobodyElse(left, right))
    return false
  return (
    isSaid(taxIdOf(left), taxIdOf(right)) ||
    (isSaid(left.payerAccount, right.payerAccount) && isSaid(nameOf(left), nameOf(right)))
  )
}

/** Correspondent and transit accounts of Russian banks. */
const ofBank = /^(?:30[1-3]|474)\d/

/** Zeros are how banks fill in a tax id that they do not know. */
const taxIdOf = ({ payerTaxId }: Payer): string => (/^0*$/.test(payerTaxId) ? '' : payerTaxId)

const nameOf = ({ payerName }: Payer): string =>
  payerName.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim()
