/** Days and times as banks write them. A day that does not exist is refused; a day stays a day, never midnight in UTC. */

import { message } from '../../messages/message.ts'
import { bankOffset, type Currency } from '../../money.ts'
import { dayAt, isDay, iso } from '../../transfers/bank-text/days.ts'
import { quoted } from '../../transfers/bank-text/masked.ts'
import { RejectedRow } from '../entry.ts'
import { type DateFormat, dateFormats } from './date-format.ts'

/** `day` as yyyy-mm-dd; `time` as HH:MM:SS if the bank wrote one after it. */
export type WrittenDate = { day: string; time: string | null }

export function requireDate(field: string, text: string, format: DateFormat): WrittenDate {
  const date = dateOf(text, format)
  if (!date) throw new RejectedRow(message('day_expected', { field, text: quoted(text), format }), field)
  return date
}

export function dateOf(text: string, format: DateFormat): WrittenDate | undefined {
  const { pattern, century, order } = datePatterns[format]
  const found = pattern.exec(text.trim())
  if (!found) return undefined
  const [year, month, day] = order.map((group) => found[group]!) as [string, string, string]
  const date = `${century}${year}-${month}-${day}`
  const time = found[4] === undefined ? null : `${found[4]}:${found[5]}:${found[6] ?? '00'}`
  return isDay(date) ? { day: date, time } : undefined
}

/** A day or a time in ISO form, as in XML. A time without an offset is in the bank's zone. */
export function isoDate(field: string, text: string, currency: Currency): { day: string; at: string | null } {
  const found = iso.exec(text.trim())
  const [, day, time, offset] = found ?? []
  if (day === undefined || !isDay(day))
    throw new RejectedRow(message('iso_time_expected', { field, text: quoted(text) }), field)
  if (time === undefined) return { day, at: null }
  if (offset === undefined) return { day, at: `${day}T${time}${bankOffset[currency]}` }
  const at = `${day}T${time}${offset}`
  return { day: dayAt(at, bankOffset[currency]), at }
}

/** The date and time with the offset of the bank's zone; null without a time. */
export function timestampOf({ day, time }: WrittenDate, currency: Currency): string | null {
  return time === null ? null : `${day}T${time}${bankOffset[currency]}`
}

/** The earliest of the days that are known. */
export function earliest(days: (string | undefined)[]): string | null {
  const present = days.filter((day) => day !== undefined)
  return present.length === 0 ? null : present.reduce((first, day) => (day < first ? day : first))
}

const clockTime = '([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d))?'

/** `order`: the groups of the pattern that have the year, the month and the day. */
type DatePattern = {
  pattern: RegExp
  century: string
  order: readonly [year: number, month: number, day: number]
}

const datePatterns = Object.fromEntries(dateFormats.map((format) => [format, patternOf(format)])) as Record<
  DateFormat,
  DatePattern
>

function patternOf(format: DateFormat): DatePattern {
  const digits = format.replaceAll('.', '\\.').replace(/yyyy|yy|mm|dd/g, (part) => `(\\d{${part.length}})`)
  return {
    pattern: new RegExp(`^${digits}(?:[ T]${clockTime})?$`),
    century: format.includes('yyyy') ? '' : '20',
    order: format.startsWith('y') ? [1, 2, 3] : [3, 2, 1],
  }
}
