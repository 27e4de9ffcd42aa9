import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { atEnd } from '../../test/support/clean-up.ts'
import { createLog } from './log.ts'
import { startWorker } from './worker.ts'

const silent = createLog('error', () => {})

/** Work that goes on until it is ended, by hand; each begins an hour after the one before, unless it is woken. */
function startHeld() {
  const ends: PromiseWithResolvers<void>[] = []
  const work = () => {
    ends.push(Promise.withResolvers<void>())
    return ends.at(-1)!.promise
  }
  const worker = startWorker('test', 3_600_000, work, silent)
  atEnd(() => {
    ends.at(-1)!.resolve()
    return worker.stop()
  })
  return { worker, begun: () => ends.length, last: () => ends.at(-1)! }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (holds()) return
    await nextRound()
  }
  assert.fail(`never happened: ${what}`)
}

test('a wake-up ends the pause', async () => {
  const { worker, begun, last } = startHeld()
  last().resolve()
  await nextRound()
  worker.wake()
  await until('a second turn', () => begun() === 2)
})

for (const outcome of ['succeeds', 'fails'])
  test(`a wake-up while it works is not lost: when the work ${outcome}, it works once more, and then pauses`, async () => {
    const { worker, begun, last } = startHeld()
    worker.wake()
    worker.wake()
    if (outcome === 'succeeds') last().resolve()
    else last().reject(new Error('test'))
    await until('a second turn', () => begun() === 2)
    last().resolve()
    for (let round = 0; round < 10; round++) await nextRound()
    assert.equal(begun(), 2)
  })

test('a worker that is stopped while it works ends with that work, woken or not', async () => {
  const { worker, begun, last } = startHeld()
  worker.wake()
  const stopped = worker.stop()
  last().resolve()
  await stopped
  assert.equal(begun(), 1)
})

test('a first pause can be ended too', async () => {
  let turns = 0
  const work = async () => void turns++
  const worker = startWorker('test', 3_600_000, work, silent, { firstMs: 3_600_000 })
  atEnd(() => worker.stop())
  await nextRound()
  assert.equal(turns, 0)
  worker.wake()
  await until('a turn', () => turns === 1)
})
