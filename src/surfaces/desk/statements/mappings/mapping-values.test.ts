import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CsvMapping } from '../../../../domain/statements/formats/csv-mapping.ts'
import { mappingIn, valuesFrom } from './mapping-values.ts'

const account = {
  id: '1',
  number: '40702810300000000042',
  label: 'Main',
  currency: 'RUB',
  mode: 'test',
} as const
const mapping: CsvMapping = {
  ...{
    encoding: 'utf-8',
    separator: ';',
    skipRows: 0,
    header: ['a', 'b', 'c', 'd'],
    dateFormat: 'dd.mm.yyyy',
  },
  account: account.number,
  columns: { date: 0, amount: 1, direction: 2, status: 3 },
}

for (const [what, words] of Object.entries({
  'one word': ['in'],
  'several words': ['in', 'plus'],
  'one word with a comma': ['Проведён, зачислен'],
  'several words, one with a comma': ['Проведён, зачислен', 'booked'],
}))
  test(`a mapping that is opened and saved as it is stays the same: ${what}`, () => {
    const saved: CsvMapping = { ...mapping, directions: { in: words, out: ['out'] }, booked: words }
    assert.deepEqual(mappingIn(valuesFrom(saved, [account]), saved.header, [account]), saved)
  })
