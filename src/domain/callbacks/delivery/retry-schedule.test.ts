import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptsMost, lifeMs, planRetry, retryWaits } from './retry-schedule.ts'

const second = 1_000
const hour = 3_600 * second
const day = 24 * hour
const now = 1_800_000_000_000
const middle = 0.5

for (const [attempt, wait] of [
  [1, 5 * second],
  [2, 30 * second],
  [3, 120 * second],
  [4, 600 * second],
  [5, 1_800 * second],
  [6, hour],
  [7, 2 * hour],
  [8, 4 * hour],
  [9, 8 * hour],
  [10, 12 * hour],
  [11, day],
  [12, day],
] as const) {
  test(`failure ${attempt} waits ${wait / second} s, a fifth more or less`, () => {
    const plan = (random: number) => planRetry({ attempt, now, madeAt: now, random })
    assert.deepEqual(plan(middle), { at: now + wait })
    assert.deepEqual(plan(0), { at: now + wait * 0.8 })
    assert.deepEqual(plan(1), { at: now + wait * 1.2 })
  })
}

test('thirteen attempts in 75 hours and 42 minutes, then never again', () => {
  assert.equal(attemptsMost, 13)
  const sum = retryWaits.reduce((total, wait) => total + wait)
  assert.equal(Math.floor(sum / 60_000), 75 * 60 + 42)
  assert.deepEqual(planRetry({ attempt: 13, now, madeAt: now, random: middle }), { giveUp: 'attempts_used' })
  assert.deepEqual(planRetry({ attempt: 14, now, madeAt: now, random: middle }), { giveUp: 'attempts_used' })
})

for (const [asked, attempt, wait] of [
  [0, 1, 5 * second],
  [4 * second, 1, 5 * second],
  [60 * second, 1, 60 * second],
  [25 * hour, 1, day],
  [Number.MAX_SAFE_INTEGER, 1, day],
  [60 * second, 6, hour],
] as const) {
  test(`Retry-After of ${asked / second} s is a floor: failure ${attempt} waits ${wait / second} s`, () => {
    assert.deepEqual(planRetry({ attempt, now, madeAt: now, random: middle, retryAfterMs: asked }), {
      at: now + wait,
    })
  })
}

test('a callback is given up when its next attempt would come after its 30 days', () => {
  const plan = (age: number) => planRetry({ attempt: 1, now, madeAt: now - age, random: middle })
  assert.deepEqual(plan(lifeMs - 5 * second - 1), { at: now + 5 * second })
  assert.deepEqual(plan(lifeMs - 5 * second), { giveUp: 'too_old' })
  assert.deepEqual(plan(lifeMs + day), { giveUp: 'too_old' })
})
