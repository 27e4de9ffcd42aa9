import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimal } from '../../money.ts'
import { amountOf, currencyOf } from './amount.ts'

const amounts: [text: string, cents: bigint | undefined][] = [
  ['7745.7', 774_570n],
  ['110860', 11_086_000n],
  ['1 234,56', 123_456n],
  ['1\u00a0234,56', 123_456n],
  ['1\u202f234,56', 123_456n],
  ['1\u2009234,56', 123_456n],
  ['0.01', 1n],
  ['0', 0n],
  ['-300.00', -30_000n],
  ['+ 5', 500n],
  ['999999999999999.99', 99_999_999_999_999_999n],
  ['9999999999999999', undefined], // more than any account holds
  ['1,234.56', undefined],
  ['1.234,56', undefined],
  ['1.005', undefined],
  ['1,234', undefined],
  ['', undefined],
  [' ', undefined],
  ['.5', undefined],
  ['5.', undefined],
  ['1e3', undefined],
  ['١٢٣', undefined], // digits of another script
  ['1\n2', undefined],
  ['−5', undefined], // a typographic minus
  ['5 ₸', undefined],
]

test('an amount is exact, and what could be read in two ways is none', () => {
  for (const [text, cents] of amounts) assert.equal(amountOf(text), cents, JSON.stringify(text))
})

test('every amount we write is read back to the cent', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n - 1n }), fc.constantFrom('.', ','), (cents, sign) => {
      assert.equal(amountOf(decimal(cents).replace('.', sign)), cents)
    }),
  )
})

test('the rouble has old names, and a currency that we do not take rejects the row', () => {
  for (const code of ['RUB', 'RUR', '810', '643', ' rur ']) assert.equal(currencyOf('Валюта', code), 'RUB')
  assert.equal(currencyOf('Валюта', '398'), 'KZT')
  for (const code of ['USD', '840', 'RUBLE', '', 'constructor'])
    assert.throws(() => currencyOf('Валюта', code), /RUB, UZS, KZT or TJS/)
})
