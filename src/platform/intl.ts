/**
 * Formatters of Intl, one for each locale and options. Creating one takes longer than rendering a page, and its memory is
 * outside the JavaScript heap, where the garbage collector frees it late.
 */

export const dateFormat = cachedByOptions(
  (locale: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
)

export const numberFormat = cachedByOptions(
  (locale: string, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
)

export const relativeFormat = cachedByOptions(
  (locale: string, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
)

/** `2026-11-15 14:35:07`: the Swedish locale writes dates and times as ISO 8601 does. */
export const isoTimeIn = (at: Date, timeZone: string): string =>
  dateFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(at)

function cachedByOptions<Options, Format>(make: (locale: string, options: Options) => Format) {
  const cache = new Map<string, Format>()
  return (locale: string, options: Options): Format => {
    const key = `${locale} ${JSON.stringify(options)}`
    const format = cache.get(key) ?? make(locale, options)
    cache.set(key, format)
    return format
  }
}
