/** What a table says, row by row, and what its mapping may say. The files of the vectors have the usual cases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencyOf } from '../../../../test/vectors/statements/statement-case.ts'
import type { Part } from '../entry.ts'
import { Totals } from '../totals.ts'
import { type CsvMapping, mappingProblems } from './csv-mapping.ts'
import { TableReader } from './table.ts'
import { RunningBalance } from './table-balance.ts'
import { plain } from './table-footer.ts'

const account = 'KZ90999TEST000000001'
const mapping: CsvMapping = {
  encoding: 'utf-8',
  separator: ';',
  skipRows: 0,
  header: ['Date', 'Amount', 'Type', 'State', 'Balance'],
  dateFormat: 'dd.mm.yyyy',
  account,
  columns: { date: 0, amount: 1, direction: 2, status: 3, balance: 4 },
  directions: { in: ['in'], out: ['out'] },
  booked: ['done'],
}

function read(changes: Partial<CsvMapping>, rows: string[][]): Part[] {
  const { directions, booked, ...plainMapping } = mapping
  const table = new TableReader(
    {
      ...plainMapping,
      header: ['Date', 'Credit', 'Debit', 'Purpose'],
      columns: { date: 0, credit: 1, debit: 2, purpose: [3] },
      ...changes,
    },
    { currencyOf },
    { isSparse: true },
  )
  const parts = rows.flatMap((fields, at) => table.take({ line: at + 2, fields }) ?? [])
  return [...parts, ...table.end()]
}

const differences = (parts: Part[]): string[] => {
  const totals = new Totals()
  for (const part of parts) {
    if ('entry' in part) totals.seen(part.entry)
    if ('summary' in part) totals.addSummary(part.summary)
  }
  return totals.differences({ badRows: 0, pending: 0 }).map(String)
}

test('only the beginning of a long text is compared, because many rows of a workbook may share it', () => {
  const long = 'Ё'.repeat(60_000)
  assert.equal(plain(long).length, plain(`${long}${long}`).length)
  // What was cut off does not make it one of our words.
  assert.notEqual(plain(`дебет${' '.repeat(60_000)}x`), 'дебет')
  const paid = ['14.11.2026', '5', '', '']
  const stated = (...footer: string[][]) =>
    read({}, [paid, ...footer]).map((part) => ('summary' in part ? part.summary : Object.keys(part)[0]))
  assert.deepEqual(stated(['Итого', `${' '.repeat(60_000)}5`, '', '']), ['entry'])
  assert.partialDeepStrictEqual(stated(['Итого', ' 5', '', ''])[1], { creditCents: 500n })
})

test('a mapping says which words mean what, and only with their columns', () => {
  const { direction, ...signed } = mapping.columns as object as Record<string, number>
  const { status, ...unstated } = mapping.columns as object as Record<string, number>
  const cases: [change: object, fields: string[]][] = [
    [{}, []],
    [{ directions: undefined }, ['directions']],
    [{ directions: { in: [], out: ['out'] } }, ['directions']],
    [{ directions: { in: ['In '], out: ['in'] } }, ['directions']],
    [{ directions: { in: ['in'], out: [], other: [] } }, ['directions']],
    [{ directions: { in: ['in'], out: [] } }, []],
    [{ directions: { in: 'in', out: [] } }, ['directions']],
    [{ columns: signed }, ['directions']],
    [{ columns: signed, directions: undefined }, []],
    [{ columns: { date: 0, credit: 1, debit: 2, direction: 3 }, booked: undefined }, ['columns.direction']],
    [{ booked: undefined }, ['booked']],
    [{ booked: [] }, ['booked']],
    [{ booked: [''] }, []],
    [{ booked: ['a'.repeat(101)] }, ['booked']],
    [{ columns: unstated }, ['booked']],
    [{ columns: { ...mapping.columns, balance: 5 } }, ['columns.balance']],
  ]
  for (const [change, fields] of cases) {
    const value = JSON.parse(JSON.stringify({ ...mapping, ...change }))
    assert.deepEqual(
      mappingProblems(value).map(({ field }) => field),
      fields,
      JSON.stringify(change),
    )
  }
})

test('a total that differs from the rows is reported, one that agrees is not', () => {
  const rows = [
    ['14.11.2026', '100', '', 'A'],
    ['14.11.2026', '', '30', 'B'],
  ]
  for (const label of ['Итого', 'ИТОГО:', 'Всего', 'Total', 'Jami', 'Барлығы', 'Итоговый оборот']) {
    assert.deepEqual(differences(read({}, [...rows, [label, '100', '30']])), [], label)
    assert.equal(differences(read({}, [...rows, [label, '101', '30']])).length, 1, label)
    assert.equal(differences(read({}, [...rows, [label, '100', '29,99']])).length, 1, label)
  }
  // Subtotals of a page or a day, then the total of all.
  assert.deepEqual(
    differences(read({}, [rows[0]!, ['Итого', '100', '0'], rows[1]!, ['Всего', '100', '30']])),
    [],
  )
})

test('a row that has a day is a payment, whatever it begins with, and one with an amount is no signature', () => {
  const columns = { date: 1, credit: 2, debit: 3, payerName: 0 }
  const header = ['Payer', 'Date', 'Credit', 'Debit']
  const parts = read({ columns, header }, [
    ['Итого ООО', '14.11.2026', '100', ''],
    ['Итого', '', '100', ''],
    ['Бухгалтер', '', '', ''],
    ['Иванов', 'вчера', '500', ''],
  ])
  assert.deepEqual(
    parts.map((part) => Object.keys(part)[0]),
    ['entry', 'bad', 'summary'],
  )
})

test('a running balance is checked in either direction, and a row without one is reported', () => {
  const follow = (rows: [moved: bigint, balance: bigint | null][]) => {
    const balance = new RunningBalance()
    for (const [at, [moved, after]] of rows.entries()) balance.take(at + 2, moved, after)
    return { ...balance.figures, warnings: balance.warnings() }
  }
  const none: string[] = []
  assert.deepEqual(
    follow([
      [100n, 150n],
      [-30n, 120n],
    ]),
    {
      ...{ openingCents: 50n, closingCents: 120n, warnings: none },
    },
  )
  assert.deepEqual(
    follow([
      [-30n, 120n],
      [100n, 150n],
    ]),
    {
      ...{ openingCents: 50n, closingCents: 120n, warnings: none },
    },
  )
  assert.deepEqual(follow([[5n, 7n]]), { openingCents: 2n, closingCents: 7n, warnings: none })
  assert.match(
    follow([
      [100n, 150n],
      [50_000n, 50_150n],
      [-30n, 120n],
    ]).warnings.join(),
    /breaks at line 4:/,
  )
  assert.match(
    follow([
      [100n, 150n],
      [50_000n, null],
      [-30n, 120n],
    ]).warnings.join(),
    /missing in line 3\./,
  )
  const many = follow(Array.from({ length: 20 }, (_, at) => [1n, BigInt(at * 7)]))
  assert.match(many.warnings.join(), /breaks at line 3, 4, 5, 6, 7 \(\+14\):/)
})
