import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDatabaseAway } from './db.ts'

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
