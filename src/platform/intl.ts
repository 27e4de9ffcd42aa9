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

function once<Options, Format>(make: (locale: string, options: Options) => Format) {
  const known = new Map<string, Format>()
  return (locale: string, options: Options): Format => {
    const key = `${locale} ${JSON.stringify(options)}`
    const format = known.get(key) ?? make(locale, options)
    known.set(key, format)
    return format
  }
}
