import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLoginAttempts, throttleKeys } from './login-attempts.ts'

let seconds = 1_000
const now = () => seconds * 1000
const strangerAt = (account: string, network: string) => throttleKeys(account, { network, mark: null })
const anna = strangerAt('anna@example.com', '198.51.100.1')
const isWaiting = { code: 'rate_limited' }

test('after five failures an attempt waits, longer after each, and a day later nothing of it counts', () => {
  const attempts = createLoginAttempts(undefined, now)
  for (let n = 0; n < 5; n++) attempts.admit(anna)
  assert.throws(() => attempts.admit(anna), isWaiting)
  seconds += 1
  attempts.admit(anna)
  seconds += 1
  assert.throws(() => attempts.admit(anna), isWaiting)
  seconds += 86_400
  for (let n = 0; n < 5; n++) attempts.admit(anna)
  assert.throws(() => attempts.admit(anna), isWaiting)
})

test('a right attempt resets its own failures, and of those of its network only itself', () => {
  const attempts = createLoginAttempts(undefined, now)
  const others = Array.from({ length: 29 }, (_, n) => strangerAt(`other-${n}@example.com`, '198.51.100.1'))
  for (const other of others) attempts.admit(other)
  attempts.admit(anna)
  attempts.succeed(anna)
  attempts.admit(anna)
  assert.throws(() => attempts.admit(strangerAt('last@example.com', '198.51.100.1')), isWaiting)
  attempts.takeBack(anna)
  attempts.admit(strangerAt('last@example.com', '198.51.100.1'))
})

test('processes of one machine count together, and a right attempt resets all of them', () => {
  const here = createLoginAttempts((change) => there.hear(change), now)
  const there = createLoginAttempts((change) => here.hear(change), now)
  for (const process of [here, there, here, there, here]) process.admit(anna)
  for (const process of [here, there]) assert.throws(() => process.admit(anna), isWaiting)
  there.succeed(anna)
  for (let n = 0; n < 5; n++) here.admit(anna)
  assert.throws(() => there.admit(anna), isWaiting)
})
