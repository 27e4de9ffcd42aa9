/** Days as banks write them: those that do not exist are refused. */

/** The day of an ISO date or date-time as written, without regard to its offset. */
export function isoDay(text: string): string | null {
  const day = iso.exec(text.trim())?.[1]
  return day !== undefined && isDay(day) ? day : null
}

/** Whether the text is a real day, written as yyyy-mm-dd: 30 February is not. */
export function isDay(date: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return false
  const [year, month, day] = [+date.slice(0, 4), +date.slice(5, 7), +date.slice(8, 10)]
  if (year < 2000 || year > 2999 || month < 1 || month > 12 || day < 1) return false
  return (
    day <= (month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : days[month - 1]!)
  )
}

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** A day, or a time with or without offset, as ISO 8601 writes them. */
export const iso =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/

/** The day of a moment in the zone with this offset, such as +05:30. */
export const dayAt = (moment: string, offset: string): string =>
  // The first moment of 1970 in that zone is as far from that of UTC as their clocks are apart.
  new Date(Date.parse(moment) - Date.parse(`1970-01-01T00:00:00${offset}`)).toISOString().slice(0, 10)

export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/**
 * The days that another report of this payment may have. A push often has the day on which money was sent, and a statement
 * that on which it was booked: a weekend later, or on the next day because a clock is ahead.
 */
export function reportedDays({ bookedOn, paidOn }: Days, apartDays = weekendDays): readonly string[] {
  const sentOn = paidOn !== null && paidOn < bookedOn ? paidOn : bookedOn
  const key = `${bookedOn} ${sentOn} ${apartDays}`
  const known = knownDays.get(key)
  if (known) return known
  const between = Math.min((Date.parse(bookedOn) - Date.parse(sentOn)) / 86_400_000, slowestDays)
  const days = Array.from({ length: between + 2 * apartDays + 1 }, (_, place) =>
    daysAfter(bookedOn, apartDays - place),
  )
  if (knownDays.size >= mostKnownDays) knownDays.clear()
  knownDays.set(key, days)
  return days
}

/** Whether another report of this payment may have this day. */
export function isReportedDay(payment: Days, day: string, apartDays = weekendDays): boolean {
  const days = reportedDays(payment, apartDays)
  return day <= days[0]! && day >= days.at(-1)!
}

type Days = { bookedOn: string; paidOn: string | null }
/** The payments of one file have few days, and each is compared with thousands of others. */
const knownDays = new Map<string, readonly string[]>()
const mostKnownDays = 1_000
const weekendDays = 3
/** Some banks book nothing over the New Year holidays. */
export const holidayDays = 14
/** The slowest bank that is considered. */
const slowestDays = 14
