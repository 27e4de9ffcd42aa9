import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../platform/log.ts'
import type { LaneChange } from './held-lane.ts'
import type { Recorded } from './phases.ts'
import { ResultWriter } from './write-results.ts'

const result = (eventId: string) => ({ eventId }) as Recorded
const change = (id: bigint, trips: number) => ({ id, trips }) as LaneChange
const ids = (results: Recorded[]) => results.map(({ eventId }) => eventId)

function writer(write: (results: Recorded[]) => void, writeLanes = () => {}) {
  const written: string[] = []
  const refused: string[] = []
  const lanes: LaneChange[] = []
  const created = new ResultWriter({
    writeResults: async (results) => write(results),
    writeLanes: async (changed) => {
      writeLanes()
      lanes.push(...changed)
    },
    written: (results) => void written.push(...ids(results)),
    refused: ({ eventId }) => refused.push(eventId),
    log: createLog('error', () => {}),
  })
  const bound = {
    add: (added: Recorded) => created.add(added),
    change: (lane: LaneChange) => created.change(lane),
    drain: (ms: number) => created.drain(ms),
  }
  return { ...bound, written, refused, lanes }
}

test('results are written together, and a lane as it was last', async () => {
  const batches: string[][] = []
  const { add, change: changed, drain, written, lanes } = writer((results) => batches.push(ids(results)))
  for (const id of ['a', 'b', 'c']) add(result(id))
  changed(change(1n, 1))
  changed(change(1n, 2))
  assert.equal(await drain(1_000), true)
  assert.deepEqual(batches, [['a', 'b', 'c']])
  assert.deepEqual(written, ['a', 'b', 'c'])
  assert.deepEqual(lanes, [change(1n, 2)])
})

test('500 are a full batch', async () => {
  const sizes: number[] = []
  const { add, drain, written } = writer((results) => sizes.push(results.length))
  for (let id = 0; id < 1_200; id++) add(result(String(id)))
  assert.equal(await drain(1_000), true)
  assert.deepEqual(sizes, [500, 500, 200])
  assert.equal(new Set(written).size, 1_200)
})

test('a database that is away is tried again, and nothing is forgotten or doubled', async () => {
  let failures = 3
  const {
    add,
    change: changed,
    drain,
    written,
    lanes,
  } = writer(() => {
    if (failures-- > 0) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  })
  for (const id of ['a', 'b']) add(result(id))
  changed(change(1n, 1))
  assert.equal(await drain(5_000), true)
  assert.deepEqual(written, ['a', 'b'])
  assert.deepEqual(lanes, [change(1n, 1)])
})

test('waiting for a database that stays away ends in time', async () => {
  let isAway = true
  const { add, drain } = writer(() => {
    if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  })
  add(result('a'))
  assert.equal(await drain(50), false)
  isAway = false
  assert.equal(await drain(5_000), true)
})

test('one result that the database refuses is put aside, the others are written once each', async () => {
  const {
    add,
    change: changed,
    drain,
    written,
    refused,
    lanes,
  } = writer((results) => {
    if (ids(results).includes('7'))
      throw Object.assign(new Error('refused'), { severity: 'ERROR', code: '23514' })
  })
  for (let id = 0; id < 20; id++) add(result(String(id)))
  changed(change(1n, 1))
  assert.equal(await drain(5_000), true)
  assert.deepEqual(refused, ['7'])
  assert.deepEqual([written.length, new Set(written).size], [19, 19])
  assert.deepEqual(lanes, [change(1n, 1)])
})
