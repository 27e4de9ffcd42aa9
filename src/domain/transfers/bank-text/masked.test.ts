import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findReferences, foldText, referenceFor } from '../../deposits/reference.ts'
import { luhnDigit, luhnHolds } from '../../requisites/luhn.ts'
import { maskCardAsAccount, maskCards, maskParts, quoted } from './masked.ts'

const texts: [text: string, masked: string][] = [
  ['4111111111111111', '411111******1111'],
  ['карта 4111 1111 1111 1111.', 'карта 4111 11** **** 1111.'],
  ['4111-1111-1111-1111', '4111-11**-****-1111'],
  ['4111\u00a01111\u00a01111\u00a01111', '4111\u00a011**\u00a0****\u00a01111'],
  ['1 4111111111111111 2026', '1 411111******1111 2026'],
  ['2026 1234 4111 1111 1111 1111', '2026 1234 4111 11** **** 1111'],
  ['5555555555554444,4111111111111111', '555555******4444,411111******1111'],
  ['8600123412341234', '860012******1234'], // UzCard, without a Luhn digit
  ['4111111111111112', '4111111111111112'], // no card: the Luhn digit is wrong
  ['40702810300000000042', '40702810300000000042'], // an account
  ['KT48219034 4111111111111111', 'KT48219034 411111******1111'],
  ['KZ86125KZT5004100100', 'KZ86125KZT5004100100'],
  ['4111111111111', '4111111111111'],
  ['4222222222222', '422222***2222'], // thirteen digits
  ['', ''],
]

test('a card number in a text keeps its first six and last four digits', () => {
  for (const [text, masked] of texts) assert.equal(maskCards(text), masked)
})

test('a reference before a date is never masked, even where the digits pass as a card', () => {
  const text = 'KT 4821 9034 2026 1115'
  const last = luhnDigit('482190342026111')
  const looksLikeCard = `KT 4821 9034 2026 111${last}`
  assert.ok(luhnHolds(looksLikeCard.replace(/\D/g, '')))
  for (const purpose of [text, looksLikeCard]) {
    assert.equal(maskCards(purpose), purpose)
    assert.deepEqual(findReferences(foldText(maskCards(purpose))), ['KT48219034'])
  }
})

test('masking loses no reference, whatever stands around it', () => {
  const digits = fc.stringMatching(/^[0-9 -]{0,30}$/)
  fc.assert(
    fc.property(digits, fc.nat(), digits, (before, draw, after) => {
      const purpose = `${before} ${referenceFor(draw)} ${after}`
      assert.deepEqual(findReferences(foldText(maskCards(purpose))), findReferences(foldText(purpose)))
      assert.equal(maskCards(purpose).length, purpose.length)
    }),
  )
})

test('a card number that breaks between two parts is masked in both', () => {
  assert.deepEqual(maskParts(['Карта 41111111', '11111111 да']), ['Карта 411111**', '****1111 да'])
  assert.deepEqual(maskParts(['KT48', '219034']), ['KT48', '219034'])
  assert.deepEqual(maskParts([]), [])
})

test('a payer’s account stays, a card number in its field is masked', () => {
  assert.equal(maskCardAsAccount('40817810000000000001'), '40817810000000000001')
  assert.equal(maskCardAsAccount('2200000000000004'), '220000******0004')
  assert.equal(maskCardAsAccount('1234567890128'), '1234567890128')
})

test('a quoted value is short and shows no card', () => {
  assert.equal(quoted(' 4111111111111111 '), '«411111******1111»')
  assert.equal(quoted('я'.repeat(100)), `«${'я'.repeat(40)}…»`)
  assert.equal(quoted('a\u001b[2J\n\u009bb'), '«a [2J  b»')
})

test('a text that is cut is never left with half of a character', () => {
  for (const head of ['', 'я']) {
    const text = head + '😀'.repeat(3_000)
    const cut = quoted(text)
    assert.ok(cut.isWellFormed(), cut.slice(-3))
  }
})

test('a text that is nothing but card numbers costs no time', () => {
  const text = '4111 1111 1111 1111 '.repeat(40_000)
  const start = performance.now()
  assert.equal(maskCards(text), '4111 11** **** 1111 '.repeat(40_000))
  assert.ok(performance.now() - start < 10_000)
})
