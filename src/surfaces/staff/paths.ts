/** Addresses for signing in and of one's own account, and where each console begins. */
import { createPaths } from '../../platform/paths.ts'

export const deskRoot = '/operator'
export const consoleRoot = '/console/:merchant'

/** The first page of each console. */
export const deskHome = `${deskRoot}/overview` as const
export const consoleHome = `${consoleRoot}/overview` as const

export const staffPath = createPaths('', [
  deskRoot,
  deskHome,
  consoleRoot,
  consoleHome,
  '/account',
  '/account/codes',
  '/account/passkeys/remove',
  '/account/password',
  '/account/preferences',
  '/account/sessions/end',
  '/account/totp/remove',
  '/console',
  '/home',
  '/join/:token',
  '/join/:token/accept',
  '/sign-in',
  '/sign-in/again',
  '/sign-in/passkey',
  '/sign-in/passkey/ask',
  '/sign-in/second',
  '/sign-in/set-up',
  '/sign-in/set-up/passkey',
  '/sign-in/set-up/passkey/ask',
  '/sign-out',
])
