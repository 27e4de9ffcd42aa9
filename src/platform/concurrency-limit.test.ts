import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { heldWork } from '../../test/support/held-work.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { Refusal } from './refusals.ts'

test('one owner has no more than its part, although places are free', async () => {
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

test('whoever has the most waiting is refused first', async () => {
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
