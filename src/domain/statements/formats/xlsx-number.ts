/**
 * Numbers of a workbook, from the text in the file. Programs write doubles with up to 17 digits, so 1234.56 may be written
 * as 1234.5600000000001. A double is exact to 15 digits: if these are a whole number of hundredths, they are the amount;
 * otherwise the text stays as it is and is not accepted as an amount.
 */

// Without blanks: a pattern with optional ones at both ends backtracks, and 64 KB of them took eight seconds.
const numberShape = /^[+-]?(?=\.?\d)\d{0,400}(?:\.\d{0,400})?(?:e[+-]?\d{1,3})?$/i
const numberIn = (text: string): number => (numberShape.test(text) ? Number(text) : Number.NaN)

/** As banks write it: `1234.56`. A text that is not a number, or is finer than hundredths, stays as it was written. */
export function numberText(text: string): string {
  const written = text.trim()
  if (/^-?\d{1,20}(?:\.\d{1,2})?$/.test(written) && !/^-?0/.test(written)) return written
  const exact = Number(numberIn(written).toPrecision(15))
  const hundredths = exact.toFixed(2)
  if (!(Math.abs(exact) < 1e15) || Number(hundredths) !== exact) return written
  return exact === 0 ? '0' : hundredths.replace(/\.?0+$/, '')
}

/** The day, and the time where there is one: `2026-11-14`, `2026-11-14 12:31:05`. Undefined: no such day. */
export function dateText(text: string, is1904: boolean): string | undefined {
  // Rounded to whole seconds: the time is an inexact fraction of a day.
  const seconds = Math.round(numberIn(text.trim()) * 86_400)
  // Day 60 is 29 February 1900, which did not exist, so later days count from 30 December 1899.
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const moment = epoch + seconds * 1_000
  if (!(seconds >= 0 && moment < Date.UTC(10_000, 0, 1))) return undefined
  const [day = '', time = ''] = new Date(moment).toISOString().slice(0, 19).split('T')
  return time === '00:00:00' ? day : `${day} ${time}`
}

/**
 * Whether a number format shows a date or a time: a built-in one by its id (ECMA-376, 18.8.30; 27 to 36 and 50 to 58 are those of
 * East Asian languages), one of the workbook by its code.
 */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (
      (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
    )
  // Of the section for positive numbers: without quoted and escaped texts, padding and fill characters, and without colours, conditions
  // and languages in brackets. [h], [m] and [s] are elapsed time, and stay.
  const withoutLiterals = code
    .split(';')[0]!
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, '')
  // A fraction of a second has zeros, too; elsewhere they are digits of a number.
  return /[dmyhs]/i.test(withoutLiterals) && !/[0#?]/.test(withoutLiterals.replace(/\.0+/g, ''))
}
