import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { hashPassword, isPassword } from './password.ts'

test('a password is kept in the PHC format, with its parameters and without padding', async () => {
  // In a process of its own: the tests of pages lower the cost in theirs.
  const hashing = `import('${import.meta.resolve('./password.ts')}').then(async ({ hashPassword }) => console.log(await hashPassword('correct horse battery')))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', hashing])
  const stored = stdout.trim()
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(await isPassword('correct horse battery', stored), true)
  assert.equal(await isPassword('correct horse batterY', stored), false)
  assert.equal(await isPassword('correct horse battery', null), false)
})

test('a text that another program wrote is compared by its own parameters', async () => {
  // From the test vectors of the reference implementation (phc-winner-argon2, src/test.c).
  const theirs = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  assert.equal(await isPassword('password', theirs), true)
  assert.equal(await isPassword('differentpassword', theirs), false)
})

test('letters that are written in two ways are one password', async () => {
  const stored = await hashPassword('Ёлка зелёная стоит')
  assert.equal(await isPassword('Ёлка зелёная стоит'.normalize('NFD'), stored), true)
})

test('a stored hash with excessive cost is refused, and malformed ones are never compared', async () => {
  const salt = 'c29tZXNhbHQ'
  const tag = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  for (const text of [
    `$argon2id$v=19$m=65537,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=11,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=5$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=0,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=4,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=16$m=19456,t=2,p=1$${salt}$${tag}`,
    `$argon2i$v=19$m=19456,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}$`,
    `argon2id$19456$2$1$${salt}$${tag}`,
    '',
  ])
    await assert.rejects(isPassword('password', text), /cannot be compared|can be compared/, text)
})
