import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountsFrom, filterFrom, payerPattern, queryOf, wholeQueue } from './filter.ts'

test('an amount is exact, or from and to', () => {
  const cases: [text: string, least: bigint | null, most: bigint | null][] = [
    ['', null, null],
    ['1500', 150_000n, 150_000n],
    ['1 500,50', 150_050n, 150_050n],
    ['1000–2000', 100_000n, 200_000n],
    ['1000 - 2000.50', 100_000n, 200_050n],
    ['1000..2000', 100_000n, 200_000n],
    ['2000—1000', 100_000n, 200_000n],
    ['1000–', 100_000n, null],
    ['–2000', null, 200_000n],
    ['0', 0n, 0n],
  ]
  for (const [text, least, most] of cases) assert.deepEqual(amountsFrom(text), { least, most }, text)
  for (const text of ['-', '–', 'x', '1–x', '1–2–3', '1e3', '1.234'])
    assert.equal(amountsFrom(text), null, text)
})

test('wrong query parameters are ignored, and the rest is kept', () => {
  const account = '0198a4f0-0000-7000-8000-000000000001'
  const fields = {
    kind: 'unmatched',
    account,
    merchant: 'x',
    amount: ' 15–20 ',
    payer: ' Ив  Ан ',
    older: '5',
  }
  const filter = filterFrom((name) => fields[name as keyof typeof fields] ?? '')
  assert.deepEqual(filter, {
    ...wholeQueue,
    kind: 'unmatched',
    accountId: account,
    amount: '15–20',
    payer: 'Ив Ан',
  })
  assert.equal(
    queryOf(filterFrom((name) => new URLSearchParams(queryOf(filter)).get(name) ?? '')),
    queryOf(filter),
  )
})

test('a part of a name finds it in either case, with Ё as Е, and stands for itself alone', () => {
  const finds = (payer: string, name: string) => new RegExp(payerPattern(payer)!).test(name)
  assert.ok(finds('семенов', 'СЕМЁНОВ ИВАН'))
  assert.ok(finds('Semen', 'semenov'))
  assert.ok(finds('ооо  "ромашка"'.replace(/\s+/g, ' '), 'ООО   "РОМАШКА"'))
  for (const wild of ['.*', '[', ']', '^', '$', '\\', '(', ')', '|', '+', '?', '{', '}', '-'])
    assert.equal(finds(wild, 'ИВАНОВ'), false, wild)
  assert.equal(payerPattern(''), null)
})

test('escaping does not depend on the database’s locale', () => {
  // PostgreSQL refuses a backslash before what is a letter or digit by its locale: vowel signs are, with glibc.
  for (const sign of ['\u0e31', '\u093e', '№', '«', '\u0301', '💳']) assert.equal(payerPattern(sign), sign)
})
