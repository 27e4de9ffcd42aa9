/** Decides which of the entries under one bank id belong to the same payment. Pure. */
import { remembered } from '../../platform/remembered.ts'
import type { Reference } from '../deposits/reference.ts'
import { daysAfter, holidayDays } from './bank-text/days.ts'
import { isUnique, lookLikeTwoPayers } from './possible-repetition.ts'
import { type References, referencesWrittenIn } from './purpose-references.ts'
import type { TransferFacts } from './transfer.ts'

/** The facts of an entry, stored or not, that show whether another one under its id belongs to the same payment. */
type Reported = Pick<TransferFacts, 'cents' | 'currency' | 'bookedOn' | 'payerAccount' | 'purpose'> & {
  fingerprint: Buffer
  /** The reference of the deposit that the entry counts for, whether or not its purpose has it. */
  depositReference?: Reference | null
}

/** An entry that the bank reports now. */
type Entry = Reported & Pick<TransferFacts, 'bankId'> & { isRevoked: boolean; references: References }

/** The entries under one id by payment: a list for each payment that was revoked, then one list with all others. */
export function paymentsOf<One extends Entry>(entries: readonly One[], known: readonly Reported[]): One[][] {
  const ends = entries.filter((entry) => entry.isRevoked)
  if (ends.length === 0) return [[...entries]]
  const payments: { reports: Reported[]; entries: One[] }[] = []
  const add = (entry: One, payment = payments[payments.push({ reports: [], entries: [] }) - 1]!) => {
    payment.reports.push(entry)
    payment.entries.push(entry)
  }
  for (const prior of known) payments.push({ reports: [prior], entries: [] })
  for (const entry of entries)
    if (!entry.isRevoked)
      add(
        entry,
        payments.find(({ reports: [first] }) => !reportsAnotherPayment(entry, first!)),
      )
  const fits: ((end: One, one: Reported) => boolean)[] = [
    (end, one) => end.fingerprint.equals(one.fingerprint),
    (end, one) => mayEnd(end, one) && end.bookedOn === one.bookedOn,
    mayEnd,
    (end, one) => !('isRevoked' in one && one.isRevoked) && !reportsAnotherPayment(end, one),
  ]
  for (const end of ends)
    add(
      end,
      fits
        .map((fit) => payments.find(({ reports }) => reports.some((one) => fit(end, one))))
        .find((payment) => payment !== undefined),
    )
  const lists = payments.map((payment) => payment.entries)
  const hasEnded = (list: readonly One[]) => list.some((entry) => entry.isRevoked)
  return [...lists.filter(hasEnded), lists.filter((list) => !hasEnded(list)).flat()].filter(
    (list) => list.length > 0,
  )
}

const mayEnd = (end: Entry, one: Reported): boolean => isSameMoney(end, one) && !isAnotherPayment(end, one)

/**
 * A later version normally updates its own payment. Under an id that is used again it may be another payment, of another day,
 * payer or deposit. Under a unique id it is another one if the amount is the same and the deposit or payer is not.
 */
export function reportsAnotherPayment(entry: Entry, prior: Reported): boolean {
  const isOfDay = entry.bookedOn === prior.bookedOn
  // A revocation may come days later, or state another amount.
  if (entry.isRevoked) return !isUnique(entry.bankId!) && !isOfDay && !isSameMoney(entry, prior)
  if (!isUnique(entry.bankId!)) return !isOfDay || isAnotherPayment(entry, prior)
  return isSameMoney(entry, prior) && isAnotherPayment(entry, prior)
}

/**
 * An earlier version of a payment adds nothing once a later one is known. It may have another amount if the day and the payer
 * or purpose are the same; otherwise it is another payment under the id.
 */
export function isEarlierVersion(entry: Entry, later: Reported): boolean {
  if (entry.isRevoked || ('isRevoked' in later && later.isRevoked))
    return !reportsAnotherPayment(entry, later)
  if (isAnotherPayment(entry, later)) return false
  if (isSameMoney(entry, later)) return true
  const isOfPayer = entry.payerAccount !== '' && entry.payerAccount === later.payerAccount
  return entry.bookedOn === later.bookedOn && (isOfPayer || entry.purpose === later.purpose)
}

export const isSameMoney = (
  left: Pick<TransferFacts, 'cents' | 'currency'>,
  right: Pick<TransferFacts, 'cents' | 'currency'>,
) => left.cents === right.cents && left.currency === right.currency

/**
 * Whether two entries with the same id are two payments: they are for two deposits, of two payers or weeks apart. Not every
 * number that a bank calls an id is unique, and none may hide a payment.
 */
export function isAnotherPayment(
  { bookedOn, payerAccount, references: { written } }: Entry,
  prior: Reported,
): boolean {
  if (lookLikeTwoPayers(payerAccount, prior.payerAccount)) return true
  if (bookedOn !== prior.bookedOn) {
    const [first, last] = [bookedOn, prior.bookedOn].sort() as [string, string]
    if (last > daysAfter(first, holidayDays)) return true
  }
  const meant = depositsNamedBy(prior)
  return written.length > 0 && meant.length > 0 && !written.some((reference) => meant.includes(reference))
}

// Remembered, because every entry under one id is compared with many.
const depositsNamedBy = remembered(({ purpose, depositReference }: Reported) => [
  ...referencesWrittenIn(purpose),
  ...(depositReference ? [depositReference] : []),
])
