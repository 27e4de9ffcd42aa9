import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { heldWork } from '../../test/support/held-work.ts'
import { createFairLimit } from './fair-limit.ts'

test('one owner gets no more than its share, even if places are free, and owners come in turn', async () => {
  const { ask, begun, endOne } = heldWork(createFairLimit({ atOnce: 3, ofOwner: 2, waiting: 10 }))
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

test('when too many wait, the owner with the most is refused in favour of others', async () => {
  const { ask, begun, endOne } = heldWork(createFairLimit({ atOnce: 1, ofOwner: 1, waiting: 2 }))
  const [running, waiting, dropped] = ['one', 'one', 'one'].map(ask)
  const refused = assert.rejects(dropped!, { code: 'overloaded' })
  const other = ask('other')
  await refused
  for (let left = 0; left < 3; left++) await endOne()
  await Promise.all([running, waiting, other])
  assert.deepEqual(begun, ['one', 'one', 'other'])
})

test('work that fails gives its place back', async () => {
  const inTurn = createFairLimit({ atOnce: 1, ofOwner: 1, waiting: 10 })
  const fails = () => Promise.reject(new Error('it failed'))
  await assert.rejects(inTurn('one', fails), /it failed/)
  assert.equal(await inTurn('one', async () => 'done'), 'done')
})
