/** Which pushes are taken together. What becomes of them is tested over HTTP, test/api/push-load.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../platform/bounds.ts'
import type { Entry } from './entry.ts'
import { batchOf } from './take-pushes.ts'

const many = (count: number, name: string) => ({
  entries: Array.from({ length: count }, (_, place) => ({ bankId: `${name}${place}` }) as Entry),
})
const { sweepGroup } = bounds

for (const [title, pushes, count] of [
  ['none', [], 0],
  ['one', [many(1, 'a')], 1],
  ['of one entry', [many(1, 'a'), many(1, 'a'), many(1, 'b')], 3],
  ['as many as fit', [many(sweepGroup - 1, 'a'), many(1, 'b'), many(1, 'c')], 2],
  ['one that is larger than a group', [many(sweepGroup + 1, 'a'), many(1, 'b')], 1],
] as const) {
  test(`pushes that are taken together: ${title}`, () => {
    assert.deepEqual(batchOf(pushes), pushes.slice(0, count))
  })
}
