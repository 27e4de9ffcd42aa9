/** Reads days as banks write them, and refuses those that do not exist. */

/** The day of an ISO date or date-time as written, without regard to its offset. */
export function isoDay(text: string): string | null {
  const day = iso.exec(text.trim())?.[1]
  return day !== undefined && isDay(day) ? day : null
}

export function isDay(date: string): boolean {
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
