/** Whether two transfers may be one payment, which was reported in two ways or files. Pure. Where they may, a person decides. */
import { holidayDays, reportedDays } from './bank-text/days.ts'
import type { TransferFacts } from './transfer.ts'

/** Enough of a payment to see that two transfers may be the same one. */
export type PossibleRepetition = Pick<
  TransferFacts,
  'cents' | 'bookedOn' | 'documentNumber' | 'payerAccount' | 'payerTaxId' | 'bankId'
> & {
  id: string
  depositId: string | null
  /** Reported by another source or in another format than this transfer: it may have got another day there, and another number. */
  isReportedElsewhere?: boolean
  /** Matched with its deposit without naming one, so that it may have been meant for another. */
  isGuessed?: boolean
}

/**
 * Of one amount and one day, or nearly, and neither the document nor the payer says that they are two. Each format takes the
 * number of the document from a field of its own, which may be the payer's to choose: reported in another way, only another
 * payer says that it is another payment, and not even that under one number. One way may name the payer's account and another the
 * card, or the account of a bank in between: only two numbers that begin alike name two payers, and two Kazakh ones only with the
 * tax ids of two persons. Reported in the same way, it may
 * have got other words in another file, and another day, but keeps its number or has none in one of them; where the bank has ids
 * that it does not use again, two of them are two payments.
 */
export function mayBeSame(
  { isReportedElsewhere = false, ...repetition }: PossibleRepetition,
  transfer: TransferFacts,
): boolean {
  const [number, other] = [numberOf(transfer.documentNumber), numberOf(repetition.documentNumber)]
  const isNumberSame = number !== '' && number === other
  const isUnnumbered = transfer.documentNumber === '' && repetition.documentNumber === ''
  const isPayerSilentOrSame = isSilentOr(endOf(repetition.payerAccount), endOf(transfer.payerAccount))
  const haveIds = [transfer, repetition].every(({ bankId }) => bankId !== null && isUnique(bankId))
  const mayHaveMoved = isReportedElsewhere || ((isNumberSame || isUnnumbered) && !haveIds)
  const isOfDay =
    repetition.bookedOn === transfer.bookedOn ||
    (mayHaveMoved &&
      reportedDays(transfer, isReportedElsewhere ? holidayDays : undefined).includes(repetition.bookedOn))
  if (repetition.cents !== transfer.cents || !isOfDay) return false
  const isOfOneKind = beginningOf(repetition.payerAccount) === beginningOf(transfer.payerAccount)
  if (isReportedElsewhere)
    return isPayerSilentOrSame || isNumberSame || !isOfOneKind || mayBeOfBank(repetition, transfer)
  return (isPayerSilentOrSame || (!isOfOneKind && !haveIds)) && isSilentOr(number, other)
}

/**
 * One of them may be the other after the fee of a bank, which one way reports and another does not. Only for what names the same deposit,
 * or has the same document of the same payer: the amounts alone say nothing.
 */
export const mayBeNet = (repetition: PossibleRepetition, transfer: TransferFacts): boolean =>
  repetition.isReportedElsewhere === true &&
  isFeeApart(repetition, transfer) &&
  reportedDays(transfer, holidayDays).includes(repetition.bookedOn) &&
  (!areTwoPayers(repetition.payerAccount, transfer.payerAccount) || mayBeOfBank(repetition, transfer))

/** Banks keep less than a tenth, unless they say that it is more. */
export const isFeeApart = (
  { cents }: Pick<TransferFacts, 'cents'>,
  transfer: Pick<TransferFacts, 'cents' | 'sentCents'>,
): boolean => {
  const [less, more] = cents < transfer.cents ? [cents, transfer.cents] : [transfer.cents, cents]
  return cents === transfer.sentCents || (less < more && less * 10n > more * 9n)
}

/** The digits of a document's number: one bank writes 15 and another 000015 or № 15. */
export const numberOf = (documentNumber: string): string =>
  documentNumber.replace(/[^0-9]/g, '').replace(/^0+/, '')

/** All that is left of a payer's account however a bank masks it; empty where its end is masked too, or where it is a bank's. */
export const endOf = (account: string): string =>
  ofBank.test(account) ? '' : (/[0-9]{4}$/.exec(account)?.[0] ?? '')

/** Enough to tell an account from a card, a phone or a number whose beginning is masked. */
export const beginningOf = (account: string): string => account.slice(0, 2)

/**
 * Correspondent and transit accounts of Russian banks, those of transfers without an account of the payer, and those from which
 * payment agents pass on what they took in from anybody (40821, which a mask does not tell from 40820).
 */
export const ofBank = /^(?:(?:30[1-3]|409|474)[0-9]|4082)/

/**
 * A Kazakh IBAN does not show whether it is a customer's or the bank's own: within the bank, each bank numbers its accounts as it
 * likes.
 */
export const ofAnybody = /^KZ/

type Sender = Pick<TransferFacts, 'payerAccount' | 'payerTaxId'>

const mayBeOfBank = (left: Sender, right: Sender): boolean =>
  ofAnybody.test(left.payerAccount) &&
  !(isOfPerson(left) && isOfPerson(right) && left.payerTaxId !== right.payerTaxId)

/** A Kazakh ИИН, which begins with a date of birth; a БИН has 4 or more where the day would begin. */
const isOfPerson = ({ payerTaxId }: Sender): boolean => /^[0-9]{4}[0-3][0-9]{7}$/.test(payerTaxId)

/**
 * Short ids are used again: on other days, and by banks that count the rows of each file, with or without zeros before the number.
 * Readers put the day before.
 */
export const usedAgain = /^0*.{0,7}$|^[0-9]{4}-[0-9]{2}-[0-9]{2}\//

export const isUnique = (id: string): boolean => !usedAgain.test(id)

/** Two numbers that begin alike, and are no bank's, and end in two ways. */
export const areTwoPayers = (left: string, right: string): boolean =>
  beginningOf(left) === beginningOf(right) && !isSilentOr(endOf(left), endOf(right))

const isSilentOr = (left: string, right: string): boolean => left === '' || right === '' || left === right
