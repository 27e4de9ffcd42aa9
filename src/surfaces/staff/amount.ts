/** Amounts that people type, and settings that are amounts in whichever currency a deposit has. */
import type { MerchantSettings } from '../../domain/merchants/merchant.ts'
import { type Cents, centsFrom, decimal } from '../../domain/money.ts'
import type { ConsoleLanguage } from '../../domain/people/person.ts'
import { amountText } from '../web/format.ts'

/** The amount in a field, as the reader would type it: `1500.50`, `1500`; in Russian `1 500,50`. */
export const typedAmount = (cents: Cents, language: ConsoleLanguage): string =>
  // `centsFrom` reads a comma as a decimal point, so English amounts have no thousands separators.
  language === 'en' ? decimal(cents).replace(/\.00$/, '') : amountText(cents, language)

type Setting = keyof MerchantSettings
const isAmount = (name: Setting): boolean => name.endsWith('Cents')

/** The field of a setting in a form. An amount has another name than its setting, which is in minor units. */
export const fieldOf = (name: Setting): string => name.replace(/Cents$/, '')

export const settingText = (
  name: Setting,
  value: number | bigint | string,
  language: ConsoleLanguage,
): string => (isAmount(name) ? typedAmount(BigInt(value), language) : String(value))

/** Reads a number or an amount within its bounds; null for anything else. */
export function settingFrom(
  name: Setting,
  text: string,
  { least, most }: { least: number; most: number },
): number | bigint | null {
  const value = isAmount(name) ? centsFrom(text) : /^\d{1,15}$/.test(text) ? Number(text) : null
  return value !== null && value >= least && value <= most ? value : null
}

/** The bounds of a setting, for its input. */
export const settingRange = (
  name: Setting,
  { least, most }: { least: number; most: number },
  language: ConsoleLanguage,
): [least: string, most: string] => [settingText(name, least, language), settingText(name, most, language)]
