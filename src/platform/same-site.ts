/** What ties a request to our own pages: cookies bound to this very host, and forms that no other site can send. Pure. */
import { Refusal } from './refusals.ts'

type Cookies = { headers: { cookie?: string | undefined } }

/**
 * Where there is https, the name of each cookie binds it to this host (RFC 6265bis, 4.1.3.2): no other host of the
 * domain can set or replace one. Browsers accept such a name with the path / only.
 */
export const boundCookieName = (name: string, isSecure: boolean): string =>
  isSecure ? `__Host-${name}` : name

/** The value of the first cookie with exactly this name. Cut into pairs, 16 KB of separators would take a millisecond each time. */
export function cookieOf({ headers: { cookie = '' } }: Cookies, name: string): string | null {
  const start = `${name}=`
  for (let at = cookie.indexOf(start); at !== -1; at = cookie.indexOf(start, at + 1)) {
    // Otherwise the match is the end of another name, or part of a value.
    if (at > 0 && !cookie.slice(0, at).trimEnd().endsWith(';')) continue
    const end = cookie.indexOf(';', at)
    return cookie.slice(at + start.length, end === -1 ? undefined : end)
  }
  return null
}

/** For cookies without security relevance: also under the name without prefix. */
export const rememberedIn = (request: Cookies, name: string): string | null =>
  cookieOf(request, boundCookieName(name, true)) ?? cookieOf(request, name)

/** An HttpOnly cookie; without an age it ends with the browser's session. */
export function setCookie(
  name: string,
  value: string,
  options: { isSecure: boolean; sameSite?: 'Lax' | 'Strict'; maxAgeSeconds?: number },
): string {
  const { isSecure, sameSite = 'Lax', maxAgeSeconds } = options
  const life = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}${life}`
}

export type SenderHeaders = { origin?: string | undefined; 'sec-fetch-site'?: string | string[] | undefined }

/**
 * Refuses a form that comes from no page of ours. A browser says where it comes from in two headers, and neither may say
 * otherwise. Our referrer policy makes browsers write the origin of our own forms as "null" (Fetch, 3.2), which alone
 * proves nothing.
 */
export function refuseOtherSites(
  { headers }: { headers: SenderHeaders },
  origin: string,
  /** The result if both headers are missing (old browsers), for pages whose address is itself a secret. */
  { allowsMissing }: { allowsMissing: boolean },
): void {
  const { origin: sender, 'sec-fetch-site': site } = headers
  const isOurs =
    sender !== undefined && sender !== 'null' ? sender === origin : site === 'same-origin' || allowsMissing
  if (!isOurs || (site !== undefined && site !== 'same-origin')) throw new Refusal('cross_site_request')
}
