import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markCookie, sessionCookie } from './session.ts'

test('behind https every cookie of a sign-in belongs to this host alone, and no script reads it', () => {
  for (const cookie of [
    sessionCookie('secret', true),
    markCookie('secret', true),
    sessionCookie(null, true),
  ]) {
    assert.match(cookie, /^__Host-inlet(_mark)?=[^;]*; Path=\/; HttpOnly; SameSite=(Lax|Strict); Secure/)
    assert.doesNotMatch(cookie, /domain/i)
  }
})
