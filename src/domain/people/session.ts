/** A session: how long it lasts, how its secret is kept, and what a form must carry. */
import { createHash } from 'node:crypto'
import { hostName } from '../../platform/cookies.ts'

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
  const name = cookieName(isSecure)
  const life = secret === null ? '; Max-Age=0' : ''
  return `${name}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${life}`
}

/** Read where somebody signs in, and nowhere else. */
export function markCookie(secret: string, isSecure: boolean): string {
  const life = `Max-Age=${sessionRules.markDays * 86_400}`
  const name = hostName(markName, isSecure)
  return `${name}=${markOf(secret)}; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}; ${life}`
}

export const markName = 'inlet_mark'

export const cookieName = (isSecure: boolean): string => (isSecure ? '__Host-inlet' : 'inlet_session')

export const isSecret = (text: string | null): text is string =>
  text !== null && /^[A-Za-z0-9_-]{43}$/.test(text)
