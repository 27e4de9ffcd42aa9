import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Currency, currencies, decimal } from '../../domain/money.ts'
import type { RequisiteKind } from '../../domain/requisites/requisite.ts'
import { foreignText } from '../../platform/foreign-text.ts'
import { clockTime, numberGroups, priceText } from './format.ts'
import { type Language, languages, messages } from './messages/languages.ts'

test('a time is in the zone of the banks and names it, and no line breaks inside the day or the zone', () => {
  const at = new Date('2026-11-15T11:35:00Z')
  const cases: [currency: Currency, language: Language, text: string][] = [
    ['RUB', 'ru', '15_ноября, 14:35 (Москва,_GMT+3)'],
    ['UZS', 'ru', '15_ноября, 16:35 (Ташкент,_GMT+5)'],
    ['RUB', 'uz', '15-noyabr, 14:35 (Moskva,_GMT+3)'],
    ['UZS', 'uz', '15-noyabr, 16:35 (Toshkent,_GMT+5)'],
    ['RUB', 'kk', '15_қараша, 14:35 (Мәскеу,_GMT+3)'],
    ['KZT', 'kk', '15_қараша, 16:35 (Алматы,_GMT+5)'],
    ['RUB', 'tg', '15_ноябр, 14:35 (Маскав,_GMT+3)'],
    ['TJS', 'tg', '15_ноябр, 16:35 (Душанбе,_GMT+5)'],
    ['KZT', 'en', '15_November, 16:35 (Almaty,_GMT+5)'],
    ['TJS', 'en', '15_November, 16:35 (Dushanbe,_GMT+5)'],
  ]
  for (const [currency, language, text] of cases)
    assert.equal(clockTime(at, currency, language), text.replaceAll('_', '\u00a0'))
})

test('midnight begins the day of the banks, on a clock of 24 hours', () => {
  const at = new Date('2026-03-01T19:00:00Z')
  const cases: [language: Language, text: string][] = [
    ['ru', '2_марта, 00:00 (Ташкент,_GMT+5)'],
    ['uz', '2-mart, 00:00 (Toshkent,_GMT+5)'],
    ['kk', '2_наурыз, 00:00 (Ташкент,_GMT+5)'],
    ['tg', '2_март, 00:00 (Тошканд,_GMT+5)'],
    ['en', '2_March, 00:00 (Tashkent,_GMT+5)'],
  ]
  for (const [language, text] of cases)
    assert.equal(clockTime(at, 'UZS', language), text.replaceAll('_', '\u00a0'))
})

test('every month has its name in the languages that have little data', () => {
  const cases: [language: Language, months: string][] = [
    ['uz', 'yanvar fevral mart aprel may iyun iyul avgust sentabr oktabr noyabr dekabr'],
    ['kk', 'қаңтар ақпан наурыз сәуір мамыр маусым шілде тамыз қыркүйек қазан қараша желтоқсан'],
    ['tg', 'январ феврал март апрел май июн июл август сентябр октябр ноябр декабр'],
  ]
  for (const [language, months] of cases)
    for (const [month, name] of months.split(' ').entries()) {
      const text = clockTime(new Date(Date.UTC(2026, month, 5, 9)), 'TJS', language)
      assert.equal(/^5[-\u00a0](\p{L}+), 14:00/u.exec(text)?.[1], name)
    }
})

test('money is grouped as the language reads it, whole and on one line', () => {
  const cases: [cents: bigint, currency: Currency, language: Language, text: string][] = [
    [150050n, 'RUB', 'ru', '1_500,50_₽'],
    [150050n, 'UZS', 'uz', '1_500,50_soʻm'],
    [150050n, 'KZT', 'kk', '1_500,50_₸'],
    [150050n, 'TJS', 'tg', '1_500,50_сомонӣ'],
    [150050n, 'RUB', 'en', '1,500.50_₽'],
    [0n, 'RUB', 'ru', '0_₽'],
    [5n, 'UZS', 'en', '0.05_soʻm'],
    [99999n, 'KZT', 'kk', '999,99_₸'],
    [100000n, 'KZT', 'uz', '1_000_₸'],
    [123456789_00n, 'UZS', 'tg', '123_456_789_сӯм'],
    // Above 2⁵³: a JavaScript number would end in ,02 or ,00.
    [9007199254740993_01n, 'UZS', 'uz', '9_007_199_254_740_993,01_soʻm'],
    [9007199254740993_01n, 'UZS', 'en', '9,007,199,254,740,993.01_soʻm'],
  ]
  for (const [cents, currency, language, text] of cases)
    assert.equal(priceText(cents, currency, language), text.replaceAll('_', '\u00a0'))
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 18n }),
      fc.constantFrom(...currencies),
      fc.constantFrom(...languages),
      (cents, currency, language) => {
        const text = priceText(cents, currency, language)
        assert.equal(text.replace(/\D/g, ''), decimal(cents).replace(/\.00$/, '').replace('.', ''))
        assert.ok(text.endsWith(`\u00a0${messages[language].signs[currency]}`))
        assert.doesNotMatch(text, /[^\S\u00a0]/)
      },
    ),
  )
})

test('a price is written as people write it: the sign after it, no fraction on a whole sum, exact otherwise', () => {
  const cases: [cents: bigint, currency: Currency, language: Language, text: string][] = [
    [49_000n, 'RUB', 'ru', '490_₽'],
    [49_050n, 'RUB', 'ru', '490,50_₽'],
    [49_050n, 'RUB', 'en', '490.50_₽'],
    [49_001n, 'RUB', 'uz', '490,01_₽'],
    [4_500_000n, 'UZS', 'uz', '45_000_soʻm'],
    [4_500_000n, 'UZS', 'ru', '45_000_сум'],
    [4_500_000n, 'UZS', 'tg', '45_000_сӯм'],
    [4_500_000n, 'UZS', 'en', '45,000_soʻm'],
    [100_000_00n, 'KZT', 'kk', '100_000_₸'],
    [150_050n, 'TJS', 'tg', '1_500,50_сомонӣ'],
    [150_000n, 'TJS', 'ru', '1_500_сомони'],
    [9007199254740993_01n, 'RUB', 'ru', '9_007_199_254_740_993,01_₽'],
    [9007199254740993_00n, 'RUB', 'ru', '9_007_199_254_740_993_₽'],
  ]
  for (const [cents, currency, language, text] of cases)
    assert.equal(priceText(cents, currency, language), text.replaceAll('_', '\u00a0'))
})

test('where the tables of the world’s languages have a sign for a currency, ours is the same or the whole word', () => {
  let known = 0
  for (const language of languages)
    for (const currency of currencies) {
      const format = new Intl.NumberFormat(language, {
        style: 'currency',
        currency,
        currencyDisplay: 'narrowSymbol',
      })
      const sign = format.formatToParts(1).find(({ type }) => type === 'currency')!.value
      const ours = priceText(100n, currency, language).slice(2)
      if (sign === currency) assert.match(ours, /^\p{L}/u, `${language} ${currency}`)
      else assert.ok(ours.startsWith(sign.replace('.', '')), `${language} ${currency}: ${ours}, ${sign}`)
      if (sign !== currency) known++
    }
  assert.equal(known, 12)
})

test('a number is grouped without losing or adding a character', () => {
  const cases: [number: string, kind: RequisiteKind, groups: string[]][] = [
    ['2200000000000004', 'card', ['2200', '0000', '0000', '0004']],
    ['+79991234567', 'phone', ['+7', '999', '123', '45', '67']],
    ['+998901234567', 'phone', ['+998', '90', '123', '45', '67']],
    ['+992901234567', 'phone', ['+992', '90', '123', '45', '67']],
    ['40702810300000000042', 'account_ru', ['4070', '2810', '3000', '0000', '0042']],
    ['KZ90999TEST000000001', 'account_kz', ['KZ90', '999T', 'EST0', '0000', '0001']],
  ]
  for (const [number, kind, groups] of cases) assert.deepEqual(numberGroups(number, kind), groups)
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom<RequisiteKind>('card', 'phone'),
      (number, kind) => {
        assert.equal(numberGroups(number, kind).join(''), number)
      },
    ),
  )
})

test('foreign text loses invisible characters and direction marks, and is cut', () => {
  assert.equal(foreignText('Shop\u202eposh\u202c \u2066x\u2069\u200b\0', 80), 'Shopposh x ')
  assert.equal(foreignText('abcdef', 4), 'abc…')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = foreignText(text, 20)
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffe\uffff]/u)
    }),
  )
})
