import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { heldWork } from '../../test/support/held-work.ts'
import { createConcurrencyLimit, createSharedPlaces } from './concurrency-limit.ts'
import { Refusal } from './refusals.ts'

test('one owner gets no more than its share, even if places are free', async () => {
  const { ask, begun, endOne } = heldWork(createConcurrencyLimit({ atOnce: 3, ofOwner: 2, waiting: 10 }))
  const asked = ['one', 'one', 'one', 'one', 'other', 'other'].map(ask)
  await setImmediate()
  assert.deepEqual(begun, ['one', 'one', 'other'])
  for (const next of ['one', 'other', 'one']) {
    await endOne()
    assert.equal(begun.at(-1), next)
  }
  for (let left = 0; left < 3; left++) await endOne()
  await Promise.all(asked)
})

test('the owners of one group leave places free, and others have their turn before most of them', async () => {
  const inTurn = createConcurrencyLimit({ atOnce: 3, ofOwner: 2, ofGroup: 2, waiting: 10 })
  const { ask, begun, endOne } = heldWork((owner, work) => inTurn(owner, work, owner[0]))
  const asked = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3'].map(ask)
  await setImmediate()
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  for (const next of ['a3', 'b2', 'a4', 'b3', 'a5']) {
    await endOne()
    assert.equal(begun.at(-1), next)
  }
  for (let left = 0; left < 3; left++) await endOne()
  await Promise.all(asked)
})

test('limits that share places never have more together, and what becomes free goes to each in turn', async () => {
  const places = createSharedPlaces(2)
  const bounds = { atOnce: 2, ofOwner: 1, waiting: 10 }
  const first = heldWork(createConcurrencyLimit(bounds, places))
  const second = heldWork(createConcurrencyLimit(bounds, places))
  const asked = [...['a', 'b', 'c', 'd'].map(first.ask), ...['x', 'y'].map(second.ask)]
  await setImmediate()
  assert.deepEqual([first.begun, second.begun], [['a', 'b'], []])
  await first.endOne()
  await first.endOne()
  assert.deepEqual([first.begun, second.begun], [['a', 'b', 'c'], ['x']])
  for (const { endOne } of [second, first, second, first]) await endOne()
  await Promise.all(asked)
  assert.deepEqual([first.begun.length, second.begun.length], [4, 2])
})

test('work that fails gives its place back', async () => {
  const inTurn = createConcurrencyLimit({ atOnce: 1, waiting: 10 })
  await assert.rejects(
    inTurn('one', async () => {
      throw new Error('it failed')
    }),
    /it failed/,
  )
  assert.equal(await inTurn('one', async () => 'done'), 'done')
})

test('the owner with the most waiting work is refused first', async () => {
  const { ask, begun, endOne } = heldWork(createConcurrencyLimit({ atOnce: 1, waiting: 2 }))
  const asked = [ask('one'), ask('one'), ask('one')]
  const refused = assert.rejects(
    asked[2]!,
    (error) => error instanceof Refusal && error.code === 'overloaded',
  )
  asked.push(ask('other'))
  await refused
  for (let left = 0; left < 3; left++) {
    await setImmediate()
    await endOne()
  }
  await Promise.all(asked.toSpliced(2, 1))
  assert.deepEqual(begun, ['one', 'one', 'other'])
})
