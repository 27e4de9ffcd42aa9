/** Which pushes are taken together. What becomes of them is tested over HTTP, test/api/push-load.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../platform/bounds.ts'
import type { Entry } from './entry.ts'
import { batchesOf } from './take-pushes.ts'

const many = (count: number, name: string) => ({
  entries: Array.from({ length: count }, (_, place) => ({ bankId: `${name}${place}` }) as Entry),
})
const { sweepGroup } = bounds

for (const [title, pushes, sizes] of [
  ['none', [], []],
  ['one', [many(1, 'a')], [1]],
  ['of one entry', [many(1, 'a'), many(1, 'a'), many(1, 'b')], [3]],
  ['as many as fit', [many(sweepGroup - 1, 'a'), many(1, 'b'), many(1, 'c')], [2, 1]],
  ['one that is larger than a group', [many(sweepGroup + 1, 'a'), many(1, 'b')], [1, 1]],
] as const) {
  test(`pushes that are taken together: ${title}`, () => {
    const batches = batchesOf(pushes)
    assert.deepEqual(
      batches.map(({ length }) => length),
      sizes,
    )
    assert.deepEqual(batches.flat(), pushes)
  })
}
