/**
 * Decides whether two transfers may be the same payment, reported by two sources, in two formats or in two files. If so, a person
 * decides. Pure.
 */
import { remembered } from '../../platform/remembered.ts'
import { holidayDays, isReportedDay } from './bank-text/days.ts'
import type { Channel, TransferFacts } from './transfer.ts'

/** The facts that show whether two transfers may be the same payment. */
export type PossibleRepetition = Pick<
  TransferFacts,
  | 'cents'
  | 'sentCents'
  | 'bookedOn'
  | 'documentNumber'
  | 'payerAccount'
  | 'isPayerAccountWhole'
  | 'payerTaxId'
  | 'bankId'
> & {
  id: string
  depositId: string | null
  channel?: Channel
  /** Reported by another source or in another format than this transfer, so it may have another day and another number there. */
  isReportedElsewhere?: boolean
  /** Matched with its deposit without naming one, so that it may have been meant for another. */
  isGuessed?: boolean
  /** It stands for more payments than are compared. */
  standsForMany?: boolean
  /**
   * Compared with the fee of a bank only. This file may have repeated it by its amount alone: it may have been another payment, which
   * was as large before the fee.
   */
  isBeforeFee?: boolean
}

/**
 * They have the same amount and the same day, or nearly, and nothing proves that they are two payments.
 *
 * Reported by another source or in another format, the document number proves nothing: each format takes it from a field of its
 * own, which the payer may have filled. Only two payers prove two payments, and not under one document number. Two payers are
 * two whole account numbers that begin alike and end differently, because one report may have the payer's account and another the card
 * (4058… and 40817… begin alike too), or the account of a bank in between. Two Kazakh IBANs also need the tax ids of two persons, and MT940 never shows two payers.
 *
 * Reported in the same way in another file, the text and the day may differ, but the document number is the same, or one of them
 * has none. Where both have bank ids that are never reused, the day may not differ.
 */
export const mayBeSame = (repetition: PossibleRepetition, transfer: TransferFacts): boolean =>
  repetition.cents === transfer.cents && !repetition.isBeforeFee && mayBeOnePayment(repetition, transfer)

/** Whatever their amounts are. */
function mayBeOnePayment(repetition: PossibleRepetition, transfer: TransferFacts): boolean {
  const { isReportedElsewhere = false } = repetition
  const [number, other] = [digitsOf(transfer), digitsOf(repetition)]
  const isNumberSame = number !== '' && number === other
  // A bank may number a payment only when it books it, and leave the number out of another table.
  const isUnnumbered = repetition.documentNumber === '' || transfer.documentNumber === ''
  const haveIds = haveUniqueIds(transfer, repetition)
  const mayHaveMoved = isReportedElsewhere || ((isNumberSame || isUnnumbered) && !haveIds)
  const isOfDay =
    repetition.bookedOn === transfer.bookedOn ||
    (mayHaveMoved &&
      isReportedDay(transfer, repetition.bookedOn, isReportedElsewhere ? holidayDays : undefined))
  if (!isOfDay) return false
  const isPayerMissingOrEqual =
    isPayerUnproven(repetition, transfer) || isMissingOrEqual(lastFourOf(repetition), lastFourOf(transfer))
  const mayBeOnePayer = isPayerMissingOrEqual || !areTwoPayers(repetition, transfer)
  if (isReportedElsewhere) return mayBeOnePayer || isNumberSame || mayBeBankIban(repetition, transfer)
  return (haveIds ? isPayerMissingOrEqual : mayBeOnePayer) && isMissingOrEqual(number, other)
}

const haveUniqueIds = (...reports: readonly Pick<TransferFacts, 'bankId'>[]): boolean =>
  reports.every(({ bankId }) => bankId !== null && isUnique(bankId))

// Remembered, because one payment is compared with thousands.
const digitsOf = remembered(({ documentNumber }: Pick<TransferFacts, 'documentNumber'>) =>
  documentDigits(documentNumber),
)
const lastFourOf = remembered(({ payerAccount }: Pick<TransferFacts, 'payerAccount'>) =>
  lastFourDigits(payerAccount),
)

/**
 * One of them may be the other less the fee of a bank, which one report includes and another does not. Only for transfers that name the
 * same deposit, or have the same document of the same payer: the amounts alone prove nothing.
 */
export const mayBeSameLessFee = (repetition: PossibleRepetition, transfer: TransferFacts): boolean =>
  (repetition.isBeforeFee === true && repetition.standsForMany === true) ||
  ((repetition.isReportedElsewhere === true ||
    (repetition.isBeforeFee === true && !haveUniqueIds(repetition, transfer))) &&
    differByFee(repetition, transfer) &&
    mayBeOnePayment(repetition, transfer))

/** Channels in which more than one source may report. */
export const channelsWithManySources: readonly Channel[] = ['push', 'sandbox']

/** Formats whose files may take their numbers from one field or another. */
export const channelsNumberedDifferently: readonly Channel[] = ['csv', 'xlsx', 'camt', 'mt940']

/**
 * MT940 has no quoting: a payer's text can look like the subfields in which a bank names the payer. In all other formats the payer has
 * fields of its own. So here the payer never proves that two reports are of two payments.
 */
export const channelsWithPayerInText: readonly Channel[] = ['mt940']

/** Whether one of them has its payer from a text that the payer may have written: then nothing proves that there are two payers. */
export const isPayerUnproven = (...reports: readonly { channel?: Channel }[]): boolean =>
  reports.some(({ channel }) => channel !== undefined && channelsWithPayerInText.includes(channel))

/** Banks keep less than a tenth, unless they say that it is more. */
export const differByFee = (one: Amounts, other: Amounts): boolean => {
  const [less, more] = one.cents < other.cents ? [one.cents, other.cents] : [other.cents, one.cents]
  return (
    one.cents === other.sentCents || other.cents === one.sentCents || (less < more && less * 10n > more * 9n)
  )
}

type Amounts = Pick<TransferFacts, 'cents' | 'sentCents'>

/** The digits of a document's number: one bank writes 15 and another 000015 or № 15. */
export const documentDigits = (documentNumber: string): string =>
  documentNumber.replace(/[^0-9]/g, '').replace(/^0+/, '')

/**
 * The last four digits of a payer's account, which banks leave unmasked; empty if they are masked too, or if the account is a
 * bank's.
 */
export const lastFourDigits = (account: string): string =>
  bankAccountPattern.test(account) ? '' : (/[0-9]{4}$/.exec(account)?.[0] ?? '')

/** The beginning of an account number: with another one it may be a phone, a bank's account, or a number with a masked beginning. */
export const accountPrefix = (account: string): string => account.slice(0, 2)

/**
 * Correspondent and transit accounts of Russian banks, those of transfers without an account of the payer, and those from which
 * payment agents pass on what they took in from anybody (40821, which a mask does not tell from 40820).
 */
export const bankAccountPattern = /^(?:(?:30[1-3]|409|474)[0-9]|4082)/

/**
 * A Kazakh IBAN does not show whether it is a customer's or the bank's own: each bank numbers its accounts as it likes.
 */
export const kazakhIbanPattern = /^KZ/

type Sender = Pick<TransferFacts, 'payerAccount' | 'isPayerAccountWhole' | 'payerTaxId'>

/** Both accounts have the same prefix here, so one test is enough. */
const mayBeBankIban = (left: Sender, right: Sender): boolean =>
  kazakhIbanPattern.test(left.payerAccount) &&
  !(hasPersonalTaxId(left) && hasPersonalTaxId(right) && left.payerTaxId !== right.payerTaxId)

/**
 * A Kazakh ИИН begins with a date of birth; a БИН has a digit of 4 or more where the day would begin. A Russian ИНН of a person has twelve
 * digits too, and of a company ten. An Uzbek ПИНФЛ has fourteen.
 */
export const personalTaxIdPattern = /^(?:[0-9]{4}[0-3][0-9]{7}|[0-9]{14})$/

const hasPersonalTaxId = ({ payerTaxId }: Sender): boolean => personalTaxIdPattern.test(payerTaxId)

/**
 * Short ids are reused: on other days, and by banks that count the rows of each file, with or without leading zeros. Readers put the
 * day before such an id.
 */
export const reusedIdPattern = /^0*.{0,7}$|^[0-9]{4}-[0-9]{2}-[0-9]{2}\//

export const isUnique = (id: string): boolean => !reusedIdPattern.test(id)

/** Two accounts that begin alike, are not a bank's, and end differently. Anything that could be a card proves nothing. */
const areTwoPayers = (left: Sender, right: Sender): boolean =>
  left.isPayerAccountWhole === true &&
  right.isPayerAccountWhole === true &&
  lookLikeTwoPayers(left.payerAccount, right.payerAccount)

/** Two numbers that begin alike, are not a bank's, and end differently: of accounts, cards, or one of each. It proves no second payment. */
export const lookLikeTwoPayers = (left: string, right: string): boolean =>
  accountPrefix(left) === accountPrefix(right) &&
  !isMissingOrEqual(lastFourDigits(left), lastFourDigits(right))

const isMissingOrEqual = (left: string, right: string): boolean =>
  left === '' || right === '' || left === right
