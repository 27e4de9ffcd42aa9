/** Whether a deposit could be paid when a payment was sent, by the times and days that banks report. Pure. */
import { remembered } from '../../platform/remembered.ts'
import type { Deposit } from '../deposits/deposit.ts'
import { bankOffset, type Currency } from '../money.ts'
import { dayAt, daysAfter, holidayDays } from './bank-text/days.ts'
import type { TransferFacts } from './transfer.ts'

/** How far the clock of a bank may be behind ours. */
const clockDifferenceMs = 120_000

/**
 * How long after the order of a payment a bank may write its time: what was ordered before a deposit was canceled or rejected
 * is booked some minutes after that. With a longer time, a customer who cancels a deposit and pays the next one of its amount
 * would wait for a person.
 */
export const bookingDelayMs = 600_000

/** Money that a person has seen, and confirmed a deposit for, is booked so much later, because of holidays. */
export const seenBeforeDays = holidayDays

/** From the showing of its requisites until the end of its late grace, a deposit lives so long at most. */
export const longestLifeDays = 32

type Sent = Pick<TransferFacts, 'paidOn' | 'bookedOn' | 'bookedAt'>
type Issued = Pick<Deposit, 'issuedAt' | 'currency'>
type Times = Pick<Deposit, 'state' | 'currency' | 'issuedAt' | 'expiresAt' | 'lateUntil' | 'finalAt'> &
  Pick<Deposit, 'labels' | 'amountCents' | 'receivedCents'>

/** It gets money: also after its deadline, within the late grace. */
export const isListening = ({ state, lateUntil }: Pick<Deposit, 'state' | 'lateUntil'>, now: Date): boolean =>
  state === 'created' || (state === 'expired' && now < lateUntil)

/** Whether it was sent after the customer got the requisites: by the time where the bank has it, else by the day. */
export function isInWindow(deposit: Issued, { bookedAt, bookedOn }: Sent): boolean {
  const { issuedAt } = deposit
  if (!issuedAt) return false
  if (bookedAt) return bookedAt.getTime() >= issuedAt.getTime() - clockDifferenceMs
  return bookedOn >= issuedOn(deposit)
}

/**
 * Whether a deposit of the amount could be paid when a payment that names none was sent. While it listens: if it had been
 * issued by the earliest day that the bank reports, because a later file may have moved the payment. After its end: by a time
 * until the end of the late grace; without a time, or if it was sent on a day before its booking, on the days until the
 * deadline. One that was canceled or confirmed could be paid until then, and one that was reversed, because its money may be
 * booked again.
 */
export function wasPayable(deposit: Times, transfer: Sent, now: Date): boolean {
  if (!isInWindow(deposit, transfer)) return false
  const { bookedAt, paidOn } = transfer
  if (isListening(deposit, now)) return paidOn === null || paidOn >= issuedOn(deposit)
  const { currency, expiresAt, lateUntil, finalAt } = deposit
  const sentOn = firstDay(transfer)
  if (isConfirmedUnpaid(deposit)) return sentOn <= daysAfter(bankDay(lateUntil, currency), seenBeforeDays)
  const ended = finalAt ?? lateUntil
  if (bookedAt && bookedAt <= lateUntil && bookedAt.getTime() <= ended.getTime() + bookingDelayMs) return true
  return isSentByDay(transfer) && sentOn <= bankDay(ended < expiresAt ? ended : expiresAt, currency)
}

/** A person has seen its money, and no bank has reported it. */
const isConfirmedUnpaid = ({ state, labels, receivedCents, amountCents }: Times): boolean =>
  state === 'confirmed' && labels.includes('manual') && receivedCents < amountCents

/** Banks are slow, so the earliest day that the bank reports decides, and the whole day of expiry is in time. */
export const isInTime = (
  { expiresAt, currency }: Pick<Deposit, 'expiresAt' | 'currency'>,
  transfer: Sent,
): boolean => firstDay(transfer) <= bankDay(expiresAt, currency)

/**
 * When a payment was sent, for a search: between the beginning of its first day, if only days are known, or its time, and the
 * time by which the requisites had been issued that it was sent to.
 */
export function sentBetween(transfer: Sent & { currency: Currency }) {
  const { bookedAt, bookedOn, currency } = transfer
  const day = isSentByDay(transfer) ? midnight(firstDay(transfer), currency) : null
  const until = bookedAt
    ? new Date(bookedAt.getTime() + clockDifferenceMs)
    : new Date(midnight(daysAfter(bookedOn, 1), currency).getTime() - 1)
  return { day, since: day ?? bookedAt!, until }
}

const firstDay = ({ paidOn, bookedOn }: Pick<Sent, 'paidOn' | 'bookedOn'>): string =>
  paidOn !== null && paidOn < bookedOn ? paidOn : bookedOn

/** Whether only the day of sending is known: a time on another day is that of the booking. */
const isSentByDay = (transfer: Sent): boolean => !transfer.bookedAt || firstDay(transfer) < transfer.bookedOn

export const bankDay = (at: Date, currency: Currency): string => dayAt(at, bankOffset[currency])
const midnight = (day: string, currency: Currency): Date => new Date(`${day}T00:00:00${bankOffset[currency]}`)
// Remembered, because a file may have five hundred payments of one amount.
const issuedOn = remembered(({ issuedAt, currency }: Issued) => bankDay(issuedAt!, currency))
