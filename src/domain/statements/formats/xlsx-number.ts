/**
 * Numbers of a workbook, from the text that stands in the file. Programs write doubles with up to 17 digits, so 1234.56
 * may stand there as 1234.5600000000001. A double is sure of 15 digits: where these are a whole number of hundredths, they
 * are the amount; where they are not, the number is left as it is, and no amount. Nothing is computed in floats.
 */

/** The exact value: `digits` times ten to the power of `exponent`. */
type Decimal = { digits: bigint; exponent: number }

function decimalIn(text: string): Decimal | undefined {
  // A pattern that begins and ends with blanks would try each of them as either: 64 KB of them took eight seconds.
  const found = /^([+-]?)(\d{0,400})(?:\.(\d{0,400}))?(?:e([+-]?\d{1,3}))?$/i.exec(text.trim())
  if (!found || `${found[2]}${found[3] ?? ''}` === '') return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = found
  const digits = BigInt(whole + fraction)
  return { digits: sign === '-' ? -digits : digits, exponent: Number(power) - fraction.length }
}

/** As banks write it: `1234.56`. What is no number, or is finer than hundredths, stays as it was written. */
export function numberText(text: string): string {
  const exact = decimalIn(text)
  if (!exact) return text.trim()
  return plainText(exact) ?? plainText(rounded(exact, sureDigits)) ?? text.trim()
}

/** The day, and the time where there is one: `2026-11-14`, `2026-11-14 12:31:05`. Undefined: no such day. */
export function dateText(text: string, is1904: boolean): string | undefined {
  const exact = decimalIn(text)
  if (!exact) return undefined
  // Whole seconds: the time of a cell is a fraction of a day, and no fraction of a second survives it.
  const seconds = scaled(exact, 86_400n)
  if (seconds < 0n || seconds >= lastSecond) return undefined
  const serialDay = Number(seconds / 86_400n)
  // 29 February 1900, which there was not, is day 60: every day behind it counts from the day before the first.
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const day = new Date(epoch + serialDay * 86_400_000).toISOString().slice(0, 10)
  const rest = Number(seconds % 86_400n)
  return rest === 0 ? day : `${day} ${new Date(rest * 1_000).toISOString().slice(11, 19)}`
}

const sureDigits = 15
/** The end of 9999 in either system. */
const lastSecond = 2_958_466n * 86_400n

/** Undefined: it is finer than hundredths, or longer than any amount. */
function plainText({ digits, exponent }: Decimal): string | undefined {
  let [whole, power] = [digits, exponent]
  while (power < 0 && whole % 10n === 0n && whole !== 0n) [whole, power] = [whole / 10n, power + 1]
  if (whole === 0n) return '0'
  if (power < -2 || power > 20) return undefined
  if (power >= 0) return String(whole * 10n ** BigInt(power))
  const size = whole < 0n ? -whole : whole
  const unit = 10n ** BigInt(-power)
  return `${whole < 0n ? '-' : ''}${size / unit}.${String(size % unit).padStart(-power, '0')}`
}

/** To so many digits, the first of them not zero. */
function rounded({ digits, exponent }: Decimal, count: number): Decimal {
  const size = digits < 0n ? -digits : digits
  const excess = String(size).length - count
  if (excess <= 0) return { digits, exponent }
  const unit = 10n ** BigInt(excess)
  const up = (size + unit / 2n) / unit
  return { digits: digits < 0n ? -up : up, exponent: exponent + excess }
}

/** The value times a factor, rounded to a whole number. */
function scaled({ digits, exponent }: Decimal, factor: bigint): bigint {
  const value = digits * factor
  if (exponent >= 0) return exponent > 20 ? lastSecond + 1n : value * 10n ** BigInt(exponent)
  const unit = 10n ** BigInt(-exponent)
  return (value + unit / 2n) / unit
}

/** Whether a format of numbers shows a day or a time. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (
      (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)
    )
  const bare = code
    .split(';')[0]!
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, '')
  return /[dmyhs]/i.test(bare) && !/[0#?]/.test(bare.replace(/\.0+/g, ''))
}
