import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { heldWork } from '../../test/support/held-work.ts'
import { askAs, createFairConnections } from './fair-connections.ts'

function lender(connections: number) {
  const { inTurn } = createFairConnections(connections, {
    waitMs: 1_000,
    crowded: () => new Error('crowded'),
  })
  return heldWork((owner, work) => askAs(owner, () => inTurn(work)))
}

test('however long the queries of one owner take, a connection is left for the others', async () => {
  const { ask, begun, endOne } = lender(4)
  const asked = Array.from({ length: 6 }, () => ask('one'))
  await setImmediate()
  assert.deepEqual(begun, ['one', 'one', 'one'])
  asked.push(ask('other'))
  await setImmediate()
  assert.deepEqual(begun, ['one', 'one', 'one', 'other'])

  // The owner whose turn it is gets the returned connection.
  asked.push(ask('other'), ask('third'))
  const order = ['one', 'other', 'third', 'one', 'one']
  for (const [place, owner] of order.entries()) {
    await endOne()
    assert.equal(begun[4 + place], owner)
  }
  for (let left = 4; left > 0; left--) await endOne()
  await Promise.all(asked)
})

test('a single connection is lent to any owner', async () => {
  const { ask, begun, endOne } = lender(1)
  const asked = [ask('one'), ask('one')]
  await setImmediate()
  assert.deepEqual(begun, ['one'])
  await endOne()
  await endOne()
  await Promise.all(asked)
  assert.deepEqual(begun, ['one', 'one'])
})
