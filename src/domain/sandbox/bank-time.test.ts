import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysAfter, isDay } from '../transfers/bank-text/days.ts'
import { bankDay, bankTime } from './bank-time.ts'

test('the bank reads its own clock, and its day begins at its own midnight', () => {
  const at = new Date('2026-12-31T20:59:59.900Z')
  for (const [currency, expected] of [
    ['RUB', '2026-12-31T23:59:59+03:00'],
    ['UZS', '2027-01-01T01:59:59+05:00'],
    ['KZT', '2027-01-01T01:59:59+05:00'],
    ['TJS', '2027-01-01T01:59:59+05:00'],
  ] as const) {
    assert.equal(bankTime(at, currency), expected)
    assert.equal(Date.parse(expected), Date.parse('2026-12-31T20:59:59Z'))
  }
  assert.equal(bankDay(new Date('2026-12-31T21:00:00Z'), 'RUB'), '2027-01-01')
})

test('days are counted over months and leap years, and only real ones are days', () => {
  assert.equal(daysAfter('2028-02-28', 1), '2028-02-29')
  assert.equal(daysAfter('2026-12-31', 1), '2027-01-01')
  for (const [text, expected] of [
    ['2026-11-15', true],
    ['2028-02-29', true],
    ['2026-02-29', false],
    ['2026-04-31', false],
    ['2026-13-01', false],
    ['2026-1-1', false],
    ['1999-12-31', false],
    ['15.11.2026', false],
    ['', false],
  ] as const)
    assert.equal(isDay(text), expected, text)
})
