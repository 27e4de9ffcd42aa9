/** Which connection is parsed in which round of the event loop. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { createReadRounds } from './read-rounds.ts'

test('if a round has no time left, the rest is parsed in later rounds, one connection in each, and networks in turn', async () => {
  const resumed: string[] = []
  const rounds = createReadRounds<string>(0, (item) => resumed.push(item))
  for (const item of ['a1', 'a2', 'a3', 'b1', 'a1']) assert.equal(rounds.mayParse(item[0]!, item), false)
  rounds.forget('a', 'a3')
  await nextRound()
  assert.deepEqual(resumed, ['a1'])
  for (let round = 0; round < 5; round++) await nextRound()
  assert.deepEqual(resumed, ['a1', 'b1', 'a2'])
})

test('while nobody new connects, a round resumes as many as its time allows; otherwise one', async () => {
  const resumed: string[] = []
  let now = 0
  const resume = (item: string) => {
    resumed.push(item)
    now += 3
  }
  const rounds = createReadRounds<string>(4, resume, () => now)
  assert.equal(rounds.mayParse('a', 'a0'), true)
  now += 4
  for (const item of ['a1', 'a2', 'a3', 'b1']) assert.equal(rounds.mayParse(item[0]!, item), false)
  rounds.accepted()
  await nextRound()
  assert.deepEqual(resumed, ['a1'], 'somebody has connected')
  await nextRound()
  assert.deepEqual(resumed, ['a1', 'b1', 'a2'])
  await nextRound()
  assert.deepEqual(resumed, ['a1', 'b1', 'a2', 'a3'])
})

test('while a round has time left, connections are parsed immediately', () => {
  const rounds = createReadRounds<string>(60_000, () => assert.fail('nobody waits'))
  assert.deepEqual(
    ['a1', 'a2', 'b1'].map((item) => rounds.mayParse(item[0]!, item)),
    [true, true, true],
  )
})
