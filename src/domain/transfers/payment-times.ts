/** Whether a deposit could be paid when a payment was sent, by the times and days that banks report. Pure. */
import { lazy, remembered } from '../../platform/remembered.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { bankZone } from '../money.ts'
import { daysAfter, holidayDays } from './bank-text/days.ts'
import type { TransferFacts } from './transfer.ts'

/** How far the clock of a bank may be behind ours. */
export const clockDifferenceMs = 120_000

/**
 * How long after the order of a payment a bank may write its time: what was ordered before a deposit was canceled or rejected
 * is booked some minutes after that. With a longer time, a customer who cancels a deposit and pays the next one of its amount
 * would wait for a person.
 */
export const bookingDelayMs = 600_000

type Issued = Pick<Deposit, 'issuedAt' | 'currency'>

/** Whether it was sent after the customer got the requisites: by the time where the bank has it, else by the day. */
export function isInWindow(deposit: Issued, { bookedAt, bookedOn }: TransferFacts): boolean {
  const { issuedAt } = deposit
  if (!issuedAt) return false
  if (bookedAt) return bookedAt.getTime() >= issuedAt.getTime() - clockDifferenceMs
  return bookedOn >= issuedOn(deposit)
}

/**
 * A payment that names no deposit must also not have been sent before the deposit was issued, by the earliest day that the
 * bank reports: a later file may have moved it. A payment that names its deposit was certainly sent after that, whatever day
 * its payer writes.
 */
export const wasSentSince = (deposit: Deposit, transfer: TransferFacts): boolean =>
  isInWindow(deposit, transfer) && (transfer.paidOn === null || transfer.paidOn >= issuedOn(deposit))

/**
 * Whether the transfer may be money that a person saw before a bank reported it: sent at most two weeks after the end of the
 * deposit, because of holidays, however late it is reported.
 */
export const mayStillCome = (deposit: Deposit, transfer: TransferFacts): boolean =>
  isInWindow(deposit, transfer) && firstDay(transfer) <= lastDayToCome(deposit)

const lastDayToCome = remembered(({ finalAt, lateUntil, currency }: Deposit) =>
  daysAfter(bankDay(finalAt ?? lateUntil, currency), holidayDays),
)

// Remembered, because a payer may have begun a thousand deposits, and pay five hundred times in one file.
const issuedOn = remembered(({ issuedAt, currency }: Issued) => bankDay(issuedAt!, currency))

/** Banks are slow, so the earliest day that the bank reports decides, and the whole day of expiry is in time. */
export const isInTime = ({ expiresAt, currency }: Deposit, transfer: TransferFacts): boolean =>
  firstDay(transfer) <= bankDay(expiresAt, currency)

export const firstDay = ({ paidOn, bookedOn }: Pick<TransferFacts, 'paidOn' | 'bookedOn'>): string =>
  paidOn !== null && paidOn < bookedOn ? paidOn : bookedOn

/**
 * Whether the deposit could be paid when the transfer was sent. If the bank gives a time: until the end of the late grace.
 * Without a time, or if it was sent on a day before its booking: on the days until the deadline, although the amount may
 * already have been free for the next deposit on that day.
 */
export const wasPayable = (
  deposit: Pick<Deposit, 'currency' | 'issuedAt' | 'expiresAt' | 'lateUntil'>,
  transfer: TransferFacts,
): boolean => {
  if (!isInWindow(deposit, transfer)) return false
  const { expiresAt, lateUntil, currency } = deposit
  const { bookedAt } = transfer
  if (bookedAt && bookedAt <= lateUntil) return true
  return isSentByDay(transfer) && firstDay(transfer) <= bankDay(expiresAt, currency)
}

/** Whether only the day of sending is known: a time on another day is that of the booking. */
export const isSentByDay = (transfer: Pick<TransferFacts, 'paidOn' | 'bookedOn' | 'bookedAt'>): boolean =>
  !transfer.bookedAt || firstDay(transfer) < transfer.bookedOn

const days = new Map(
  Object.entries(bankZone).map(([currency, timeZone]) => [
    currency,
    lazy(
      () => new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
    ),
  ]),
)
const bankDay = (at: Date, currency: string): string => days.get(currency)!().format(at)
