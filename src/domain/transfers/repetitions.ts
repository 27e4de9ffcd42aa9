/**
 * Finds entries that repeat a stored payment. Banks report one payment by push, statement and notification, in several
 * formats, once as a whole entry and once payment by payment, and send corrections. Pure: incoming entries against
 * stored payments. A certain repetition counts once; a likely one is for a person to decide.
 */
import { remembered } from '../../platform/remembered.ts'
import type { Reference } from '../deposits/reference.ts'
import type { Cents } from '../money.ts'
import type { Doubt, NewEntry } from './bank-entries.ts'
import {
  bankAccountPattern,
  differByFee,
  isPayerUnproven,
  isUnique,
  kazakhIbanPattern,
  personalTaxIdPattern,
} from './possible-repetition.ts'
import { namedReferencesIn } from './purpose-references.ts'
import { type Channel, canBecome, type TransferFacts, type TransferState } from './transfer.ts'

/** A stored payment with its source. */
export type PriorTransfer = Pick<
  TransferFacts,
  | 'accountId'
  | 'bookedOn'
  | 'cents'
  | 'sentCents'
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
  /** The reference of the deposit that the entry counts for, whether or not its purpose has it. */
  depositReference?: Reference | null
  /** Reported again by the file that is being imported, under its own id or with exactly the same data. */
  isReportedHere?: boolean
  /** The payment may be a repetition of another one, and nobody has decided yet that it is not. */
  isSuspected?: boolean
  /** It stands for more payments than are compared. */
  standsForMany?: boolean
  /** From a file whose numbers and ids come from other columns or fields than those of this file. */
  hasOtherNumbers?: boolean
}

/** Each stored payment is paired with one entry at most. */
export type Paired = {
  /** The same document of the same payer: the same payment. */
  duplicates: Map<NewEntry, PriorTransfer>
  /**
   * One side lacks the document or the payer, only the purpose is equal, the two name two deposits, or its money was taken back: a
   * person decides.
   */
  suspected: Map<NewEntry, PriorTransfer>
}

/** How many pairs of payments are compared for a group of entries: about a second. */
const maxComparisons = 2_000_000

/**
 * Pairs entries with the payments of the same amount and day from other sources or formats. `crowded`: a payment of each
 * amount and day that has more than are compared. An entry that is not paired there may be any of them.
 */
export function pairDuplicates(
  incoming: readonly NewEntry[],
  known: readonly PriorTransfer[],
  { sourceId, crowded = [] }: { sourceId: string; crowded?: readonly PriorTransfer[] },
): Paired {
  const free = Map.groupBy(known, paymentKey)
  type Comparison = (entry: NewEntry, other: PriorTransfer) => boolean
  let comparisons = 0
  /** Those that are not compared any more have their first candidate: a person decides. */
  const notCompared = new Map<NewEntry, PriorTransfer>()
  const pair = (entries: readonly NewEntry[], isSame: Comparison) => {
    const pairs = new Map<NewEntry, PriorTransfer>()
    for (const entry of entries) {
      const candidates = free.get(paymentKey(entry)) ?? []
      if (candidates.length > 0 && comparisons >= maxComparisons) {
        notCompared.set(entry, candidates[0]!)
        continue
      }
      const place = candidates.findIndex((other) => isSame(entry, other))
      comparisons += place < 0 ? candidates.length : place + 1
      if (place >= 0) pairs.set(entry, candidates.splice(place, 1)[0]!)
    }
    return pairs
  }
  const isSameDocument: Comparison = (one, other) =>
    one.documentNumber === other.documentNumber &&
    one.payerAccount === other.payerAccount &&
    // Numbers such as 15 are common, and accounts are kept masked: one of them alone does not make two payers one.
    (one.documentNumber !== '' && one.payerAccount !== ''
      ? !isOther(taxIdOf(one), taxIdOf(other))
      : one.documentNumber + one.payerAccount !== '' &&
        isNobodyElse(one, other) &&
        // Without a number a payer's next payment of the same amount looks the same, unless the purpose agrees too.
        (one.documentNumber !== '' || one.purpose === other.purpose))
  const withSameReference = pair(
    incoming,
    (one, other) => isSameDocument(one, other) && isForTheSame(one, other),
  )
  const withoutReference = pair(
    incoming.filter((entry) => !withSameReference.has(entry)),
    (one, other) =>
      isSameDocument(one, other) && referencesInPurpose(other).length === 0 && !isForAnother(one, other),
  )
  const duplicates = new Map([...withSameReference, ...withoutReference])
  const suspected = pair(
    incoming.filter((entry) => !duplicates.has(entry)),
    (one, other) =>
      !isForAnother(one, other) &&
      // Rows of one push or file are distinguished by their sender.
      (other.sourceId !== sourceId || other.statementId !== one.statementId) &&
      // A payer may give two payments one number: the one that names no deposit need not be the one that does.
      (isSameDocument(one, other) ||
        (isSaid(one.documentNumber, other.documentNumber) &&
          isSilent(one.payerAccount, other.payerAccount)) ||
        (isSaid(one.payerAccount, other.payerAccount) &&
          isSilent(one.documentNumber, other.documentNumber)) ||
        (isSaid(one.purpose, other.purpose) &&
          (isSaid(one.payerAccount, other.payerAccount) || isSilent(one.payerAccount, other.payerAccount))) ||
        // The payments of a deposit are compared with each other; this one was released from its deposit or never had one.
        (other.state === 'revoked' && isForTheSame(one, other))),
  )
  // Of a text that names two deposits, one report may show the beginning and another the end. Payments that name the same
  // deposit in both are paired.
  const cutOtherwise = pair(
    incoming.filter((entry) => !duplicates.has(entry) && !suspected.has(entry)),
    (one, other) =>
      isForAnother(one, other) &&
      (other.sourceId !== sourceId || other.channel !== one.channel) &&
      // A bank's account and tax id are those of many payers.
      (!isBank(one) || isSaid(one.documentNumber, other.documentNumber)) &&
      (isPayerUnproven(one, other) || !isOther(taxIdOf(one), taxIdOf(other))) &&
      // Names are spelt in many ways: different names prove two payers only if nothing else is known of them.
      (isSaid(one.payerAccount, other.payerAccount) ||
        isSaid(taxIdOf(one), taxIdOf(other)) ||
        (isSaid(one.documentNumber, other.documentNumber) &&
          (isPayerUnproven(one, other) ||
            (isSilent(one.payerAccount, other.payerAccount) && isNobodyElse(one, other))))),
  )
  for (const [entry, other] of cutOtherwise) suspected.set(entry, other)
  for (const [entry, other] of notCompared)
    if (!duplicates.has(entry) && !suspected.has(entry)) suspected.set(entry, other)
  const crowds = new Map(crowded.map((payment) => [paymentKey(payment), payment]))
  for (const entry of incoming) {
    const crowd = crowds.get(paymentKey(entry))
    if (crowd && !duplicates.has(entry) && !suspected.has(entry)) suspected.set(entry, crowd)
  }
  return { duplicates, suspected }
}

const isSaid = (left: string, right: string): boolean => left !== '' && left === right
const isSilent = (left: string, right: string): boolean => left === '' || right === ''
const isOther = (left: string, right: string): boolean => !isSilent(left, right) && left !== right

const isNobodyElse = (left: Payer, right: Payer): boolean =>
  !isOther(taxIdOf(left), taxIdOf(right)) && !isOther(nameOf(left), nameOf(right))

/** Under one number of the bank, and yet of two payers, or for two deposits. Names are spelt in many ways. */
function isPlainlyAnother(number: string, entry: NewEntry, other: PriorTransfer): boolean {
  if (isOther(entry.payerAccount, other.payerAccount) || isOther(taxIdOf(entry), taxIdOf(other))) return true
  if (!isUnique(number) && isOther(nameOf(entry), nameOf(other))) return true
  return isForAnother(entry, other)
}

/**
 * Certainly one payment under this number. A short one identifies nothing by itself, because each source may count its rows from one: the
 * payer has to be equal too, and the document.
 */
const isPlainlySame = (number: string, entry: NewEntry, other: PriorTransfer): boolean =>
  !isPlainlyAnother(number, entry, other) &&
  (isUnique(number) ||
    (!isBank(entry) &&
      (isSaid(entry.payerAccount, other.payerAccount) || isSaid(taxIdOf(entry), taxIdOf(other))) &&
      !isOther(entry.documentNumber, other.documentNumber)))

/** Whether it names a deposit, and not the one that the other names or counts for. */
const isForAnother = (entry: NewEntry, other: PriorTransfer): boolean =>
  referencesOf(other).length > 0 && namedReferences(entry).length > 0 && !isForTheSame(entry, other)

const isForTheSame = (entry: NewEntry, other: PriorTransfer): boolean =>
  namedReferences(entry).some((reference) => referencesOf(other).includes(reference))

/** What names a deposit, also by its digits alone. */
const namedReferences = remembered(({ references: { written, bare } }: Pick<NewEntry, 'references'>) => [
  ...written,
  ...bare,
])

const paymentKey = (facts: Pick<TransferFacts, 'accountId' | 'bookedOn' | 'cents'>): string =>
  `${facts.accountId}:${facts.bookedOn}:${facts.cents}`

/** The result of comparing a bank entry, as a whole or in parts, with what is stored of it. */
type EntrySorted = {
  fresh: NewEntry[]
  /** Repetitions, each with the payment that it repeats. */
  repeated: Map<NewEntry, PriorTransfer>
  /** Stored as one sum and now reported payment by payment: the sum is revoked. */
  replaced: PriorTransfer[]
  /** The stored payments that the entry reports as one sum. */
  within: PriorTransfer[]
}

/** Compares all incoming payments of one entry reference with the stored ones. `prior` is not empty. */
export function sortEntry(
  reference: string,
  entries: readonly NewEntry[],
  known: readonly PriorTransfer[],
): EntrySorted {
  const nothing: EntrySorted = { fresh: [...entries], repeated: new Map(), replaced: [], within: [] }
  const total = entries[0]!.bankEntry!.cents
  const isWhole = entries.length === 1 && entries[0]!.cents === total
  const before = known.filter(
    (prior) => isUnique(reference) || entries.some((now) => now.bookedOn === prior.bookedOn),
  )
  if (before.length === 0) return nothing
  const sum = before.reduce((all, prior) => all + prior.cents, 0n)
  const isKnownWhole = before.length === 1 && before[0]!.cents === total
  if (isWhole && isKnownWhole && isPlainlySame(reference, entries[0]!, before[0]!))
    return { ...nothing, repeated: new Map([[entries[0]!, before[0]!]]) }
  const marked = (rest: readonly NewEntry[], doubt: Doubt): NewEntry[] =>
    rest.map((entry) => ({ ...entry, doubt, sameAs: before.map(({ id }) => id).slice(0, 20) }))
  const contradicted = (rest: readonly NewEntry[]) => marked(rest, 'entry_contradicts')
  const mayBe = (prior: PriorTransfer): boolean =>
    isWhole && isKnownWhole && !isPlainlyAnother(reference, entries[0]!, prior)
  // A sum and its parts, or two reports of one payment, are certain by a number that is never used again only.
  if (
    !isUnique(reference) &&
    (mayBe(before[0]!) || (isWhole ? sum === total && !isKnownWhole : isKnownWhole))
  )
    return { ...nothing, fresh: marked(entries, 'maybe_repeated') }
  if (isWhole && before.length > 1 && sum === total) return { ...nothing, fresh: [], within: before }
  if (isWhole) return { ...nothing, fresh: contradicted(entries) }
  if (isKnownWhole) {
    const [whole] = before as [PriorTransfer]
    const isOpen = canBecome(whole.state, 'matched') && whole.refundCents === 0n
    // If another source may have reported the payment as one sum, it may also have reported it in parts.
    if (whole.isSuspected) return { ...nothing, fresh: contradicted(entries) }
    if (isOpen) return { ...nothing, replaced: [whole] }
    return { ...nothing, repeated: new Map(entries.map((entry) => [entry, whole])) }
  }
  // Parts against parts with other ids: each amount once, but none that this file repeats under its own id.
  const left = before.filter(
    (prior) => !prior.isReportedHere && (prior.entryCents === null || prior.entryCents === total),
  )
  const repeated = new Map<NewEntry, PriorTransfer>()
  for (const entry of entries) {
    const place = left.findIndex(
      (other) => other.cents === entry.cents && isPlainlySame(reference, entry, other),
    )
    if (place >= 0) repeated.set(entry, left.splice(place, 1)[0]!)
  }
  const others = entries.filter((entry) => !repeated.has(entry))
  // An import that was stopped knows some of its parts only.
  const isTheRest =
    before.every((prior) => prior.isReportedHere && prior.entryCents === total) &&
    sum + others.reduce((all, entry) => all + entry.cents, 0n) <= total
  const rest = isTheRest ? others : contradicted(others)
  return { ...nothing, fresh: [...repeated.keys(), ...rest], repeated }
}

/**
 * An entry under a bank id of another source: the same payment if the amounts are equal, else a contradiction. Under a short id the
 * amounts alone make it a likely repetition.
 */
export function sortById(
  entry: NewEntry,
  known: readonly PriorTransfer[],
): { original: PriorTransfer } | { doubt: Doubt; sameAs: string[] } | undefined {
  const { bankId } = entry
  const before = known.filter((other) => isUnique(bankId!) || other.bookedOn === entry.bookedOn)
  const original = before.find((other) => other.cents === entry.cents && isPlainlySame(bankId!, entry, other))
  if (original) return { original }
  if (before.length === 0) return undefined
  const maybe = before.some(
    (other) => other.cents === entry.cents && !isPlainlyAnother(bankId!, entry, other),
  )
  return {
    doubt: maybe ? 'maybe_repeated' : 'entry_contradicts',
    sameAs: before.map(({ id }) => id).slice(0, 20),
  }
}

/**
 * Whether this entry corrects a payment: the same document of the same payer on the same day, from another file or
 * source, with another amount or purpose; also some days apart, where another way of reporting may have left out the fee of a bank.
 * Two ids of one bank are two payments, unless they are of two kinds. One that stands for many may be any of them.
 */
export const corrects = (entry: NewEntry, other: PriorTransfer, sourceId: string): boolean =>
  entry.documentNumber !== '' &&
  other.accountId === entry.accountId &&
  other.documentNumber === entry.documentNumber &&
  (other.standsForMany ||
    (isSamePayer(entry, other) &&
      (mayDifferByFee(entry, other, sourceId) ||
        (other.bookedOn === entry.bookedOn &&
          !haveTwoIds(entry, other, sourceId) &&
          (other.cents !== entry.cents || other.channel === entry.channel)))))

/** Reported in another way, before or after the fee of a bank. */
export const mayDifferByFee = (entry: NewEntry, other: PriorTransfer, sourceId: string): boolean =>
  differByFee(other, entry) &&
  (other.hasOtherNumbers === true ||
    ((other.sourceId !== sourceId || other.channel !== entry.channel) && !haveTwoIds(entry, other, sourceId)))

const haveTwoIds = (entry: NewEntry, other: PriorTransfer, sourceId: string): boolean =>
  entry.bankId !== null && other.bankId !== null && other.sourceId === sourceId

export type Payer = Pick<TransferFacts, 'payerAccount' | 'payerTaxId' | 'payerName'>

function isSamePayer(left: Payer, right: Payer): boolean {
  if (!isSilent(taxIdOf(left), taxIdOf(right))) return taxIdOf(left) === taxIdOf(right)
  if (left.payerAccount !== '' && right.payerAccount !== '') return left.payerAccount === right.payerAccount
  return left.payerName !== '' && nameOf(left) === nameOf(right)
}

/**
 * Certain enough to add money to a deposit: equal tax ids, or equal account and name, and no contradiction. Accounts
 * are stored masked, so they are not enough alone.
 */
function isCertainlySamePayer(left: Payer, right: Payer): boolean {
  if (!isNobodyElse(left, right)) return false
  return (
    isSaid(taxIdOf(left), taxIdOf(right)) ||
    (isSaid(left.payerAccount, right.payerAccount) &&
      isSaid(nameOf(left), nameOf(right)) &&
      !kazakhIbanPattern.test(left.payerAccount))
  )
}

/**
 * Surely a person, who pays for nobody else: by a personal account of Russia or Uzbekistan, or a personal tax id. Companies may be payment
 * agents, whose names no list has in full; they pay for all of their customers.
 */
export const isPerson = (payer: Payer): boolean =>
  !isBank(payer) && (/^(?:4081|2261)/.test(payer.payerAccount) || personalTaxIdPattern.test(taxIdOf(payer)))

const isBank = (payer: Payer): boolean =>
  bankAccountPattern.test(payer.payerAccount) || bankNamePattern.test(nameOf(payer))

/**
 * Banks and payment agents send the money of their customers, under a tax id of their own. Those whose names have no word for a bank are
 * listed where the name is nobody else's: of Russia (НКО is a credit institution that is no bank), Kazakhstan, Uzbekistan and
 * Tajikistan (МДО and ТАҚХ, which take deposits). Short names may have the kind of a bank alone, such as АКБ or ATB. КБ can also be a
 * design bureau and АБ a law firm; a person then decides about its payments as about a bank's.
 */
const bankNamePattern = new RegExp(
  `б[ао]нк|b[ao]nk|(?<!\\p{L})(?:${[
    ...['р?нко', 'втб', 'vtb', 'убрир', 'юнистрим', 'юмани', 'yoomoney', 'qiwi', 'киви', 'почта россии'],
    ...['[чо]?акб', 'акиб', 'атб', 'x?atb', '(?:ch)?akb'],
    // Two letters alone may be the initials of a person.
    ...['[ка]б(?=\\s*["«“„])', '(?:[поз]?ао|ооо)\\s*["«“„]?[ка]б'],
    ...['kaspi', 'каспи', 'казпочта', 'қазпошта', 'жссбк?', 'wooppay'],
    ...['payme', 'click', 'paynet', 'uzum'],
    ...['мдо', 'тақх'],
  ].join('|')})(?!\\p{L})`,
  'u',
)

/**
 * Payments by account and payer, to be found by a payer who is certainly the same. It searches by keys, because a source may report
 * five hundred payers at once, and two thousand have paid before.
 */
export class PaymentsByPayer<Payment extends Payer & { accountId: string }> {
  readonly #payments = new Map<string, Payment[]>()

  constructor(payments: readonly Payment[]) {
    for (const payment of payments) this.add(payment)
  }

  add(payment: Payment): void {
    for (const key of certainKeys(payment)) {
      const payments = this.#payments.get(key)
      if (payments) payments.push(payment)
      else this.#payments.set(key, [payment])
    }
  }

  /** Undefined where there are too many to look at: then a person decides. */
  find(payer: Payer & { accountId: string }): Payment[] | undefined {
    const found = certainKeys(payer).map((key) => this.#payments.get(key) ?? [])
    if (found.some((payments) => payments.length > ofPayerMost)) return undefined
    return [...new Set(found.flat())].filter((payment) => isCertainlySamePayer(payment, payer))
  }
}

const ofPayerMost = 100

/** Keys of a payer: certainly equal payers have one in common. A bank has none, because it sends the money of all its customers. */
const certainKeys = (payer: Payer & { accountId: string }): string[] =>
  isBank(payer)
    ? []
    : [
        ...(taxIdOf(payer) ? [`${payer.accountId}:tax:${taxIdOf(payer)}`] : []),
        ...(payer.payerAccount && nameOf(payer)
          ? [`${payer.accountId}:account:${payer.payerAccount}:${nameOf(payer)}`]
          : []),
      ]

/** Zeros are how banks fill in a tax id that they do not know. */
export const taxIdOf = ({ payerTaxId }: Pick<Payer, 'payerTaxId'>): string =>
  /^0*$/.test(payerTaxId) ? '' : payerTaxId

// Remembered, because every entry is compared with many.
const nameOf = remembered(({ payerName }: Payer) =>
  payerName.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim(),
)

const referencesInPurpose = remembered(({ purpose }: PriorTransfer) => {
  const { written, bare } = namedReferencesIn({ purpose, purposeParts: [purpose] })
  return [...written, ...bare]
})

const referencesOf = remembered((other: PriorTransfer): Reference[] => [
  ...referencesInPurpose(other),
  ...(other.depositReference ? [other.depositReference] : []),
])
