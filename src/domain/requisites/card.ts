/**
 * Card brands by prefix: the lengths that each issues, and whether a wrong check digit is an error. Our own table,
 * because public ones have neither UzCard nor Humo and call 5614 Maestro. It never says which bank issued the card.
 */

export type CardBrand = 'uzcard' | 'humo' | 'mir' | 'mastercard' | 'visa' | 'unionpay' | 'other'

type CardRule = {
  brand: CardBrand
  prefix: RegExp
  lengths: readonly number[]
  /** Issued, but so rarely that a typing error is more likely. */
  rareLengths: readonly number[]
  /** Hard only where every issued card is known to carry a Luhn digit. */
  luhn: 'hard' | 'soft'
}

/** The first match wins, so regional brands come before international ones. */
export const cardRules: readonly CardRule[] = [
  { brand: 'uzcard', prefix: /^(8600|5614)/, lengths: [16], rareLengths: [], luhn: 'soft' },
  { brand: 'humo', prefix: /^9860/, lengths: [16], rareLengths: [], luhn: 'soft' },
  { brand: 'mir', prefix: /^220[0-4]/, lengths: [16, 17, 18, 19], rareLengths: [], luhn: 'hard' },
  {
    brand: 'mastercard',
    prefix: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    lengths: [16],
    rareLengths: [],
    luhn: 'hard',
  },
  { brand: 'visa', prefix: /^4/, lengths: [16], rareLengths: [13, 18, 19], luhn: 'hard' },
  { brand: 'unionpay', prefix: /^(62|81)/, lengths: [16, 17, 18, 19], rareLengths: [], luhn: 'soft' },
  // Korti Milli is among these: its prefix is not confirmed.
  { brand: 'other', prefix: /^/, lengths: [16, 17, 18, 19], rareLengths: [], luhn: 'soft' },
]

/** The rule for a card number, digits only. */
export function cardRuleFor(number: string): CardRule {
  return cardRules.find((rule) => rule.prefix.test(number))!
}
