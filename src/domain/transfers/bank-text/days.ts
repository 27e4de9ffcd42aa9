/** Days as banks write them: those that do not exist are refused. */

/** The day of an ISO date or date-time as written, without regard to its offset. */
export function isoDay(text: string): string | null {
  const day = iso.exec(text.trim())?.[1]
  return day !== undefined && isDay(day) ? day : null
}

/** Whether the text is a real day, written as yyyy-mm-dd: 30 February is not. */
export function isDay(date: string): boolean {
  const time = Date.parse(date)
  return (
    /^2\d{3}-\d{2}-\d{2}$/.test(date) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(date)
  )
}

/** A day, or a time with or without offset, as ISO 8601 writes them. */
export const iso =
  /^(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?))?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/

/** The day of a moment in the zone with this offset, such as +05:30. */
export const dayAt = (moment: Date, offset: string): string =>
  // The first moment of 1970 in that zone is as far from that of UTC as their clocks are apart.
  new Date(moment.getTime() - Date.parse(`1970-01-01T00:00:00${offset}`)).toISOString().slice(0, 10)

export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

/** How far apart two reports of one payment may be: some banks book nothing over the New Year holidays. */
export const holidayDays = 14
