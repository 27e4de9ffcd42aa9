import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptBytes } from './kept-bytes.ts'

test('no more is kept than the bound says, and what was asked for last is kept longest', () => {
  const kept = keptBytes<string>(10)
  for (const name of ['a', 'b', 'c', 'd', 'e']) kept.set(name, `${name}${name}`)
  assert.equal(kept.get('a'), 'aa')
  kept.set('f', 'ff')
  assert.deepEqual([kept.get('b'), kept.get('a'), kept.bytes], [undefined, 'aa', 10])
  kept.set('a', 'aaaa')
  assert.deepEqual([kept.get('c'), kept.get('a'), kept.bytes], [undefined, 'aaaa', 10])
  kept.set('g', 'longer than all')
  assert.deepEqual([kept.get('a'), kept.get('g'), kept.bytes], [undefined, undefined, 0])
})
