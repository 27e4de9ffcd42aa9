import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockText, type ImportProgress, notBegun, secondsLeft } from './progress.ts'

const at = (changes: Partial<ImportProgress>) => ({ ...notBegun, ...changes })

for (const [progress, left] of [
  [at({}), null],
  [at({ rows: 500, share: 0.25, elapsedMs: 2_000 }), 6],
  [at({ rows: 1, share: 0.999, elapsedMs: 10 }), 1],
  [at({ rows: 1_000, total: 1_000, share: 1, elapsedMs: 4_000 }), null],
  [at({ rows: 0, share: 0.5, elapsedMs: 3_000 }), 3],
] as const) {
  test(`${JSON.stringify(progress)} has ${left} seconds left`, () => {
    assert.equal(secondsLeft(progress), left)
  })
}

for (const [seconds, text] of [
  [0, '0:00'],
  [65, '1:05'],
  [3_599, '59:59'],
  [7_387, '2:03:07'],
] as const) {
  test(`${seconds} seconds are ${text}`, () => assert.equal(clockText(seconds), text))
}
