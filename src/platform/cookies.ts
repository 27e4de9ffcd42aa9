/**
 * Cookies of ours. Where there is https, the name of each binds it to this very host (RFC 6265bis, 4.1.3.2): no
 * neighbour below the same domain can set or replace one. Browsers take such a name with the path / only.
 */
type Request = { headers: { cookie?: string | undefined } }

export const hostName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)

/** The value of a cookie with exactly this name. */
export function cookieOf({ headers }: Request, name: string): string | null {
  for (const pair of (headers.cookie ?? '').split(/;\s*/)) {
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1)
  }
  return null
}

/** The same for what decides nothing: also under the name that it has without https. */
export const rememberedIn = (request: Request, name: string): string | null =>
  cookieOf(request, hostName(name, true)) ?? cookieOf(request, name)
