/**
 * Addresses and networks. One client is counted under one name, however its address is written: every limit uses
 * `networkOf`, and every list of networks `insideOf`. Pure.
 */
import { BlockList, isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * The network that a limit counts. An IPv4 address counts alone. An IPv6 client has at least a /64, as many addresses
 * as it wants, so all of them are one. Whatever is no address (a proxy may forward anything) shares one name, and so do
 * those who were gone before anybody asked for their address: the system then has none.
 */
export function networkOf(text: string | undefined): string {
  if (text !== undefined && isIPv4(text)) return text
  const address = parseAddress(text)
  if (!address) return 'unknown'
  if (!isIPv6(address)) return address.toString()
  // Behind a translator (RFC 6052) an IPv6-only server sees every IPv4 client in one /64.
  return address.match(translated) ? ipv4At(address, 12).toString() : networkAround(address, 4)
}

/** The unit that takes turns and makes room: one host may have all networks of an IPv6 /48, so they count together. */
export const siteOf = (network: string): string =>
  network.endsWith('/64') ? networkAround(ipaddr.IPv6.parse(network.slice(0, -'/64'.length)), 3) : network

const isIPv6 = (address: Address): address is ipaddr.IPv6 => address.kind() === 'ipv6'

const networkAround = ({ parts }: ipaddr.IPv6, groups: number): string =>
  `${new ipaddr.IPv6(parts.map((part, place) => (place < groups ? part : 0)))}/${groups * 16}`

/** The IPv4 address that an IPv6 address has inside. */
export const ipv4At = (address: Address, byte: number): ipaddr.IPv4 =>
  new ipaddr.IPv4(address.toByteArray().slice(byte, byte + 4))

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. Null: it is no network. IPv4 is not written inside of IPv6. */
export function parseNetwork(text: string): [address: Address, bits: number] | null {
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? []
  const parsed = readAddress(address)
  if (!parsed || parsed.kind() !== `ipv${isIP(address)}`) return null
  const most = isIPv6(parsed) ? 128 : 32
  return Number(bits ?? 0) > most ? null : [parsed, Number(bits ?? most)]
}

/** An empty list means anywhere. */
export const isInside = (address: string, networks: readonly string[]): boolean =>
  networks.length === 0 || insideOf(networks)(address)

/** For many addresses; an empty list contains none. */
export function insideOf(networks: readonly string[]): (address: string | undefined) => boolean {
  // Node's list is five times as fast as ipaddr.js, but matches an IPv4 address against IPv6 networks such as ::/0 too.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const [address, bits] of networks.map(parseNetwork).filter((network) => network !== null))
    lists[address.kind()].addSubnet(address.toString(), bits, address.kind())
  return (text) => {
    if (text !== undefined && isIPv4(text)) return lists.ipv4.check(text, 'ipv4')
    const address = parseAddress(text)
    return address !== null && lists[address.kind()].check(address.toString(), address.kind())
  }
}

/**
 * One address in its one spelling: without the zone of an interface, without the port that some proxies forward, and
 * IPv4 as IPv4 (a server that listens for both families sees `::ffff:1.2.3.4`).
 */
function parseAddress(text: string | undefined): Address | null {
  const [, inBrackets, beforePort] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text ?? '') ?? []
  return readAddress((inBrackets ?? beforePort ?? text ?? '').split('%', 1)[0]!)
}

/** An address as systems write it, without a zone; ipaddr.js alone would also read octal, hexadecimal and short ones. */
export function readAddress(text: string): Address | null {
  const version = isIP(text)
  if (version === 0 || text.includes('%')) return null
  // ipaddr.js reads ::1.2.3.4 as ::ffff:1.2.3.4; URL writes it without dots.
  const isDotted = version === 6 && text.includes('.')
  return ipaddr.process(isDotted ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text)
}
