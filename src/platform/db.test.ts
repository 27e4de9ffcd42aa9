import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fragment, sql } from './db.ts'
import { isDatabaseAway } from './db-errors.ts'

test('the values of fragments are numbered in the order of the whole statement', () => {
  const since = (day: string) => fragment`made_at >= ${day}`
  const ask = (id: string, day: string) => sql`
    select id from deposits where id = ${id} and ${fragment`(${since(day)} or ${true})`} limit ${[7]}`
  const { name, ...statement } = ask('a', 'monday')
  assert.deepEqual(statement, {
    text: '\n    select id from deposits where id = $1 and (made_at >= $2 or $3) limit $4',
    values: ['a', 'monday', true, [7]],
  })
  assert.equal(ask('b', 'tuesday').name, name)
})

for (const [what, error, expected] of [
  ['refuses connections', { code: 'ECONNREFUSED', syscall: 'connect' }, true],
  ['has a name that no server answers for just now', { code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, true],
  ['is in a network that cannot be reached', { code: 'ENETUNREACH', syscall: 'connect' }, true],
  ['shows a certificate that is over', { code: 'CERT_HAS_EXPIRED' }, true],
  ['shows a certificate of its own', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, true],
  ['shows a certificate of another name', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, true],
  ['speaks no TLS', { message: 'The server does not support SSL connections' }, true],
  ['ends the session', { code: '28P01', severity: 'FATAL' }, true],
  ['ends a statement that takes too long', { code: '57014', severity: 'ERROR' }, false],
  ['refuses a value', { code: '23514', severity: 'ERROR' }, false],
  ['is not to blame', { message: 'undefined is not a function' }, false],
] as const) {
  test(`a database that ${what} is ${expected ? '' : 'not '}away`, () => {
    assert.equal(
      isDatabaseAway(Object.assign(new Error('message' in error ? error.message : what), error)),
      expected,
    )
  })
}
