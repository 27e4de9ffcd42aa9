/** The words of merchants, payment types, people and settings. */
import { deskWords } from './words.ts'

const en = {
  ...deskWords.en,
  start: 'Turn on merchant',
  language: 'Payment page language',
}

type OfficeWords = typeof en

const ru: OfficeWords = {
  ...deskWords.ru,
  // A merchant, a payment type and a second factor are masculine.
  on: 'Включён',
  off: 'Выключен',
  start: 'Включить мерчанта',
  language: 'Язык платёжной страницы',
}

export const officeWords = { en, ru } as const
