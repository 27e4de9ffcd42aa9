/** Money: whole minor units (bigint) with a currency. No float ever holds an amount. */

export const currencies = ['RUB', 'UZS', 'KZT', 'TJS'] as const
export type Currency = (typeof currencies)[number]

/** Minor units. All four currencies have two decimal places (ISO 4217). */
export type Cents = bigint

/** More than any account holds, and still exact as a JavaScript number. */
export const mostCents: Cents = 999_999_999_999_999n

/** The zone of bank days: daily limits and booking dates are read in it. */
export const bankZone: Record<Currency, string> = {
  RUB: 'Europe/Moscow',
  UZS: 'Asia/Tashkent',
  KZT: 'Asia/Almaty',
  TJS: 'Asia/Dushanbe',
}

/** The offsets of these zones. None of them changes its clocks. */
export const bankOffset: Record<Currency, string> = {
  RUB: '+03:00',
  UZS: '+05:00',
  KZT: '+05:00',
  TJS: '+05:00',
}

export const isCurrency = (text: string): text is Currency => (currencies as readonly string[]).includes(text)

/** For machines: `1500.50`. */
export function decimal(cents: Cents): string {
  const digits = cents.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** For people: `1 500.50 RUB`, with no-break spaces between groups. */
export function readable(cents: Cents, currency: Currency): string {
  const [whole, fraction] = decimal(cents).split('.')
  return `${whole!.replace(/\B(?=(\d{3})+$)/g, '\u00a0')}.${fraction}\u00a0${currency}`
}

/** Reads `1 500,50` and `1500.50`; null if it is not an amount. */
export function centsFrom(text: string): bigint | null {
  const match = /^(\d{1,13})(?:[.,](\d{1,2}))?$/.exec(text.replace(/[\s\u00a0\u202f]/g, ''))
  return match ? BigInt(match[1]!) * 100n + BigInt((match[2] ?? '').padEnd(2, '0') || '0') : null
}

/** An amount as it stands in a field: `1500.50`, `1500`. */
export const typedCents = (cents: Cents): string => decimal(cents).replace(/\.00$/, '')
