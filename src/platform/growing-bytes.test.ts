import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingBytes } from './growing-bytes.ts'

test('bytes are kept in their order, up to the maximum', () => {
  const bytes = new GrowingBytes(1_000_000)
  const piece = Buffer.alloc(300_000, 'ab')
  for (const isAdded of [true, true, true, false]) assert.equal(bytes.add(piece), isAdded)
  assert.equal(bytes.length, 900_000)
  assert.equal(bytes.add(Buffer.from('end')), true)
  assert.deepEqual(bytes.slice(0, 900_000), Buffer.concat([piece, piece, piece]))
  assert.equal(bytes.slice(900_000).toString(), 'end')
  assert.equal(bytes.add(Buffer.alloc(99_997)), true)
  assert.equal(bytes.add(Buffer.alloc(1)), false)
  assert.equal(bytes.slice().length, 1_000_000)
})
