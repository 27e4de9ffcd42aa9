import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { createAnswerRounds } from './answer-rounds.ts'

test('one refusal is sent in each round, and nothing is kept of a client that has left', async () => {
  const answered: number[] = []
  const answer = createAnswerRounds()
  const sockets = [new Socket(), new Socket(), new Socket()]
  for (const [at, socket] of sockets.entries()) answer(socket, () => answered.push(at))
  sockets[1]!.emit('close')
  for (let round = 0; round < 4; round++) await nextRound()
  assert.deepEqual(answered, [0, 2])
  assert.deepEqual(
    sockets.map((socket) => socket.listenerCount('close')),
    [0, 0, 0],
  )
  const gone = new Socket().destroy()
  answer(gone, () => answered.push(3))
  await nextRound()
  assert.deepEqual(answered, [0, 2])
})
