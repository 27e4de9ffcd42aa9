import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CardBrand, cardRuleFor, cardRules } from './card.ts'

const brands: [start: string, brand: CardBrand][] = [
  ['8600', 'uzcard'],
  ['5614', 'uzcard'], // Maestro in public tables
  ['5613', 'other'],
  ['8601', 'other'],
  ['9860', 'humo'],
  ['9861', 'other'],
  ['2199', 'other'],
  ['2200', 'mir'],
  ['2204', 'mir'],
  ['2205', 'other'],
  ['2220', 'other'],
  ['2221', 'mastercard'],
  ['2229', 'mastercard'],
  ['2230', 'mastercard'],
  ['2300', 'mastercard'],
  ['2699', 'mastercard'],
  ['2700', 'mastercard'],
  ['2719', 'mastercard'],
  ['2720', 'mastercard'],
  ['2721', 'other'],
  ['5099', 'other'],
  ['5100', 'mastercard'],
  ['5599', 'mastercard'],
  ['5600', 'other'],
  ['4000', 'visa'],
  ['6200', 'unionpay'],
  ['8100', 'unionpay'],
  ['6300', 'other'],
]

test('a card number names its brand by its first digits, regional brands first', () => {
  for (const [start, brand] of brands) assert.equal(cardRuleFor(start.padEnd(16, '0')).brand, brand, start)
})

test('the Mastercard prefixes are the range 2221 to 2720 and no more', () => {
  for (let start = 2205; start <= 2999; start++) {
    const expected: CardBrand = start >= 2221 && start <= 2720 ? 'mastercard' : 'other'
    assert.equal(cardRuleFor(`${start}000000000000`).brand, expected, String(start))
  }
})

test('every number has a rule', () => {
  fc.assert(fc.property(fc.stringMatching(/^\d{0,30}$/), (number) => cardRules.includes(cardRuleFor(number))))
})
