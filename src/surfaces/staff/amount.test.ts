import assert from 'node:assert/strict'
import { test } from 'node:test'
import { centsFrom, mostCents } from '../../domain/money.ts'
import { typedAmount } from './amount.ts'

test('an amount in a field is written as its reader types it, and read as the same amount', () => {
  const written = [
    [50n, '0.50', '0,50'],
    [150_000n, '1500', '1 500'],
    [19_806_490n, '198064.90', '198 064,90'],
    [100_000_000n, '1000000', '1 000 000'],
  ] as const
  for (const [cents, en, ru] of written) {
    assert.equal(typedAmount(cents, 'en'), en)
    assert.equal(typedAmount(cents, 'ru').replaceAll('\u00a0', ' '), ru)
  }
  for (const language of ['en', 'ru'] as const)
    for (const cents of [1n, 99n, 100n, 123_456_789n, mostCents]) {
      const text = typedAmount(cents, language)
      assert.equal(centsFrom(text), cents)
      assert.ok(text.length <= 20, `${text}: longer than its field`)
    }
})
