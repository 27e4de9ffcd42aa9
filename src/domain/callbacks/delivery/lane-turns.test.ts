import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../../platform/bounds.ts'
import { lanesToGiveBack } from './lane-turns.ts'

const turn = bounds.delivery.laneTurnMs

/** Claimed at 0, 1, 2 … */
const lanesOf = (merchantId: string, count: number, isEnding = false) =>
  Array.from({ length: count }, (_, claimedAt) => ({ merchantId, claimedAt, isEnding }))

const givenBack = (lanes: ReturnType<typeof lanesOf>, waiting: number, { share = 0, now = 10 * turn } = {}) =>
  lanesToGiveBack(lanes, { waiting, share, now }).map(
    ({ merchantId, claimedAt }) => `${merchantId} ${claimedAt}`,
  )

test('the merchant with most lanes gives back those that it has had longest', () => {
  const lanes = [...lanesOf('few', 2), ...lanesOf('many', 5), ...lanesOf('some', 3)]
  assert.deepEqual(givenBack(lanes, 1), ['many 0'])
  assert.deepEqual(givenBack(lanes, 4), ['many 0', 'many 1', 'some 0', 'many 2'])
  assert.equal(givenBack(lanes, 100).length, 10)
})

test('nobody gives back a lane while none waits, nor for one that another is already ending for', () => {
  assert.deepEqual(givenBack(lanesOf('many', 5), 0), [])
  assert.deepEqual(givenBack([...lanesOf('many', 5), ...lanesOf('other', 2, true)], 2), [])
  assert.deepEqual(givenBack([...lanesOf('many', 5), ...lanesOf('other', 2, true)], 3), ['many 0'])
})

test('a merchant with less than its share keeps its lanes: what waits could not have their places', () => {
  const lanes = [...lanesOf('many', 5), ...lanesOf('few', 4)]
  assert.deepEqual(givenBack(lanes, 100, { share: 5 }).length, 5)
  assert.deepEqual(givenBack(lanes, 100, { share: 6 }), [])
})

test('a lane keeps its turn, however many wait', () => {
  assert.deepEqual(givenBack(lanesOf('many', 5), 5, { now: turn - 1 }), [])
  assert.deepEqual(givenBack(lanesOf('many', 5), 5, { now: turn + 1 }), ['many 0', 'many 1'])
})
