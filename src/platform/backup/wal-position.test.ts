import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  chainOf,
  partName,
  positionOf,
  positionText,
  readPartName,
  segmentAt,
  segmentName,
} from './wal-position.ts'

const line = { timeline: 3, segmentBytes: 16n * 1024n * 1024n }

test('positions and segments are written as PostgreSQL writes them', () => {
  assert.equal(positionOf('16/B374D848'), 0x16b374d848n)
  assert.equal(positionText(0x16b374d848n), '16/B374D848')
  assert.equal(segmentName(segmentAt(0x16b374d848n, line), line), '0000000300000016000000B3')
  assert.equal(segmentName(segmentAt(0x1_0000_0000n, line), line), '000000030000000100000000')
})

test('names of stored parts are read back, and other names are refused', () => {
  const segment = '0000000300000016000000B3'
  for (const part of [
    { segment, from: 0, to: null },
    { segment, from: 0x2000, to: 0xffffff },
  ])
    assert.deepEqual(readPartName(partName(part)), part)
  for (const name of ['00000002.history', `${segment}.part`, segment.toLowerCase(), ''])
    assert.equal(readPartName(name), undefined)
})

const part = (from: number, to: number | null) => ({ segment: 'S', from, to })
for (const [title, parts, expected] of [
  ['the whole segment alone', [part(0, 10), part(0, null)], [part(0, null)]],
  ['one after the other', [part(5, 9), part(0, 5)], [part(0, 5), part(5, 9)]],
  ['the longest', [part(0, 5), part(5, 9), part(0, 8)], [part(0, 8), part(5, 9)]],
  ['nothing behind a hole', [part(0, 5), part(6, 9)], [part(0, 5)]],
  ['nothing without a beginning', [part(5, 9)], []],
] as const) {
  test(`parts of a segment: ${title}`, () => assert.deepEqual(chainOf(parts), expected))
}
