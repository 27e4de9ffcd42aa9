/** Amounts that people type. */
import { type Cents, centsFrom, decimal } from '../../domain/money.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { amountText } from '../web/format.ts'

/** The amount in a field, as the reader would type it: `1500.50`, `1500`; in Russian `1 500,50`. */
export const typedAmount = (cents: Cents, language: ConsoleLanguage): string =>
  // `centsFrom` reads a comma as a decimal point, so English amounts have no thousands separators.
  language === 'en' ? decimal(cents).replace(/\.00$/, '') : amountText(cents, language)

/** An amount in the reader's notation; text that is no amount stays as it was typed. */
export function shownAmount(typed: string, language: ConsoleLanguage): string {
  const cents = centsFrom(typed)
  return cents === null ? typed : typedAmount(cents, language)
}
