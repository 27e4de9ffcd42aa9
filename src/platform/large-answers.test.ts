import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLargeAnswers } from './large-answers.ts'

/** Answers of a byte per millisecond, whose rests end when a test says so. */
function recorded(waiting = 10) {
  const made: string[] = []
  const rests: { ms: number; end: () => void }[] = []
  const answers = createLargeAnswers({ bytesPerMs: 1, waiting }, (ms) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    rests.push({ ms, end: resolve })
    return promise
  })
  const ask = (owner: string, text: string) =>
    answers(owner, async () => {
      made.push(text)
      return text
    })
  return { made, rests, answers, ask }
}

const nextRound = () => new Promise((resolve) => setImmediate(resolve))

test('after an answer its owner rests in proportion to the bytes; another owner does not', async () => {
  const { made, rests, ask } = recorded()
  const asked = [ask('a', 'я'), ask('a', 'second'), ask('b', 'other')]
  await nextRound()
  assert.deepEqual(made, ['я', 'other'])
  assert.deepEqual(
    rests.map(({ ms }) => ms),
    [2, 5],
  )
  rests[0]!.end()
  assert.deepEqual(await Promise.all(asked), ['я', 'second', 'other'])
})

test('the caller of an answer that fails gets its error, and the next one is made', async () => {
  const { answers, ask } = recorded()
  const failing = answers('a', () => Promise.reject(new Error('fault')))
  const next = ask('a', 'next')
  await assert.rejects(failing, /fault/)
  assert.equal(await next, 'next')
})

test('beyond the bound on waiting answers an owner is refused, another is not', async () => {
  const { rests, ask } = recorded(2)
  const asked = [ask('a', 'first'), ask('a', 'second')]
  await assert.rejects(ask('a', 'third'), { code: 'overloaded' })
  assert.equal(await ask('b', 'other'), 'other')
  rests[0]!.end()
  await Promise.all(asked)
  await nextRound()
  assert.equal(rests.length, 3)
  const third = ask('a', 'third')
  rests[2]!.end()
  assert.equal(await third, 'third')
})
