import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRateLimit } from './rate-limit.ts'

/** A limit whose clock stands still until it is moved. */
function limitWithClock(entries = 100) {
  let now = 5_000
  const limit = createRateLimit(entries, () => now)
  const pass = (ms: number) => {
    now += ms
  }
  return { ...limit, pass }
}

const rate = { perSecond: 2, burst: 5 }

test('a new key may spend its burst at once, and not one more', () => {
  const { take } = limitWithClock()
  const verdicts = Array.from({ length: 7 }, () => take('a', rate))
  assert.deepEqual(
    verdicts.map(({ allowed, remaining }) => [allowed, remaining]),
    [
      [true, 4],
      [true, 3],
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ],
  )
})

test('tokens come back at the rate, the first one at its exact moment', () => {
  const { take, pass } = limitWithClock()
  for (let count = 0; count < 5; count++) take('a', rate)
  pass(499)
  assert.equal(take('a', rate).allowed, false)
  pass(1)
  assert.equal(take('a', rate).allowed, true)
  assert.equal(take('a', rate).allowed, false)
  pass(1_000)
  assert.deepEqual(
    [take('a', rate).allowed, take('a', rate).allowed, take('a', rate).allowed],
    [true, true, false],
  )
})

test('a refused question costs nothing: it does not push the next token away', () => {
  const { take, pass } = limitWithClock()
  for (let count = 0; count < 5; count++) take('a', rate)
  for (let count = 0; count < 100; count++) {
    pass(4)
    assert.equal(take('a', rate).allowed, false)
  }
  pass(100)
  assert.equal(take('a', rate).allowed, true)
})

test('a bucket never holds more than its burst, however long it was quiet', () => {
  const { take, pass } = limitWithClock()
  take('a', rate)
  pass(1_000_000)
  assert.equal(take('a', rate).remaining, 4)
})

test('keys do not share a bucket', () => {
  const { take } = limitWithClock()
  for (let count = 0; count < 6; count++) take('a', rate)
  assert.equal(take('a', rate).allowed, false)
  assert.deepEqual([take('b', rate).allowed, take('b', rate).remaining], [true, 3])
})

for (const [perSecond, retryAfterSeconds, resetSeconds] of [
  [10, 1, 1],
  [1, 1, 5],
  [0.5, 2, 10],
  [0.01, 100, 500],
] as const) {
  test(`at ${perSecond} a second an empty bucket of 5 says: again in ${retryAfterSeconds} s, full in ${resetSeconds} s`, () => {
    const { take } = limitWithClock()
    const slow = { perSecond, burst: 5 }
    for (let count = 0; count < 5; count++) take('a', slow)
    const refused = take('a', slow)
    assert.deepEqual(
      [refused.allowed, refused.retryAfterSeconds, refused.resetSeconds],
      [false, retryAfterSeconds, resetSeconds],
    )
  })
}

test('a changed rate counts from the next question on', () => {
  const { take } = limitWithClock()
  take('a', { perSecond: 1, burst: 100 })
  assert.equal(take('a', { perSecond: 1, burst: 3 }).remaining, 2)
})

test('beyond the limit of entries the least recently used key is dropped, and starts with a full bucket', () => {
  const { take } = limitWithClock(3)
  const single = { perSecond: 1, burst: 1 }
  // `a` asks again, so `b` is the quietest when `d` comes.
  for (const key of ['a', 'b', 'c', 'a', 'd']) take(key, single)
  assert.deepEqual(
    ['a', 'c', 'd', 'b'].map((key) => take(key, single).allowed),
    [false, false, false, true],
  )
})

test('never more than burst plus rate times elapsed time, whatever the rhythm', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2_000), { maxLength: 200 }), (waits) => {
      const { take, pass } = limitWithClock()
      let allowed = 0
      let elapsed = 0
      for (const wait of waits) {
        pass(wait)
        elapsed += wait
        if (take('a', rate).allowed) allowed++
        assert.ok(allowed <= rate.burst + (elapsed / 1000) * rate.perSecond + 1e-6)
      }
    }),
  )
})

test('what other processes took is subtracted here, also below zero, and comes back at the rate', () => {
  const { take, subtract, pass } = limitWithClock()
  subtract([['a', 7, 2, 5]])
  const { allowed, remaining, retryAfterSeconds } = take('a', rate)
  assert.deepEqual([allowed, remaining, retryAfterSeconds], [false, 0, 2])
  pass(1_000)
  assert.equal(take('a', rate).allowed, false)
  pass(500)
  assert.equal(take('a', rate).allowed, true)
})

test('only tokens that were taken are reported', () => {
  const reported: string[] = []
  const { take } = createRateLimit(
    10,
    () => 0,
    (key) => reported.push(key),
  )
  for (let count = 0; count < 8; count++) take('a', rate)
  assert.deepEqual(reported, ['a', 'a', 'a', 'a', 'a'])
})
