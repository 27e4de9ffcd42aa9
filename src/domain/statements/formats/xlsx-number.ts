/**
 * Numbers of a workbook, from the text in the file. Programs write doubles with up to 17 digits, so 1234.56 may be written
 * as 1234.5600000000001. A double is exact to 15 digits: if these are a whole number of hundredths, they are the amount;
 * otherwise the text stays as it is and is not accepted as an amount. Nothing is computed in floats.
 */

/** The exact value: `digits` times ten to the power of `exponent`. */
type Decimal = { digits: bigint; exponent: number }

function decimalIn(text: string): Decimal | undefined {
  // Trimmed first: a pattern with optional blanks at both ends backtracks, and 64 KB of blanks took eight seconds.
  const found = /^([+-]?)(\d{0,400})(?:\.(\d{0,400}))?(?:e([+-]?\d{1,3}))?$/i.exec(text.trim())
  if (!found || `${found[2]}${found[3] ?? ''}` === '') return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = found
  const digits = BigInt(whole + fraction)
  return { digits: sign === '-' ? -digits : digits, exponent: Number(power) - fraction.length }
}

/** As banks write it: `1234.56`. A text that is not a number, or is finer than hundredths, stays as it was written. */
export function numberText(text: string): string {
  const exact = decimalIn(text)
  if (!exact) return text.trim()
  return plainText(exact) ?? plainText(rounded(exact, exactDigits)) ?? text.trim()
}

/** The day, and the time where there is one: `2026-11-14`, `2026-11-14 12:31:05`. Undefined: no such day. */
export function dateText(text: string, is1904: boolean): string | undefined {
  const exact = decimalIn(text)
  if (!exact) return undefined
  // Rounded to whole seconds: the time is an inexact fraction of a day.
  const seconds = scaled(exact, 86_400n)
  if (seconds < 0n || seconds >= lastSecond) return undefined
  const serialDay = Number(seconds / 86_400n)
  // Day 60 is 29 February 1900, which did not exist, so later days count from 30 December 1899.
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const date = new Date(epoch + serialDay * 86_400_000)
  if (date.getUTCFullYear() > 9999) return undefined
  const day = date.toISOString().slice(0, 10)
  const rest = Number(seconds % 86_400n)
  return rest === 0 ? day : `${day} ${new Date(rest * 1_000).toISOString().slice(11, 19)}`
}

const exactDigits = 15
/** The end of the year 9999 in the 1900 date system. */
const lastSecond = 2_958_466n * 86_400n

/** Undefined if the number is finer than hundredths, or longer than any amount. */
function plainText({ digits, exponent }: Decimal): string | undefined {
  let [whole, power] = [digits, exponent]
  while (power < 0 && whole % 10n === 0n && whole !== 0n) [whole, power] = [whole / 10n, power + 1]
  if (whole === 0n) return '0'
  if (power < -2 || power > 20) return undefined
  if (power >= 0) return String(whole * 10n ** BigInt(power))
  const magnitude = whole < 0n ? -whole : whole
  const unit = 10n ** BigInt(-power)
  return `${whole < 0n ? '-' : ''}${magnitude / unit}.${String(magnitude % unit).padStart(-power, '0')}`
}

/** Rounds to this number of significant digits. */
function rounded({ digits, exponent }: Decimal, count: number): Decimal {
  const magnitude = digits < 0n ? -digits : digits
  const excess = String(magnitude).length - count
  if (excess <= 0) return { digits, exponent }
  const unit = 10n ** BigInt(excess)
  const quotient = (magnitude + unit / 2n) / unit
  return { digits: digits < 0n ? -quotient : quotient, exponent: exponent + excess }
}

/** The value times a factor, rounded to a whole number. */
function scaled({ digits, exponent }: Decimal, factor: bigint): bigint {
  const value = digits * factor
  if (exponent >= 0) return exponent > 20 ? lastSecond + 1n : value * 10n ** BigInt(exponent)
  const unit = 10n ** BigInt(-exponent)
  return (value + unit / 2n) / unit
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
