/** The languages of the payment page, and which of them a visitor gets. */
import { en } from './en.ts'
import { kk } from './kk.ts'
import { type Messages, ru } from './ru.ts'
import { tg } from './tg.ts'
import { uz } from './uz.ts'

export const languages = ['ru', 'uz', 'kk', 'tg', 'en'] as const
export type Language = (typeof languages)[number]

export const messages: Record<Language, Messages> = { ru, uz, kk, tg, en }

const isLanguage = (text: unknown): text is Language => (languages as readonly unknown[]).includes(text)

/** What is known of a visitor's language, unchecked; a value that is not one of our languages is ignored. */
type LanguageHints = {
  /** `?lang`: what a visitor has just chosen. */
  query?: unknown
  /** The value of our cookie: what this browser chose before. */
  cookie?: unknown
  acceptLanguage?: string | undefined
  /** The default of the merchant. */
  merchant?: unknown
}

/** In this order: the address, the cookie, the browser, the merchant; else Russian. */
export function languageFrom({ query, cookie, acceptLanguage, merchant }: LanguageHints): Language {
  for (const candidate of [query, cookie, preferred(acceptLanguage), merchant]) {
    const language = supportedLanguage(candidate)
    if (language) return language
  }
  return 'ru'
}

/** No browser sends a longer list of languages; the rest is ignored. */
const maxHeaderCharacters = 500

/** RFC 9110, section 12.5.4: the supported language with the highest weight. `*` names no language, so the merchant's default decides. */
function preferred(acceptLanguage = ''): Language | undefined {
  let best: Language | undefined
  let most = 0
  for (const range of acceptLanguage.slice(0, maxHeaderCharacters).split(',')) {
    const [tag, ...parameters] = range.trim().split(/\s*;\s*/)
    const language = supportedLanguage(tag)
    const weight = weightOf(parameters)
    if (language && weight > most) {
      best = language
      most = weight
    }
  }
  return best
}

/** An invalid weight (`q=`, `q=9`, `q=high`) counts as 0: such a range is ignored. */
function weightOf(parameters: string[]): number {
  const text = parameters.find((parameter) => /^q\s*=/i.test(parameter))
  if (text === undefined) return 1
  const [, weight] = /=\s*([01](?:\.\d{0,3})?)$/.exec(text) ?? []
  return weight && Number(weight) <= 1 ? Number(weight) : 0
}

/** `kk-KZ`, `KK` and `kk_KZ` are all Kazakh: only the primary subtag counts. */
function supportedLanguage(tag: unknown): Language | undefined {
  const [primary] = typeof tag === 'string' ? tag.slice(0, 40).toLowerCase().split(/[-_]/, 1) : []
  return isLanguage(primary) ? primary : undefined
}
