/** Day and time in the zone of a currency's banks. Pure. */
import { dateFormat } from '../../platform/intl.ts'
import { bankZone, type Currency } from '../money.ts'

/** `2026-11-14T12:31:05+03:00`, to the second. Its first ten characters are the bank's day. */
export function bankTime(at: Date, currency: Currency): string {
  const local = clockOf(currency).format(at).replace(' ', 'T')
  const minutes = Math.round((Date.parse(`${local}Z`) - at.getTime()) / 60_000)
  const twoDigits = (number: number) => String(Math.abs(number)).padStart(2, '0')
  const sign = minutes < 0 ? '-' : '+'
  return `${local}${sign}${twoDigits(Math.trunc(minutes / 60))}:${twoDigits(minutes % 60)}`
}

export const bankDay = (at: Date, currency: Currency): string => bankTime(at, currency).slice(0, 10)

/** The Swedish locale writes times like ISO 8601. */
const clockOf = (currency: Currency): Intl.DateTimeFormat =>
  dateFormat('sv-SE', { timeZone: bankZone[currency], dateStyle: 'short', timeStyle: 'medium' })
