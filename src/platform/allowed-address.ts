/**
 * Which address a callback may connect to. A merchant chooses the name, so it may resolve to anything: the
 * operator's network, this machine, the cloud's metadata. Only addresses are checked here, never names or
 * spellings; the caller must connect to exactly the address that was checked.
 */
import { BlockList, isIP, SocketAddress } from 'node:net'

export type AddressRule = {
  /** The operator's exceptions, INLET_CALLBACK_ALLOW_CIDRS. They never reach the addresses in `never`. */
  allowed: { check(address: string, family: 'ipv4' | 'ipv6'): boolean }
  /** This machine itself: in development only. */
  loopback: boolean
}

export function isAllowedAddress(address: string, { allowed, loopback }: AddressRule): boolean {
  const judged = judge(address)
  if (judged === undefined || isIn(never, judged)) return false
  if (isPublic(judged)) return true
  return (loopback && isIn(ownMachine, judged)) || allowed.check(judged.address, judged.family)
}

/** An address of the open internet: allowed without any exception. */
export function isPublicAddress(address: string): boolean {
  const judged = judge(address)
  return judged !== undefined && isPublic(judged)
}

type Judged = { address: string; family: 'ipv4' | 'ipv6' }

/** One list per family: Node's BlockList matches an IPv4 address against IPv6 networks such as ::/0 too. */
type Networks = Record<Judged['family'], BlockList>

const denied = networks(
  [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '168.63.129.16/32',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  [
    '::/96',
    '::ffff:0:0:0/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
    '5f00::/16',
    'fc00::/7',
    'fe80::/10',
    'fec0::/10',
    'ff00::/8',
  ],
)

/** All that IANA has given out so far. What it gives out later is denied until it stands here. */
const givenOut = networks([], ['2000::/3'])

const ownMachine = networks(['127.0.0.0/8'], ['::1/128'])

/** Link-local and the clouds' metadata, which would give control of the machine. No exception allows these. */
const neverIPv4 = ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32']
const never = networks(neverIPv4, ['fe80::/10', 'fd00:ec2::254/128', ...neverIPv4.flatMap(insideIPv6)])

/**
 * The address in one spelling, a mapped IPv4 address as that IPv4 address. A zone (`%eth0`)
 * names an interface of this machine, which is never a merchant's server.
 */
function judge(address: string): Judged | undefined {
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return undefined
  if (version === 4) return { address, family: 'ipv4' }
  const spelled = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = /^::ffff:([\d.]+)$/.exec(spelled)?.[1]
  return mapped ? { address: mapped, family: 'ipv4' } : { address: spelled, family: 'ipv6' }
}

const isPublic = (judged: Judged): boolean =>
  !isIn(denied, judged) && (judged.family === 'ipv4' || isIn(givenOut, judged))

const isIn = (among: Networks, { address, family }: Judged): boolean => among[family].check(address, family)

function networks(ipv4: string[], ipv6: string[]): Networks {
  const among = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const [family, ranges] of [['ipv4', ipv4] as const, ['ipv6', ipv6] as const]) {
    for (const range of ranges) {
      const [network, bits] = range.split('/') as [string, string]
      among[family].addSubnet(network, Number(bits), family)
    }
  }
  return among
}

/** The IPv6 networks that are translated to this IPv4 network: NAT64, 6to4 and the old embeddings. */
function insideIPv6(range: string): string[] {
  const [network, bits] = range.split('/') as [string, string]
  const [a, b, c, d] = network.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'))
  const embedded = ['::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'].map(
    (prefix) => `${prefix}${network}/${96 + Number(bits)}`,
  )
  return [...embedded, `2002:${a}${b}:${c}${d}::/${16 + Number(bits)}`]
}
