import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.ts'

const takenFrom = (queue: { take(): string | undefined }) => {
  const taken: string[] = []
  for (let item = queue.take(); item; item = queue.take()) taken.push(item)
  return taken
}

test('those of one owner come in their order, and owners in turn', () => {
  const queue = createFairQueue<string>(10)
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) assert.equal(queue.add(item[0]!, item), undefined)
  assert.equal(queue.size, 6)
  assert.deepEqual(takenFrom(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  assert.equal(queue.size, 0)
})

test('a full queue drops items of the owner with most in favour of an owner with fewer, until all have equal shares', () => {
  const queue = createFairQueue<string>(4)
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item)
  assert.equal(queue.isFullFor('a'), true)
  assert.equal(queue.add('a', 'a5'), 'a5')
  assert.equal(queue.isFullFor('b'), false)
  assert.equal(queue.add('b', 'b1'), 'a4')
  assert.equal(queue.add('b', 'b2'), 'a3')
  assert.equal(queue.isFullFor('b'), true)
  assert.equal(queue.add('b', 'b3'), 'b3')
  assert.equal(queue.add('c', 'c1'), 'a2')
  assert.equal(queue.add('d', 'd1'), 'b2')
  assert.equal(queue.add('e', 'e1'), 'e1')
  assert.deepEqual(takenFrom(queue), ['a1', 'b1', 'c1', 'd1'])
})
