import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupsToDelete } from './retention.ts'

const namesToDelete = (...given: Parameters<typeof groupsToDelete>) => groupsToDelete(...given).flat()
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

test('while there are not more backups than are kept, only interrupted ones are deleted', () => {
  assert.deepEqual(namesToDelete(stored, complete, { keep: 3 }), ['base/broken/000001'])
})

test('a clock that was wrong deletes neither the newest backup nor WAL that a kept one needs', () => {
  // b3 was made last, at a time that seems to be the first.
  const byTime = [complete[1]!, complete[2]!, complete[0]!]
  assert.deepEqual(namesToDelete(stored, byTime, { keep: 2 }), namesToDelete(stored, complete, { keep: 2 }))
})

test('backups that cannot be read stay with all WAL until enough others are there', () => {
  const [b3, b2] = complete
  const base = (name: string) => [`base/${name}/manifest`, `base/${name}/000001`]
  assert.deepEqual(namesToDelete(stored, [b3!], { keep: 2 }), ['base/broken/000001'])
  assert.deepEqual(namesToDelete(stored, [b3!, b2!], { keep: 2 }).slice(0, 3), [
    ...base('b1'),
    'base/broken/000001',
  ])
  // Damaged between two others.
  assert.deepEqual(namesToDelete(stored, [b3!, complete[2]!], { keep: 2 }), ['base/broken/000001'])
})

test('each backup is a separate group that begins with its manifest, so that a store which refuses a delete leaves no half of a backup', () => {
  assert.deepEqual(groupsToDelete(stored, complete, { keep: 1 }).slice(0, 4), [
    ['base/b2/manifest', 'base/b2/000001'],
    ['base/b1/manifest', 'base/b1/000001'],
    ['base/broken/000001'],
    [...[1, 2, 3, 4].map((number) => `wal/${segment(number)}`), `wal/${segment(2)}.00000000-00001000`],
  ])
})

test('files of archived months go only with the last backup of their master key', () => {
  const archives = ['archive/aa.key1', 'archive/aa.key2']
  const keyed = (...keys: (string | undefined)[]) =>
    complete.map((backup, place) => ({ ...backup, key: keys[place] }))
  const gone = (backups: ReturnType<typeof keyed>, keep: number) =>
    namesToDelete([...stored, ...archives], backups, { keep }).filter((name) => name.startsWith('archive'))
  assert.deepEqual(gone(keyed('key2', 'key1', 'key1'), 2), [])
  assert.deepEqual(gone(keyed('key2', 'key2', 'key1'), 2), ['archive/aa.key1'])
  // Made before the key was noted.
  assert.deepEqual(gone(keyed('key2', undefined, undefined), 2), [])
  // One that cannot be read may need them.
  assert.deepEqual(gone(keyed('key2', 'key1', 'key1').slice(0, 1), 2), [])
})
