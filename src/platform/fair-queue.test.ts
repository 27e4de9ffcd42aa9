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

test('owners of one group have no more places together than another group, and share them', () => {
  const queue = createFairQueue<string>(4)
  for (const item of ['a1', 'b1', 'c1', 'd1']) queue.add(item[0]!, item, 'many')
  assert.equal(queue.isFullFor('e', 'many'), true)
  assert.equal(queue.add('e', 'e1', 'many'), 'e1')
  assert.equal(queue.isFullFor('x', 'alone'), false)
  assert.equal(queue.add('x', 'x1', 'alone'), 'a1')
  assert.equal(queue.add('x', 'x2', 'alone'), 'b1')
  assert.equal(queue.add('x', 'x3', 'alone'), 'x3')
  assert.equal(queue.add('y', 'y1', 'alone'), 'x2')
  assert.deepEqual(takenFrom(queue), ['c1', 'x1', 'd1', 'y1'])
})

test('groups come in turn, and in each its owners in turn', () => {
  const queue = createFairQueue<string>(10)
  for (const item of ['a1', 'a2', 'b1', 'c1', 'd1']) queue.add(item[0]!, item, 'many')
  for (const item of ['x1', 'y1']) queue.add(item[0]!, item, 'few')
  queue.add('z', 'z1')
  assert.deepEqual(takenFrom(queue), ['a1', 'x1', 'z1', 'b1', 'y1', 'c1', 'd1', 'a2'])
  assert.equal(queue.size, 0)
})

test('a removed item is not served, and frees its place', () => {
  const queue = createFairQueue<string>(2)
  queue.add('a', 'a1')
  queue.add('b', 'b1')
  queue.delete('a', 'a1')
  queue.delete('a', 'a1')
  queue.delete('c', 'c1')
  assert.equal(queue.size, 1)
  assert.equal(queue.add('b', 'b2'), undefined)
  assert.deepEqual(takenFrom(queue), ['b1', 'b2'])
})
