import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBank, splitTaxId } from './payer-shapes.ts'

const banks: [name: string, account: string, isBank: boolean][] = [
  ['ПАО Сбербанк', '', true],
  ['Иванов Иван', '30101810400000000225', true],
  ['Иванов Иван', '40821810000000000001', true],
  ['Иванов Иван', '4082…0001', true],
  ['НКО «Расчёты»', '', true],
  ['ООО КБ «Ромашка»', '', true],
  ['Kaspi Gold', 'KZ86125KZT5004100100', true],
  ['PAYNET MCHJ', '', true],
  ['ҶСК «ТАҚХ Имон»', '', true],
  ['Иванов Иван', '40817810000000000001', false],
  ['Иванов К. Б.', '', false],
  ['ООО "Ромашка"', 'KZ86125KZT5004100100', false],
  ['', '', false],
]

for (const [name, account, expected] of banks)
  test(`${name} ${account} is ${expected ? 'a bank or an agent' : 'somebody'}`, () => {
    assert.equal(isBank({ payerName: name, payerAccount: account }), expected)
  })

test('a tax id is taken out of the name of a party', () => {
  for (const [text, name, taxId] of [
    ['INN 7700000009 OOO ROMAQKA', 'OOO ROMAQKA', '7700000009'],
    ['ИНН: 7700000009, КПП 770001001 ООО "Пример"', 'ООО "Пример"', '7700000009'],
    ['Иванов БИН 971240001315', 'Иванов', '971240001315'],
    ['STIR 301234567 "Namuna" MCHJ', '"Namuna" MCHJ', '301234567'],
    ['INN 77000000091 OOO', 'INN 77000000091 OOO', ''],
    ['ООО "Пример"', 'ООО "Пример"', ''],
  ])
    assert.deepEqual(splitTaxId(text!), { name, taxId })
})
