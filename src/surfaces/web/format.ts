/** How values look to a reader: times with their zone, numbers in groups, foreign text made harmless. */

import { bankZone, type Cents, type Currency, decimal } from '../../domain/money.ts'
import type { RequisiteKind } from '../../domain/requisites/requisite.ts'
import { bounds } from '../../platform/bounds.ts'
import { dateFormat, numberFormat } from '../../platform/intl.ts'
import { type Language, messages } from './messages/languages.ts'

/**
 * `15 ноября, 14:35 (Москва, GMT+3)`: the clock of the banks of this currency, named. Lines break before the time and
 * before the zone only; no-break spaces keep the rest whole.
 */
export function clockTime(at: Date, currency: Currency, language: Language): string {
  const key = `${Math.floor(at.getTime() / 60_000)}${currency}${language}`
  const text = minutes.get(key) ?? writtenTime(at, currency, language)
  minutes.set(key, text)
  if (minutes.size > bounds.knownMinutes) minutes.delete(minutes.keys().next().value!)
  return text
}

/** Deadlines of a minute are many, and writing one costs as much as a tenth of the page. */
const minutes = new Map<string, string>()

function writtenTime(at: Date, currency: Currency, language: Language): string {
  const { day, time, zone } = formats(language, currency)
  const offset = zone.formatToParts(at).find((part) => part.type === 'timeZoneName')!.value
  // ICU writes Tajik months with a capital letter, Tajik does not.
  const date = language === 'tg' ? day.format(at).toLowerCase() : day.format(at)
  const place = `${messages[language].cities[currency]}, ${offset}`
  return `${whole(date)}, ${time.format(at)} (${whole(place)})`
}

const whole = (text: string): string => text.replaceAll(' ', '\u00a0')

/** `490 ₽`, `1 500,50 ₽`: as people write a price, exact, without a fraction where there is none; no-break spaces keep it whole. */
export const priceText = (cents: Cents, currency: Currency, language: Language): string =>
  `${amountText(cents, language)}\u00a0${messages[language].signs[currency]}`

/**
 * An amount without its currency: `1,500.50`, `1,500`. It is formatted from text, because a JavaScript number would round a
 * long amount.
 */
export const amountText = (cents: Cents, language: Language): string =>
  fullAmount(cents, language).replace(/[.,]00$/, '')

/** With both decimals, for columns. */
export const fullAmount = (cents: Cents, language: Language): string =>
  amountFormat(language).format(decimal(cents) as Intl.StringNumericLiteral)

/**
 * The groups in which a number is read aloud. They are drawn apart with margins, never with characters, so that
 * a copied number is clean.
 */
export function numberGroups(number: string, kind: RequisiteKind): string[] {
  if (kind !== 'phone') return number.match(/.{1,4}/gsu) ?? []
  const [country, rest] = [number.slice(0, -10), number.slice(-10)]
  if (country === '+7') return ['+7', rest.slice(0, 3), rest.slice(3, 6), rest.slice(6, 8), rest.slice(8)]
  // +998 and +992: three digits of country, two of operator, seven of number.
  const match = /^(\+\d{3})(\d{2})(\d{3})(\d{2})(\d{2})$/.exec(number)
  return match ? match.slice(1) : [number]
}

const localeOf = (language: Language) => (language === 'en' ? 'en-GB' : language)

function formats(language: Language, currency: Currency) {
  const timeZone = bankZone[currency]
  const locale = localeOf(language)
  return {
    day: dateFormat(locale, { timeZone, day: 'numeric', month: 'long' }),
    time: dateFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' }),
    zone: dateFormat('en', { timeZone, timeZoneName: 'shortOffset' }),
  }
}

const amountFormats = new Map<Language, Intl.NumberFormat>()

function amountFormat(language: Language): Intl.NumberFormat {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  const format = amountFormats.get(language) ?? numberFormat(localeOf(language), digits)
  amountFormats.set(language, format)
  return format
}
