import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { luhnDigit, luhnHolds } from './luhn.ts'

const cases: [digits: string, holds: boolean][] = [
  ['2200000000000004', true],
  ['4111111111111111', true],
  ['5555555555554444', true],
  ['2223003122003222', true],
  ['8600000000000007', true],
  ['48219034', true],
  ['8600123412341234', false],
  ['48219043', false],
  ['', false],
  ['0', false], // a check digit of nothing
  ['4111 1111 1111 1111', false],
  ['４１１１１１１１１１１１１１１１', false],
]

test('the Luhn digit holds or it does not', () => {
  for (const [digits, holds] of cases) assert.equal(luhnHolds(digits), holds, digits)
})

const someDigits = fc.stringMatching(/^\d{1,24}$/)

test('exactly one digit completes a number', () => {
  fc.assert(
    fc.property(someDigits, (digits) => {
      const holding = [...'0123456789'].filter((digit) => luhnHolds(digits + digit))
      assert.deepEqual(holding, [luhnDigit(digits)])
    }),
  )
})

test('one wrong digit is always caught', () => {
  fc.assert(
    fc.property(someDigits, fc.nat(), fc.integer({ min: 1, max: 9 }), (digits, where, shift) => {
      const whole = digits + luhnDigit(digits)
      const at = where % whole.length
      const wrong = String((Number(whole[at]) + shift) % 10)
      assert.equal(luhnHolds(whole.slice(0, at) + wrong + whole.slice(at + 1)), false)
    }),
  )
})
