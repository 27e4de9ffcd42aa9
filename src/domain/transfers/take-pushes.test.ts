/** Which pushes are taken together. What becomes of them is tested over HTTP, test/api/push-load.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../platform/bounds.ts'
import type { IncomingEntry } from './bank-entries.ts'
import { batchesOf } from './take-pushes.ts'

type Told = Partial<Pick<IncomingEntry, 'accountId' | 'bankId' | 'documentNumber' | 'version' | 'isRevoked'>>
const entry = (told: Told) =>
  ({
    accountId: 'A',
    documentNumber: '',
    bookedOn: '2026-11-15',
    version: 0n,
    isRevoked: false,
    ...told,
  }) as IncomingEntry
const of = (...told: Told[]) => ({ entries: told.map(entry) })
const many = (count: number, name: string) =>
  of(...Array.from({ length: count }, (_, place) => ({ bankId: `${name}${place}` })))
const { sweepGroup } = bounds

for (const [title, pushes, sizes] of [
  ['none', [], []],
  ['one', [of({ bankId: '1' })], [1]],
  ['of different entries', [of({ bankId: '1' }), of({ bankId: '2' }), of({ bankId: '3' })], [3]],
  ['of one entry', [of({ bankId: '1' }), of({ bankId: '1' }), of({ bankId: '2' })], [1, 2]],
  ['of one id on two accounts', [of({ bankId: '1' }), of({ accountId: 'B', bankId: '1' })], [2]],
  [
    'of one document under two ids',
    [of({ bankId: '1', documentNumber: '7' }), of({ bankId: '2', documentNumber: '7' })],
    [1, 1],
  ],
  [
    'without documents',
    [of({ bankId: '1', documentNumber: '' }), of({ bankId: '2', documentNumber: '' })],
    [2],
  ],
  [
    'with one that takes money back',
    [of({ bankId: '1' }), of({ bankId: '2', isRevoked: true }), of({ bankId: '3' }), of({ bankId: '4' })],
    [1, 1, 2],
  ],
  [
    'with a later version',
    [of({ bankId: '1' }), of({ bankId: '2', version: 3n }), of({ bankId: '3' })],
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
