/** Which pushes are taken together. What becomes of them is tested over HTTP, test/api/push-load.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../platform/bounds.ts'
import type { IncomingEntry } from './bank-entries.ts'
import { batchesOf } from './take-pushes.ts'

type Reported = Partial<
  Pick<IncomingEntry, 'accountId' | 'bankId' | 'documentNumber' | 'version' | 'isRevoked'>
>
const entry = (fields: Reported) =>
  ({
    accountId: 'A',
    documentNumber: '',
    bookedOn: '2026-11-15',
    version: 0n,
    isRevoked: false,
    ...fields,
  }) as IncomingEntry
const pushOf = (...reported: Reported[]) => ({ entries: reported.map(entry) })
const many = (count: number, name: string) =>
  pushOf(...Array.from({ length: count }, (_, place) => ({ bankId: `${name}${place}` })))
const { sweepGroup } = bounds

for (const [title, pushes, sizes] of [
  ['none', [], []],
  ['one', [pushOf({ bankId: '1' })], [1]],
  ['of different entries', [pushOf({ bankId: '1' }), pushOf({ bankId: '2' }), pushOf({ bankId: '3' })], [3]],
  ['of one entry', [pushOf({ bankId: '1' }), pushOf({ bankId: '1' }), pushOf({ bankId: '2' })], [1, 2]],
  ['of one id on two accounts', [pushOf({ bankId: '1' }), pushOf({ accountId: 'B', bankId: '1' })], [2]],
  [
    'of one document under two ids',
    [pushOf({ bankId: '1', documentNumber: '7' }), pushOf({ bankId: '2', documentNumber: '7' })],
    [1, 1],
  ],
  [
    'without documents',
    [pushOf({ bankId: '1', documentNumber: '' }), pushOf({ bankId: '2', documentNumber: '' })],
    [2],
  ],
  [
    'with one that takes money back',
    [
      pushOf({ bankId: '1' }),
      pushOf({ bankId: '2', isRevoked: true }),
      pushOf({ bankId: '3' }),
      pushOf({ bankId: '4' }),
    ],
    [1, 1, 2],
  ],
  [
    'with a later version',
    [pushOf({ bankId: '1' }), pushOf({ bankId: '2', version: 3n }), pushOf({ bankId: '3' })],
    [1, 1, 1],
  ],
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
