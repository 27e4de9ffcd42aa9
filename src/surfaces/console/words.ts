/** The words of the merchant's console in its two languages. */
import { en } from './words-en.ts'
import { ru } from './words-ru.ts'

export type { ConsoleWords } from './words-en.ts'

export const consoleWords = { en, ru } as const
