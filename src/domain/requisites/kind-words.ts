/** The kinds of requisites as staff reads them. */
import type { RequisiteKind } from './requisite.ts'

export const kindWords: Record<RequisiteKind, readonly [en: string, ru: string]> = {
  card: ['Card', 'Карта'],
  phone: ['Phone', 'Телефон'],
  account_ru: ['Account, Russia', 'Счёт, Россия'],
  account_kz: ['Account, Kazakhstan', 'Счёт, Казахстан'],
  account_uz: ['Account, Uzbekistan', 'Счёт, Узбекистан'],
  account_tj: ['Account, Tajikistan', 'Счёт, Таджикистан'],
}
