import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Currency } from '../money.ts'
import { fullPhone, isKazakhLandline, isPhoneOf } from './phone.ts'

const cases: [typed: string, currency: Currency, full: string, belongs: boolean][] = [
  ['+79123456789', 'RUB', '+79123456789', true],
  ['89123456789', 'RUB', '+79123456789', true],
  ['79123456789', 'RUB', '+79123456789', true],
  ['8(912)3456789', 'RUB', '+79123456789', true],
  ['9123456789', 'RUB', '9123456789', false], // ten digits: the country is a guess
  ['+7912345678', 'RUB', '+7912345678', false],
  ['+791234567890', 'RUB', '+791234567890', false],
  ['+74951234567', 'RUB', '+74951234567', false],
  ['+77011234567', 'RUB', '+77011234567', false], // Kazakhstan, never Russia
  ['87011234567', 'RUB', '+77011234567', false],
  ['+77011234567', 'KZT', '+77011234567', true],
  ['87011234567', 'KZT', '+77011234567', true],
  ['+79123456789', 'KZT', '+79123456789', false],
  ['+998901234567', 'UZS', '+998901234567', true],
  ['998901234567', 'UZS', '+998901234567', true],
  ['+99890123456', 'UZS', '+99890123456', false],
  ['+992901234567', 'UZS', '+992901234567', false],
  ['89123456789', 'UZS', '89123456789', false],
  ['+992901234567', 'TJS', '+992901234567', true],
  ['992901234567', 'TJS', '+992901234567', true],
  ['+998901234567', 'TJS', '+998901234567', false],
  ['', 'TJS', '', false],
  ['+7912345678x', 'RUB', '+7912345678x', false],
]

test('a phone is completed where one reading exists, and belongs to one country', () => {
  for (const [typed, currency, full, belongs] of cases) {
    assert.equal(fullPhone(typed, currency), full, typed)
    assert.equal(isPhoneOf(currency, full), belongs, `${typed} ${currency}`)
  }
})

test('Kazakh landlines are recognised', () => {
  const landlines: [phone: string, landline: boolean][] = [
    ['+77172123456', true],
    ['+77272123456', true],
    ['+77011234567', false],
    ['+77471234567', false],
    ['+77771234567', false],
  ]
  for (const [phone, landline] of landlines) assert.equal(isKazakhLandline(phone), landline, phone)
})

test('no phone belongs to two currencies', () => {
  const all: Currency[] = ['RUB', 'UZS', 'KZT', 'TJS']
  fc.assert(
    fc.property(fc.stringMatching(/^\+(7[79]|998|992)\d{9}$/), (phone) => {
      assert.equal(all.filter((currency) => isPhoneOf(currency, phone)).length, 1)
    }),
  )
})
