import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Currency } from '../money.ts'
import type { RequisiteKind } from '../requisites/requisite.ts'
import { amountGroups, clockTime, foreignText, type Language, languageFrom, numberGroups } from './format.ts'

test('the language is what the browser prefers of ours, else Russian', () => {
  const cases: [header: string | undefined, language: Language][] = [
    [undefined, 'ru'],
    ['', 'ru'],
    ['en', 'en'],
    ['en-US,en;q=0.9', 'en'],
    ['ru-RU,ru;q=0.9,en;q=0.8', 'ru'],
    ['en;q=0.1, ru;q=0.2', 'ru'],
    ['uz-UZ,uz;q=0.9,en;q=0.5', 'en'],
    ['uz', 'ru'],
    ['*', 'ru'],
    ['en;q=0', 'ru'],
    ['en;q=nonsense', 'ru'],
    [',;;q=,', 'ru'],
  ]
  for (const [header, language] of cases) assert.equal(languageFrom(header), language, header)
})

test('a time is on the clock of the banks, with the zone named', () => {
  const at = new Date('2026-11-15T11:35:00Z')
  const cases: [currency: Currency, language: Language, text: string][] = [
    ['RUB', 'ru', '15 ноября, 14:35 (Москва, GMT+3)'],
    ['UZS', 'ru', '15 ноября, 16:35 (Ташкент, GMT+5)'],
    ['KZT', 'en', '15 November, 16:35 (Almaty, GMT+5)'],
    ['TJS', 'en', '15 November, 16:35 (Dushanbe, GMT+5)'],
  ]
  for (const [currency, language, text] of cases) assert.equal(clockTime(at, currency, language), text)
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
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (whole) => {
      const groups = amountGroups(`${whole}.50`)
      assert.equal(groups.join(''), `${whole}.50`)
      assert.ok(groups.every((group) => /^\d{1,3}(\.50)?$/.test(group)))
    }),
  )
})

test('foreign text loses what is invisible or turns the reading around, and is bounded', () => {
  assert.equal(foreignText('Shop\u202eposh\u202c \u2066x\u2069\u200b\0', 80), 'Shopposh x ')
  assert.equal(foreignText('abcdef', 4), 'abc…')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const shown = foreignText(text, 20)
      assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffe\uffff]/u)
    }),
  )
})
