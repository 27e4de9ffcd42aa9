/** A connection URL may name several hosts, as libpq allows it: `postgres://a:5432,b:5432/inlet`. */

/** The same URL once for each host, in their order. */
export function urlPerHost(url: string): string[] {
  const [, login = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.split(',').map((host) => login + host + rest)
}
