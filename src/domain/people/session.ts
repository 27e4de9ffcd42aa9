/** A session: how long it lasts, its secret and cookies, and the token of its forms. */
import { createHash } from 'node:crypto'
import { boundCookieName, setCookie } from '../../platform/same-site.ts'

export const sessionRules = {
  /** Without a request. */
  idleMinutes: 60,
  /** In all. */
  hours: 12,
  /** A dangerous action needs a factor that was verified within this time. */
  freshMinutes: 10,
  /** Before the second factor. */
  halfMinutes: 10,
  /** How long a browser is recognised after a complete sign-in. */
  markDays: 180,
} as const

export const digestOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** The CSRF token, derived from the cookie and not stored. */
export const csrfOf = (secret: string): string =>
  createHash('sha256').update(`form ${secret}`).digest('base64url')

/** Stays in the browser after the session: it shows that the person has signed in there before. */
export const markOf = (secret: string): string =>
  createHash('sha256').update(`browser ${secret}`).digest('base64url')

/**
 * Bound to this host, and to https where it is used. Not `Strict`, which would show the sign-in page after a click on a
 * link in an e-mail; forms are protected by their origin and token.
 */
export function sessionCookie(secret: string | null, isSecure: boolean): string {
  const over = secret === null && { maxAgeSeconds: 0 }
  return setCookie(cookieName(isSecure), secret ?? '', { isSecure, ...over })
}

/** Read only at sign-in. */
export function markCookie(secret: string, isSecure: boolean): string {
  const maxAgeSeconds = sessionRules.markDays * 86_400
  return setCookie(boundCookieName(markName, isSecure), markOf(secret), {
    isSecure,
    sameSite: 'Strict',
    maxAgeSeconds,
  })
}

export const markName = 'inlet_mark'

export const cookieName = (isSecure: boolean): string => (isSecure ? '__Host-inlet' : 'inlet_session')

export const isSecret = (text: string | null): text is string =>
  text !== null && /^[A-Za-z0-9_-]{43}$/.test(text)
