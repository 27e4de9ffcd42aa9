/**
 * A phone that receives money by transfer: one pattern for the country of each currency. +77 is Kazakhstan,
 * never Russia, although both dial +7.
 */
import type { Currency } from '../money.ts'

/** A typed number without spaces as E.164, where only one reading exists; else unchanged. */
export function fullPhone(typed: string, currency: Currency): string {
  const phone = typed.replace(/[()]/g, '')
  // The trunk prefix 8 stands for +7 in Russia and in Kazakhstan alike.
  if (/^8\d{10}$/.test(phone) && (currency === 'RUB' || currency === 'KZT')) return `+7${phone.slice(1)}`
  return isPhoneOf(currency, `+${phone}`) ? `+${phone}` : phone
}

/** Whether an E.164 phone belongs to the country of the currency. */
export function isPhoneOf(currency: Currency, phone: string): boolean {
  return patterns[currency].test(phone)
}

/** Kazakh landlines are within +77: area codes 71x and 72x. */
export function isKazakhLandline(phone: string): boolean {
  return /^\+77[12]/.test(phone)
}

const patterns: Record<Currency, RegExp> = {
  RUB: /^\+79\d{9}$/,
  KZT: /^\+77\d{9}$/,
  UZS: /^\+998\d{9}$/,
  TJS: /^\+992\d{9}$/,
}
