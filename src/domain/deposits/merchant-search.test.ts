/** The meanings of the one search box. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchTermsOf } from './merchant-search.ts'

test('an amount is read as people write it', () => {
  const cases: [text: string, cents: bigint | null][] = [
    ['1500', 150_000n],
    ['1500.5', 150_050n],
    ['1 500,50', 150_050n],
    ['1\u202f500,50', 150_050n],
    ['1,500.50', 150_050n],
    ['1,500', 150_000n],
    ['0', null],
    ['-5', null],
    ['1e5', null],
    ['1.234', null],
    ['12345678901234', null],
    ['A-1001', null],
  ]
  for (const [text, cents] of cases) assert.equal(searchTermsOf(text).cents, cents, text)
})

test('ids, references and digits are known by their form', () => {
  const id = '01a1de4e-4b47-7b77-86d9-36f3abf3bd07'
  assert.equal(searchTermsOf(id.toUpperCase()).id, id)
  assert.equal(searchTermsOf('kt48219034').reference, 'KT48219034')
  assert.equal(searchTermsOf('+7 900 123-45-67').digits, '79001234567')
  assert.deepEqual(
    [searchTermsOf('0042').digits, searchTermsOf('042').digits, searchTermsOf('x0042').digits],
    ['0042', null, null],
  )
})
