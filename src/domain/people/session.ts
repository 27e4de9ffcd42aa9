/** A session: how long it lasts, how its secret is kept, and what a form must carry. */
import { createHash } from 'node:crypto'
import { hostName, setCookie } from '../../platform/same-site.ts'

export const sessionRules = {
  /** Without a sign of life. */
  idleMinutes: 60,
  /** However busy. */
  hours: 12,
  /** A dangerous act wants a factor that was shown within so many minutes. */
  freshMinutes: 10,
  /** Half a sign-in ends soon. */
  halfMinutes: 10,
  /** A browser is known for so long after a whole sign-in. */
  markDays: 180,
} as const

export const digestOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Known to the page that the session's browser got, and to nobody else: it is made of the cookie, not stored. */
export const csrfOf = (secret: string): string =>
  createHash('sha256').update(`form ${secret}`).digest('base64url')

/** Stays in the browser when the session is over: whoever brings it has signed in there before. */
export const markOf = (secret: string): string =>
  createHash('sha256').update(`browser ${secret}`).digest('base64url')

/**
 * Bound to this host and to https where there is https. `Strict` would show the sign-in to whoever follows a link
 * from a letter; forms are guarded by their origin and their token.
 */
export function sessionCookie(secret: string | null, isSecure: boolean): string {
  const over = secret === null && { maxAgeSeconds: 0 }
  return setCookie(cookieName(isSecure), secret ?? '', { isSecure, ...over })
}

/** Read where somebody signs in, and nowhere else. */
export function markCookie(secret: string, isSecure: boolean): string {
  const maxAgeSeconds = sessionRules.markDays * 86_400
  return setCookie(hostName(markName, isSecure), markOf(secret), {
    isSecure,
    sameSite: 'Strict',
    maxAgeSeconds,
  })
}

export const markName = 'inlet_mark'

export const cookieName = (isSecure: boolean): string => (isSecure ? '__Host-inlet' : 'inlet_session')

export const isSecret = (text: string | null): text is string =>
  text !== null && /^[A-Za-z0-9_-]{43}$/.test(text)
