import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesToDelete } from './retention.ts'

const segment = (number: number) => `0000000100000000000000${String(number).padStart(2, '0')}`
const stored = [
  ...['b3', 'b2', 'b1'].flatMap((name) => [`base/${name}/000001`, `base/${name}/manifest`]),
  'base/broken/000001',
  ...[1, 2, 3, 4, 5].map((number) => `wal/${segment(number)}`),
  `wal/${segment(2)}.00000000-00001000`,
]
const complete = [
  { name: 'b3', firstSegment: segment(5) },
  { name: 'b2', firstSegment: segment(3) },
  { name: 'b1', firstSegment: segment(1) },
]

test('the newest stay with their WAL; older ones, broken ones and earlier WAL go, each manifest first', () => {
  assert.deepEqual(namesToDelete(stored, complete, { keep: 2 }), [
    'base/b1/manifest',
    'base/b1/000001',
    'base/broken/000001',
    `wal/${segment(1)}`,
    `wal/${segment(2)}`,
    `wal/${segment(2)}.00000000-00001000`,
  ])
})

test('without a complete backup nothing is deleted', () => {
  assert.deepEqual(namesToDelete(stored, [], { keep: 1 }), [])
})

test('as long as there are no more than are kept, only what was broken off goes', () => {
  assert.deepEqual(namesToDelete(stored, complete, { keep: 3 }), ['base/broken/000001'])
})

test('one that only another master key opens is kept and deleted like the others; while it is kept, so is all WAL', () => {
  const locked = complete.map((backup, place) => (place === 0 ? backup : { ...backup, firstSegment: null }))
  assert.deepEqual(namesToDelete(stored, locked, { keep: 2 }), [
    'base/b1/manifest',
    'base/b1/000001',
    'base/broken/000001',
  ])
  assert.ok(namesToDelete(stored, locked, { keep: 1 }).includes(`wal/${segment(4)}`))
})
