import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batched } from './batched.ts'

const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Answers when the test lets it; remembers what it was asked. */
function slowly() {
  const asked: string[][] = []
  const open: PromiseWithResolvers<ReadonlyMap<string, string>>[] = []
  return {
    asked,
    ask(keys: string[]) {
      asked.push(keys)
      open.push(Promise.withResolvers())
      return open.at(-1)!.promise
    },
    answer: () => open.shift()!.resolve(new Map(asked.at(-open.length - 1)!.map((key) => [key, `${key}!`]))),
    fail: () => open.shift()!.reject(new Error('away')),
  }
}

test('keys that arrive while a query runs are read together afterwards, once each', async () => {
  const side = slowly()
  const read = batched(side.ask, { most: 10, atOnce: 1 })
  const first = read('a')
  await tick()
  const rest = Promise.all([read('b'), read('c'), read('b'), read('a')])
  await tick()
  assert.deepEqual(side.asked, [['a']])
  side.answer()
  assert.equal(await first, 'a!')
  await tick()
  assert.deepEqual(side.asked, [['a'], ['b', 'c', 'a']])
  side.answer()
  assert.deepEqual(await rest, ['b!', 'c!', 'b!', 'a!'])
})

test('a query never exceeds its size, and unknown keys are undefined', async () => {
  const asked: number[] = []
  const read = batched<string>(
    async (keys) => {
      asked.push(keys.length)
      return new Map()
    },
    { most: 3, atOnce: 1 },
  )
  const answers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(read))
  assert.deepEqual(answers, Array(7).fill(undefined))
  assert.deepEqual(asked, [3, 3, 1])
})

test('a fault reaches only the callers of that batch', async () => {
  const side = slowly()
  const read = batched(side.ask, { most: 10, atOnce: 1 })
  const first = read('a')
  await tick()
  const second = read('b')
  side.fail()
  await assert.rejects(first, /away/)
  await tick()
  side.answer()
  assert.equal(await second, 'b!')
})
