import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ibanKeyHolds, isKazakhIban, isKazakhTaxId, kazakhTaxIdKeyHolds } from './kazakh-account.ts'

const ibans: [iban: string, shape: boolean, holds: boolean][] = [
  ['KZ86125KZT5004100100', true, true], // the example of the SWIFT registry
  ['KZ90999TEST000000001', true, true],
  ['KZ68125KZT5004100100', true, false],
  ['KZ86125KZT500410010', false, false],
  ['KZ86125KZT50041001000', false, false],
  ['KZ86A25KZT5004100100', false, false],
  ['КZ86125KZT5004100100', false, false], // a Cyrillic К
  ['RU86125KZT5004100100', false, false],
  ['kz86125kzt5004100100', false, false],
]

test('an IBAN has a shape and a key', () => {
  for (const [iban, shape, holds] of ibans) {
    assert.equal(isKazakhIban(iban), shape, iban)
    if (shape) assert.equal(ibanKeyHolds(iban), holds, iban)
  }
})

test('exactly one pair of check digits fits an account', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{3}[A-Z0-9]{13}$/), (rest) => {
      const pairs = Array.from({ length: 100 }, (_, pair) => `KZ${String(pair).padStart(2, '0')}${rest}`)
      assert.equal(pairs.filter(ibanKeyHolds).length, 1)
    }),
  )
})

const taxIds: [taxId: string, shape: boolean, holds: boolean][] = [
  ['971240001315', true, true],
  ['971240001316', true, false],
  ['971240001351', true, false],
  ['971240000001', true, true], // the first weights give 10, the second decide
  ['97124000131', false, false],
  ['9712400013155', false, false],
  ['97124000131X', false, false],
]

test('a БИН or ИИН has a shape and a key', () => {
  for (const [taxId, shape, holds] of taxIds) {
    assert.equal(isKazakhTaxId(taxId), shape, taxId)
    if (shape) assert.equal(kazakhTaxIdKeyHolds(taxId), holds, taxId)
  }
})

test('a number for which both rows of weights give 10 has no key', () => {
  for (const digit of '0123456789') assert.equal(kazakhTaxIdKeyHolds(`97124000190${digit}`), false)
})
