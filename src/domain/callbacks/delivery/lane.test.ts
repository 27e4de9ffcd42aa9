import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Attempt, afterAttempt, kindOf, type Lane, laneRules, limitOf, newLane } from './lane.ts'

const hour = 3_600_000
const start = 1_800_000_000_000
const middle = 0.5

const attempt = (status: number | undefined, more: Partial<Attempt> = {}): Attempt => ({
  depositId: 'a',
  hasOwnUrl: false,
  ms: 20,
  status,
  ...more,
})
const noAnswer = undefined

/** The lane after these, one second apart, each of another deposit. */
const after = (statuses: (number | undefined)[], from: Lane = newLane): Lane =>
  statuses.reduce<Lane>(
    (lane, status, index) =>
      afterAttempt(lane, attempt(status, { depositId: `d${index}` }), start + index * 1_000, middle).lane,
    from,
  )

for (const [status, kind] of [
  [noAnswer, 'endpoint'],
  [200, 'ok'],
  [204, 'ok'],
  [299, 'ok'],
  [301, 'callback'],
  [302, 'callback'],
  [400, 'callback'],
  [404, 'callback'],
  [408, 'endpoint'],
  [409, 'callback'],
  [410, 'gone'],
  [425, 'endpoint'],
  [429, 'endpoint'],
  [499, 'callback'],
  [500, 'endpoint'],
  [503, 'endpoint'],
  [599, 'endpoint'],
] as const) {
  test(`${status ?? 'no answer'} is ${kind}`, () => assert.equal(kindOf(status), kind))
}

test('the window starts at 4, grows by one per full window of successes, up to 32', () => {
  assert.equal(limitOf(newLane, start), 4)
  assert.equal(after(Array(3).fill(200)).window, 4)
  assert.equal(after(Array(4).fill(200)).window, 5)
  assert.equal(after(Array(9).fill(200)).window, 6)
  assert.equal(after(Array(2_000).fill(200)).window, 32)
})

for (const [status, window] of [
  [noAnswer, 4],
  [429, 4],
  [500, 4],
  [400, 8],
  [302, 8],
] as const) {
  test(`${status ?? 'no answer'} takes the window from 8 to ${window}`, () => {
    assert.equal(afterAttempt({ ...newLane, window: 8 }, attempt(status), start, middle).lane.window, window)
  })
}

test('the breaker opens at the fifth endpoint failure in a row of two deposits or more', () => {
  assert.equal(after(Array(4).fill(500)).trips, 0)
  const open = after(Array(5).fill(500))
  assert.equal(open.trips, 1)
  const now = start + 4_000
  assert.equal(open.openUntil, now + 5_000)
  assert.deepEqual([limitOf(open, now + 4_999), limitOf(open, now + 5_000)], [0, 1])
  assert.equal(after([500, 500, 500, 500, 200, 500]).trips, 0, 'not in a row')
  assert.equal(after([500, 500, 500, 500, 404, 500]).trips, 0, 'the endpoint answered')
  let lane = newLane
  for (let count = 0; count < 50; count++) lane = afterAttempt(lane, attempt(500), start, middle).lane
  assert.equal(lane.trips, 0, 'one deposit alone')
  assert.equal(afterAttempt(lane, attempt(500, { depositId: 'b' }), start, middle).lane.trips, 1)
})

test('an open breaker charges the lane; the callback that opened it was still charged', () => {
  const four = after(Array(4).fill(500))
  const fifth = afterAttempt(four, attempt(500, { depositId: 'e' }), start, middle)
  assert.deepEqual([fifth.lane.trips, fifth.charge], [1, 'callback'])
  const inFlight = afterAttempt(fifth.lane, attempt(500), start + 1_000, middle)
  assert.deepEqual([inFlight.lane.trips, inFlight.charge], [1, 'lane'])
  assert.equal(inFlight.lane.openUntil, fifth.lane.openUntil)
  const probe = afterAttempt(fifth.lane, attempt(500), start + 6_000, middle)
  assert.deepEqual([probe.lane.trips, probe.charge], [2, 'lane'])
  assert.equal(probe.lane.openUntil, start + 6_000 + 10_000)
})

for (const [status, charge] of [
  [200, 'ok'],
  [404, 'callback'],
] as const) {
  test(`a probe answered ${status} closes the breaker from window 1; charged: ${charge}`, () => {
    const open = { ...after(Array(5).fill(500)), window: 16 }
    const probed = afterAttempt(open, attempt(status), start + 60_000, middle)
    assert.deepEqual(
      [probed.charge, probed.lane.trips, limitOf(probed.lane, start + 60_000)],
      [charge, 0, status === 200 ? 2 : 1],
    )
  })
}

for (const [status, retryAfterMs, restMs] of [
  [429, 30_000, 30_000],
  [503, 30_000, 30_000],
  [429, 24 * hour, 300_000],
  [500, 30_000, 0],
  [400, 30_000, 0],
  [429, undefined, 0],
] as const) {
  test(`${status} with Retry-After ${retryAfterMs ?? 'absent'} rests the lane for ${restMs} ms`, () => {
    const { lane, charge } = afterAttempt(newLane, attempt(status, { retryAfterMs }), start, middle)
    assert.deepEqual([charge, lane.trips, Math.max(0, lane.openUntil - start)], ['callback', 0, restMs])
    assert.equal(limitOf(lane, start) === 0, restMs > 0)
  })
}

test('410 pauses the merchant’s lane without counting an attempt; from an own URL it ends the callback', () => {
  const paused = afterAttempt(newLane, attempt(410), start, middle)
  assert.deepEqual(
    [paused.charge, paused.lane.pause, limitOf(paused.lane, start)],
    ['lane', 'answered_410', 0],
  )
  const own = afterAttempt(newLane, attempt(410, { hasOwnUrl: true }), start, middle)
  assert.deepEqual([own.charge, own.lane.pause], ['gone', null])
})

test('120 hours without a success pause a lane whose breaker is open, not an hour earlier', () => {
  const open = after(Array(5).fill(500))
  const at = (hours: number) => afterAttempt(open, attempt(500), start + hours * hour, middle).lane.pause
  assert.deepEqual([at(119.9), at(120)], [null, 'failing_120_hours'])
  const rare = { ...newLane, failingSince: start }
  assert.equal(afterAttempt(rare, attempt(500), start + 500 * hour, middle).lane.pause, null, 'one failure')
})

test('120 hours of nothing but refusals pause a lane too; one success among them does not', () => {
  let lane = newLane
  for (let days = 0; days <= 5; days++) {
    assert.equal(lane.pause, null)
    lane = afterAttempt(lane, attempt(404), start + days * 24 * hour, middle).lane
  }
  assert.equal(lane.pause, 'failing_120_hours')
  const helped = afterAttempt({ ...lane, pause: null }, attempt(200), start + 120 * hour, middle).lane
  assert.equal(afterAttempt(helped, attempt(404), start + 300 * hour, middle).lane.pause, null)
})

test('three hours of outage cost about forty probes', () => {
  let lane = after(Array(5).fill(500))
  let probes = 0
  for (let now = start; now < start + 3 * hour; now += 250) {
    if (limitOf(lane, now) === 0) continue
    lane = afterAttempt(lane, attempt(noAnswer, { ms: 10_000 }), now, middle).lane
    probes++
  }
  assert.ok(probes >= 35 && probes <= 45, String(probes))
})

test('a moving average distinguishes a slow endpoint from one slow answer', () => {
  const quick = after(Array(20).fill(200))
  const once = afterAttempt(quick, attempt(200, { ms: 3_000 }), start, middle).lane
  assert.ok(once.latencyMs! < 1_000)
  let slow = once
  for (let count = 0; count < 10; count++)
    slow = afterAttempt(slow, attempt(200, { ms: 3_000 }), start, middle).lane
  assert.ok(slow.latencyMs! > 1_000)
})

/** A lane with any history keeps these, whatever the receiver does. */
test('properties hold for every history', () => {
  const events = fc.array(
    fc.record({
      passes: fc.nat(600_000),
      status: fc.constantFrom(noAnswer, 200, 200, 200, 302, 404, 408, 410, 429, 500, 503),
      deposit: fc.nat(3),
      retryAfterMs: fc.option(fc.nat(48 * hour), { nil: undefined }),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    }),
    { maxLength: 300 },
  )
  fc.assert(
    fc.property(events, fc.boolean(), (history, hasOwnUrl) => {
      let lane = newLane
      let now = start
      let inRow = 0
      let firstFailure: number | null = null
      const failedDeposits = new Set<number>()
      for (const { passes, status, deposit, retryAfterMs, random } of history) {
        now += passes
        const before = lane
        const given = attempt(status, { depositId: `d${deposit}`, hasOwnUrl, retryAfterMs })
        const result = afterAttempt(before, given, now, random)
        lane = result.lane
        const kind = kindOf(status)
        if (kind === 'endpoint') {
          inRow++
          failedDeposits.add(deposit)
        } else {
          inRow = 0
          failedDeposits.clear()
        }
        firstFailure = kind === 'ok' ? null : (firstFailure ?? now)

        assert.ok(lane.window >= 1 && lane.window <= laneRules.windowMost)
        assert.ok(lane.window <= before.window + 1, 'grows by one at most')
        assert.equal(lane.failingSince, firstFailure)
        assert.equal(result.charge === 'ok', kind === 'ok')
        if (kind === 'endpoint') assert.equal(result.charge, before.trips > 0 ? 'lane' : 'callback')
        else assert.equal(lane.trips, 0, 'an answer closes the breaker')
        if (lane.trips > 0 && before.trips === 0) assert.ok(inRow >= 5 && failedDeposits.size >= 2)
        if (inRow >= 5 && failedDeposits.size >= 2 && lane.pause === null) assert.ok(lane.trips > 0)
        assert.ok(lane.openUntil <= Math.max(before.openUntil, now + laneRules.openMostMs * 1.2))
        if (lane.openUntil > now || lane.pause !== null) assert.equal(limitOf(lane, now), 0)
        else assert.equal(limitOf(lane, now), lane.trips > 0 ? 1 : lane.window)
        if (lane.pause === 'answered_410') assert.equal(hasOwnUrl, false)
        if (lane.pause === 'failing_120_hours' && before.pause === null) {
          assert.ok(now - lane.failingSince! >= laneRules.failingToPauseMs)
        }
        // Someone resumes it.
        if (lane.pause !== null) {
          lane = newLane
          inRow = 0
          firstFailure = null
          failedDeposits.clear()
        }
      }
    }),
  )
})
