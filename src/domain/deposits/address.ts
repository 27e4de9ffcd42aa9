/**
 * Which addresses a request may name: callback_url, success_url, reject_url. Syntax only; where a callback may
 * really connect to is decided again at every connection.
 */
import { isIP } from 'node:net'
import { bounds } from '../../platform/bounds.ts'
import type { Mode } from '../merchants/merchant.ts'

export type AddressRule = {
  mode: Mode
  /** Hosts that the operator trusts although they are private: they may use http and any port. */
  isTrustedHost: (host: string) => boolean
}

/** What is wrong with the address, as a sentence; undefined when nothing is. */
export function addressProblem(text: string, { mode, isTrustedHost }: AddressRule): string | undefined {
  if (text.length > bounds.urlCharacters) return `An address has at most ${bounds.urlCharacters} characters.`
  // The URL parser mends what it can; what needs mending is refused.
  if (!/^https?:\/\/[^/\\?#\s][^\s\\]*$/i.test(text) || !URL.canParse(text)) {
    return 'It must be an absolute http or https address.'
  }
  const url = new URL(text)
  if (url.username || url.password || /^[^/]*\/\/[^/?#]*@/.test(text))
    return 'It must not carry a user name or a password.'
  if (mode === 'test' || isTrustedHost(url.hostname)) return undefined
  if (url.protocol !== 'https:') return 'A live merchant uses https.'
  if (!['', '443', '8443'].includes(url.port)) return 'A live merchant uses port 443 or 8443.'
  if (isIP(url.hostname.replace(/^\[|\]$/g, ''))) return 'A live merchant uses a host name, not a number.'
  return undefined
}
