/** Days and times as banks write them. A day that does not exist is refused; a day stays a day, never midnight in UTC. */

import { message } from '../../messages/message.ts'
import { bankOffset, type Currency } from '../../money.ts'
import { dayAt, daysAfter, isDay, iso } from '../../transfers/bank-text/days.ts'
import { quoted } from '../../transfers/bank-text/masked.ts'
import { RejectedRow } from '../entry.ts'
import { type DateFormat, dateFormats } from './csv-mapping.ts'

/** `day` as yyyy-mm-dd; `time` as HH:MM:SS if the bank wrote one after it. */
export type WrittenDate = { day: string; time: string | null }

export function requireDate(field: string, text: string, formats: readonly DateFormat[]): WrittenDate {
  const date = dateOf(text, ...formats)
  if (date) return date
  const format = formats.join(', ')
  throw new RejectedRow(message('day_expected', { field, text: quoted(text), format }), field)
}

export function dateOf(text: string, ...formats: readonly DateFormat[]): WrittenDate | undefined {
  const written = text.trim()
  for (const format of formats) {
    const { year, month, day, hours, minutes, seconds = '00' } = patterns[format].exec(written)?.groups ?? {}
    const date = `${year?.padStart(4, '20')}-${month}-${day}`
    if (isDay(date)) return { day: date, time: hours ? `${hours}:${minutes}:${seconds}` : null }
  }
  return undefined
}

/** A day or a time in ISO form, as in XML. A time without an offset is in the bank's zone. */
export function isoDate(field: string, text: string, currency: Currency): { day: string; at: Date | null } {
  const found = iso.exec(text.trim())
  const [, day, time, offset] = found ?? []
  if (day === undefined || !isDay(day))
    throw new RejectedRow(message('iso_time_expected', { field, text: quoted(text) }), field)
  if (time === undefined) return { day, at: null }
  const at = new Date(`${day}T${time}${offset ?? bankOffset[currency]}`)
  return { day: dayAt(at, bankOffset[currency]), at }
}

/** The time in the bank's zone; null without one. */
export const timeOf = ({ day, time }: WrittenDate, currency: Currency): Date | null =>
  time === null ? null : new Date(`${day}T${time}${bankOffset[currency]}`)

export function lastDayOver(
  { from, to }: { from: string | null; to: string | null },
  madeOn: string | null,
): string | null {
  if (to === null || madeOn === null) return null
  const last = madeOn > to ? to : daysAfter(madeOn, -1)
  return from !== null && last < from ? null : last
}

export const earliest = (days: (string | undefined)[]): string | null =>
  days.filter((day) => day !== undefined).toSorted()[0] ?? null

const parts = { yyyy: 'year', yy: 'year', mm: 'month', dd: 'day' }

const patternOf = (format: DateFormat): RegExp => {
  const day = format
    .replaceAll('.', '\\.')
    .replace(/yyyy|yy|mm|dd/g, (part) => `(?<${parts[part as keyof typeof parts]}>\\d{${part.length}})`)
  const time = '(?<hours>[01]\\d|2[0-3]):(?<minutes>[0-5]\\d)(?::(?<seconds>[0-5]\\d))?'
  return new RegExp(`^${day}(?:[ T]${time})?$`)
}

const patterns = Object.fromEntries(dateFormats.map((format) => [format, patternOf(format)])) as Record<
  DateFormat,
  RegExp
>
