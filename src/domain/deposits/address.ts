/**
 * Which addresses a request may name: callback_url, success_url, reject_url. Checks the syntax only; platform/outbound.ts
 * checks the network address at every connection.
 */
import { isIP } from 'node:net'
import { bounds } from '../../platform/bounds.ts'
import type { Mode } from '../merchants/merchant.ts'
import { type Message, message } from '../messages/message.ts'

export type AddressRule = {
  mode: Mode
  /** Hosts that the operator trusts although they are private: they may use http and any port. */
  isTrustedHost: (host: string) => boolean
}

/** What is wrong with the address, as a sentence; undefined when nothing is. */
export function addressProblem(text: string, { mode, isTrustedHost }: AddressRule): Message | undefined {
  if (text.length > bounds.urlCharacters) return message('address_too_long', { most: bounds.urlCharacters })
  // The URL parser corrects some malformed addresses silently; here they are refused.
  const url = /^https?:\/\/[^/\\?#\s][^\s\\]*$/i.test(text) ? URL.parse(text) : null
  if (!url) return message('address_must_be_absolute')
  // A short address can have a long host: each letter outside of ASCII becomes several characters.
  if (url.hostname.length > bounds.hostCharacters)
    return message('address_host_too_long', { most: bounds.hostCharacters })
  if (url.username || url.password || /^[^/]*\/\/[^/?#]*@/.test(text)) return message('address_has_password')
  if (mode === 'test' || isTrustedHost(url.hostname)) return undefined
  if (url.protocol !== 'https:') return message('live_address_needs_https')
  if (!['', '443', '8443'].includes(url.port)) return message('live_address_port')
  if (isIP(url.hostname.replace(/^\[|\]$/g, ''))) return message('live_address_needs_host_name')
  return undefined
}
