import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decimal } from '../../money.ts'
import { amountIn, amountOf, currencyOf, movedAmount } from './amount.ts'

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
  ['1 234 567,8', 123_456_780n],
  [' 500 ', 50_000n],
  ['999 999 999 999 999.99', 99_999_999_999_999_999n],
  ['9999999999999999', undefined], // more than any account holds
  ['12 34', undefined],
  ['1 2345', undefined],
  ['1234 567', undefined],
  ['1  234', undefined],
  ['1 234 56', undefined],
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

test('zeros behind two decimals change nothing, unless they may be a group of thousands', () => {
  for (const [text, dotted, plain] of [
    ['8.850', 885n, undefined],
    ['1.000', 100n, undefined],
    ['999.990', 99_999n, undefined],
    ['8,850', undefined, undefined],
    ['0.850', 85n, 85n],
    ['1500.000', 150_000n, 150_000n],
    ['1 500,000', 150_000n, 150_000n],
    ['1500.0000', 150_000n, 150_000n],
    ['8.8500', 885n, 885n],
    ['8.855', undefined, undefined],
    ['8.8550', undefined, undefined],
    ['8.805', undefined, undefined],
    ['0.001', undefined, undefined],
    [`5.${'0'.repeat(12)}`, 500n, 500n],
    [`5.${'0'.repeat(13)}`, undefined, undefined],
  ] as const) {
    assert.equal(amountOf(text, { isDotDecimal: true }), dotted, text)
    assert.equal(amountOf(text), plain, text)
  }
})

test('a row’s amount is at most what a transfer can be; a total may be more', () => {
  assert.equal(movedAmount('Сумма', '9999999999999.99'), 999_999_999_999_999n)
  assert.throws(() => movedAmount('Сумма', '10000000000000'), /Сумма is «10000000000000»: no amount is above/)
  assert.equal(amountOf('10000000000000'), 1_000_000_000_000_000n)
})

const signed: [text: string, currency: 'RUB' | 'KZT' | 'UZS' | 'TJS', cents: bigint | RegExp][] = [
  ['5 000 ₸', 'KZT', 500_000n],
  ['5 000,00 KZT', 'KZT', 500_000n],
  ['5000тг', 'KZT', 500_000n],
  ['1 000 руб.', 'RUB', 100_000n],
  ['-1\u00a0000,50\u00a0₽', 'RUB', -100_050n],
  ["1 000 so'm", 'UZS', 100_000n],
  ['1 000 soʻm', 'UZS', 100_000n],
  ['1 000 СЎМ', 'UZS', 100_000n],
  ['20 сомонӣ', 'TJS', 2_000n],
  ['+ 5', 'RUB', 500n],
  ['5 000 ₽', 'KZT', /digits are expected/],
  ['₽ 500', 'RUB', /digits are expected/],
  ['5 000 $', 'KZT', /digits are expected/],
  ['12 34 ₸', 'KZT', /digits are expected/],
  ['1e3', 'KZT', /digits are expected/],
  ['5 ₸ 5', 'KZT', /digits are expected/],
  ['₸', 'KZT', /is empty/],
  ['сто', 'KZT', /digits are expected/],
  ['', 'KZT', /is empty/],
]

test('a currency’s sign behind an amount is read, and must be that of the row', () => {
  for (const [text, currency, cents] of signed)
    if (cents instanceof RegExp) assert.throws(() => amountIn('Сумма', text, currency), cents, text)
    else assert.equal(amountIn('Сумма', text, currency), cents, text)
})

test('a field of 64 KB takes no time, whatever it is made of', () => {
  const start = performance.now()
  for (const piece of [' ', '1', '1 ', '₸', '1,', '- ', '+', '. '])
    for (const [head, tail] of [
      ['', 'x'],
      ['1', ','],
      ['₸', '.'],
      ['-', '-'],
    ] as const)
      assert.throws(() => amountIn('Сумма', head + piece.repeat(65_536 / piece.length) + tail, 'KZT'))
  // Tried in many ways it would take minutes.
  assert.ok(performance.now() - start < 10_000)
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
