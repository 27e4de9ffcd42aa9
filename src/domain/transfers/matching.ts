/**
 * Which deposits a new credit is for. Pure: the transfer, the deposits that its references name, and those of its account and
 * amount. Two outcomes move money, `reference` and `amount`; where anything else could be meant, a person decides. It must never
 * guess, and it compares no transfers: whether a payment was told before is decided before this.
 */
import type { Deposit } from '../deposits/deposit.ts'
import type { Reference } from '../deposits/reference.ts'
import { type Message, message } from '../messages/message.ts'
import type { Cents, Currency } from '../money.ts'
import { type AmountMatching, carriesReference } from '../requisites/requisite.ts'
import { type Listing, listingValues, strongest } from '../rules/listing.ts'
import type { Prepared } from './entry.ts'
import { isInWindow, isListening, wasPayable } from './payment-times.ts'
import type { Share, TransferFacts } from './transfer.ts'

/**
 * `not_payment`: our own money, another currency, one entry of several payments. `reference`: valid references alone name its
 * deposits. `reference_doubt`: any other mention of one. `amount`: only one deposit of this amount could be paid. `amount_doubt`:
 * several, one that has ended or has money, or none. `listed`: a list about payers says so.
 */
export type Outcome = 'not_payment' | 'reference' | 'reference_doubt' | 'amount' | 'amount_doubt' | 'listed'

export type Match = {
  outcome: Outcome
  state: 'matched' | 'ambiguous' | 'unmatched' | 'set_aside'
  reason: Message
  /** The deposits that get its money, all of it; empty unless matched. */
  shares: readonly Share[]
  /** Deposits that were considered, each with the code of the message that says why it was chosen or not. */
  candidates: readonly { deposit: string; verdict: string }[]
}

/** A deposit with the account that it waits on. */
export type Candidate = { deposit: Deposit; accountId: string }

export type Matching = {
  transfer: TransferFacts & Pick<Prepared, 'references' | 'isInternal'>
  account: { currency: Currency; amountMatching: AmountMatching }
  /** Deposits that a reference in the purpose names, also as eight digits, on any account and in any state. */
  named: readonly Candidate[]
  /** References of deposits of this account, in any state, that are written as digits alone. */
  alike: readonly Reference[]
  /** Deposits of this account and amount in any state, found about when it was sent. One more than `mostOfAmount` stands for many. */
  ofAmount: readonly Candidate[]
  /** Deposits of this account that have money from this very payer. */
  ofPayer: readonly Candidate[]
  /** Entries of the lists about the payer, of whichever merchant. */
  listed: readonly Listing[]
  now: Date
}

/** So many deposits of one amount are looked at, and so many are shown as evidence. */
export const mostOfAmount = 20

/** A payer on a list, a common one or that of the deposit's merchant, makes the transfer wait for a person. */
export function matchTransfer(matching: Matching): Match {
  const match = matchByFacts(matching)
  if (match.state === 'set_aside') return match
  const paid = [...matching.named, ...matching.ofAmount].find(
    ({ deposit }) => deposit.id === match.shares[0]?.depositId,
  )
  const entry = strongest(matching.listed, paid?.deposit.merchantId ?? null)
  if (!entry) return match
  const reason = message('listed_otherwise', { ...listingValues(entry), rest: match.reason })
  return { ...match, outcome: 'listed', state: 'ambiguous', reason, shares: [] }
}

function matchByFacts(matching: Matching): Match {
  const { transfer, account, named, ofAmount, now } = matching
  const { written, bare, hasMalformed } = transfer.references
  const payable = ofAmount.filter(({ deposit }) => wasPayable(deposit, transfer, now))
  if (transfer.currency !== account.currency) return open('not_payment', message('match_wrong_currency'))
  if (transfer.isInternal) {
    // A customer may pay from an account that is also ours, such as that of another merchant.
    if (written.length + named.length > 0)
      return { ...open('not_payment', message('own_money_names_deposit'), named), state: 'ambiguous' }
    return { ...open('not_payment', message('own_money_between_accounts')), state: 'set_aside' }
  }
  if (transfer.hasSeveralPayments) return severalPayments([...named, ...payable])
  const exact = nearest(
    named.filter(({ deposit }) => written.includes(deposit.reference!)),
    transfer,
  )
  if (exact.length > 0) return byReference(exact, matching)
  // Eight digits alone may be a date: they count only with the amount.
  const isWritten = ({ deposit }: Candidate) => bare.includes(deposit.reference!)
  const byDigits = payable.filter((candidate) => isWritten(candidate) && isWaiting(candidate.deposit, now))
  if (byDigits.length > 0) return byReference(byDigits, matching)
  // They may well mean their deposit, whatever the amount: no other one gets the money without a person.
  const meant = named.filter(
    (candidate) => candidate.accountId === transfer.accountId && isWritten(candidate),
  )
  if (meant.length > 0) {
    const possible = distinct([...meant, ...payable])
    return open('reference_doubt', message('match_several_meant', { count: possible.length }), possible)
  }
  if (written.length > 0 || hasMalformed)
    return open('reference_doubt', message('match_reference_unknown'), payable)
  // A customer may know the total of a day's payout, and create a deposit of that amount.
  if (isBatch(transfer)) return severalPayments(payable)
  return byAmount(payable, matching)
}

/** References are unique per account: where this account has one, an equal one of another account does not count. */
const nearest = (named: readonly Candidate[], { accountId }: TransferFacts): Candidate[] =>
  named.filter(
    (candidate) =>
      candidate.accountId === accountId ||
      !named.some(
        (other) => other.accountId === accountId && other.deposit.reference === candidate.deposit.reference,
      ),
  )

function byReference(named: readonly Candidate[], { transfer, alike, now }: Matching): Match {
  const { written, hasMalformed } = transfer.references
  const doubt = (reason: Message, isClosed = false): Match => ({
    ...open('reference_doubt', reason, named),
    state: isClosed ? 'unmatched' : 'ambiguous',
  })
  const several = () => doubt(message('match_several_references'))
  const names = new Set(named.map(({ deposit }) => deposit.reference))
  if (hasMalformed || [...written, ...alike].some((reference) => !names.has(reference))) return several()
  for (const { deposit, accountId } of named) {
    if (accountId !== transfer.accountId || deposit.currency !== transfer.currency)
      return doubt(message('match_reference_elsewhere'))
    if (!isListening(deposit, now) && deposit.state !== 'confirmed')
      return doubt(message('match_reference_closed', { state: deposit.state }), true)
    if (!isInWindow(deposit, transfer)) return doubt(message('match_reference_outside_window'), true)
    if (!wasShownReference(deposit)) return doubt(message('match_reference_not_asked'))
  }
  const [{ deposit: first }] = named as [Candidate]
  if (named.length === 1)
    return matched('reference', message('match_reference'), [shareOf(first, transfer.cents)])
  const shares = named.map(({ deposit }) => shareOf(deposit, deposit.amountCents - deposit.receivedCents))
  const isOneSum =
    named.every(({ deposit }) => deposit.merchantId === first.merchantId && isListening(deposit, now)) &&
    shares.every(({ cents }) => cents > 0n) &&
    shares.reduce((sum, { cents }) => sum + cents, 0n) === transfer.cents
  return isOneSum ? matched('reference', message('match_references'), shares) : several()
}

/**
 * References can be guessed: they are short. Customers who pay to a card or phone are shown none: a stranger who guesses one
 * must not be able to pay a small part of the deposit, because the full amount would then no longer match it.
 */
const wasShownReference = ({ shown }: Deposit): boolean => shown === null || carriesReference(shown.kind)

/** `payable`: the deposits of this amount, in any state, that could be paid when it was sent. */
function byAmount(payable: readonly Candidate[], matching: Matching): Match {
  const { transfer, account, ofAmount, ofPayer, now } = matching
  const begun = ofPayer.filter(({ deposit }) => isBegun(deposit) && wasPayable(deposit, transfer, now))
  const doubt = (reason: Message) => open('amount_doubt', reason, distinct([...begun, ...payable]))
  // Who has paid a part may well mean that deposit, whatever the amount.
  if (begun.length > 0) {
    const isRest = begun.some(({ deposit }) => deposit.amountCents - deposit.receivedCents === transfer.cents)
    return doubt(message(isRest ? 'match_maybe_the_rest' : 'match_not_the_rest'))
  }
  if (payable.length === 0) return doubt(message('match_no_candidate'))
  const [{ deposit }] = payable as [Candidate]
  if (payable.every((candidate) => !mayMatchByAmount(candidate.deposit, account.amountMatching)))
    return doubt(message('match_reference_missing'))
  // The customer's name and phone do not decide among several deposits: the creator of a deposit can give those of another payer.
  const count = ofAmount.length > mostOfAmount ? ofAmount.length : payable.length
  if (count > 1) return doubt(message('match_several_candidates', { count }))
  if (!isListening(deposit, now)) return doubt(message('match_may_be_of_ended'))
  if (deposit.receivedCents > 0n) return doubt(message('match_has_money'))
  if (isOfAnotherCustomer(deposit, transfer)) return doubt(message('match_contradicting_hint'))
  return matched('amount', message('match_amount_unique'), [shareOf(deposit, transfer.cents)])
}

/** Open and empty. */
const isWaiting = (deposit: Deposit, now: Date): boolean =>
  isListening(deposit, now) && deposit.receivedCents === 0n

const isBegun = ({ receivedCents, amountCents }: Deposit): boolean =>
  receivedCents > 0n && receivedCents < amountCents

const mayMatchByAmount = ({ shown }: Deposit, amountMatching: AmountMatching): boolean =>
  amountMatching === 'always' ||
  (amountMatching === 'by_kind' && shown !== null && !carriesReference(shown.kind))

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

const isBatch = ({ purpose }: TransferFacts): boolean =>
  /эквайринг|возмещени|реестр|settlement|за вычетом комисс/iu.test(purpose)

const severalPayments = (looked: readonly Candidate[]): Match =>
  open('not_payment', message('match_settlement_batch'), distinct(looked))

const distinct = (looked: readonly Candidate[]): Candidate[] => [
  ...new Map(looked.map((candidate) => [candidate.deposit.id, candidate])).values(),
]

const shareOf = ({ id }: Deposit, cents: Cents): Share => ({ depositId: id, cents })

const matched = (outcome: 'reference' | 'amount', reason: Message, shares: readonly Share[]): Match => ({
  outcome,
  state: 'matched',
  reason,
  shares,
  candidates: shares.map(({ depositId }) => ({ deposit: depositId, verdict: reason.code })),
})

/** A person decides; where no deposit is possible, there is nothing to choose from. */
const open = (outcome: Outcome, reason: Message, looked: readonly Candidate[] = []): Match => ({
  outcome,
  state: looked.length > 0 ? 'ambiguous' : 'unmatched',
  reason,
  shares: [],
  candidates: looked
    .slice(0, mostOfAmount)
    .map(({ deposit }) => ({ deposit: deposit.id, verdict: reason.code })),
})
