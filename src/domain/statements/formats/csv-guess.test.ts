import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvCases } from '../../../../test/vectors/statements/csv-cases.ts'
import { encoded } from '../../../../test/vectors/statements/statement-case.ts'
import { guessColumns, guessDateFormat, guessReading, sampleOf } from './csv-guess.ts'

for (const name of [
  'csv-signed.csv',
  'csv-pair.csv',
  'csv-cut-amount.csv',
  'csv-cut-credit.csv',
  'csv-bom-lf.csv',
])
  test(`${name}: what a person would set is guessed`, () => {
    const { bytes, mapping } = csvCases.find(({ file }) => file === name)!
    const { encoding, separator, skipRows, header, columns } = mapping!
    const head = { bytes, isWhole: true }
    const reading = guessReading(head)
    const isMarked = name === 'csv-bom-lf.csv'
    assert.deepEqual(reading, { encoding: isMarked ? 'utf-8' : encoding, separator, skipRows })
    const sample = sampleOf(head, reading, 10)
    assert.deepEqual(sample.header, header)
    // A heading such as «Карта» or «More» says too little.
    const { payerAccount, purpose, ...certain } = { payerAccount: 0, ...columns }
    assert.deepEqual(guessColumns(header), { ...certain, purpose: purpose![0] })
    assert.equal(guessDateFormat(sample.rows.map(({ fields }) => fields[columns.date]!)), mapping!.dateFormat)
  })

// The names of a header, and what is guessed of each.
for (const [header, columns] of [
  [
    ['Дата документа', 'Дата операции', 'Номер документа', 'ИНН получателя', 'ИНН плательщика'],
    { date: 1, documentNumber: 2, payerTaxId: 4 },
  ],
  [
    ['Банк плательщика', 'Счёт плательщика', 'Плательщик', 'Сумма по дебету', 'Сумма по кредиту'],
    { payerAccount: 1, payerName: 2, debit: 3, credit: 4 },
  ],
  [['Приход', 'Сумма операции', 'Основание', 'Валюта'], { amount: 1, purpose: 2, currency: 3 }],
  [['№ п/п', 'Дата', 'Номер документа', 'Сумма'], { date: 1, documentNumber: 2, amount: 3 }],
  [['№', 'Дата', 'Вид документа', '№ док-та', 'Сумма'], { date: 1, documentNumber: 3, amount: 4 }],
  [['Номер строки', 'Дата', 'Номер карты', 'Сумма'], { date: 1, amount: 3 }],
  [
    ['Row number', 'Date', 'Account number', 'Amount', 'Payment number'],
    { date: 1, amount: 3, documentNumber: 4 },
  ],
  [['A', 'B', 'C'], {}],
] as const)
  test(`${header.join(', ')}: guessed where the names leave no doubt`, () => {
    assert.deepEqual(guessColumns(header), columns)
  })

test('a beginning that is cut in a row, or in a character, shows whole rows only', () => {
  const bytes = encoded('Дата;Сумма\r\n14.11.2026;1,50\r\n15.11.2026;2', 'utf-8')
  const cut = { bytes: bytes.subarray(0, bytes.length), isWhole: false }
  assert.deepEqual(
    sampleOf(cut, guessReading(cut), 10).rows.map(({ line, fields }) => [line, ...fields]),
    [[2, '14.11.2026', '1,50']],
  )
  const half = { bytes: bytes.subarray(0, 5), isWhole: false }
  assert.equal(guessReading(half).encoding, 'utf-8')
  assert.deepEqual(sampleOf(half, guessReading(half), 10), { header: [], rows: [] })
})

test('days that no format fits give the first format, to be looked at', () => {
  assert.equal(guessDateFormat(['2026-11-14', '2026-11-15 12:00:01']), 'yyyy-mm-dd')
  assert.equal(guessDateFormat(['14.11.26']), 'dd.mm.yy')
  assert.equal(guessDateFormat(['soon']), 'dd.mm.yyyy')
  assert.equal(guessDateFormat([]), 'dd.mm.yyyy')
})

test('a header of one endless name costs no time', () => {
  const before = process.threadCpuUsage()
  for (const word of ['дата ', 'счет ', 'плательщик '])
    assert.ok(Object.keys(guessColumns([word.repeat(200_000)])).length < 2)
  assert.ok(process.threadCpuUsage(before).user < 3_000_000)
})
