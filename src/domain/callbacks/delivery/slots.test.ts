import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../../platform/bounds.ts'
import { type BufferedHead, type HeldLane, holdLane } from './held-lane.ts'
import { createSlots } from './slots.ts'

const { inFlight, inFlightOfMerchant, slowInFlight, slowInFlightOfMerchant } = bounds.delivery
const times = { monotonic: 0, now: 0 }

/** So many lanes of one merchant, each with a window full of callbacks. */
function lanesOf(merchantId: string, count: number, latencyMs = 10): HeldLane[] {
  const first = BigInt(merchantId.charCodeAt(0)) * 10_000n
  return Array.from({ length: count }, (_, place) => {
    const claimed = { id: first + BigInt(place), epoch: 1n, merchantId, hasOwnUrls: true }
    const lane = holdLane({ ...claimed, window: 32, trips: 0, failingSince: null }, 1e9, undefined)
    lane.health = { ...lane.health, latencyMs }
    lane.buffer = Array.from({ length: 64 }, () => ({ readAt: 0 }) as BufferedHead)
    return lane
  })
}

/** Fills the slots with requests that are answered when the test says so. */
function fill(...groups: HeldLane[][]) {
  const lanes = groups.flat()
  const answers: (() => void)[] = []
  const slots = createSlots(() => new Promise((resolve) => answers.push(resolve)))
  const again = () => slots.fill(new Map(lanes.map((lane) => [lane.id, lane])), times)
  again()
  return { slots, answers, again }
}
const sendingOf = (lanes: HeldLane[]) => lanes.reduce((sum, { sending }) => sum + sending, 0)

test('the many lanes of one merchant leave room for others', () => {
  const [many, few] = [lanesOf('many', 250), lanesOf('few', 1)]
  const { slots } = fill(many)
  assert.equal(sendingOf(many), inFlightOfMerchant)
  slots.fill(new Map([...many, ...few].map((lane) => [lane.id, lane])), times)
  assert.equal(sendingOf(few), 32)
  assert.equal(sendingOf(many), inFlightOfMerchant)
})

test('slow lanes of one merchant leave room for the slow lanes of others', () => {
  const [many, few] = [lanesOf('many', 250, 5_000), lanesOf('few', 1, 5_000)]
  fill(many, few)
  assert.equal(sendingOf(many), slowInFlightOfMerchant)
  assert.equal(sendingOf(few), 32)
})

test('what is answered makes room again', async () => {
  const many = lanesOf('many', 250)
  const { slots, answers, again } = fill(many)
  assert.ok(many.every((lane) => !slots.hasRoom(lane)))
  for (const answer of answers.splice(0, 100)) answer()
  await new Promise(setImmediate)
  assert.ok(many.every((lane) => slots.hasRoom(lane)))
  again()
  assert.equal(answers.length, inFlightOfMerchant)
})

test('all together stay within the limits of the process', () => {
  const shops = (latencyMs: number) =>
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => lanesOf(name, 50, latencyMs))
  assert.equal(fill(...shops(10)).slots.inFlight(), inFlight)
  assert.equal(fill(...shops(5_000)).slots.inFlight(), slowInFlight)
})
