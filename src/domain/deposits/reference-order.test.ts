import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { referenceSpace } from './reference.ts'
import { referenceOrder } from './reference-order.ts'

test('no number is drawn twice, and all are below the size of the space', () => {
  const order = referenceOrder(randomBytes(32))
  // Random draws would meet about 2,200 times.
  const drawn = Array.from({ length: 200_000 }, (_, n) => order(n))
  assert.equal(new Set(drawn).size, drawn.length)
  assert.ok(drawn.every((number) => number >= 0 && number < referenceSpace))
  assert.equal(order(referenceSpace + 5), order(5))
})

test('one seed has one order, on every machine, and another seed has another', () => {
  assert.deepEqual([0, 1, 2].map(referenceOrder(Buffer.alloc(32, 1))), [235_221, 1_567_803, 4_306_657])
  const first = () => [0, 1, 2].map(referenceOrder(randomBytes(32)))
  assert.notDeepEqual(first(), first())
})

test('the difference of one draw and the next says nothing about the one after it', () => {
  const order = referenceOrder(randomBytes(32))
  const steps = Array.from(
    { length: 1_000 },
    (_, n) => (order(n + 1) - order(n) + referenceSpace) % referenceSpace,
  )
  assert.ok(new Set(steps).size > 990)
})
