/** The networks that a bank may call from: how they are written, and whether an address is inside. Pure. */
import { BlockList, isIP } from 'node:net'

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. Null: it is no network. */
export function networkIn(text: string): { address: string; prefix: number } | null {
  const [address = '', written, ...rest] = text.split('/')
  const bits = isIP(address) === 4 ? 32 : 128
  if (isIP(address) === 0 || address.includes('%') || isMapped(address) || rest.length > 0) return null
  if (written !== undefined && !/^(0|[1-9]\d{0,2})$/.test(written)) return null
  const prefix = written === undefined ? bits : Number(written)
  return prefix > bits ? null : { address, prefix }
}

/** No network at all: from anywhere. */
export function isInside(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return true
  // A server that listens for both families sees IPv4 addresses inside of IPv6.
  const plain = isMapped(address) ? address.slice('::ffff:'.length) : address.split('%', 1)[0]!
  const family = isIP(plain)
  if (family === 0) return false
  // One list per family: Node's BlockList matches an IPv4 address against IPv6 networks such as ::/0 too.
  const list = new BlockList()
  for (const one of networks.map(networkIn)) {
    if (one && isIP(one.address) === family) list.addSubnet(one.address, one.prefix, nameOf(family))
  }
  return list.check(plain, nameOf(family))
}

/** Whether a bank could call from somewhere new. A network that is only written in another way counts as new. */
export function addsNetworks(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === 0) return false
  const known = new Set(before.map(writtenOut))
  return after.length === 0 || after.some((one) => !known.has(writtenOut(one)))
}

function writtenOut(text: string): string {
  const network = networkIn(text)
  return network ? `${network.address}/${network.prefix}` : text
}

const isMapped = (address: string): boolean => /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address)

const nameOf = (family: number) => (family === 4 ? 'ipv4' : 'ipv6')
