/**
 * Which deposit a transfer is for. Pure: the transfer, the deposits that wait for money on its account, the deposits
 * that its references name. A reference beats the amount; where two deposits remain, a person decides. It must never guess.
 */
import type { Deposit } from '../deposits/deposit.ts'
import type { Reference } from '../deposits/reference.ts'
import { type Message, message } from '../messages/message.ts'
import type { Cents } from '../money.ts'
import { type AmountMatching, carriesReference } from '../requisites/requisite.ts'
import { type Listing, listingValues, strongest } from '../rules/listing.ts'
import { isInWindow, mayStillCome, wasPayable, wasSentSince } from './payment-times.ts'
import { mayBeSame, mayBeSameLessFee, type PossibleRepetition } from './possible-repetition.ts'
import { type References, referencesIn } from './purpose-references.ts'
import type { TransferFacts } from './transfer.ts'

/** Raised when the rules change, so that evidence shows which rules made it. */
export const matcherVersion = 19

/** A deposit with the account it waits on. */
export type AwaitingDeposit = { deposit: Deposit; accountId: string }

/** A deposit that has ended; where it was canceled, rejected or reversed, its times end then, see `bookingDelayMs`. */
export type EndedDeposit = {
  deposit: Pick<Deposit, 'id' | 'currency' | 'issuedAt' | 'expiresAt' | 'lateUntil'>
}

export type Rule =
  | 'reference'
  | 'amount_unique'
  | 'payer_rest'
  | 'several_candidates'
  | 'several_references'
  | 'reference_elsewhere'
  | 'reference_not_asked'
  | 'reference_closed'
  | 'reference_unknown'
  | 'reference_missing'
  | 'contradicting_hint'
  | 'outside_window'
  | 'wrong_currency'
  | 'settlement_batch'
  | 'no_candidate'
  | 'payer_listed'
  | 'maybe_repeated'

/** A deposit that was considered, and why it was chosen or not. */
type Considered = { deposit: string; verdict: string }

export type Match = {
  outcome: 'matched' | 'ambiguous' | 'unmatched'
  rule: Rule
  /** For a person to read. */
  reason: Message
  /** 100: found by reference. 80: the only deposit with this amount. 70: the payer's remaining amount. 0: a person decides. */
  score: number
  depositId: string | null
  candidates: Considered[]
  /** Transfers that it may be the same payment as. */
  sameAs: string[]
}

export type Matching = {
  transfer: TransferFacts
  /** The result of `referencesIn`, where the caller has it. */
  references?: References
  /** The account's own currency. */
  currency: string
  /** Deposits that a reference in the purpose names, on any account and in any state. */
  named: readonly AwaitingDeposit[]
  /**
   * References of deposits of this account, in any state and of any amount, that are written as digits alone, hidden among
   * other digits, or in characters that a bank may change.
   */
  namedByDigits?: readonly Reference[]
  /** Deposits of this account that wait for exactly this amount. */
  waiting: readonly AwaitingDeposit[]
  /**
   * Deposits of this account and amount that have a part of their money, from any payer: their customers may still pay the
   * whole amount.
   */
  begunOfAmount?: readonly AwaitingDeposit[]
  /** Deposits of this account that have a part of their money from this very payer, and wait for the rest. */
  begun?: readonly AwaitingDeposit[]
  /**
   * Ids of the begun deposits whose payer may be somebody else: known only from a text that a payer may have written (see
   * `channelsWithPayerInText`), or a company, which may pay for its customers.
   */
  begunUnproven?: ReadonlySet<string>
  /**
   * Deposits of this account that a person confirmed, or recorded money for, and that may still get exactly this sum: this
   * may be that money.
   */
  confirmedUnpaid?: readonly AwaitingDeposit[]
  /**
   * Ended deposits of this account that lack exactly this sum, all or the rest of their amount: it may be theirs if they
   * could be paid when it was sent.
   */
  ended?: readonly EndedDeposit[]
  /** Money of the named and begun deposits that a person recorded before a bank reported it. */
  noted?: ReadonlyMap<string, Cents>
  amountMatching: AmountMatching
  /** More deposits wait for this amount than were loaded. */
  isCrowded?: boolean
  /**
   * Payments from another source or format: those of the named deposits, and those matched with a deposit that they do not
   * name; or, where none is named, of this account; and those of the deposits that this payer has begun, from another file too.
   */
  reportedElsewhere?: readonly PossibleRepetition[]
  /** Entries of the lists about the payer, of whichever merchant. */
  listed?: readonly Listing[]
  now: Date
}

/** Matches a transfer; a payer on a list, a common one or this merchant's, makes it wait for a person. */
export function matchTransfer(matching: Matching): Match {
  const match = matchByFacts(matching)
  const { listed = [], named, waiting, begun = [] } = matching
  const settled = [...named, ...waiting, ...begun].find(({ deposit }) => deposit.id === match.depositId)
  const entry = strongest(listed, settled?.deposit.merchantId ?? null)
  if (!entry) return match
  const reason = message('listed_otherwise', { ...listingValues(entry), rest: match.reason })
  // A suspected repetition waits for a person anyway, and keeps its rule, because no refund is due for it.
  if (match.rule === 'maybe_repeated') return { ...match, reason }
  return { ...match, outcome: 'ambiguous', rule: 'payer_listed', reason, score: 0, depositId: null }
}

function matchByFacts(matching: Matching): Match {
  const { transfer, references, currency, named, waiting, begun = [], now } = matching
  const { namedByDigits = [], reportedElsewhere = [] } = matching
  if (transfer.currency !== currency) {
    return open('unmatched', 'wrong_currency', message('match_wrong_currency'))
  }
  // Whatever the text says, this is not one payment of this sum.
  if (transfer.hasSeveralPayments) return settlementBatch([...new Set([...named, ...waiting])])
  const { written, bare, hasMalformed, possible } = references ?? referencesIn(transfer)
  const exact = nearest(
    named.filter(({ deposit }) => written.includes(deposit.reference!)),
    transfer,
  )
  /** Another report of this payment, which cuts its text elsewhere, may name another deposit. */
  const isOneOfSeveral = ({ deposit }: AwaitingDeposit): boolean =>
    hasMalformed ||
    [...written, ...possible, ...namedByDigits].some((reference) => reference !== deposit.reference)
  if (exact.length === 1 && isOneOfSeveral(exact[0]!)) return severalReferences(exact)
  if (exact.length > 0) return byReference(exact, matching)
  // Eight digits alone may be a date: they count only with the amount.
  const byDigits = waiting.filter(({ deposit }) => bare.includes(deposit.reference!))
  if (byDigits.length === 1) {
    if (isOneOfSeveral(byDigits[0]!)) return severalReferences(byDigits)
    return byReference(byDigits, { ...matching, reportedElsewhere: reportedElsewhere.map(asGuessed) })
  }
  const candidates = waiting.filter((candidate) => acceptsMoney(candidate.deposit, now))
  // Digits of another deposit's reference may well mean that deposit, whatever the amount: no other deposit gets the money
  // without a person.
  const meant = named.filter(
    ({ accountId, deposit }) => accountId === transfer.accountId && bare.includes(deposit.reference!),
  )
  if (meant.length > 0 && candidates.length + begun.length > 0)
    return severalPossible([...meant, ...candidates, ...begun])
  if (written.length > 0 || hasMalformed) {
    const reason = message('match_reference_unknown')
    return open(candidates.length > 0 ? 'ambiguous' : 'unmatched', 'reference_unknown', reason, candidates)
  }
  // A customer may know the total of a day's payout, and create a deposit of that amount.
  if (isBatch(transfer)) return settlementBatch(candidates)
  const begunBefore = begun.filter(
    (candidate) => acceptsMoney(candidate.deposit, now) && wasSentSince(candidate.deposit, transfer),
  )
  const rest = byPayer(begunBefore, candidates, matching)
  if (rest) return rest
  const match = byAmount(candidates, matching)
  // A payer who has paid a part may well mean that deposit, whatever the amount: no other deposit gets the money without a
  // person.
  if (begunBefore.length > 0 && match.outcome !== 'ambiguous')
    return open('ambiguous', 'payer_rest', message('match_not_the_rest'), [...begunBefore, ...candidates])
  return match
}

/** Exactly the rest of a deposit that this payer has paid in part, if no other deposit fits. */
function byPayer(
  begun: readonly AwaitingDeposit[],
  candidates: readonly AwaitingDeposit[],
  matching: Matching,
): Match | undefined {
  const { transfer, isCrowded = false, reportedElsewhere = [], confirmedUnpaid = [], ended = [] } = matching
  const { begunUnproven } = matching
  const rests = begun.filter((candidate) => isRest(candidate, transfer))
  const restIds = new Set(rests.map(({ deposit }) => deposit.id))
  const claimed = confirmedUnpaid.filter(
    ({ deposit }) => mayStillCome(deposit, transfer) && !restIds.has(deposit.id),
  )
  const missed = ended.filter(({ deposit }) => wasPayable(deposit, transfer))
  const looked = [...rests, ...candidates, ...claimed, ...missed]
  const [rest] = rests
  const repetitions = rest ? reportedElsewhere.filter((repetition) => mayBeSame(repetition, transfer)) : []
  if (repetitions.length > 0) return perhapsRepeated(repetitions, maybeRepeated, looked)
  if (rest && isCrowded)
    return open('ambiguous', 'several_candidates', message('match_too_many_candidates'), looked)
  if (rest && looked.length > 1) return severalPossible(looked)
  const beforeFee = rest ? reportedBeforeFee(rest, matching) : []
  if (beforeFee.length > 0) return perhapsRepeated(beforeFee, message('match_maybe_net'), rests)
  if (rest && mayBeNoted(rest, matching))
    return open('ambiguous', 'maybe_repeated', message('match_maybe_noted'), rests)
  if (rest && begunUnproven?.has(rest.deposit.id))
    return open('ambiguous', 'payer_rest', message('match_rest_by_text'), rests)
  if (rest) return matched(rest.deposit, 'payer_rest', 70, message('match_payer_rest'), rests)
  return undefined
}

const severalPossible = (looked: readonly (AwaitingDeposit | EndedDeposit)[]): Match =>
  open('ambiguous', 'several_candidates', message('match_several_meant', { count: looked.length }), looked)

const maybeRepeated = message('match_maybe_repeated')

const perhapsRepeated = (
  repetitions: readonly PossibleRepetition[],
  reason: Message,
  looked: readonly (AwaitingDeposit | EndedDeposit)[],
): Match => ({
  ...open('ambiguous', 'maybe_repeated', reason, looked),
  sameAs: [...new Set(repetitions.map(({ id }) => id))].slice(0, 20),
})

/** What was reported for this deposit and may be the same payment, before or after the fee of a bank. */
const reportedBeforeFee = (
  { deposit }: AwaitingDeposit,
  { transfer, reportedElsewhere = [] }: Matching,
): PossibleRepetition[] =>
  reportedElsewhere.filter(
    (repetition) => repetition.depositId === deposit.id && mayBeSameLessFee(repetition, transfer),
  )

/** A person may have recorded this money for the deposit, perhaps less the fee of a bank. */
const mayBeNoted = ({ deposit }: AwaitingDeposit, { noted, transfer }: Matching): boolean =>
  (noted?.get(deposit.id) ?? 0n) * 10n > transfer.cents * 9n

/** References are unique per account: where this account has one, an equal one of another account does not count. */
const nearest = (named: readonly AwaitingDeposit[], { accountId }: TransferFacts): AwaitingDeposit[] =>
  named.filter(
    (candidate) =>
      candidate.accountId === accountId ||
      !named.some(
        (other) => other.accountId === accountId && other.deposit.reference === candidate.deposit.reference,
      ),
  )

function byReference(named: readonly AwaitingDeposit[], matching: Matching): Match {
  const { transfer, reportedElsewhere = [], now } = matching
  if (named.length > 1) return severalReferences(named)
  const [only] = named
  const { deposit, accountId } = only!
  if (accountId !== transfer.accountId || deposit.currency !== transfer.currency) {
    const reason = message('match_reference_elsewhere')
    return open('ambiguous', 'reference_elsewhere', reason, named)
  }
  if (!acceptsMoney(deposit, now) && deposit.state !== 'confirmed') {
    const reason = message('match_reference_closed', { state: deposit.state })
    return open('unmatched', 'reference_closed', reason, named)
  }
  if (!isInWindow(deposit, transfer)) {
    const reason = message('match_reference_outside_window')
    return open('unmatched', 'outside_window', reason, named)
  }
  if (!wasShownReference(deposit) && !isRest(only!, transfer)) {
    const reason = message('match_reference_not_asked')
    return open('ambiguous', 'reference_not_asked', reason, named)
  }
  const repetitions = reportedElsewhere.filter(
    (repetition) =>
      (repetition.depositId === deposit.id || repetition.isGuessed) && mayBeSame(repetition, transfer),
  )
  if (repetitions.length > 0) {
    const isReceived = repetitions.some(({ depositId }) => depositId === deposit.id)
    const reason = isReceived ? message('match_maybe_received_already') : maybeRepeated
    return perhapsRepeated(repetitions, reason, named)
  }
  const beforeFee = reportedBeforeFee(only!, matching)
  if (beforeFee.length > 0) return perhapsRepeated(beforeFee, message('match_maybe_net'), named)
  if (mayBeNoted(only!, matching))
    return open('ambiguous', 'maybe_repeated', message('match_maybe_noted'), named)
  return matched(deposit, 'reference', 100, message('match_reference'), named)
}

const severalReferences = (named: readonly AwaitingDeposit[]): Match =>
  open('ambiguous', 'several_references', message('match_several_references'), named)

/** Digits alone do not prove that a payment of this amount which counts for another deposit is a different payment. */
const asGuessed = (repetition: PossibleRepetition): PossibleRepetition => ({
  ...repetition,
  isGuessed: repetition.isGuessed || repetition.depositId !== null,
})

/**
 * References can be guessed: they are short. Customers who pay to a card or phone are shown none: a stranger who
 * guesses one must not be able to pay a small part of the deposit, because the full amount would then no longer match it.
 */
const wasShownReference = ({ shown }: Deposit): boolean => shown === null || carriesReference(shown.kind)

function byAmount(
  candidates: readonly AwaitingDeposit[],
  {
    transfer,
    isCrowded = false,
    reportedElsewhere = [],
    confirmedUnpaid = [],
    ended = [],
    begunOfAmount = [],
    amountMatching,
    now,
  }: Matching,
): Match {
  const inTime = candidates.filter(({ deposit }) => wasSentSince(deposit, transfer))
  if (inTime.length === 0) {
    return candidates.length > 0
      ? open('unmatched', 'outside_window', message('match_outside_window'), candidates)
      : open('unmatched', 'no_candidate', message('match_no_candidate'))
  }
  if (isCrowded) {
    const reason = message('match_too_many_candidates')
    return open('ambiguous', 'several_candidates', reason, inTime)
  }
  const repetitions = reportedElsewhere.filter((repetition) => mayBeSame(repetition, transfer))
  if (repetitions.length > 0) return perhapsRepeated(repetitions, maybeRepeated, inTime)
  if (inTime.every(({ deposit }) => !mayMatchByAmount(deposit, amountMatching))) {
    const reason = message('match_reference_missing')
    return open('ambiguous', 'reference_missing', reason, inTime)
  }
  const claimed = confirmedUnpaid.filter(({ deposit }) => mayStillCome(deposit, transfer))
  if (claimed.length > 0) {
    const reason = message('match_confirmed_unpaid')
    return open('ambiguous', 'several_candidates', reason, [...claimed, ...inTime])
  }
  const missed = ended.filter(({ deposit }) => wasPayable(deposit, transfer))
  if (missed.length > 0) {
    const reason = message('match_may_be_of_ended')
    return open('ambiguous', 'several_candidates', reason, [...missed, ...inTime])
  }
  const begun = begunOfAmount.filter(
    ({ deposit }) => acceptsMoney(deposit, now) && wasSentSince(deposit, transfer),
  )
  if (begun.length > 0) return severalPossible([...inTime, ...begun])
  // The customer's name and phone do not decide among several deposits: the creator of a deposit can give those of another
  // payer.
  if (inTime.length > 1) {
    const reason = message('match_several_candidates', { count: inTime.length })
    return open('ambiguous', 'several_candidates', reason, inTime)
  }
  const [{ deposit }] = inTime as [AwaitingDeposit]
  if (isOfAnotherCustomer(deposit, transfer)) {
    const reason = message('match_contradicting_hint')
    return open('ambiguous', 'contradicting_hint', reason, inTime)
  }
  return matched(deposit, 'amount_unique', 80, message('match_amount_unique'), inTime)
}

/** Exactly what the deposit still lacks. */
export const isRest = ({ deposit }: AwaitingDeposit, { cents }: Pick<TransferFacts, 'cents'>): boolean =>
  deposit.amountCents - deposit.receivedCents === cents

/** Whether the deposit has a part of its money. */
export const isBegun = ({ deposit: { receivedCents, amountCents } }: AwaitingDeposit): boolean =>
  receivedCents > 0n && receivedCents < amountCents

const mayMatchByAmount = ({ shown }: Deposit, amountMatching: AmountMatching): boolean =>
  amountMatching === 'always' ||
  (amountMatching === 'by_kind' && shown !== null && !carriesReference(shown.kind))

const acceptsMoney = ({ state, lateUntil }: Deposit, now: Date): boolean =>
  state === 'created' || (state === 'expired' && now < lateUntil)

/**
 * The bank reports one phone number, and the merchant gave another for its customer, whose name is not the payer's either. Missing
 * values prove nothing.
 */
function isOfAnotherCustomer(
  { customer, customerPhoneNumber }: Deposit,
  { payerName, purpose }: TransferFacts,
): boolean {
  const phone = customerPhoneNumber?.replace(/\D/g, '').slice(-10)
  if (!phone) return false
  const phones = [...purpose.matchAll(/(?<!\d)\+?\d[\d\s()-]{8,17}\d(?!\d)/g)]
    .map(([text]) => text.replace(/\D/g, ''))
    .filter((digits) => digits.length >= 10 && digits.length <= 12)
  if (phones.length !== 1 || phones[0]!.endsWith(phone)) return false
  const words = nameWords(customer ?? '')
  const payer = new Set(nameWords(payerName))
  return words.length < 2 || !words.every((word) => payer.has(word))
}

const nameWords = (text: string): string[] => text.toLowerCase().match(/\p{L}{2,}/gu) ?? []

const settlementBatch = (candidates: readonly AwaitingDeposit[]): Match =>
  open(
    candidates.length > 0 ? 'ambiguous' : 'unmatched',
    'settlement_batch',
    message('match_settlement_batch'),
    candidates,
  )

const isBatch = ({ purpose }: TransferFacts): boolean =>
  /эквайринг|возмещени|реестр|settlement|за вычетом комисс/iu.test(purpose)

const matched = (
  { id }: Deposit,
  rule: Rule,
  score: number,
  reason: Message,
  looked: readonly AwaitingDeposit[],
): Match => ({
  outcome: 'matched',
  rule,
  reason,
  score,
  depositId: id,
  candidates: looked.map(({ deposit }) => ({
    deposit: deposit.id,
    verdict: deposit.id === id ? rule : `not named (${deposit.state})`,
  })),
  sameAs: [],
})

const open = (
  outcome: 'ambiguous' | 'unmatched',
  rule: Rule,
  reason: Message,
  looked: readonly { deposit: Pick<Deposit, 'id'> }[] = [],
): Match => ({
  outcome,
  rule,
  reason,
  score: 0,
  depositId: null,
  // A thousand deposits of one amount would put a thousand lines of evidence into one transfer.
  candidates: looked.slice(0, 20).map(({ deposit }) => ({ deposit: deposit.id, verdict: rule })),
  sameAs: [],
})
