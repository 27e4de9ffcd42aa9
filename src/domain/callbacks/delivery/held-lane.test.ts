import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdLane } from './held-lane.ts'
import { newLane } from './lane.ts'

const failingSince = 1_763_500_000_000
const claimed = { id: 1n, epoch: 9n, merchantId: 'shop', hasOwnUrls: true, window: 1, trips: 0, failingSince }
const known = { ...newLane, failures: 4, failedForSeveral: true, latencyMs: 9_000, failingSince }
const healthOf = (
  row: typeof claimed | (Omit<typeof claimed, 'failingSince'> & { failingSince: number | null }),
) => holdLane(row, 0, known).health

test('failures in a row are counted on when a lane comes back, if it has not succeeded elsewhere', () => {
  // The database keeps microseconds.
  for (const row of [claimed, { ...claimed, failingSince: failingSince + 0.0004 }]) {
    const { failures, failedForSeveral } = healthOf(row)
    assert.deepEqual([failures, failedForSeveral], [4, true])
  }
  for (const row of [
    { ...claimed, failingSince: null },
    { ...claimed, failingSince: failingSince + 60_000 },
  ]) {
    const { failures, failedForSeveral } = healthOf(row)
    assert.deepEqual([failures, failedForSeveral], [0, false])
  }
})

test('a slow endpoint stays known as slow, also after another process has served it', () => {
  assert.equal(healthOf({ ...claimed, failingSince: null }).latencyMs, 9_000)
  assert.equal(holdLane(claimed, 0, undefined).health.latencyMs, null)
})
