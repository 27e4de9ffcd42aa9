/** How values look to a reader: times with their zone, numbers in groups, foreign text made harmless. */
import { bankZone, type Currency } from '../money.ts'
import type { RequisiteKind } from '../requisites/requisite.ts'

export const languages = ['ru', 'en'] as const
export type Language = (typeof languages)[number]

/** What the browser asks for; Russian when it asks for nothing that we speak. */
export function languageFrom(acceptLanguage: string | undefined): Language {
  let best: Language = 'ru'
  let most = 0
  for (const range of (acceptLanguage ?? '').slice(0, 500).split(',')) {
    const [tag, ...parameters] = range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/)
    const quality = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)
    const language = languages.find((one) => one === tag!.split('-', 1)[0])
    if (language && quality > most) {
      best = language
      most = quality
    }
  }
  return best
}

const cities: Record<Language, Record<Currency, string>> = {
  ru: { RUB: 'Москва', UZS: 'Ташкент', KZT: 'Алматы', TJS: 'Душанбе' },
  en: { RUB: 'Moscow', UZS: 'Tashkent', KZT: 'Almaty', TJS: 'Dushanbe' },
}

/** `15 ноября, 14:35 (Москва, GMT+3)`: the clock of the banks of this currency, named. */
export function clockTime(at: Date, currency: Currency, language: Language): string {
  const { day, time, zone } = formats(language, currency)
  const offset = zone.formatToParts(at).find((part) => part.type === 'timeZoneName')!.value
  return `${day.format(at)}, ${time.format(at)} (${cities[language][currency]}, ${offset})`
}

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

/** `1500500.50` as `1`, `500`, `500.50`. */
export const amountGroups = (decimal: string): string[] => decimal.split(/(?<=\d)(?=(?:\d{3})+\.)/)

/** Text that a merchant wrote: without characters that nobody sees or that turn the reading around, and short. */
export function foreignText(text: string, most: number): string {
  const visible = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[\p{Cf}\ufffe\uffff]/gu, '')
  const letters = [...graphemes.segment(visible)].map(({ segment }) => segment)
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : visible
}

const graphemes = new Intl.Segmenter('ru', { granularity: 'grapheme' })

type Formats = Record<'day' | 'time' | 'zone', Intl.DateTimeFormat>
const known = new Map<string, Formats>()

/** Making a formatter costs more than all of the page; there are eight of them. */
function formats(language: Language, currency: Currency): Formats {
  const key = `${language}:${currency}`
  const timeZone = bankZone[currency]
  const locale = language === 'en' ? 'en-GB' : language
  const made = known.get(key) ?? {
    day: new Intl.DateTimeFormat(locale, { timeZone, day: 'numeric', month: 'long' }),
    time: new Intl.DateTimeFormat(locale, { timeZone, hour: '2-digit', minute: '2-digit' }),
    zone: new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }),
  }
  known.set(key, made)
  return made
}
