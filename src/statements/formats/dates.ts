/** Days and times as banks write them. A day that no calendar has is no day; a day is never a midnight in UTC. */
import type { Currency } from '../../money.ts'
import { RejectedRow } from '../entry.ts'
import { quoted } from './masked.ts'

export const dateFormats = [
  'dd.mm.yyyy',
  'dd/mm/yyyy',
  'dd-mm-yyyy',
  'yyyy-mm-dd',
  'yyyy.mm.dd',
  'dd.mm.yy',
] as const
export type DateFormat = (typeof dateFormats)[number]

/** `day` as yyyy-mm-dd; `time` as HH:MM:SS where the bank wrote one behind it. */
export type Written = { day: string; time: string | null }

export function writtenDate(field: string, text: string, format: DateFormat): Written {
  const written = dateOf(text, format)
  if (!written)
    throw new RejectedRow(`${field} is ${quoted(text)}: a day written as ${format} is expected.`, field)
  return written
}

export function dateOf(text: string, format: DateFormat): Written | undefined {
  const { shape, century, order } = shapes[format]
  const found = shape.exec(text.trim())
  if (!found) return undefined
  const [year, month, day] = order.map((group) => found[group]!) as [string, string, string]
  const date = `${century}${year}-${month}-${day}`
  const time = found[4] === undefined ? null : `${found[4]}:${found[5]}:${found[6] ?? '00'}`
  return isDay(date) ? { day: date, time } : undefined
}

/** The ISO forms of XML: a day, or a time with or without offset. A time without one is the bank's own. */
export function isoDate(field: string, text: string, currency: Currency): { day: string; at: string | null } {
  const found = iso.exec(text.trim())
  const [, day, time, offset] = found ?? []
  if (day === undefined || !isDay(day))
    throw new RejectedRow(`${field} is ${quoted(text)}: an ISO 8601 day or time is expected.`, field)
  if (time === undefined) return { day, at: null }
  const bankOffset = bankOffsets[currency]
  if (offset === undefined) return { day, at: `${day}T${time}${bankOffset}` }
  const at = `${day}T${time}${offset}`
  return { day: dayAt(at, bankOffset), at }
}

/** The day of an ISO day or time as it is written, where only a hint is needed. */
export function isoDay(text: string): string | null {
  const day = iso.exec(text.trim())?.[1]
  return day !== undefined && isDay(day) ? day : null
}

/** The moment in the bank's own zone. */
export function momentOf({ day, time }: Written, currency: Currency): string | null {
  return time === null ? null : `${day}T${time}${bankOffsets[currency]}`
}

/** The earliest of the days that are known. */
export function earliest(days: (string | undefined)[]): string | null {
  const known = days.filter((day) => day !== undefined)
  return known.length === 0 ? null : known.reduce((first, day) => (day < first ? day : first))
}

/** The offsets of `bankZone` in money.ts. None of them changes its clocks. */
const bankOffsets: Record<Currency, string> = { RUB: '+03:00', UZS: '+05:00', KZT: '+05:00', TJS: '+05:00' }

function dayAt(moment: string, offset: string): string {
  return new Date(Date.parse(moment) + Number(offset.slice(1, 3)) * 3_600_000).toISOString().slice(0, 10)
}

function isDay(date: string): boolean {
  const [year, month, day] = [+date.slice(0, 4), +date.slice(5, 7), +date.slice(8, 10)]
  if (year < 2000 || year > 2999 || month < 1 || month > 12 || day < 1) return false
  return (
    day <= (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : days[month - 1]!)
  )
}

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const clock = '([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d))?'

type Shape = { shape: RegExp; century: string; order: readonly [year: number, month: number, day: number] }

const shapes = Object.fromEntries(dateFormats.map((format) => [format, shapeOf(format)])) as Record<
  DateFormat,
  Shape
>

function shapeOf(format: DateFormat): Shape {
  const digits = format.replaceAll('.', '\\.').replace(/yyyy|yy|mm|dd/g, (part) => `(\\d{${part.length}})`)
  return {
    shape: new RegExp(`^${digits}(?:[ T]${clock})?$`),
    century: format.includes('yyyy') ? '' : '20',
    order: format.startsWith('y') ? [1, 2, 3] : [3, 2, 1],
  }
}

const iso =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/
