import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  accountKey,
  accountKeyHolds,
  correspondentKeyHolds,
  correspondsTo,
  innKeyHolds,
  isBankOfRussiaUnit,
  isCorrespondentAccount,
  isInn,
  isKpp,
  isRoubleAccount,
  isRussianAccount,
  isRussianBic,
} from './russian-account.ts'

const accounts: [bic: string, account: string, key: string, holds: boolean][] = [
  ['049805746', '40602810700000000025', '7', true],
  ['044030827', '40702810900000002851', '9', true],
  ['044525225', '40702810138250123017', '1', true],
  ['044030827', '30101810200000000827', '2', true], // prefix 030
  ['040305000', '40102810100000010001', '1', true], // prefix 005
  ['044525999', '40702810300000000042', '3', true],
  ['044525999', '30101810600000000999', '6', true], // prefix 025
  ['044525225', '40702810238250123017', '1', false],
]

test('the account key follows order 515', () => {
  for (const [bic, account, key, holds] of accounts) {
    assert.equal(accountKey(bic, account), key, account)
    assert.equal(accountKeyHolds(bic, account), holds, account)
  }
})

test('a letter in the sixth place counts as its digit', () => {
  for (const [digit, letter] of [...'ABCEHKMPTX'].entries()) {
    assert.equal(
      accountKey('044525999', `40702${letter}10300000000042`),
      accountKey('044525999', `40702${digit}10300000000042`),
    )
  }
})

test('treasury accounts are never refused by a key: real ones fail it', () => {
  assert.equal(accountKeyHolds('004525988', '03100643000000017300'), true)
})

const correspondents: [bic: string, account: string, shape: boolean, bank: boolean, key: boolean][] = [
  ['044525225', '30101810400000000225', true, true, true],
  ['044030827', '30101810200000000827', true, true, true],
  ['044525999', '30101810600000000999', true, true, true],
  ['044525999', '30101810500000000999', true, true, false],
  ['044525999', '30101810400000000225', true, false, true], // the same region, so the key cannot tell
  ['004525988', '40102810545370000003', true, true, true], // the treasury in Moscow
  ['004525988', '40102810645370000003', true, true, false],
  ['044525999', '40702810300000000042', false, true, false],
  ['044525999', '3010181060000000099', false, false, false],
]

test('a correspondent account belongs to its BIC', () => {
  for (const [bic, account, shape, bank, key] of correspondents) {
    assert.equal(isCorrespondentAccount(account), shape, account)
    if (!shape) continue
    assert.equal(correspondsTo(bic, account), bank, account)
    assert.equal(correspondentKeyHolds(bic, account), key, account)
  }
})

const inns: [inn: string, shape: boolean, holds: boolean][] = [
  ['7707083893', true, true],
  ['500100732259', true, true],
  ['7700000009', true, true],
  ['770000000082', true, true],
  ['6200098765', true, false], // the example of GOST R 56042-2014
  ['500100732258', true, false],
  ['500100732249', true, false],
  ['770708389', false, false],
  ['77070838930', false, false],
  ['7707083893012', false, false],
  ['770708389X', false, false],
]

test('an INN has a shape and a key', () => {
  for (const [inn, shape, holds] of inns) {
    assert.equal(isInn(inn), shape, inn)
    if (shape) assert.equal(innKeyHolds(inn), holds, inn)
  }
})

test('shapes of BIC, account, currency and KPP', () => {
  const shapes: [is: (text: string) => boolean, text: string, expected: boolean][] = [
    [isRussianBic, '044525225', true],
    [isRussianBic, '244525225', true],
    [isRussianBic, '344525225', false],
    [isRussianBic, '04452522', false],
    [isRussianBic, '0445252255', false],
    [isBankOfRussiaUnit, '040305000', true],
    [isBankOfRussiaUnit, '040305001', true],
    [isBankOfRussiaUnit, '040305002', true],
    [isBankOfRussiaUnit, '040305003', false],
    [isRussianAccount, '40702810300000000042', true],
    [isRussianAccount, '40702A10300000000042', true],
    [isRussianAccount, '40702D10300000000042', false],
    [isRussianAccount, '4070281030000000004', false],
    [isRussianAccount, '407028103000000000422', false],
    [isRoubleAccount, '40702810300000000042', true],
    [isRoubleAccount, '40702840300000000042', false],
    [isRoubleAccount, '40702643300000000042', false],
    [isRoubleAccount, '03100643000000017300', true],
    [isRoubleAccount, '03100840000000017300', false],
    [isKpp, '770701001', true],
    [isKpp, '7707AB001', true],
    [isKpp, '77070100', false],
    [isKpp, 'A70701001', false],
  ]
  for (const [is, text, expected] of shapes) assert.equal(is(text), expected, `${is.name} ${text}`)
})

const someBic = fc.stringMatching(/^[012]\d{8}$/)
const someAccount = fc.stringMatching(/^4\d{19}$/)

test('exactly one key fits an account at a bank, and its weighed sum ends with 0', () => {
  fc.assert(
    fc.property(someBic, someAccount, (bic, account) => {
      const fitting = [...'0123456789'].map((key) => account.slice(0, 8) + key + account.slice(9))
      const holding = fitting.filter((candidate) => accountKeyHolds(bic, candidate))
      assert.equal(holding.length, 1)
      // The rule as the order words it: the sum over prefix and account, computed here a second way.
      const prefix = isBankOfRussiaUnit(bic) ? `0${bic.slice(4, 6)}` : bic.slice(6)
      const sum = [...(prefix + holding[0])].reduce(
        (total, digit, at) => total + Number(digit) * [7, 1, 3][at % 3]!,
        0,
      )
      assert.equal(sum % 10, 0)
    }),
  )
})
