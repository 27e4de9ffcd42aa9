/** An address of PostgreSQL may name several hosts, as its own tools take them: `postgres://a:5432,b:5432/inlet`. */

/** One address for each host, in order. */
export function addressesOf(url: string): string[] {
  const [, login = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.split(',').map((host) => login + host + rest)
}
