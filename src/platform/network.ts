/**
 * Addresses and networks. One client is counted under one name, however its address is written: every limit uses
 * `networkOf`, and every list of networks `isInside`. Pure.
 */
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net'

type Family = 'ipv4' | 'ipv6'
type Network = { address: string; prefix: number; family: Family }

/**
 * The network that a limit counts. An IPv4 address counts alone. An IPv6 client has at least a /64, as many addresses
 * as it wants, so all of them are one. Whatever is no address (a proxy may forward anything) shares one name, and so do
 * those who were gone before anybody asked for their address: the system then has none.
 */
export function networkOf(address: string | undefined): string {
  const found = parseAddress(address)
  if (!found) return 'unknown'
  if (found.family === 'ipv4') return found.address
  const groups = groupsOf(found.address)
  // Behind a translator (RFC 6052) an IPv6-only server sees every IPv4 client in one /64.
  if (groups.slice(0, 6).join(':') === '64:ff9b:0:0:0:0') return dotted(groups.slice(6))
  return `${canonical(`${groups.slice(0, 4).join(':')}::`)}/64`
}

/** The unit that takes turns and makes room: one host may have all networks of an IPv6 /48, so they count together. */
export const siteOf = (network: string): string =>
  network.endsWith('/64')
    ? `${canonical(`${groupsOf(network.slice(0, -'/64'.length)).slice(0, 3).join(':')}::`)}/48`
    : network

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. Null: it is no network. IPv4 is not written inside of IPv6. */
export function parseNetwork(text: string): Network | null {
  const [address = '', written, ...rest] = text.split('/')
  const found = parseAddress(address)
  const isMapped = found?.family === 'ipv4' && !isIPv4(address)
  if (!found || isIP(address) === 0 || address.includes('%') || isMapped || rest.length > 0) return null
  if (written !== undefined && !/^(0|[1-9]\d{0,2})$/.test(written)) return null
  const bits = found.family === 'ipv4' ? 32 : 128
  const prefix = written === undefined ? bits : Number(written)
  return prefix > bits ? null : { ...found, prefix }
}

/** An empty list means anywhere. */
export const isInside = (address: string, networks: readonly string[]): boolean =>
  networks.length === 0 || insideOf(networks)(address)

/** For many addresses; an empty list contains none. */
export function insideOf(networks: readonly string[]): (address: string | undefined) => boolean {
  // One list per family: Node's BlockList matches an IPv4 address against IPv6 networks such as ::/0 too.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of networks.map(parseNetwork)) {
    if (network) lists[network.family].addSubnet(network.address, network.prefix, network.family)
  }
  return (address) => {
    const found = parseAddress(address)
    return found !== null && lists[found.family].check(found.address, found.family)
  }
}

/**
 * One address in its one spelling: without the zone of an interface, without the port that some proxies forward, and
 * IPv4 as IPv4 (a server that listens for both families sees `::ffff:1.2.3.4`).
 */
function parseAddress(text: string | undefined): { address: string; family: Family } | null {
  if (text === undefined) return null
  if (isIPv4(text)) return { address: text, family: 'ipv4' }
  const [, inBrackets, beforePort] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? []
  const address = (inBrackets ?? beforePort ?? text).split('%', 1)[0]!
  const version = isIP(address)
  if (version === 0) return null
  const spelled = version === 6 ? canonical(address) : address
  const mapped = spelled.startsWith('::ffff:') ? spelled.slice('::ffff:'.length) : spelled
  return isIPv4(mapped) ? { address: mapped, family: 'ipv4' } : { address: spelled, family: 'ipv6' }
}

const canonical = (address: string): string => new SocketAddress({ address, family: 'ipv6' }).address

/** The eight groups of a canonical address; its last two may be written as IPv4. */
function groupsOf(address: string): string[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = [], tail = []] = hex.split('::').map((half) => half.split(':').filter(Boolean))
  return [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail]
}

const dotted = (groups: readonly string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 255])
    .join('.')
