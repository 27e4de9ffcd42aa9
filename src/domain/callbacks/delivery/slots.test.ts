import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../../platform/bounds.ts'
import { type Claimed, type HeldLane, holdLane } from './held-lane.ts'
import { createSlots } from './slots.ts'

const { inFlight, inFlightOfMerchant, slowInFlight, slowInFlightOfMerchant } = bounds.delivery
const times = { monotonic: 0, now: 0 }

let lastId = 0n

/** So many lanes of one merchant, each with a window full of callbacks. */
function lanesOf(merchantId: string, count: number, latencyMs = 10): HeldLane[] {
  return Array.from({ length: count }, () => {
    const claimed = { id: ++lastId, epoch: 1n, merchantId, hasOwnUrls: true }
    const lane = holdLane({ ...claimed, window: 32, trips: 0, failingSince: null }, 1e9, undefined)
    lane.health = { ...lane.health, latencyMs }
    lane.buffer = Array.from({ length: 64 }, () => ({ readAt: 0 }) as Claimed)
    return lane
  })
}

const shops = (count: number, lanes: number, latencyMs: number): HeldLane[][] =>
  Array.from({ length: count }, (_, number) => lanesOf(`shop ${number}`, lanes, latencyMs))

const byId = (lanes: HeldLane[]) => new Map(lanes.map((lane) => [lane.id, lane]))

/** Fills the slots with requests that are answered when the test says so. */
function fill(...groups: HeldLane[][]) {
  const lanes = groups.flat()
  const answers: (() => void)[] = []
  const slots = createSlots(() => new Promise((resolve) => answers.push(resolve)))
  const again = () => slots.fill(byId(lanes), times)
  again()
  return { slots, answers, again }
}
const sendingOf = (lanes: HeldLane[]) => lanes.reduce((sum, { sending }) => sum + sending, 0)

test('the many lanes of one merchant leave room for others', () => {
  const [many, few] = [lanesOf('many', 250), lanesOf('few', 1)]
  const { slots } = fill(many)
  assert.equal(sendingOf(many), inFlightOfMerchant)
  slots.fill(byId([...many, ...few]), times)
  assert.equal(sendingOf(few), 32)
  assert.equal(sendingOf(many), inFlightOfMerchant)
})

test('slow lanes of one merchant leave room for the slow lanes of others', () => {
  const [many, few] = [lanesOf('many', 250, 5_000), lanesOf('few', 1, 5_000)]
  fill(many, few)
  assert.equal(sendingOf(many), slowInFlightOfMerchant)
  assert.equal(sendingOf(few), 32)
})

test('however many merchants send all they can, another one can send', () => {
  for (const [count, lanes] of [
    [4, 20],
    [40, 4],
    [400, 1],
  ] as const) {
    for (const latencyMs of [10, 5_000]) {
      const name = `${count} merchants, ${latencyMs} ms`
      const others = shops(count, lanes, latencyMs)
      const few = lanesOf('few', 1, latencyMs)
      const { slots } = fill(...others)
      const before = slots.inFlight()
      slots.fill(byId(few), times)
      assert.ok(sendingOf(few) > 0, name)
      assert.ok(before > (latencyMs > 1_000 ? slowInFlight : inFlight) / 2, `${name}: ${before} in flight`)
    }
  }
})

test('merchants that come one after another take all slots, and the next answer makes room for one that has none', async () => {
  // Each takes half of what is left: of two thousand slots the twelfth merchant gets the last.
  const others = shops(12, 30, 10)
  const few = lanesOf('few', 1)
  const lanes: HeldLane[] = []
  const answers: (() => void)[] = []
  const slots = createSlots(() => new Promise((resolve) => answers.push(resolve)))
  for (const shop of others) {
    lanes.push(...shop)
    slots.fill(byId(lanes), times)
  }
  assert.equal(slots.inFlight(), inFlight)
  answers.shift()!()
  await new Promise(setImmediate)
  slots.fill(byId([...lanes, ...few]), times)
  assert.equal(sendingOf(few), 1)
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
  assert.ok(fill(...shops(2_000, 1, 10)).slots.inFlight() <= inFlight)
  assert.ok(fill(...shops(2_000, 1, 5_000)).slots.inFlight() <= slowInFlight)
})
