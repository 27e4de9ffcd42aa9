/**
 * Formatters, each made once. Making one costs more than a page, and its memory lies outside the heap, where nothing
 * hurries to free it.
 */

export const dateFormat = once(
  (locale: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
)

export const numberFormat = once(
  (locale: string, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
)

export const relativeFormat = once(
  (locale: string, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
)

/** `2026-11-15 14:35:07`: the Swedish locale writes dates and times as ISO 8601 does. */
export const isoTimeIn = (at: Date, timeZone: string): string =>
  dateFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at)

/** `2026-11-15` */
export const isoDayIn = (at: Date, timeZone: string): string => isoTimeIn(at, timeZone).slice(0, 10)

function once<Options, Format>(make: (locale: string, options: Options) => Format) {
  const known = new Map<string, Format>()
  return (locale: string, options: Options): Format => {
    const key = `${locale} ${JSON.stringify(options)}`
    const format = known.get(key) ?? make(locale, options)
    known.set(key, format)
    return format
  }
}
